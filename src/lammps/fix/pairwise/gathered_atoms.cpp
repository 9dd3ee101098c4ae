#include "lammps/fix/pairwise/gathered_atoms.h"

namespace LAMMPS_NS {

void PairAtomArrays::clear() {
  x.clear();
  type.clear();
  strength.clear();
  side.clear();
  tag.clear();
}

double PairAtomArrays::memory_usage() const {
  return double(x.capacity() + strength.capacity()) * sizeof(double) + double(type.capacity()) * sizeof(int) +
         double(side.capacity()) + double(tag.capacity()) * sizeof(tagint);
}

bool GatheredAtoms::gather(const PairAtomArrays &mine, bool changed) {
  changed = gather_attributes(mine, changed);
  if (layout_.ranks() > 1) layout_.join(mine.x, all_.x, 3);
  return changed;
}

bool GatheredAtoms::gather_attributes(const PairAtomArrays &mine, bool changed) {
  mine_ = &mine;
  changed = layout_.any(changed);
  if (changed) layout_.set(mine.size());
  if (layout_.ranks() == 1 || !changed) return changed;
  layout_.join(mine.type, all_.type);
  if (layout_.any(!mine.strength.empty())) layout_.join(mine.strength, all_.strength);
  layout_.join(mine.side, all_.side);
  layout_.join(mine.tag, all_.tag);
  return changed;
}

}  // namespace LAMMPS_NS

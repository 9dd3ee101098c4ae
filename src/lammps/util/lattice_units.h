// The keyword `units` of LAMMPS's fixes: lengths in units of the lattice or of the box.
#pragma once

#include "domain.h"
#include "error.h"
#include "io/setting_reader.h"
#include "lammps.h"
#include "lattice.h"

namespace LAMMPS_NS {

/// Reads the value of `units`. Returns true for lattice.
inline bool read_lattice_units(triad::SettingReader &words) {
  return words.choice<bool>({{"lattice", true}, {"box", false}});
}

/// Returns the length that the number 1 stands for along an axis.
inline double length_unit(LAMMPS *lmp, int axis, bool lattice) {
  if (!lattice) return 1;
  const Lattice *const of = lmp->domain->lattice;
  if (!of) lmp->error->all(FLERR, "There is no lattice for lengths in lattice units; use units box");
  return axis == 0 ? of->xlattice : axis == 1 ? of->ylattice : of->zlattice;
}

}  // namespace LAMMPS_NS

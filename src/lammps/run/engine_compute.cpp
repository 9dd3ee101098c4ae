#include "lammps/run/engine_compute.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "compute.h"
#include "lammps/compute/compute_temp_triad.h"
#include "modify.h"
#include "utils.h"

using namespace LAMMPS_NS;

bool LAMMPS_NS::leaves_atoms_alone(const Compute *compute) {
  if (const auto *const tallies = dynamic_cast<const TallyCompute *>(compute)) return tallies->takes_engine_tallies();
  return dynamic_cast<const EngineCompute *>(compute) || std::strcmp(compute->style, "pressure") == 0 ||
         std::strcmp(compute->style, "pe") == 0 || std::strcmp(compute->style, "pair") == 0;
}

namespace {

constexpr const char *thermo_id = "thermo_temp", *other_id = "temp_beside_thermo";

bool is_ours(const Compute *compute) { return dynamic_cast<const ComputeTempTriad *>(compute) != nullptr; }

/// The element of Modify::compute with this ID, or null.
Compute **find_compute(const Modify *modify, const char *id) {
  Compute **const end = modify->compute + modify->ncompute;
  Compute **const found =
      std::find_if(modify->compute, end, [&](const Compute *one) { return std::strcmp(one->id, id) == 0; });
  return found == end ? nullptr : found;
}

void set_style(Compute *compute, const char *style) {
  delete[] compute->style;
  compute->style = utils::strdup(style);
}

}  // namespace

void LAMMPS_NS::set_thermo_temperature(LAMMPS *lmp, bool ours) {
  Modify *const modify = lmp->modify;
  Compute *const *const now = find_compute(modify, thermo_id);
  if (!now || std::strcmp((*now)->style, "temp") != 0 || ours == is_ours(*now)) return;
  const bool is_loaded = modify->compute_map->count("temp/triad");
  if (ours && !is_loaded) return;
  if (!find_compute(modify, other_id))
    modify->add_compute(std::string(other_id) + " all " + (ours ? "temp/triad" : "temp"), 0);
  Compute **const before = find_compute(modify, thermo_id), **const after = find_compute(modify, other_id);
  if (is_ours(*after) != ours) return;  // a compute of the script
  TemperatureSettings(**before).give_to(**after);
  std::swap((*before)->id, (*after)->id);
  std::swap(*before, *after);
  (*before)->tempflag = 1;
  (*after)->tempflag = 0;  // nothing shall use it, not even thermo_modify
  if (ours) {
    set_style(*before, "temp");
  } else {
    set_style(*after, "temp/triad");
    if (!is_loaded) modify->delete_compute(other_id);
  }
}

void LAMMPS_NS::serve_thermo_output(LAMMPS *lmp) {
  Compute *const *const now = find_compute(lmp->modify, thermo_id);
  if (!now) return;
  if (auto *const ours = dynamic_cast<ComputeTempTriad *>(*now)) ours->serve_output();
}

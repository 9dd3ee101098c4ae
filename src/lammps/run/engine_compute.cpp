#include "lammps/run/engine_compute.h"

#include <cstring>
#include <string>

#include "compute.h"
#include "lammps/compute/compute_temp_triad.h"
#include "modify.h"

using namespace LAMMPS_NS;

bool LAMMPS_NS::leaves_atoms_alone(const Compute *compute) {
  if (const auto *const tallies = dynamic_cast<const TallyCompute *>(compute)) return tallies->takes_engine_tallies();
  return dynamic_cast<const EngineCompute *>(compute) || std::strcmp(compute->style, "pressure") == 0 ||
         std::strcmp(compute->style, "pe") == 0 || std::strcmp(compute->style, "pair") == 0;
}

void LAMMPS_NS::set_thermo_temperature(LAMMPS *lmp, bool ours) {
  const std::string id = "thermo_temp";
  Modify *const modify = lmp->modify;
  const Compute *const now = modify->get_compute_by_id(id);
  if (!now || std::strcmp(now->style, ours ? "temp" : "temp/triad") != 0) return;
  const TemperatureSettings settings(*now);
  modify->delete_compute(id);
  settings.give_to(*modify->add_compute(id + (ours ? " all temp/triad" : " all temp"), 0));
}

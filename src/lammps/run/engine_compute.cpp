#include "lammps/run/engine_compute.h"

#include <cstring>
#include <string>

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

bool is_ours(const Compute *compute) { return dynamic_cast<const ComputeTempTriad *>(compute) != nullptr; }

}  // namespace

bool LAMMPS_NS::set_thermo_temperature(LAMMPS *lmp, bool ours) {
  const std::string id = "thermo_temp";
  Modify *const modify = lmp->modify;
  const Compute *const now = modify->get_compute_by_id(id);
  if (!now || std::strcmp(now->style, "temp") != 0 || ours == is_ours(now)) return false;
  if (ours && !modify->compute_map->count("temp/triad")) return false;
  const TemperatureSettings settings(*now);
  modify->delete_compute(id);
  Compute *const made = modify->add_compute(id + (ours ? " all temp/triad" : " all temp"), 0);
  settings.give_to(*made);
  if (!ours) return true;
  dynamic_cast<ComputeTempTriad &>(*made).serve_thermo();
  delete[] made->style;
  made->style = utils::strdup("temp");
  return true;
}

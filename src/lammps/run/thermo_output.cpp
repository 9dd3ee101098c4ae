#include "lammps/run/thermo_output.h"

#include <cstring>
#include <string>
#include <unordered_set>

#include "compute.h"
#include "fix.h"
#include "input.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/run/engine_fix.h"
#include "library.h"
#include "modify.h"
#include "output.h"
#include "variable.h"

using namespace LAMMPS_NS;

namespace {

/// Columns that LAMMPS fills from the box, clocks and counters, or from the computes of temperature, pressure and
/// energy.
bool is_plain_column(const std::string &name) {
  static const std::unordered_set<std::string> plain = {
      "Step",    "Elapsed", "Elaplong",    "Dt",      "Time",      "CPU",     "T/CPU",  "S/CPU",  "CPULeft", "Part",
      "Atoms",   "Temp",    "TimeoutLeft", "Press",   "PotEng",    "KinEng",  "TotEng", "Nbuild", "Ndanger", "E_vdwl",
      "E_coul",  "E_pair",  "E_bond",      "E_angle", "E_dihed",   "E_impro", "E_mol",  "E_long", "E_tail",  "Enthalpy",
      "Ecouple", "Volume",  "Density",     "Lx",      "Econserve", "Ly",      "Lz",     "Xlo",    "Xhi",     "Ylo",
      "Yhi",     "Zlo",     "Zhi",         "Xy",      "Xz",        "Yz",      "Cella",  "Cellb",  "Cellc",   "Pxx",
      "Pyy",     "Pzz",     "Pxy",         "Pxz",     "Pyz"};
  return plain.count(name) > 0;
}

bool leaves_atoms_alone(const Compute *compute) {
  return dynamic_cast<const ComputeTempTriad *>(compute) || dynamic_cast<const ComputeHeatFluxTriad *>(compute) ||
         !std::strcmp(compute->style, "pressure") || !std::strcmp(compute->style, "pe");
}

/// The ID in "c_ID[1]" or "f_ID".
std::string id_of(const std::string &column) { return column.substr(2, column.find('[') - 2); }

bool column_reads_atoms(Modify *modify, const std::string &column) {
  if (is_plain_column(column)) return false;
  if (column.rfind("c_", 0) == 0) {
    const Compute *compute = modify->get_compute_by_id(id_of(column));
    return !compute || !leaves_atoms_alone(compute);
  }
  if (column.rfind("f_", 0) == 0) return !as_engine_fix(modify->get_fix_by_id(id_of(column)));
  return true;
}

}  // namespace

bool LAMMPS_NS::thermo_reads_atoms(LAMMPS *lmp) {
  Modify *const modify = lmp->modify;
  if (lmp->output->var_thermo) return true;
  // whichever compute thermo_modify has chosen for temperature and pressure
  for (const Compute *compute : modify->get_compute_list())
    if ((compute->tempflag || compute->pressflag) && !leaves_atoms_alone(compute)) return true;
  // energies of fixes
  for (Fix *fix : modify->get_fix_list())
    if ((fix->ecouple_flag || (fix->energy_global_flag && fix->thermo_energy)) && !as_engine_fix(fix)) return true;

  const auto *columns = static_cast<const int *>(lammps_last_thermo(lmp, "num", 0));
  if (!columns) return true;
  for (int k = 0; k < *columns; ++k) {
    const auto *name = static_cast<const char *>(lammps_last_thermo(lmp, "keyword", k));
    if (!name || column_reads_atoms(modify, name)) return true;
  }
  return false;
}

bool LAMMPS_NS::samples_read_atoms(LAMMPS *lmp) {
  for (const Compute *compute : lmp->modify->get_compute_list())
    if (!leaves_atoms_alone(compute)) return true;
  Variable *const variables = lmp->input->variable;
  const int count = lammps_id_count(lmp, "variable");
  for (int k = 0; k < count; ++k)
    if (variables->equalstyle(k) || variables->atomstyle(k) || variables->vectorstyle(k)) return true;
  return false;
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

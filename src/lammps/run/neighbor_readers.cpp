#include "lammps/run/neighbor_readers.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "compute.h"
#include "fix.h"
#include "input.h"
#include "lammps/run/command_arguments.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/engine_fix.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/variable_text.h"
#include "library.h"
#include "modify.h"
#include "output.h"
#include "utils.h"
#include "variable.h"

namespace LAMMPS_NS {
namespace {

/// The list has no computes of per-atom energies and virials, since those of LAMMPS's pair style need ghosts.
bool reads_owned_atoms(const Compute *compute) {
  static const std::string styles =
      " angmom/chunk chunk/atom chunk/spread/atom com com/chunk count/type displace/atom global/atom gyration "
      "gyration/chunk gyration/shape inertia/chunk ke ke/atom momentum msd msd/chunk msd/nongauss omega/chunk "
      "property/atom property/chunk reduce reduce/chunk reduce/region slice temp temp/chunk temp/com temp/deform "
      "temp/partial temp/profile temp/ramp temp/region torque/chunk vacf vcm/chunk ";
  return leaves_atoms_alone(compute) || styles.find(fmt::format(" {} ", compute->style)) != std::string::npos;
}

bool reads_owned_atoms(const Fix *fix) {
  return as_engine_fix(fix) || only_reads_atoms(fix) || is_dynamic_group(fix) || balances_at_times(fix) ||
         is_package_omp(fix) || changes_box(fix) || utils::strmatch(fix->style, "^STORE/");
}

/// True for the dumps of atoms, with their compressed forms. `index`: in LAMMPS's list of dumps.
bool dump_reads_owned_atoms(LAMMPS *lmp, int index) {
  static const std::unordered_set<std::string> styles = {"atom",   "cfg", "custom", "dcd",
                                                         "extxyz", "xtc", "xyz",    "yaml"};
  char id[200] = "";
  lammps_id_name(lmp, "dump", index, id, sizeof id);
  const std::vector<std::string> words = dump_arguments(lmp, id);
  if (words.empty()) return false;
  const std::string &style = words[2];
  const std::size_t slash = style.find('/');
  const std::string form = slash == std::string::npos ? "" : style.substr(slash + 1);
  return styles.count(style.substr(0, slash)) && (form.empty() || form == "gz" || form == "zstd");
}

}  // namespace

bool may_read_neighbors(LAMMPS *lmp) {
  const auto reads_more = [](const auto *reader) { return !reads_owned_atoms(reader); };
  const std::vector<Compute *> &computes = lmp->modify->get_compute_list();
  if (std::any_of(computes.begin(), computes.end(), reads_more)) return true;
  const std::vector<Fix *> &fixes = lmp->modify->get_fix_list();
  if (std::any_of(fixes.begin(), fixes.end(), reads_more)) return true;
  for (int k = 0; k < lmp->output->ndump; ++k)
    if (!dump_reads_owned_atoms(lmp, k)) return true;
  for (int k = 0; k < lmp->input->variable->nvar; ++k) {  // a function in Python may read anything
    const VariableText text = variable_text(lmp, k);
    if (text.kind == VariableText::Kind::Other && text.formula.empty()) return true;
  }
  return false;
}

}  // namespace LAMMPS_NS

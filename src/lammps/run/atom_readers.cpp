#include "lammps/run/atom_readers.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "compute.h"
#include "fix.h"
#include "lammps/run/command_arguments.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/engine_fix.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/formula_words.h"
#include "lammps/run/variable_text.h"
#include "library.h"
#include "modify.h"
#include "output.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

/// The ID in "c_ID[1]", "f_ID" or "v_ID".
std::string id_of(const std::string &word) { return word.substr(2, word.find('[') - 2); }

std::string named(const char *kind, const char *id, const char *style) {
  return std::string(kind) + " " + id + " (" + style + ")";
}

bool is_unsafe_temperature(const Compute *compute) { return compute->tempflag && !leaves_atoms_alone(compute); }

}  // namespace

std::string AtomReaders::of_compute(const std::string &id) {
  Compute *const compute = modify->get_compute_by_id(id);
  if (!compute) return "compute " + id;
  if (compute->pressflag) return of_pressure(compute);
  if (std::strcmp(compute->style, "pe") == 0) return of_energies();
  return leaves_atoms_alone(compute) ? "" : named("compute", compute->id, compute->style);
}

/// LAMMPS does not tell which temperature compute a pressure compute uses; only a call of the latter shows.
std::string AtomReaders::of_pressure(Compute *pressure) {
  if (std::strcmp(pressure->style, "pressure") != 0) return named("compute", pressure->id, pressure->style);
  if (!after_setup_) return "";
  const std::vector<Compute *> computes = modify->get_compute_list();
  if (std::none_of(computes.begin(), computes.end(), is_unsafe_temperature)) return "";
  const bool asked = update->vflag_global == update->ntimestep;
  if (asked) pressure->compute_scalar();
  for (const Compute *compute : computes)
    if (is_unsafe_temperature(compute) && (!asked || compute->invoked_scalar == update->ntimestep))
      return named("compute", compute->id, compute->style);
  return "";
}

/// Values of our fixes and of LAMMPS's sampling fixes can be read without atoms.
std::string AtomReaders::of_fix(const std::string &id) {
  const Fix *const fix = modify->get_fix_by_id(id);
  if (!fix) return "fix " + id;
  return as_engine_fix(fix) || only_reads_atoms(fix) ? "" : named("fix", fix->id, fix->style);
}

/// The energies of fixes, which are part of the potential energy.
std::string AtomReaders::of_energies() const {
  for (const Fix *fix : modify->get_fix_list())
    if (fix->energy_global_flag && fix->thermo_energy && !as_engine_fix(fix)) return named("fix", fix->id, fix->style);
  return "";
}

/// The energies that fixes have taken from the atoms.
std::string AtomReaders::of_coupling() const {
  for (const Fix *fix : modify->get_fix_list())
    if (fix->ecouple_flag && !as_engine_fix(fix)) return named("fix", fix->id, fix->style);
  return "";
}

/// The temperature compute of a thermo keyword in a formula, known once the formula has been evaluated. Only keywords
/// that need the compute of temperature or of pressure are evaluated: the thermo output may have none.
std::string AtomReaders::of_thermo_keyword(const std::string &keyword) {
  std::string coupled = counts_coupling(keyword) ? of_coupling() : "";
  if (!coupled.empty()) return coupled;
  const KeywordSources from = sources_of_keyword(keyword);
  if (!after_setup_ || !(from.pressure || from.temperature)) return "";
  const std::vector<Compute *> computes = modify->get_compute_list();
  if (std::none_of(computes.begin(), computes.end(), is_unsafe_temperature)) return "";
  const bool asked = update->vflag_global == update->ntimestep;
  if (asked && from.temperature) lammps_get_thermo(lmp, "temp");
  if (asked && from.pressure) lammps_get_thermo(lmp, "press");
  for (const Compute *compute : computes)
    if (is_unsafe_temperature(compute) && (!asked || compute->invoked_scalar == update->ntimestep))
      return named("compute", compute->id, compute->style);
  return "";
}

std::string AtomReaders::of_variable(const std::string &name) {
  std::string holder = "variable " + name;
  const VariableText text = variable_text(lmp, name);
  if (text.kind == VariableText::Kind::Other) return holder;
  if (text.kind == VariableText::Kind::Constant || !visited_.insert(name).second) return "";
  return in_formula(text.formula, holder);
}

/// c_ID, f_ID or v_NAME.
std::string AtomReaders::in_reference(const std::string &word) {
  switch (std::tolower(static_cast<unsigned char>(word[0]))) {
    case 'c':
      return of_compute(id_of(word));
    case 'f':
      return of_fix(id_of(word));
    default:
      return of_variable(id_of(word));
  }
}

/// `holder`: returned if the formula itself reads atoms.
std::string AtomReaders::in_formula(const std::string &formula, const std::string &holder) {
  for (const FormulaWord &word : words_of_formula(formula)) {
    std::string found;
    if (word.is_reference())
      found = in_reference(word.text);
    else if (is_plain_keyword(word.text) && word.next != '(' && word.next != '[')
      found = of_thermo_keyword(word.text);
    else if (!is_plain_word(word.text))
      found = holder;  // a function of a group or region, a value of an atom
    if (!found.empty()) return found;
  }
  return "";
}

/// The text of fix print: ${name}, $x and $(formula).
std::string AtomReaders::in_text(const std::string &text) {
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    if (at + 1 >= text.size()) break;
    std::string found;
    if (text[at + 1] == '{') {
      found = of_variable(text.substr(at + 2, text.find('}', at) - at - 2));
    } else if (text[at + 1] == '(') {
      int depth = 0;
      std::size_t end = at + 1;
      for (; end < text.size(); ++end) {
        depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
        if (depth == 0) break;
      }
      found = in_formula(text.substr(at + 2, text.find(':', at) < end ? text.rfind(':', end) - at - 2 : end - at - 2),
                         "a formula");
    } else {
      found = of_variable(text.substr(at + 1, 1));
    }
    if (!found.empty()) return found;
  }
  return "";
}

std::string AtomReaders::in_samples(const Fix *fix) {
  const std::vector<std::string> words = fix_arguments(lmp, fix);
  if (words.empty()) return "a value that is not known";
  static const std::unordered_set<std::string> attributes = {"x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz"};
  const bool of_atoms = std::strncmp(fix->style, "ave/histo", 9) == 0;
  for (std::size_t k = 3; k < words.size(); ++k) {
    visited_.clear();
    const std::string &word = words[k];
    std::string found;
    if (of_atoms && attributes.count(word))
      found = "attribute " + word;
    else if (word.size() > 2 && word[1] == '_' && std::strchr("cfv", word[0]))
      found = in_reference(word);
    else if (std::strcmp(fix->style, "print") == 0)
      found = in_text(word);
    if (!found.empty()) return found;
  }
  return "";
}

std::string AtomReaders::in_column(const std::string &column) {
  visited_.clear();
  if (is_plain_keyword(column)) return counts_coupling(column) ? of_coupling() : "";
  if (column.size() > 2 && column[1] == '_' && std::strchr("cfv", column[0])) return in_reference(column);
  return "column " + column;
}

std::string AtomReaders::in_thermo() {
  visited_.clear();
  if (output->var_thermo) {
    std::string found = of_variable(output->var_thermo);
    if (!found.empty()) return found;
  }
  // the computes that the output has used for temperature and pressure in the setup of the run
  if (after_setup_)
    for (const Compute *compute : modify->get_compute_list()) {
      const bool used = std::max(compute->invoked_scalar, compute->invoked_vector) == update->ntimestep;
      if (used && (compute->tempflag || compute->pressflag) && !leaves_atoms_alone(compute))
        return named("compute", compute->id, compute->style);
    }
  std::string found = of_energies();
  if (!found.empty()) return found;

  const auto *columns = static_cast<const int *>(lammps_last_thermo(lmp, "num", 0));
  if (!columns) return "columns that are not known";
  for (int k = 0; k < *columns; ++k) {
    const auto *name = static_cast<const char *>(lammps_last_thermo(lmp, "keyword", k));
    found = name ? in_column(name) : "columns that are not known";
    if (!found.empty()) return found;
  }
  return "";
}

SamplingSteps::SamplingSteps(const LAMMPS *lmp, const Fix *fix) {
  static const std::unordered_set<std::string> averages = {"ave/time",  "ave/histo", "ave/histo/weight",
                                                           "ave/chunk", "ave/atom",  "ave/grid"};
  const std::vector<std::string> words = fix_arguments(lmp, fix);
  if (!averages.count(fix->style) || words.size() < 6) return;
  for (int k = 3; k < 6; ++k)
    if (!utils::is_integer(words[k])) return;
  if (std::stoll(words[4]) < 1) return;
  every_ = std::stoll(words[3]);
  repeat_ = std::stoll(words[4]);
  period_ = std::stoll(words[5]);
}

/// Samples are the last Nrepeat multiples of Nevery up to each multiple of Nfreq.
bool SamplingSteps::includes(bigint step) const {
  if (period_ <= 0) return true;
  const bigint end = (step + period_ - 1) / period_ * period_;
  return step > end - repeat_ * every_;
}

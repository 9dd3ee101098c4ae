#include "lammps/fix/ave_chunk/ave_chunk_settings.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>

#include "compute.h"
#include "fmt/format.h"
#include "group.h"
#include "input.h"
#include "io/setting_reader.h"
#include "lammps/run/command_arguments.h"
#include "lammps/run/variable_text.h"
#include "modify.h"
#include "utils.h"
#include "variable.h"

using namespace LAMMPS_NS;

namespace {

constexpr int first_value = 7;          // word of the command
constexpr std::size_t most_digits = 9;  // of a whole number, which then is an int

/// True if the compute `id` is a ke/atom for all atoms of the group.
bool is_energy_of_atoms(const LAMMPS *lmp, const std::string &id, int group) {
  const Compute *const compute = lmp->modify->get_compute_by_id(id);
  return compute && std::strcmp(compute->style, "ke/atom") == 0 && (compute->igroup == group || compute->igroup == 0);
}

/// Sets `factor` if an atom-style variable is a multiple of the kinetic energy of the atom: its formula contains a
/// compute ke/atom and apart from that only numbers, products and quotients. Returns false if it is not.
bool is_multiple_of_energy(LAMMPS *lmp, const std::string &name, int group, double &factor) {
  const int index = lmp->input->variable->find(name.c_str());
  if (index < 0 || !lmp->input->variable->atomstyle(index)) return false;
  std::string formula = variable_text(lmp, index).formula;
  const std::size_t at = formula.find("c_");
  if (at == std::string::npos) return false;
  std::size_t end = at + 2;
  while (end < formula.size() && (std::isalnum(static_cast<unsigned char>(formula[end])) || formula[end] == '_')) ++end;
  if (!is_energy_of_atoms(lmp, formula.substr(at + 2, end - at - 2), group)) return false;
  formula.replace(at, end - at, "()");
  if (formula.find_first_not_of("0123456789.eE+-*/() ") != std::string::npos) return false;
  char before = '(';  // the last character that is not a space
  for (const char one : formula) {
    if ((one == '+' || one == '-') &&
        (std::isdigit(static_cast<unsigned char>(before)) || before == '.' || before == ')'))
      return false;  // a sum
    if (one != ' ') before = one;
  }
  const auto slope = [&](double energy) {
    return lmp->input->variable->compute_equal(std::string(formula).insert(at + 1, fmt::format("{}", energy))) / energy;
  };
  factor = slope(0.734);
  const double tolerance = 1e-12 * std::fabs(factor);
  return std::isfinite(factor) && factor != 0 && std::fabs(slope(2.687) - factor) <= tolerance &&
         std::fabs(slope(61.93) - factor) <= tolerance;
}

/// Sets the columns. Returns the first value that is not supported, or an empty string.
std::string read_columns(LAMMPS *lmp, const std::vector<std::string> &names, int group,
                         std::vector<AveChunkColumn> &columns) {
  columns.clear();
  for (const std::string &name : names) {
    using Value = AveChunkColumn::Value;
    AveChunkColumn column = {Value::KineticEnergy};
    const std::string id = name.size() > 2 ? name.substr(2) : "";
    if (name == "density/number")
      column.value = Value::NumberDensity;
    else if (name == "density/mass")
      column.value = Value::MassDensity;
    else if (name == "temp")
      column.value = Value::Temperature;
    else if (!(name.rfind("c_", 0) == 0 && is_energy_of_atoms(lmp, id, group)) &&
             !(name.rfind("v_", 0) == 0 && is_multiple_of_energy(lmp, id, group, column.factor)))
      return "value " + name;
    columns.push_back(column);
  }
  return columns.empty() ? "no value" : "";
}

/// Sets the layout of the slabs if the compute chunk/atom has slabs and default settings, and all atoms of the group.
/// Otherwise returns what is not supported.
std::string read_slabs(LAMMPS *lmp, const std::string &id_of_chunks, int group, SlabLayout &layout) {
  const Compute *const chunks = lmp->modify->get_compute_by_id(id_of_chunks);
  if (!chunks) return "compute " + id_of_chunks;
  std::vector<std::string> words = compute_arguments(lmp, chunks);
  if (words.size() < 7 || words[3] != "bin/1d" || (chunks->igroup != group && chunks->igroup != 0))
    return "these chunks of compute " + id_of_chunks;
  triad::SettingReader reader("compute chunk/atom", {words.begin() + 4, words.end()});
  try {
    layout = SlabLayout();
    layout.read_place(reader);
    reader.keywords({{"units", [&] { layout.read_units(reader); }}});
    layout.finish(lmp, lattice_of_compute(lmp, chunks), reader);
  } catch (const triad::SettingError &) {
    return "these chunks of compute " + id_of_chunks;
  }
  return "";
}

}  // namespace

AveChunkSettings LAMMPS_NS::read_ave_chunk(LAMMPS *lmp, int narg, char **arg) {
  using Norm = AveChunkSettings::Norm;
  using Average = AveChunkSettings::Average;
  AveChunkSettings found;
  const auto reject = [&](const std::string &what) {
    found.unsupported = what;
    return found;
  };
  const std::vector<std::string> words(arg, arg + narg);
  if (narg <= first_value) return reject("so few arguments");
  found.group = lmp->group->find(words[1]);
  if (found.group < 0) return reject("group " + words[1]);
  if (lmp->group->dynamic[found.group]) return reject("a dynamic group");
  for (int k = 3; k < 6; ++k)
    if (!utils::is_integer(words[k]) || words[k].size() > most_digits) return reject(words[k]);
  found.every = std::stoll(words[3]);
  found.repeat = std::stoll(words[4]);
  found.period = std::stoll(words[5]);
  if (found.every < 1 || found.repeat < 1 || found.period < 1 || found.period % found.every ||
      found.repeat > found.period / found.every)
    return reject("these intervals");
  found.chunks = words[6];
  std::size_t k = first_value;
  static const std::vector<std::string> keywords = {"norm",      "ave",    "bias",   "adof",   "cdof",   "file",
                                                    "overwrite", "append", "format", "title1", "title2", "title3"};
  const auto is_keyword = [](const std::string &word) {
    return std::find(keywords.begin(), keywords.end(), word) != keywords.end();
  };
  while (k < words.size() && !is_keyword(words[k])) found.names.push_back(words[k++]);
  while (k < words.size()) {
    const std::string &keyword = words[k++];
    if (keyword == "overwrite") {
      found.overwrite = true;
      continue;
    }
    if (k == words.size()) return reject(keyword + " without a value");
    const std::string &value = words[k++];
    if (keyword == "norm" && (value == "all" || value == "sample" || value == "none")) {
      found.norm = value == "all" ? Norm::All : value == "sample" ? Norm::Sample : Norm::None;
    } else if (keyword == "ave" && (value == "one" || value == "running")) {
      found.average = value == "one" ? Average::One : Average::Running;
    } else if (keyword == "ave" && value == "window" && k < words.size() && utils::is_integer(words[k]) &&
               words[k].size() <= most_digits) {
      found.average = Average::Window;
      found.window = std::stoi(words[k++]);
      if (found.window < 1) return reject("this window");
    } else if (keyword == "file" || keyword == "append") {
      found.file = value;
      found.appends = keyword == "append";
    } else if (keyword == "format") {
      found.format = value;
    } else if (keyword.rfind("title", 0) == 0) {
      found.title[keyword[5] - '1'] = value;
    } else {
      return reject(fmt::format("{} {}", keyword, value));
    }
  }
  if (found.overwrite && found.average != Average::Running) return reject("overwrite without ave running");
  found.unsupported = read_slabs(lmp, found.chunks, found.group, found.layout);
  if (found.unsupported.empty()) found.unsupported = read_columns(lmp, found.names, found.group, found.columns);
  return found;
}

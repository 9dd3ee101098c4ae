#include "lammps/run/compute_readers.h"

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
#include "lammps/run/formula_words.h"
#include "lammps/run/variable_text.h"
#include "modify.h"
#include "variable.h"

namespace LAMMPS_NS {
namespace {

bool may_read(const Compute *reader) {
  static const std::unordered_set<std::string> others = {"temp",
                                                         "pressure",
                                                         "pe",
                                                         "ke",
                                                         "ke/atom",
                                                         "pe/atom",
                                                         "stress/atom",
                                                         "pair",
                                                         "com",
                                                         "msd",
                                                         "centroid/stress/atom"};
  return !dynamic_cast<const EngineCompute *>(reader) && !others.count(reader->style);
}

bool may_read(const LAMMPS *lmp, const Fix *reader, const std::string &id) {
  static const std::unordered_set<std::string> others = {"balance",     "deform",        "GROUP",       "OMP",
                                                         "STORE/LOCAL", "STORE/PERATOM", "STORE/GLOBAL"};
  if (dynamic_cast<const EngineFix *>(reader) || others.count(reader->style)) return false;
  const std::vector<std::string> words = fix_arguments(lmp, reader);
  return words.empty() ||
         std::any_of(words.begin(), words.end(), [&](const std::string &word) { return names_compute(word, id); });
}

bool a_variable_reads(LAMMPS *lmp, const std::string &id) {
  for (int k = 0; k < lmp->input->variable->nvar; ++k)
    if (variable_text(lmp, k).may_read_compute(id)) return true;
  return false;
}

}  // namespace

bool may_be_read(LAMMPS *lmp, const Compute *compute) {
  for (const Compute *reader : lmp->modify->get_compute_list())
    if (may_read(reader)) return true;
  const std::string id = compute->id;
  for (const Fix *reader : lmp->modify->get_fix_list())
    if (may_read(lmp, reader, id)) return true;
  return a_variable_reads(lmp, id);
}

}  // namespace LAMMPS_NS

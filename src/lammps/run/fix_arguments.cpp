#include "lammps/run/fix_arguments.h"

#include <map>
#include <mutex>
#include <utility>

#include "fix.h"
#include "modify.h"

namespace LAMMPS_NS {
namespace {

const char *const sampling_styles[] = {
    "ave/time",  "ave/correlate", "ave/correlate/long", "ave/histo", "ave/histo/weight",
    "ave/chunk", "ave/atom",      "ave/grid",           "vector",    "print",
    "halt"};

/// Data of all LAMMPS instances of the process, which may run in several threads.
struct Remembered {
  std::mutex mutex;
  std::map<std::string, Modify::FixCreator> stock;                                       // by style
  std::map<std::pair<const LAMMPS *, std::string>, std::vector<std::string>> arguments;  // by instance and fix ID
};

Remembered &remembered() {
  static Remembered all;
  return all;
}

Fix *remember(LAMMPS *lmp, int narg, char **arg) {
  Modify::FixCreator stock;
  {
    Remembered &all = remembered();
    const std::lock_guard<std::mutex> guard(all.mutex);
    stock = all.stock.at(arg[2]);
    all.arguments[{lmp, arg[0]}].assign(arg, arg + narg);
  }
  return stock(lmp, narg, arg);
}

}  // namespace

void remember_fix_arguments(LAMMPS *lmp) {
  Remembered &all = remembered();
  const std::lock_guard<std::mutex> guard(all.mutex);
  for (const char *style : sampling_styles) {
    const auto found = lmp->modify->fix_map->find(style);
    if (found == lmp->modify->fix_map->end() || found->second == &remember) continue;
    all.stock[style] = found->second;
    found->second = &remember;
  }
}

std::vector<std::string> fix_arguments(const LAMMPS *lmp, const Fix *fix) {
  Remembered &all = remembered();
  const std::lock_guard<std::mutex> guard(all.mutex);
  const auto found = all.arguments.find({lmp, fix->id});
  if (found == all.arguments.end() || found->second[2] != fix->style) return {};
  return found->second;
}

}  // namespace LAMMPS_NS

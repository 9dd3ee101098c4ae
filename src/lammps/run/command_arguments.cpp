#include "lammps/run/command_arguments.h"

#include <map>
#include <mutex>
#include <utility>

#include "compute.h"
#include "fix.h"
#include "modify.h"
#include "output.h"

namespace LAMMPS_NS {
namespace {

/// What is kept of the fixes, of the computes, or of the dumps, of all LAMMPS instances of the process, which may run
/// in several threads.
template <class Style>
struct Remembered {
  using Creator = Style *(*)(LAMMPS *, int, char **);
  std::mutex mutex;
  std::map<std::string, Creator> stock;                                                  // by style
  std::map<std::pair<const LAMMPS *, std::string>, std::vector<std::string>> arguments;  // by instance and ID

  static Remembered &all() {
    static Remembered one;
    return one;
  }

  static Style *create(LAMMPS *lmp, int narg, char **arg) {
    Creator stock;
    {
      const std::lock_guard<std::mutex> guard(all().mutex);
      stock = all().stock.at(arg[2]);
      all().arguments[{lmp, arg[0]}].assign(arg, arg + narg);
    }
    return stock(lmp, narg, arg);
  }

  template <class Map>
  static void replace(const LAMMPS *lmp, Map &factories, const std::vector<const char *> &styles) {
    const std::lock_guard<std::mutex> guard(all().mutex);
    bool is_new = false;
    for (const char *style : styles) {
      const auto found = factories.find(style);
      if (found == factories.end() || found->second == &create) continue;
      all().stock[style] = found->second;
      found->second = &create;
      is_new = true;
    }
    if (!is_new) return;
    auto &arguments = all().arguments;  // of a closed instance that had the same address
    arguments.erase(arguments.lower_bound({lmp, ""}), arguments.lower_bound({lmp + 1, ""}));
  }

  /// The words of the command that made `id` last; empty if that was not one of the replaced styles.
  static std::vector<std::string> words_of(const LAMMPS *lmp, const std::string &id) {
    const std::lock_guard<std::mutex> guard(all().mutex);
    const auto found = all().arguments.find({lmp, id});
    return found == all().arguments.end() ? std::vector<std::string>() : found->second;
  }
  static std::vector<std::string> words_of(const LAMMPS *lmp, const Style *style) {
    const std::vector<std::string> words = words_of(lmp, style->id);
    return words.empty() || words[2] != style->style ? std::vector<std::string>() : words;
  }
};

}  // namespace

void remember_arguments(LAMMPS *lmp) {
  Remembered<Fix>::replace(lmp, *lmp->modify->fix_map,
                           {"ave/time", "ave/correlate", "ave/correlate/long", "ave/histo", "ave/histo/weight",
                            "ave/chunk", "ave/atom", "ave/grid", "vector", "print", "halt"});
  Remembered<Compute>::replace(lmp, *lmp->modify->compute_map, {"pe/atom", "stress/atom", "centroid/stress/atom"});
  std::vector<const char *> dumps;
  for (const auto &[style, creator] : *lmp->output->dump_map) dumps.push_back(style.c_str());
  Remembered<Dump>::replace(lmp, *lmp->output->dump_map, dumps);
}

std::vector<std::string> fix_arguments(const LAMMPS *lmp, const Fix *fix) {
  return Remembered<Fix>::words_of(lmp, fix);
}

std::vector<std::string> compute_arguments(const LAMMPS *lmp, const Compute *compute) {
  return Remembered<Compute>::words_of(lmp, compute);
}

std::vector<std::string> dump_arguments(const LAMMPS *lmp, const std::string &id) {
  return Remembered<Dump>::words_of(lmp, id);
}

}  // namespace LAMMPS_NS

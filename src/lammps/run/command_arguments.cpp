#include "lammps/run/command_arguments.h"

#include <map>
#include <mutex>
#include <utility>

#include "compute.h"
#include "domain.h"
#include "fix.h"
#include "lattice.h"
#include "modify.h"
#include "output.h"

namespace LAMMPS_NS {
namespace {

struct Command {
  std::vector<std::string> words;
  std::array<double, 3> lattice = {};  // spacings when the command was executed
};

/// What is kept of the fixes, of the computes, or of the dumps, of all LAMMPS instances of the process, which may run
/// in several threads.
template <class Style>
struct Remembered {
  using Creator = Style *(*)(LAMMPS *, int, char **);
  std::mutex mutex;
  std::map<std::string, Creator> stock;                                // by style
  std::map<std::pair<const LAMMPS *, std::string>, Command> commands;  // by instance and ID

  static Remembered &all() {
    static Remembered one;
    return one;
  }

  static Style *create(LAMMPS *lmp, int narg, char **arg) {
    Creator stock;
    {
      const std::lock_guard<std::mutex> guard(all().mutex);
      stock = all().stock.at(arg[2]);
      const Lattice *const lattice = lmp->domain->lattice;
      all().commands[{lmp, arg[0]}] = {{arg, arg + narg}, {lattice->xlattice, lattice->ylattice, lattice->zlattice}};
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
    auto &commands = all().commands;  // of a closed instance that had the same address
    commands.erase(commands.lower_bound({lmp, ""}), commands.lower_bound({lmp + 1, ""}));
  }

  /// The command that made `id` last; without words if that was not one of the replaced styles.
  static Command command_of(const LAMMPS *lmp, const std::string &id) {
    const std::lock_guard<std::mutex> guard(all().mutex);
    const auto found = all().commands.find({lmp, id});
    return found == all().commands.end() ? Command() : found->second;
  }
  static Command command_of(const LAMMPS *lmp, const Style *style) {
    const Command command = command_of(lmp, style->id);
    return command.words.empty() || command.words[2] != style->style ? Command() : command;
  }
};

}  // namespace

void remember_arguments(LAMMPS *lmp) {
  Remembered<Fix>::replace(lmp, *lmp->modify->fix_map,
                           {"ave/time", "ave/correlate", "ave/correlate/long", "ave/histo", "ave/histo/weight",
                            "ave/chunk", "ave/atom", "ave/grid", "vector", "print", "halt"});
  Remembered<Compute>::replace(lmp, *lmp->modify->compute_map,
                               {"pe/atom", "stress/atom", "centroid/stress/atom", "chunk/atom"});
  std::vector<const char *> dumps;
  for (const auto &[style, creator] : *lmp->output->dump_map) dumps.push_back(style.c_str());
  Remembered<Dump>::replace(lmp, *lmp->output->dump_map, dumps);
}

std::vector<std::string> fix_arguments(const LAMMPS *lmp, const Fix *fix) {
  return Remembered<Fix>::command_of(lmp, fix).words;
}

std::vector<std::string> compute_arguments(const LAMMPS *lmp, const Compute *compute) {
  return Remembered<Compute>::command_of(lmp, compute).words;
}

std::array<double, 3> lattice_of_compute(const LAMMPS *lmp, const Compute *compute) {
  return Remembered<Compute>::command_of(lmp, compute).lattice;
}

std::vector<std::string> dump_arguments(const LAMMPS *lmp, const std::string &id) {
  return Remembered<Dump>::command_of(lmp, id).words;
}

}  // namespace LAMMPS_NS

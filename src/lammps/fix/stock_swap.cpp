#include "lammps/fix/stock_swap.h"

#include <algorithm>

#include "atom.h"
#include "compute.h"
#include "error.h"
#include "fmt/format.h"
#include "io/setting_reader.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/util/run_log.h"
#include "modify.h"

using namespace LAMMPS_NS;

namespace {

std::vector<char *> words(std::vector<std::string> &arguments) {
  std::vector<char *> pointers;
  pointers.reserve(arguments.size());
  for (std::string &word : arguments) pointers.push_back(word.data());
  return pointers;
}

void say(LAMMPS *lmp, const std::string &id, const std::string &style, const std::string &unsupported) {
  RunLog(lmp).before_thermo(fmt::format("Triad: fix {} remains LAMMPS's {}, since {}/triad does not support {}\n", id,
                                        style, style, unsupported));
}

/// Occupies an index of LAMMPS's list if the stock fix could not be created.
class EmptySlot final : public Fix {
 public:
  EmptySlot(LAMMPS *lmp, int narg, char **arg) : Fix(lmp, narg, arg) {}
  int setmask() override { return 0; }
};

/// Deletes the fix at `index` and creates the stock fix there. The entry is null meanwhile, because
/// Atom::add_callback() searches for the null entry. After an error of the stock fix the list has one fix less.
Fix *make_stock_fix_at(LAMMPS *lmp, int index, std::vector<std::string> arguments) {
  Modify *const modify = lmp->modify;
  std::vector<char *> arg = words(arguments);
  const int narg = static_cast<int>(arg.size());
  delete modify->fix[index];
  modify->fix[index] = nullptr;
  try {
    modify->fix[index] = modify->fix_map->at(arguments[2])(lmp, narg, arg.data());
  } catch (...) {
    modify->fix[index] = new EmptySlot(lmp, narg, arg.data());
    modify->delete_fix(index);
    throw;
  }
  return modify->fix[index];
}

/// Access to a protected member of any fix, through a pointer to a member that a derived class may form.
struct ProtectedFixMembers : Fix {
  static constexpr int Fix::*dynamic_member() { return &ProtectedFixMembers::dynamic; }
};

/// Settings of fix_modify that belong to LAMMPS's class Fix.
struct BaseSettings {
  explicit BaseSettings(const Fix &fix)
      : energy(fix.thermo_energy),
        virial(fix.thermo_virial),
        level(fix.respa_level),
        dynamic(fix.*ProtectedFixMembers::dynamic_member()) {}
  void give_to(Fix &fix) const {
    fix.thermo_energy = energy;
    fix.thermo_virial = virial;
    if (fix.respa_level_support) fix.respa_level = level;
    fix.*ProtectedFixMembers::dynamic_member() = dynamic;
  }
  int energy, virial, level, dynamic;
};

/// The stock fix creates its temperature computes again with the same IDs; their settings are kept here.
struct KeptTemperature {
  std::string id;
  TemperatureSettings settings;
};

/// The values that a fix keeps per atom, as it packs them for another rank.
std::vector<double> values_of_atoms(const LAMMPS *lmp, Fix &fix) {
  std::vector<double> values;
  if (!fix.restart_peratom) return values;
  for (int i = 0; i < lmp->atom->nlocal; ++i) {
    const std::size_t size = values.size(), most = fix.maxsize_restart();
    values.resize(size + most);
    values.resize(size + fix.pack_exchange(i, values.data() + size));
  }
  return values;
}

void give_values_of_atoms(const LAMMPS *lmp, std::vector<double> values, Fix &stock) {
  if (values.empty()) return;
  double *next = values.data();
  for (int i = 0; i < lmp->atom->nlocal; ++i) next += stock.unpack_exchange(i, next);
}

void swap_at(LAMMPS *lmp, int index, const StockFallback &ours) {
  Modify *const modify = lmp->modify;
  const BaseSettings base(*modify->fix[index]);
  const std::vector<std::string> arguments = ours.stock_arguments();
  std::vector<double> record = ours.stock_record();
  std::vector<std::vector<std::string>> modifications = ours.stock_modifications();
  const std::vector<double> of_atoms = values_of_atoms(lmp, *modify->fix[index]);
  std::vector<KeptTemperature> temperatures;
  for (const Compute *compute : modify->get_compute_list())
    if (compute->id == arguments[0] + "_temp") temperatures.push_back({compute->id, TemperatureSettings(*compute)});
  say(lmp, arguments[0], arguments[2], ours.needs_stock());

  Fix *const stock = make_stock_fix_at(lmp, index, arguments);  // `ours` does not exist any more
  stock->post_constructor();
  for (const KeptTemperature &kept : temperatures)
    if (Compute *const compute = modify->get_compute_by_id(kept.id)) kept.settings.give_to(*compute);
  if (!record.empty()) stock->restart(reinterpret_cast<char *>(record.data()));
  give_values_of_atoms(lmp, of_atoms, *stock);
  base.give_to(*stock);
  for (std::vector<std::string> &modification : modifications) {
    std::vector<char *> arg = words(modification);
    stock->modify_params(static_cast<int>(arg.size()), arg.data());
  }
  modify->fmask[index] = stock->setmask();
}

}  // namespace

bool LAMMPS_NS::swap_in_stock_fixes(LAMMPS *lmp) {
  bool any = false;
  for (int i = 0; i < lmp->modify->nfix; ++i) {
    const auto *ours = dynamic_cast<const StockFallback *>(lmp->modify->fix[i]);
    if (!ours || !ours->found_by_suffix() || ours->needs_stock().empty()) continue;
    swap_at(lmp, i, *ours);
    any = true;
  }
  return any;
}

bool LAMMPS_NS::stock_takes_over(LAMMPS *lmp, const Fix *fix) {
  const auto *ours = dynamic_cast<const StockFallback *>(fix);
  const std::string what = ours ? ours->needs_stock() : "";
  if (what.empty()) return false;
  if (!ours->found_by_suffix())
    lmp->error->all(FLERR, "Fix {} does not support {}; use fix {}", fix->style, what,
                    triad::stock_command(fix->style));
  swap_in_stock_fixes(lmp);
  lmp->modify->init();  // updates the hooks of the stock fixes
  return true;
}

FixForStock::FixForStock(LAMMPS *lmp, int narg, char **arg, const std::string &unsupported)
    : Fix(lmp, narg, arg), arguments_(arg, arg + narg) {
  say(lmp, arguments_[0], arguments_[2], unsupported);
}

void FixForStock::post_constructor() {
  const std::vector<std::string> arguments = arguments_;
  Modify *const list = modify;
  const int index = static_cast<int>(std::find(list->fix, list->fix + list->nfix, this) - list->fix);
  make_stock_fix_at(lmp, index, arguments)->post_constructor();
}

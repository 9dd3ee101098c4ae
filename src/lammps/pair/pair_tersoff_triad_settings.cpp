// pair_style tersoff/triad: settings, coefficients and the potential file.
#include <string>
#include <vector>

#include "atom.h"
#include "error.h"
#include "force.h"
#include "io/tersoff_file.h"
#include "lammps/pair/pair_tersoff_triad.h"
#include "lammps/plugin/suffix.h"
#include "lammps/run/engine_pairs.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/settings.h"
#include "lammps/util/text_file.h"
#include "update.h"

using namespace LAMMPS_NS;

void PairTersoffTriad::settings(int narg, char **arg) {
  // nothing is taken over before all of it is known to be right
  BackendChoice choice = default_backend(lmp);
  triad::Precision precision = default_precision(lmp);
  double shift = 0;
  bool deterministic = false;

  read_settings(lmp, "pair_style " + style_, narg, arg, [&](triad::SettingReader &words) {
    words.keywords({{"precision", [&] { precision = read_precision(words); }},
                    {"backend", [&] { choice = read_backend(words); }},
                    {"shift", [&] { shift = words.number(); }},
                    {"deterministic", [&] { deterministic = words.logical(); }}});
  });
  choice_ = choice;
  setup_.precision = precision;
  setup_.table.shift = shift;
  deterministic_ = deterministic;
  backend_.reset();
  renew_revision();
}

void PairTersoffTriad::coeff(int narg, char **arg) {
  if (narg < 3) error->all(FLERR, "pair_coeff for {} needs: * * file element1 element2 ...", style_);
  if (!allocated) allocate();

  map_element2type(narg - 3, arg + 3);

  const double shift = setup_.table.shift;
  double energy_factor = 1.0;
  constexpr bigint most_bytes = 64 << 20;  // the largest of LAMMPS has 100 kB
  const std::string text = read_potential_on_all_ranks(lmp, style_ + " potential file ", arg[2], unit_convert_flag,
                                                       energy_factor, most_bytes);
  try {
    setup_.table = triad::read_tersoff_table(text, arg[2], std::vector<std::string>(elements, elements + nelements),
                                             energy_factor, setup_.table.variant);
  } catch (const triad::PotentialFileError &e) {
    error->all(FLERR, "{}", e.what());
  }
  setup_.table.shift = shift;
  if (setup_.table.variant == triad::TersoffVariant::Zbl)
    for (triad::TersoffEntry &entry : setup_.table.triplets) entry.coulomb = coulomb_constant();
  setup_.type_to_element.assign(map, map + atom->ntypes + 1);
  backend_.reset();
  renew_revision();
  take_run_style();
}

void PairTersoffTriad::take_run_style() {
  if (run_style_taken_ || !suffix_is_ours(lmp)) return;
  const EnginePairs pairs(lmp);
  if (!pairs.has(this) || !pairs.on_host().empty()) return;
  run_style_taken_ = true;
  take_run_style_by_suffix(lmp);
}

/// e^2 / (4 pi eps0) in the units of the run, from the constants that stock tersoff/zbl uses.
double PairTersoffTriad::coulomb_constant() const {
  const double eps0_metal = 0.00552635;  // e / (V Angstrom)
  const double eV_per_kcal_mol = 0.043365121;
  const double pi = 3.14159265358979323846;
  const std::string units = update->unit_style;
  if (units == "metal") return 1 / (4 * pi * eps0_metal);
  if (units == "real") return 1 / (4 * pi * eps0_metal * eV_per_kcal_mol);
  error->all(FLERR, "Pair style {} requires metal or real units", style_);
}

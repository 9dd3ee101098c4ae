#include <cmath>

#include "comm.h"
#include "error.h"
#include "lammps/fix/rescale/fix_rescale.h"
#include "lammps/util/settings.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;
using triad::Ranmar;

FixTempCsvrTriad::FixTempCsvrTriad(LAMMPS *lmp, int narg, char **arg) : FixRescale(lmp, narg, arg) {
  read_settings(lmp, "fix temp/csvr/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    words.reject_variable("the temperature");
    target_ = t_start_ = words.not_negative("temperature");
    t_stop_ = words.not_negative("temperature");
    period_ = words.positive("damping");
    const int seed = words.whole_number_from(1, "seed");
    if (seed > Ranmar::largest_seed) words.reject("seed is above " + std::to_string(Ranmar::largest_seed));
    random_ = Ranmar(seed);
    words.keywords({});
  });
}

std::string FixTempCsvrTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  std::string what = unsupported_words(narg, arg, 4);
  if (!what.empty()) return what;
  const auto number = [&](int k) { return utils::numeric(FLERR, arg[k], false, lmp); };
  const bool valid = number(3) >= 0 && number(4) >= 0 && number(5) > 0 && utils::is_integer(arg[6]) && number(6) >= 1 &&
                     number(6) <= Ranmar::largest_seed;
  return valid ? "" : "these arguments";
}

triad::RescaledTemperature FixTempCsvrTriad::rule(double freedom) const {
  return {0, 1, 0, std::exp(-update->dt / period_), freedom};
}

triad::BathNoise FixTempCsvrTriad::draw_from(Ranmar &random, double freedom) {
  triad::BathNoise noise;
  noise.first = random.gaussian();
  noise.others = random.squares(static_cast<int>(freedom - 1));
  return noise;
}

const triad::BathNoise *FixTempCsvrTriad::preview(double freedom, long long steps) {
  Ranmar random = random_;
  noise_.clear();
  for (long long k = 0; k < steps; ++k) noise_.push_back(draw_from(random, freedom));
  return noise_.data();
}

/// The record of the stock fix: energy, number of ranks, and the state of the generator of each rank, of which only
/// that of rank 0 is used.
std::vector<double> FixTempCsvrTriad::stock_record() const {
  std::vector<double> record = {energy_, double(comm->nprocs)};
  for (int rank = 0; rank < comm->nprocs; ++rank)
    for (int k = 0; k < Ranmar::state_size; ++k) record.push_back(random_.state(k));
  return record;
}

void FixTempCsvrTriad::restart(char *buffer) {
  const std::vector<double> record = read_record(buffer);
  energy_ = record[0];
  const std::size_t size = 2 + Ranmar::state_size * static_cast<std::size_t>(comm->nprocs);
  if (record.size() > 1 && record[1] != comm->nprocs) {
    if (comm->me == 0)
      error->warning(FLERR, "Fix {} cannot continue its random numbers, since the number of ranks has changed", style);
    return;
  }
  if (record.size() < size || !random_.set_state(record.data() + 2))
    error->all(FLERR, "The restart file has no valid state for fix {} of style {}; the file is damaged", id, style);
}

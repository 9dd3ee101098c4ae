#include "lammps/run/sampled_totals.h"

#include <algorithm>
#include <utility>

#include "fix.h"
#include "force.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

bool SampledTotals::samples_in_batches(const triad::MdEngine &engine) const {
  const std::vector<Fix *> &fixes = modify->get_fix_list();
  const bool fixes_contribute = std::any_of(fixes.begin(), fixes.end(), [](const Fix *fix) {
    return (fix->energy_global_flag && fix->thermo_energy) || (fix->virial_global_flag && fix->thermo_virial);
  });
  return engine.samples_totals() && pairs_.on_host().empty() && !fixes_contribute;
}

double SampledTotals::numbers_per_sample() const {
  return numbers_in<triad::ForceTotals> * static_cast<double>(pairs_.count());
}

void SampledTotals::add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) {
  sampling_.steps = std::move(steps);
  batch.totals_sampling = &sampling_;
}

void SampledTotals::take_sample(bigint step) {
  const int index = step < 0 ? -1 : sampling_.index_of(step);
  if (index < 0) return;
  update->eflag_global = update->vflag_global = step;
  pairs_.take_totals(sampling_.sums.at(index), ENERGY_GLOBAL, VIRIAL_PAIR);
}

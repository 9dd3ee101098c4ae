#include "lammps/run/sampled_compute.h"

#include <utility>

using namespace LAMMPS_NS;

void HeatSamples::add(triad::StepBatch &batch, int group_bit, double kinetic_factor, triad::AtomVirial kind,
                      std::vector<std::int64_t> steps) {
  sampling_ = triad::HeatSampling();
  sampling_.group_bit = group_bit;
  sampling_.kinetic_factor = kinetic_factor;
  sampling_.kind = kind;
  sampling_.steps = std::move(steps);
  batch.heat_samplings.push_back(&sampling_);
}

const triad::HeatFlow *HeatSamples::in(bigint step) const {
  const int index = step == step_ ? sampling_.index_of(step) : -1;
  return index >= 0 && index < static_cast<int>(sampling_.sums.size()) ? &sampling_.sums[index] : nullptr;
}

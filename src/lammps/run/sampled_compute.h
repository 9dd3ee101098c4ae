// Computes whose values an engine can sample within batches of steps. LAMMPS's fixes read the samples after the batch.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/md_engine.h"
#include "engine/step_batch.h"
#include "lmptype.h"

namespace LAMMPS_NS {

class SampledCompute {
 public:
  /// True if this engine can sample the values.
  virtual bool samples_in_batches(const triad::MdEngine &engine) const = 0;
  /// Numbers that the engine keeps for a sample.
  virtual double numbers_per_sample() const = 0;
  /// Adds samples of these steps, LAMMPS's numbers, rising, to a batch.
  virtual void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) = 0;
  /// Makes the values in this step those of its sample, if there is one; -1 ends the use of samples.
  virtual void take_sample(bigint step) = 0;

 protected:
  ~SampledCompute() = default;  // LAMMPS deletes computes as Compute
};

/// Samples of the heat current of a group, for a SampledCompute.
class HeatSamples {
 public:
  static constexpr int numbers = sizeof(triad::HeatFlow) / sizeof(double);

  /// `kinetic_factor`, `kind`: see MdEngine::heat_current().
  void add(triad::StepBatch &batch, int group_bit, double kinetic_factor, triad::AtomVirial kind,
           std::vector<std::int64_t> steps);
  void take(bigint step) { step_ = step; }
  /// This rank's part in this step; null if take() was not called for this step, or if there is no sample of it.
  const triad::HeatFlow *in(bigint step) const;

 private:
  triad::HeatSampling sampling_;
  bigint step_ = -1;
};

}  // namespace LAMMPS_NS

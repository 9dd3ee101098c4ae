// Computes and fixes whose values an engine can sample within batches of steps. Fixes read the samples after the batch.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "engine/md_engine.h"
#include "engine/step_batch.h"
#include "lammps/run/atom_readers.h"
#include "lmptype.h"

namespace LAMMPS_NS {

class SampledCompute {
 public:
  /// True if this engine can sample the values.
  virtual bool samples_in_batches(const triad::MdEngine &engine) const = 0;
  /// True if this is also possible in batches that change the box.
  virtual bool samples_in_changing_box() const { return false; }
  /// Numbers that the engine keeps for a sample.
  virtual double numbers_per_sample() const = 0;
  /// Adds samples of these steps, LAMMPS's numbers, rising, to a batch.
  virtual void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) = 0;
  /// Makes the values in this step those of its sample, if there is one; -1 ends the use of samples.
  virtual void take_sample(bigint step) = 0;

 protected:
  ~SampledCompute() = default;  // LAMMPS deletes computes as Compute
};

/// A fix of ours that samples atoms itself. Its end_of_step() may be called after a batch, for each step with a sample.
class SamplingFix {
 public:
  virtual SampledCompute &sampled() = 0;
  /// The steps in which end_of_step() reads values.
  virtual SamplingSteps sampling_steps() const = 0;

 protected:
  ~SamplingFix() = default;  // LAMMPS deletes fixes as Fix
};

/// Number of fp64 numbers that a sum consists of.
template <class Sum>
constexpr double numbers_in = static_cast<double>(sizeof(Sum)) / sizeof(double);

/// Samples of one kind, for a SampledCompute.
template <class Sampling>
class Samples {
 public:
  /// Adds samples to a batch, except if `of_batch` already has the same ones.
  void add(Sampling sampling, std::vector<Sampling *> &of_batch) {
    sampling_ = std::move(sampling);
    for (const Sampling *one : of_batch)
      if (one->is_same_as(sampling_)) {
        from_ = one;
        return;
      }
    from_ = &sampling_;
    of_batch.push_back(&sampling_);
  }
  void take(bigint step) { step_ = step; }
  /// This rank's part in this step; null if take() was not called for this step, or if there is no sample of it.
  auto in(bigint step) const {
    const int index = from_ && step == step_ ? from_->index_of(step) : -1;
    return index >= 0 && index < static_cast<int>(from_->sums.size()) ? &from_->sums[index] : nullptr;
  }

 private:
  Sampling sampling_;
  const Sampling *from_ = nullptr;  // sampling_, or that of another compute of the same batch
  bigint step_ = -1;
};

using HeatSamples = Samples<triad::HeatSampling>;
using KineticSamples = Samples<triad::KineticSampling>;
using SlabSamples = Samples<triad::SlabSampling>;

}  // namespace LAMMPS_NS

// Samples of energy and virial of the pair style, which LAMMPS's computes of pressure and potential energy and its
// thermo keywords read.
#pragma once

#include <cstdint>
#include <vector>

#include "lammps/run/engine_pairs.h"
#include "lammps/run/sampled_compute.h"
#include "pointers.h"

namespace LAMMPS_NS {

class SampledTotals final : public SampledCompute, protected Pointers {
 public:
  SampledTotals(LAMMPS *lmp, EnginePairs &pairs) : Pointers(lmp), pairs_(pairs) {}

  /// True if pressure and potential energy have no other parts than those of an engine's forces, and the engine can
  /// sample these.
  bool samples_in_batches(const triad::MdEngine &engine) const override;
  bool samples_in_changing_box() const override { return true; }
  double numbers_per_sample() const override;
  void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) override;
  /// Makes energy and virial of the pair style those of the sample.
  void take_sample(bigint step) override;

 private:
  EnginePairs &pairs_;
  triad::TotalsSampling sampling_;
};

}  // namespace LAMMPS_NS

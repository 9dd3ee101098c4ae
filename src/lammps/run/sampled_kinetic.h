// Base of computes of the kinetic sums of a group: temperature, kinetic energy and momentum.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lammps/run/atom_motion.h"
#include "lammps/run/engine_fix.h"
#include "lammps/run/sampled_compute.h"
#include "update.h"

namespace LAMMPS_NS {

class SampledKinetic : public SampledCompute {
 public:
  SampledKinetic(LAMMPS *lmp, int groupbit) : motion_(lmp, groupbit), groupbit_(groupbit) {}

  bool samples_in_batches(const triad::MdEngine &) const override { return true; }
  bool samples_in_changing_box() const override { return true; }
  double numbers_per_sample() const override { return numbers_in<triad::KineticSums>; }
  void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) override {
    samples_.add({{{std::move(steps)}, groupbit_}, {}}, batch.kinetic_samplings);
  }
  void take_sample(bigint step) override { samples_.take(step); }

 protected:
  ~SampledKinetic() = default;
  /// Sums over the atoms of this rank: those of the sample of this step, or from where the velocities are current.
  triad::KineticSums sums_of_rank(LAMMPS *lmp) {
    if (const triad::KineticSums *const sample = samples_.in(lmp->update->ntimestep)) return *sample;
    EngineRun *const run = engine_run(lmp);
    const AtomMotion::OnEngine guard(motion_, run ? run->engine_ahead_in(triad::field_v) : nullptr);
    return motion_.kinetic();
  }

 private:
  AtomMotion motion_;
  const int groupbit_;
  KineticSamples samples_;
};

}  // namespace LAMMPS_NS

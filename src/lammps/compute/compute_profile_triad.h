// compute profile/triad: temperature, density, stress and other means over the atoms in slabs of the box, in the bins
// of stock compute chunk/atom bin/1d, on the engine's atoms where they are there.
#pragma once

#include <string>
#include <vector>

#include "lammps/compat/compute_api.h"
#include "lammps/run/atom_motion.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/sampled_compute.h"
#include "lammps/run/slab_layout.h"

namespace LAMMPS_NS {

/// A global array with one row per slab: its coordinate, and the values of the command.
class ComputeProfileTriad : public ComputeApi, public TallyCompute, public SampledCompute {
 public:
  ComputeProfileTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeProfileTriad() override;
  void post_constructor() override;
  void init() override { engine_step_ = -1; }
  void compute_array() override;
  double memory_usage() override;

  bool samples_in_batches(const triad::MdEngine &) const override { return !sums_virials(); }
  double numbers_per_sample() const override { return static_cast<double>(triad::SlabSums::size) * size_array_rows; }
  void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) override;
  void take_sample(bigint step) override { samples_.take(step); }

  void use_engine_tallies(bool possible) override { on_engine_ = possible || !sums_virials(); }
  triad::TallyRequest tallies(const triad::MdEngine &engine) const override;

 private:
  enum class Value { Count, NumberDensity, MassDensity, Temperature, KineticEnergy, Stress, Virial };

  triad::Slabs slabs() const { return layout_.in_box(lmp, std::string("Compute ") + id + " profile/triad"); }
  double value_of(Value value, const triad::SlabSums &sums, double volume) const;
  bool sums_virials() const { return stresses_[0] || stresses_[1]; }
  std::vector<triad::SlabVirials> virials(const triad::Slabs &slabs, double kinetic_factor);

  const std::string id_of_stress_;  // of the compute stress/atom that this one makes for virials
  AtomMotion motion_;
  SlabSamples samples_;
  SlabLayout layout_;
  std::vector<Value> values_;          // of the columns; six of a stress follow each other
  bool stresses_[2] = {false, false};  // there are columns of Stress, of Virial
};

}  // namespace LAMMPS_NS

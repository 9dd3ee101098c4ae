// compute heat/flux with the IDs of computes ke/atom, pe/atom and stress/atom or centroid/stress/atom, as in LAMMPS.
// Under run_style verlet/triad the engine computes the sums without these computes.
#pragma once

#include <array>
#include <string>

#include "lammps/compat/compute_api.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/sampled_compute.h"

namespace LAMMPS_NS {

class ComputeHeatFluxAtoms : public ComputeApi, public TallyCompute, public SampledCompute {
 public:
  ComputeHeatFluxAtoms(LAMMPS *lmp, int narg, char **arg);
  /// Names what this compute does not support, or returns an empty string.
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);
  ~ComputeHeatFluxAtoms() override;

  void init() override;
  void compute_vector() override;

  void use_engine_tallies(bool possible) override { on_engine_ = possible && of_pair_style_; }
  triad::TallyRequest tallies(const triad::MdEngine &engine) const override;
  std::vector<std::string> replaced_computes() const override { return {potential_, virial_}; }
  bool samples_in_batches(const triad::MdEngine &engine) const override;
  double numbers_per_sample() const override { return numbers_in<triad::HeatFlow>; }
  void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) override;
  void take_sample(bigint step) override { samples_.take(step); }

 private:
  HeatSamples samples_;
  struct Sources {
    Compute *kinetic = nullptr, *potential = nullptr, *virial = nullptr;
  };
  static std::string unsupported_sources(LAMMPS *lmp, const std::array<std::string, 3> &ids);
  Sources find() const;
  void take_kind(const Compute &virial);
  triad::HeatCurrent on_host();

  const std::string kinetic_, potential_, virial_;  // IDs
  bool of_pair_style_ = false;  // the computes tally what the pair style tallies, for all atoms of the group
  triad::AtomVirial kind_ = triad::AtomVirial::Thirds;
};

}  // namespace LAMMPS_NS

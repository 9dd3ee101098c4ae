// compute heat/flux/triad: the heat current of compute heat/flux with centroid/stress/atom, without per-atom computes.
// Under run_style verlet/triad the engine computes the sums.
#pragma once

#include <vector>

#include "dynamics/heat_current.h"
#include "lammps/compat/compute_api.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/sampled_compute.h"

namespace LAMMPS_NS {

class ComputeHeatFluxTriad : public ComputeApi, public TallyCompute, public SampledCompute {
 public:
  ComputeHeatFluxTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeHeatFluxTriad() override;

  void init() override;
  void compute_vector() override;
  int pack_forward_comm(int n, int *list, double *buffer, int pbc_flag, int *pbc) override;
  void unpack_forward_comm(int n, int first, double *buffer) override;

  void use_engine_tallies(bool) override { on_engine_ = !tallies_on_host_; }
  triad::TallyRequest tallies(const triad::MdEngine &engine) const override;
  bool samples_in_batches(const triad::MdEngine &engine) const override;
  double numbers_per_sample() const override { return numbers_in<triad::HeatFlow>; }
  void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) override;
  void take_sample(bigint step) override { samples_.take(step); }

  /// True requests per-atom tallies in LAMMPS's arrays even if an engine has the atoms, for fixes that read them there.
  void set_tallies_on_host(bool wanted) { tallies_on_host_ = wanted; }

  /// This rank's part of the heat current of a group, from the per-atom tallies of this step in LAMMPS's arrays.
  /// Collective.
  triad::HeatFlow flow_on_host(int groupbit, double kinetic_factor);

 private:
  HeatSamples samples_;
  std::vector<double> ghost_velocity_;  // [nghost][3]
  int sent_bit_ = 0;                    // of the group whose velocities are sent to ghosts
  bool tallies_on_host_ = false;
};

}  // namespace LAMMPS_NS

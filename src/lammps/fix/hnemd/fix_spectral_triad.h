// fix spectral/triad: the correlation of the virials of atoms with their velocities, whose Fourier transform is the
// heat current by frequency.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/hnemd/driving.h"
#include "lammps/run/engine_fix.h"

namespace LAMMPS_NS {

class ComputeHeatFluxTriad;

class FixSpectralTriad : public Fix, public EngineFix {
 public:
  FixSpectralTriad(LAMMPS *lmp, int narg, char **arg);
  ~FixSpectralTriad() override;
  static std::string unsupported(LAMMPS *, int, char **) { return ""; }

  int setmask() override;
  void post_constructor() override;
  void init() override;
  void end_of_step() override;
  void post_run() override;
  void reset_dt() override;
  double compute_array(int row, int column) override;
  double memory_usage() override;

  void set_on_engine(bool on_engine) override;
  bool on_engine() const override { return on_device_; }
  bool join(triad::StepBatch &) override { return true; }
  void engine_end_of_step(triad::MdEngine &engine) override;

  int pack_reverse_comm(int n, int first, double *buffer) override { return virial_.pack(n, first, buffer); }
  void unpack_reverse_comm(int n, int *list, double *buffer) override { virial_.unpack(n, list, buffer); }
  void grow_arrays(int n) override;
  void copy_arrays(int from, int to, int) override;
  void set_arrays(int i) override;
  int pack_exchange(int i, double *buffer) override;
  int unpack_exchange(int i, double *buffer) override;

 private:
  ComputeHeatFluxTriad *flow_compute() const;
  static constexpr int width_per_lag = 6;
  int width() const {
    return width_per_lag * lags_;
  }  // numbers per atom: virial and velocity of the last `lags_` samples
  void take_time_step();
  void count_sample();
  void take_sums() const;
  void end_samples_of_run();
  void share_sums() const;
  void check_file() const;

  const std::string compute_id_;  // of the compute heat/flux/triad that the fix makes
  int lags_ = 0, axis_ = 0;
  std::string file_;
  double dt_ = 0;  // time step of the samples
  Driving virial_;
  double **ring_ = nullptr;  // [nmax][lags][6], sample s of the run at s % lags; null if a device has the samples
  bool on_device_ = false;
  std::unique_ptr<triad::VirialVelocity> device_;  // during a run
  int atoms_on_device_ = 0;
  bigint samples_ = 0, samples_of_run_ = 0;
  mutable bigint taken_ = 0;           // of the samples of the run: those whose sums device_ has handed over
  std::vector<bigint> products_;       // [lags] number of pairs of samples of the same run
  mutable std::vector<double> sums_;   // [2 lags - 1][3] of this rank, by lag and component of the velocity
  mutable std::vector<double> total_;  // the same of all ranks, of `total_samples_`
  mutable bigint total_samples_ = -1;
};

}  // namespace LAMMPS_NS

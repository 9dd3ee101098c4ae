// fix ave/chunk/triad: stock fix ave/chunk for temperatures, densities and kinetic energies in the slabs of a compute
// chunk/atom bin/1d. Under run_style verlet/triad, the engine makes the sums, also within batches of steps.
#pragma once

#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/ave_chunk/ave_chunk_settings.h"
#include "lammps/run/atom_motion.h"
#include "lammps/run/sampled_compute.h"

namespace LAMMPS_NS {

/// A global array with one row per slab: its coordinate, the mean number of atoms, and the values of the command.
class FixAveChunkTriad : public Fix, public EngineFix, public SamplingFix, private SampledCompute {
 public:
  FixAveChunkTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void setup(int) override { end_of_step(); }
  void end_of_step() override;
  double compute_array(int i, int j) override;
  double memory_usage() override;

  bool join(triad::StepBatch &) override { return false; }  // has no hook of every step
  void engine_end_of_step(triad::MdEngine &engine) override;

  SampledCompute &sampled() override { return *this; }
  SamplingSteps sampling_steps() const override { return {every_, repeat_, period_}; }

 private:
  using Value = AveChunkColumn::Value;
  using Norm = AveChunkSettings::Norm;
  using Average = AveChunkSettings::Average;

  bool samples_in_batches(const triad::MdEngine &) const override;
  double numbers_per_sample() const override { return static_cast<double>(triad::SlabSums::size) * slabs_.count; }
  void add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) override;
  void take_sample(bigint step) override { samples_.take(step); }

  bigint next_sample() const;
  std::string holder() const { return std::string("Fix ") + id + " ave/chunk"; }
  triad::Slabs slabs_in_box() const;
  triad::Slabs present_slabs() const;
  std::vector<triad::SlabSums> sums_of_sample();
  double sum_of(const AveChunkColumn &column, const triad::SlabSums &sums) const;
  double temperature_of(double mvv, double count) const;
  void add_sample();
  void finish_period();
  void write_row_of_period();

  /// Counts and values of all slabs.
  struct Means {
    std::vector<double> count, value;  ///< [slabs], [slabs][columns]
    void clear(std::size_t slabs, std::size_t columns);
    void add(const Means &other);
  };

  AtomMotion motion_;
  SlabSamples samples_;
  std::vector<std::string> words_;  // of the command
  SlabLayout layout_;
  std::vector<AveChunkColumn> columns_;
  bigint every_ = 0, repeat_ = 0, period_ = 0;
  Norm norm_ = Norm::All;
  Average average_ = Average::One;
  std::size_t window_ = 0;  // periods of Average::Window
  std::string format_;      // of a number in the file
  bool overwrite_ = false;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
  bigint after_header_ = 0;  // position in the file

  triad::Slabs slabs_;         // of the present period
  double volume_ = 0;          // of one of them: at the start of the period, or with units reduced in the last sample
  bool fixed_slabs_ = false;   // later periods have the same
  bigint next_ = 0;            // step of the next sample
  bigint done_ = 0;            // samples of the present period
  Means period_means_;         // sums of the present period, and at its end means
  std::deque<Means> periods_;  // of the window
  Means total_;                // sum over `periods_in_total_` periods; empty before the first one
  double periods_in_total_ = 0;
};

}  // namespace LAMMPS_NS

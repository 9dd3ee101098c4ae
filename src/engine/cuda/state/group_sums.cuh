// Sums over the atoms of a group and what follows from them: the work of a Langevin thermostat, exchange of heat,
// slabs, and the longest time step that all atoms allow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

#include "engine/cuda/state/group_kernels.cuh"
#include "engine/cuda/state/slab_kernels.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError. The queue of motions must be empty, and forces complete.
template <class Format>
class GroupSums {
 public:
  GroupSums(DeviceContext &device, EngineAtoms<Format> &atoms) : device_(device), atoms_(atoms) {}

  // See the functions of MdEngine.
  ExchangeSums sum_exchange(int group_bit, const BlockRegion &block) {
    ExchangeSums sums;
    add<ExchangeSums::size>(group_bit, ExchangeSumJob<Format>{atoms_.state(), test(block)}, sums);
    return sums;
  }
  void exchange_heat(int group_bit, const BlockRegion &block, const HeatExchange &exchange) {
    atoms_.for_group(group_bit, ExchangeOp<Format>{atoms_.state(), test(block), exchange}, "exchanging heat");
    if (exchange.moves) atoms_.positions_changed();
  }

  /// Reserves memory for the samples of a batch. No other sums over slabs may be made until finish_samplings().
  void start_samplings(const StepBatch &batch);
  /// Launches the samples at the end of a step, of the atoms in the state `state`.
  void launch_samplings(const StepBatch &batch, std::int64_t step, const DeviceState<Format> &state,
                        const StepGuard *guard);
  /// Copies the samples to the host. Asynchronous.
  void copy_samplings();
  /// Reads the samples of the completed steps, which must have been copied.
  void finish_samplings(const StepBatch &batch, long long completed) const;

  double langevin_power(int group_bit, int tally) {
    double power[1] = {0};
    add<1>(group_bit, PowerJob<Format>{atoms_.state(), kept_[tally].data()}, power);
    return power[0];
  }
  double longest_step(int group_bit, const StepLimits &limits) {
    double step[1] = {StepLimits::none};
    add<1>(group_bit, LongestStepJob<Format>{atoms_.state(), limits}, step);
    return step[0];
  }
  MomentSums sum_moments(int group_bit, int number) {
    MomentSums sums;
    const double *const points = number < 0 ? nullptr : atoms_.tethers()[number];
    add<MomentSums::size>(group_bit, MomentJob<Format>{atoms_.state(), atoms_.anchor(), points}, sums);
    return sums;
  }
  std::vector<SlabSums> sum_slabs(int group_bit, const Slabs &slabs) {
    return sum_in_slabs(group_bit, slabs, SlabSumsOf<Format>{atoms_.state()});
  }
  /// `virial`: [n][6] of the owned atoms, in device memory.
  std::vector<SlabVirials> sum_slab_virials(int group_bit, const Slabs &slabs, double kinetic_factor,
                                            const double *virial) {
    return sum_in_slabs(group_bit, slabs, SlabVirialsOf<Format>{atoms_.state(), virial, kinetic_factor});
  }
  /// The heat current of the group from `tallies` of owned atoms and n_ghosts ghosts.
  HeatFlow sum_tallied_flow(int group_bit, double kinetic_factor, const AtomTallies &tallies,
                            const double *ghost_velocity, int n_ghosts) {
    using Job = TalliedFlowJob<Format>;
    HeatFlow flow;
    add<Job::size>(atoms_.n() + n_ghosts, 0,
                   Job{atoms_.state(), device_bit(group_bit), kinetic_factor, tallies, ghost_velocity}, flow);
    return flow;
  }

  /// [3][n] where the forces of a thermostat are kept, or null if `tally` is negative.
  double *langevin_force(int tally) {
    if (tally < 0) return nullptr;
    while (kept_.size() <= std::size_t(tally)) kept_.emplace_back("forces of a thermostat");
    kept_[tally].reserve(3 * std::size_t(atoms_.n()));
    return kept_[tally].data();
  }

  std::size_t host_bytes() const { return blocks_host_.bytes() + slabs_host_.bytes() + units_host_.bytes(); }
  std::size_t device_bytes() const {
    std::size_t bytes = blocks_.bytes() + slabs_.bytes() + units_.bytes() + ended_.bytes();
    for (const DeviceBuffer<double> &kept : kept_) bytes += kept.bytes();
    return bytes;
  }

 private:
  static constexpr std::size_t most_sums =
      std::max({ExchangeSums::size, MomentSums::size, TalliedFlowJob<Format>::size, SlabVirials::size});
  BlockTest<Format> test(const BlockRegion &block) const { return {atoms_.state(), atoms_.anchor(), block}; }
  /// Adds the N values of a job over n atoms with the bit of a group, or 0 for all, to `sums`, by the operation of the
  /// job.
  template <int N, class Job, class Sums>
  void add(int n, int bit, const Job &job, Sums &sums);
  template <int N, class Job, class Sums>
  void add(int group_bit, const Job &job, Sums &sums) {
    add<N>(atoms_.n(), device_bit(group_bit), job, sums);
  }
  template <class Values>
  std::vector<typename Values::Sums> sum_in_slabs(int group_bit, const Slabs &slabs, const Values &values);
  /// Reserves and clears slabs_ for so many sums, and reserves units_.
  void reserve_slabs(std::size_t n_sums, std::size_t n_units);
  void copy_slabs(std::size_t n_sums, std::size_t n_units);
  /// Launches sums over slabs, and the choice of their units. `guard`: of the steps, or null.
  template <class Values>
  void launch_slabs(int group_bit, const Slabs &slabs, const Values &values, unsigned long long *sums, SlabUnits *units,
                    const StepGuard *guard);
  template <class Sums>
  static void read_slabs(const unsigned long long *sums, const SlabUnits &units, std::vector<Sums> &all);

  DeviceContext &device_;
  EngineAtoms<Format> &atoms_;
  DeviceBuffer<double> blocks_{"sums of groups"};
  PinnedBuffer<double> blocks_host_{"sums of groups"};
  DeviceBuffer<unsigned long long> slabs_{"sums of slabs"};
  PinnedBuffer<unsigned long long> slabs_host_{"sums of slabs"};
  DeviceBuffer<unsigned> ended_{"sums of slabs"};
  DeviceBuffer<SlabUnits> units_{"sums of slabs"};
  PinnedBuffer<SlabUnits> units_host_{"sums of slabs"};
  std::deque<DeviceBuffer<double>> kept_;    // by tally
  std::size_t samples_ = 0, slab_sums_ = 0;  // of start_samplings()
};

template <class Format>
template <int N, class Job, class Sums>
void GroupSums<Format>::add(int n, int bit, const Job &job, Sums &sums) {
  if (n == 0) return;
  const char *const what = "summing over a group";
  device_.select();
  blocks_.reserve(most_sums * std::size_t(tuning::group_sum_blocks));
  blocks_host_.reserve(most_sums * std::size_t(tuning::group_sum_blocks));
  const unsigned blocks = std::min(blocks_for(n, tuning::kinetic_block), unsigned(tuning::group_sum_blocks));
  group_sums_kernel<N, Job>
      <<<blocks, tuning::kinetic_block, 0, device_.stream()>>>(n, job.state.mask, bit, job, blocks_.data());
  check(cudaGetLastError(), what);
  copy_to_host(blocks_host_.data(), blocks_.data(), N * std::size_t(blocks), device_.stream(), what);
  device_.wait(what);
  for (unsigned b = 0; b < blocks; ++b)
    for (int k = 0; k < N; ++k) sums[k] = typename Job::Operation()(sums[k], blocks_host_[N * b + k]);
}

template <class Format>
template <class Values>
std::vector<typename Values::Sums> GroupSums<Format>::sum_in_slabs(int group_bit, const Slabs &slabs,
                                                                   const Values &values) {
  using Sums = typename Values::Sums;
  std::vector<Sums> all(slabs.count);
  if (atoms_.n() == 0) return all;
  device_.select();
  const std::size_t n_sums = Sums::size * std::size_t(slabs.count);
  reserve_slabs(n_sums, 1);
  launch_slabs(group_bit, slabs, values, slabs_.data(), units_.data(), nullptr);
  copy_slabs(n_sums, 1);
  device_.wait("summing over slabs");
  read_slabs(slabs_host_.data(), units_host_[0], all);
  return all;
}

template <class Format>
void GroupSums<Format>::reserve_slabs(std::size_t n_sums, std::size_t n_units) {
  slabs_.reserve(n_sums);
  slabs_host_.reserve(n_sums);
  units_.reserve(n_units);
  units_host_.reserve(n_units);
  check(cudaMemsetAsync(slabs_.data(), 0, n_sums * sizeof(unsigned long long), device_.stream()), "summing over slabs");
  check(cudaMemsetAsync(units_.data(), 0, n_units * sizeof(SlabUnits), device_.stream()), "summing over slabs");
}

template <class Format>
void GroupSums<Format>::copy_slabs(std::size_t n_sums, std::size_t n_units) {
  copy_to_host(slabs_host_.data(), slabs_.data(), n_sums, device_.stream(), "summing over slabs");
  copy_to_host(units_host_.data(), units_.data(), n_units, device_.stream(), "summing over slabs");
}

template <class Format>
template <class Values>
void GroupSums<Format>::launch_slabs(int group_bit, const Slabs &slabs, const Values &values, unsigned long long *sums,
                                     SlabUnits *units, const StepGuard *guard) {
  constexpr int size = Values::Sums::size;
  const int bit = device_bit(group_bit);
  const unsigned most = blocks_for(atoms_.n(), tuning::kinetic_block);
  blocks_.reserve(most_sums * std::size_t(tuning::group_sum_blocks));
  reserve_cleared(ended_, 1, device_.stream(), "preparing sums");
  slab_units_kernel<<<std::min(most, unsigned(tuning::group_sum_blocks)), tuning::kinetic_block, 0, device_.stream()>>>(
      atoms_.n(), values.state.mask, bit, values, blocks_.data(), ended_.data(), units, guard);
  const SlabJob<Format> job = {values.state, atoms_.anchor(), bit, slabs, units, sums, guard};
  const std::size_t bytes = sizeof(unsigned long long) * size * std::size_t(slabs.count);
  const bool in_shared = bytes <= tuning::slab_shared_bytes;
  const unsigned blocks = std::min(most, unsigned(tuning::slab_blocks));
  slab_sums_kernel<<<blocks, tuning::kinetic_block, in_shared ? bytes : 0, device_.stream()>>>(job, values, in_shared);
  check(cudaGetLastError(), "summing over slabs");
}

template <class Format>
template <class Sums>
void GroupSums<Format>::read_slabs(const unsigned long long *sums, const SlabUnits &units, std::vector<Sums> &all) {
  constexpr int size = Sums::size;
  for (std::size_t k = 0; k < size * all.size(); ++k)
    all[k / size][k % size] = static_cast<double>(static_cast<long long>(sums[k])) / units.per_unit[k % size];
}

template <class Format>
void GroupSums<Format>::start_samplings(const StepBatch &batch) {
  samples_ = slab_sums_ = 0;
  for (const SlabSampling *one : batch.samplings) {
    samples_ += one->steps.size();
    slab_sums_ += one->steps.size() * SlabSums::size * one->slabs.count;
  }
  if (samples_ && atoms_.n()) reserve_slabs(slab_sums_, samples_);
}

template <class Format>
void GroupSums<Format>::launch_samplings(const StepBatch &batch, std::int64_t step, const DeviceState<Format> &state,
                                         const StepGuard *guard) {
  if (atoms_.n() == 0) return;
  unsigned long long *sums = slabs_.data();
  SlabUnits *units = units_.data();
  for (const SlabSampling *one : batch.samplings) {
    const std::size_t n_sums = SlabSums::size * std::size_t(one->slabs.count);
    const int index = one->index_of(step);
    if (index >= 0)
      launch_slabs(one->group_bit, one->slabs, SlabSumsOf<Format>{state}, sums + n_sums * index, units + index, guard);
    sums += n_sums * one->steps.size();
    units += one->steps.size();
  }
}

template <class Format>
void GroupSums<Format>::copy_samplings() {
  if (samples_ && atoms_.n()) copy_slabs(slab_sums_, samples_);
}

template <class Format>
void GroupSums<Format>::finish_samplings(const StepBatch &batch, long long completed) const {
  const unsigned long long *sums = slabs_host_.data();
  const SlabUnits *units = units_host_.data();
  for (SlabSampling *one : batch.samplings) {
    one->sums.clear();
    for (std::size_t k = 0; k < one->steps.size();
         ++k, sums += SlabSums::size * std::size_t(one->slabs.count), ++units) {
      if (one->steps[k] >= batch.first_step + completed) continue;
      one->sums.emplace_back(one->slabs.count);
      if (atoms_.n()) read_slabs(sums, *units, one->sums.back());
    }
  }
}

}  // namespace cuda
}  // namespace triad

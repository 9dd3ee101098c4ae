// Actions at the end of the steps of a batch. Where they concern a small part of the atoms, such as those of two slabs,
// there are lists of these atoms, and the other atoms do not wait for the actions.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <array>
#include <cub/device/device_select.cuh>
#include <vector>

#include "core/cuda/work_space.cuh"
#include "engine/cuda/ghosts/peer_exchange.cuh"
#include "engine/cuda/step/listed_step_kernel.cuh"
#include "engine/cuda/step/noise_of_baths.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError. The queue of motions must be empty, and forces complete except for launch_step().
template <class Format>
class EndsOfSteps {
 public:
  EndsOfSteps(DeviceContext &device, EngineAtoms<Format> &atoms, PeerExchange<Format> &peers)
      : device_(device), atoms_(atoms), peers_(peers) {}

  /// Copies the actions of a batch to the device, and finds their atoms, unless atoms were found for the same regions
  /// before. `grids_wait`: WaitingGrids::allowed(). The device must have ended the batch before.
  void start(const StepBatch &batch, int multiprocessors, bool grids_wait);
  /// To be called for each neighbour list that the host makes within a batch, `age` steps after the list before. If the
  /// actions concern few atoms, they are searched anew, but only if an atom does not pass mark_check(): whether the
  /// host or a step makes a list depends on timing, and the sums must not.
  void check_atoms(const StepBatch &batch, long long age);
  /// To be called when atoms, groups, the box, or the neighbour list have changed without a call of check_atoms(),
  /// except for lists whose kernel has made mark_check().
  void forget_atoms() { found_.clear(); }
  /// The check that a kernel must make which makes a neighbour list.
  MarkCheck mark_check(const StepBatch &batch) const {
    if (!few_) return {};
    return {regions_.data(), marks_.data(), 1.01 * batch.list.limit};
  }

  /// True if the actions concern so few atoms that these have kernels of their own. The other ranks may differ.
  bool concern_few() const { return few_; }
  /// These atoms.
  GroupMembers atoms() const { return {all_.data(), n_found_}; }
  /// [n] not 0 for these atoms.
  const int *marks() const { return marks_.data(); }

  /// Launches the actions in a step behind its second half kick, the last step that StepGuard::completed counts. Sums
  /// are those over all ranks whose ghosts travel between GPUs.
  void launch(const StepBatch &batch, std::int64_t step, StepGuard *guard);
  /// True if one kernel can end a step, make the actions, and start the next step: they concern so few atoms that all
  /// its blocks are resident at once, no atom is concerned by two of them, there is no other GPU, and kernels whose
  /// blocks wait for each other are allowed.
  bool fit_one_kernel() const { return grids_wait_ && one_kernel_; }
  /// True if this kernel can also move all other atoms.
  bool fit_kernel_of_all() const { return grids_wait_ && kernel_of_all_; }
  /// Launches this kernel for the atoms of StepJob::listed, or for all atoms.
  void launch_step(const StepJob<Format> &job, const StepBatch &batch, std::int64_t step, bool moves_all,
                   bool dependent);
  /// Starts to copy the output of the actions to the host.
  void copy(const StepBatch &batch);
  /// Stores this output in the batch. The device must be idle.
  void finish(const StepBatch &batch);

  std::size_t device_bytes() const {
    std::size_t bytes = ends_.bytes() + noise_.bytes() + blocks_.bytes() + ended_.bytes() + regions_.bytes() +
                        marks_.bytes() + all_.bytes() + counts_.bytes() + space_.bytes();
    for (const DeviceBuffer<int> &one : of_end_) bytes += one.bytes();
    return bytes;
  }

 private:
  /// Finds the atoms that the actions may concern until the next neighbour list, and longer while mark_check() finds no
  /// other one. `age`: steps for which this list, or the one before, has been in use. Finds no atoms if the batch and
  /// `age` are shorter than tuning::least_steps_for_end_atoms, since a search takes longer than it saves.
  void find_atoms(const StepBatch &batch, long long age);
  /// Writes the atoms of `from` that have one of the bits in marks_ to `to`, and their number to counts_[place].
  template <class Atoms>
  void select(Atoms from, int n, int bits, DeviceBuffer<int> &to, int place);
  void launch(const EndsJob<Format> &job, const Peers &peers);
  EndsJob<Format> job_of(const StepBatch &batch, const StepGuard *guard) const {
    return {atoms_.state(), 0, {}, batch.first_step, blocks_.data(), ended_.data(), guard};
  }
  /// Action number k of the batch, for kernels.
  EndView<Format> view_of(const StepBatch &batch, std::size_t k) {
    const EndOfStep &end = *batch.ends[k];
    const GroupMembers all = {nullptr, atoms_.n()};
    return {{atoms_.state(), atoms_.anchor(), end.block},
            device_bit(end.measured_bit),
            device_bit(end.group_bit),
            few_ ? GroupMembers{of_end_[k].data(), n_of_end_[k]} : all,
            ends_.data() + k};
  }

  using Region = MarkedRegions::Region;
  /// The distance from a region up to which atoms are searched: that by which atoms can move until the next list.
  static double margin_of(const StepBatch &batch) { return 2.01 * batch.list.limit; }
  /// The regions of the actions of a batch; none if an action concerns all atoms, or if there are too many.
  std::vector<Region> regions_of(const StepBatch &batch) const;

  DeviceContext &device_;
  EngineAtoms<Format> &atoms_;
  PeerExchange<Format> &peers_;
  DeviceBuffer<DeviceEndOfStep> ends_{"actions at the end of steps"};
  PinnedBuffer<DeviceEndOfStep> host_{"actions at the end of steps"};
  NoiseOfBaths noise_;
  DeviceBuffer<double> blocks_{"sums at the end of steps"};
  DeviceBuffer<unsigned> ended_{"sums at the end of steps"};

  // of find_atoms()
  static constexpr int n_ends = tuning::ends_at_once;
  std::vector<Region> found_;  // the regions; none if the lists are not those of the present atoms
  DeviceBuffer<MarkedRegions> regions_{"regions of actions"};
  PinnedBuffer<MarkedRegions> host_regions_{"regions of actions"};
  double margin_ = 0;           // their margin
  bool few_found_ = false;      // few atoms are in the regions
  bool few_ = false;            // concern_few(): the lists are in use
  bool shared_ = false;         // an atom is in several lists
  bool one_kernel_ = false;     // fit_one_kernel() if grids may wait
  bool kernel_of_all_ = false;  // fit_kernel_of_all() if grids may wait
  bool grids_wait_ = false;
  int multiprocessors_ = 0;
  int n_found_ = 0;
  std::array<int, n_ends> n_of_end_ = {};
  DeviceBuffer<int> marks_{"atoms of actions"}, all_{"atoms of actions"};
  DeviceBuffer<int> counts_{"atoms of actions"};  // [n_ends + 2] of each list, of all, and a flag
  std::array<DeviceBuffer<int>, n_ends> of_end_ = {
      DeviceBuffer<int>("atoms of actions"), DeviceBuffer<int>("atoms of actions"),
      DeviceBuffer<int>("atoms of actions"), DeviceBuffer<int>("atoms of actions")};
  DeviceBuffer<char> space_{"atoms of actions"};
};

template <class Format>
void EndsOfSteps<Format>::start(const StepBatch &batch, int multiprocessors, bool grids_wait) {
  few_ = false;
  multiprocessors_ = multiprocessors;
  grids_wait_ = grids_wait;
  const std::size_t n = batch.ends.size();
  if (n == 0) return;
  ends_.reserve(n);
  host_.reserve(n);
  noise_.begin(n, batch.n_steps);
  for (std::size_t k = 0; k < n; ++k) {
    host_[k] = {*batch.ends[k], {}};
    const BathNoise *&noise = host_[k].action.rescaling.noise;
    noise = noise_.copy(noise, device_.stream());
  }
  copy_to_device(ends_.data(), host_.data(), n, device_.stream(), "copying actions at the end of steps");
  blocks_.reserve(ExchangeSums::size * std::size_t(tuning::group_sum_blocks) * n_ends);
  reserve_cleared(ended_, n_ends, device_.stream(), "preparing sums");
  const bool found = !found_.empty() && margin_ == margin_of(batch) && found_ == regions_of(batch);
  if (found)
    few_ = few_found_;
  else
    find_atoms(batch, batch.list.ago);
}

template <class Format>
std::vector<typename EndsOfSteps<Format>::Region> EndsOfSteps<Format>::regions_of(const StepBatch &batch) const {
  if (batch.ends.size() > n_ends) return {};
  std::vector<Region> regions;
  for (const EndOfStep *end : batch.ends) {
    Region region = {end->block, 0};
    if (!batch.list.check || batch.list.delay > 1 || batch.list.every > 1)
      region.block = BlockRegion();  // nothing bounds the displacements in each step
    const bool of_groups = device_bit(end->group_bit) && device_bit(end->measured_bit);
    if (of_groups) region.group_bits = end->group_bit | end->measured_bit;
    if (region.block.everywhere && !of_groups) return {};
    regions.push_back(region);
  }
  return regions;
}

template <class Format>
void EndsOfSteps<Format>::check_atoms(const StepBatch &batch, long long age) {
  if (!few_) return forget_atoms();
  const char *const what = "checking the atoms of actions at the end of steps";
  int *const missing = counts_.data() + n_ends + 1;
  check(cudaMemsetAsync(missing, 0, sizeof(int), device_.stream()), what);
  atoms_.for_each(MarkCheckOp<Format>{atoms_.state(), atoms_.anchor(), mark_check(batch), missing}, what);
  int found = 0;
  copy_to_host(&found, missing, 1, device_.stream(), what);
  device_.wait(what);
  if (found) find_atoms(batch, age);
}

template <class Format>
void EndsOfSteps<Format>::find_atoms(const StepBatch &batch, long long age) {
  const char *const what = "finding the atoms of actions at the end of steps";
  few_ = few_found_ = one_kernel_ = kernel_of_all_ = false;
  found_.clear();
  if (std::max(batch.n_steps, age) < tuning::least_steps_for_end_atoms) return;
  found_ = regions_of(batch);
  margin_ = margin_of(batch);
  const int n = atoms_.n();
  if (n == 0 || found_.empty()) return;
  marks_.reserve(n);
  all_.reserve(n);
  counts_.reserve(n_ends + 2);
  int *const shared = counts_.data() + n_ends + 1;
  check(cudaMemsetAsync(counts_.data(), 0, counts_.bytes(), device_.stream()), what);
  regions_.reserve(1);
  host_regions_.reserve(1);
  host_regions_[0].count = static_cast<int>(found_.size());
  std::copy(found_.begin(), found_.end(), host_regions_[0].region);
  copy_to_device(regions_.data(), host_regions_.data(), 1, device_.stream(), what);
  atoms_.for_each(MarkOp<Format>{atoms_.state(), atoms_.anchor(), regions_.data(), margin_, marks_.data(), shared},
                  what);
  select(thrust::counting_iterator<int>(0), n, ~0, all_, n_ends);
  copy_to_host(&n_found_, counts_.data() + n_ends, 1, device_.stream(), what);
  device_.wait(what);
  if (n_found_ > tuning::end_atoms_share * n) return;
  int counts[n_ends + 2];
  for (int k = 0; k < host_regions_[0].count; ++k)
    select(static_cast<const int *>(all_.data()), n_found_, 1 << k, of_end_[k], k);
  copy_to_host(counts, counts_.data(), n_ends + 2, device_.stream(), what);
  device_.wait(what);
  std::copy_n(counts, n_ends, n_of_end_.begin());
  shared_ = counts[n_ends + 1] != 0;
  few_ = few_found_ = true;
  const unsigned blocks = blocks_for(n_found_, tuning::kinetic_block);
  const auto fits = [&](auto kernel) { return run_at_once(kernel, blocks, tuning::kinetic_block, multiprocessors_); };
  one_kernel_ = n_found_ > 0 && !shared_ && !peers_.connected() && blocks <= unsigned(tuning::group_sum_blocks) &&
                fits(listed_step_kernel<Format, true, false>) && fits(listed_step_kernel<Format, false, false>);
  kernel_of_all_ =
      one_kernel_ && fits(listed_step_kernel<Format, true, true>) && fits(listed_step_kernel<Format, false, true>);
}

template <class Format>
template <class Atoms>
void EndsOfSteps<Format>::select(Atoms from, int n, int bits, DeviceBuffer<int> &to, int place) {
  const char *const what = "finding the atoms of actions at the end of steps";
  to.reserve(n);
  with_work_space(space_, [&](void *space, std::size_t &bytes) {
    check(cub::DeviceSelect::If(space, bytes, from, to.data(), counts_.data() + place, n, HasMark{marks_.data(), bits},
                                device_.stream()),
          what);
  });
}

template <class Format>
void EndsOfSteps<Format>::launch(const StepBatch &batch, std::int64_t step, StepGuard *guard) {
  if (atoms_.n() == 0) return;
  const Peers peers = peers_.peers(guard);
  EndsJob<Format> job = job_of(batch, guard);
  for (std::size_t k = 0; k < batch.ends.size(); ++k) {
    if (!batch.ends[k]->acts(step)) continue;
    job.end[job.count++] = view_of(batch, k);
    // the ranks must make their sums in the same order, one after the other
    if (few_ && !shared_ && job.count < n_ends && !peers.ranks) continue;
    launch(job, peers);
    job.count = 0;
  }
  if (job.count) launch(job, peers);
}

template <class Format>
void EndsOfSteps<Format>::launch(const EndsJob<Format> &job, const Peers &peers) {
  int most = 1;
  for (int k = 0; k < job.count; ++k) most = std::max(most, job.end[k].atoms.count);
  const unsigned blocks = blocks_for(most, tuning::kinetic_block), rows = static_cast<unsigned>(job.count);
  const dim3 sums(std::min(blocks, unsigned(tuning::group_sum_blocks)), rows);
  end_sums_kernel<Format><<<sums, tuning::kinetic_block, 0, device_.stream()>>>(job, peers);
  end_changes_kernel<Format><<<dim3(blocks, rows), tuning::kinetic_block, 0, device_.stream()>>>(job);
  check(cudaGetLastError(), "changing velocities at the end of a step");
}

template <class Format>
void EndsOfSteps<Format>::launch_step(const StepJob<Format> &job, const StepBatch &batch, std::int64_t step,
                                      bool moves_all, bool dependent) {
  EndsJob<Format> ends = job_of(batch, job.guard);
  for (std::size_t k = 0; k < batch.ends.size(); ++k)
    if (batch.ends[k]->acts(step)) ends.end[ends.count++] = view_of(batch, k);
  const unsigned blocks = blocks_for(job.listed.count, tuning::kinetic_block);
  const unsigned others = moves_all ? blocks_for(job.state.n, tuning::kinetic_block) : 0;
  const auto launch_kernel = [&](auto gathers, auto reads_forces) {
    cuda::launch(dependent, blocks + others, tuning::kinetic_block, device_.stream(),
                 "making actions at the end of a step", job.gather.reverse ? gathers : reads_forces, job, ends, blocks,
                 &device_.steps()->counts.listed);
  };
  if (moves_all)
    launch_kernel(listed_step_kernel<Format, true, true>, listed_step_kernel<Format, false, true>);
  else
    launch_kernel(listed_step_kernel<Format, true, false>, listed_step_kernel<Format, false, false>);
}

template <class Format>
void EndsOfSteps<Format>::copy(const StepBatch &batch) {
  if (atoms_.n() == 0) return;
  copy_to_host(host_.data(), ends_.data(), batch.ends.size(), device_.stream(), "reading actions at the end of steps");
}

template <class Format>
void EndsOfSteps<Format>::finish(const StepBatch &batch) {
  if (batch.ends.empty() || atoms_.n() == 0) return;
  for (std::size_t k = 0; k < batch.ends.size(); ++k) {
    EndOfStep done = host_[k].action;
    done.rescaling.noise = batch.ends[k]->rescaling.noise;
    *batch.ends[k] = done;
  }
  atoms_.positions_changed();
}

}  // namespace cuda
}  // namespace triad

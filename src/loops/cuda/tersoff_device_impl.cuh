// Implementation of TersoffDevice; included by one translation unit per precision.
#pragma once

#include "loops/cuda/tersoff_device.cuh"
#include "loops/tersoff_models.h"

namespace triad {
namespace cuda {

template <class Format>
__global__ void store_positions_kernel(int n, const double *__restrict__ x, const int *__restrict__ element,
                                       PositionScale scale, const double *__restrict__ reference, double limit_squared,
                                       typename PositionOf<Format>::type *position, DeviceStatus *status) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::size_t at = 3 * static_cast<std::size_t>(i);
  const double xi[3] = {x[at], x[at + 1], x[at + 2]};
  store(position[i], xi, element[i], scale);
  if (!reference) return;
  const double dx = xi[0] - reference[at], dy = xi[1] - reference[at + 1], dz = xi[2] - reference[at + 2];
  if (!(dx * dx + dy * dy + dz * dz <= limit_squared)) status->moved = 1;
}

/// One thread per component, so that the rows of three leave in whole lines.
template <class Format>
__global__ void collect_forces_kernel(std::size_t n, ForceArray<Format> accumulated, double *force) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (k >= 3 * n) return;
  auto &component = accumulated.component(k / 3, static_cast<int>(k % 3));
  force[k] = from_accumulator(component);
  component = 0;
}

template <class Accumulator>
__global__ void collect_tally_kernel(std::size_t n, Accumulator *accumulated, double *target) {
  const std::size_t i = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  target[i] = from_accumulator(accumulated[i]);
  accumulated[i] = Accumulator(0);
}

/// One block sums the totals of all blocks; every thread takes the same share in every run.
static __global__ void sum_totals_kernel(unsigned blocks, const BlockTotals *block_totals, BlockTotals *total) {
  constexpr int threads = 256;
  using Reduce = cub::BlockReduce<double, threads>;
  __shared__ typename Reduce::TempStorage space;
  for (int k = 0; k < 7; ++k) {
    double sum = 0;
    for (unsigned b = threadIdx.x; b < blocks; b += threads) sum += block_totals[b].v[k];
    sum = Reduce(space).Sum(sum);
    if (threadIdx.x == 0) total->v[k] = sum;
    __syncthreads();
  }
}

template <class Format>
TersoffDevice<Format>::TersoffDevice(const TersoffTable &table, cudaStream_t stream)
    : table_(table),
      stream_(stream),
      inner_skin_(tuning::inner_skin * table.cutmax()),
      scale_(PositionScale::for_reach(table.cutmax() + 2 * inner_skin_)) {
  int device = 0;
  check(cudaGetDevice(&device), "asking for the device");
  check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");

  const std::vector<TersoffParams<Real>> params = make_params<Real>(table);
  const std::vector<double> squares = reach_squared(table, inner_skin_);
  params_.reserve(params.size());
  reach_squared_.reserve(squares.size());
  total_.reserve(1);
  status_.reserve(1);
  copy_to_device(params_.data(), params.data(), params.size(), stream_, "copying parameters");
  copy_to_device(reach_squared_.data(), squares.data(), squares.size(), stream_, "copying cutoffs");
  check(cudaMemsetAsync(status_.data(), 0, sizeof(DeviceStatus), stream_), "clearing the status");
  check(cudaStreamSynchronize(stream_), "copying parameters");
}

template <class Format>
void TersoffDevice<Format>::reserve(int n_all, bool atom_energy, bool atom_virial) {
  n_all_ = n_all;
  const auto grow_cleared = [&](auto &buffer, std::size_t n) {
    if (buffer.reserve(n)) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream_), "clearing accumulators");
  };
  position_.reserve(n_all);
  grow_cleared(force_, ForceArray<Format>::elements(n_all));
  if (atom_energy) grow_cleared(atom_energy_, n_all);
  if (atom_virial) grow_cleared(atom_virial_, 6 * static_cast<std::size_t>(n_all));
}

template <class Format>
void TersoffDevice<Format>::store_positions(const double *x, const int *element, int n_all, bool check_moved) {
  reserve(n_all, false, false);
  if (n_all == 0) return;
  const double limit = 0.5 * inner_skin_;
  store_positions_kernel<Format><<<blocks_for(n_all, 256), 256, 0, stream_>>>(
      n_all, x, element, scale_, check_moved ? reference_.data() : nullptr, limit * limit, position_.data(),
      status_.data());
  check(cudaGetLastError(), "storing positions");
}

template <class Format>
void TersoffDevice<Format>::build_short_list(const DeviceRows &rows, const double *x, const int *element, int n_all) {
  reference_.reserve(3 * static_cast<std::size_t>(n_all));
  if (n_all)
    check(cudaMemcpyAsync(reference_.data(), x, 3 * sizeof(double) * static_cast<std::size_t>(n_all),
                          cudaMemcpyDeviceToDevice, stream_),
          "keeping reference positions");
  list_.build(rows, {n_all, x, element, reach_squared_.data(), table_.nelements()}, stream_);
  if (std::is_same<typename Format::Sum, fixed_point::Word>::value && list_.longest() >= fixed_point::max_contributions)
    throw LoopError("an atom has " + std::to_string(list_.longest()) +
                    " neighbours within reach, precision mixed allows " +
                    std::to_string(fixed_point::max_contributions - 1) + "; check the density or use precision double");
  if (list_.longest() > tuning::general_shared_bonds) overflow_.reserve(list_.general_entries());
  check(cudaMemsetAsync(status_.data(), 0, sizeof(DeviceStatus), stream_), "clearing the status");
}

template <class Format>
void TersoffDevice<Format>::launch_forces(Tally tally, bool atom_energy, bool atom_virial) {
  reserve(n_all_, atom_energy, atom_virial);
  const ShortListView list = list_.view();
  const int general_rows = list.n_general + (tally == Tally::PerAtom ? list.n_four : 0);
  const int four_rows = tally == Tally::PerAtom ? 0 : list.n_four;
  constexpr int tiles = tuning::general_block / tuning::general_lanes;
  const unsigned four_blocks = blocks_for(four_rows, tuning::four_block);
  const unsigned general_blocks =
      std::min(blocks_for(general_rows, tiles), unsigned(multiprocessors_) * tuning::general_blocks_per_sm);
  blocks_ = four_blocks + general_blocks;
  if (tally != Tally::None) block_totals_.reserve(blocks_);

  ForceJob<Format> job;
  job.list = list;
  job.position = position_.data();
  job.scale = scale_;
  job.force = {force_.data(), static_cast<std::size_t>(n_all_)};
  job.totals = block_totals_.data();
  job.atom_energy = atom_energy ? atom_energy_.data() : nullptr;
  job.atom_virial = atom_virial ? atom_virial_.data() : nullptr;
  job.overflow = overflow_.data();
  job.status = status_.data();

  with_model<Real>(table_, params_.data(), [&](const auto &model) {
    using Model = std::decay_t<decltype(model)>;
    const auto launch = [&](auto four, auto general) {
      if (four_blocks) four<<<four_blocks, tuning::four_block, 0, stream_>>>(model, job);
      check(cudaGetLastError(), "launching the kernel for four neighbours");
      job.totals += four_blocks;
      if (general_blocks) general<<<general_blocks, tuning::general_block, 0, stream_>>>(model, job);
      check(cudaGetLastError(), "launching the general kernel");
    };
    switch (tally) {
      case Tally::None:
        return launch(four_neighbour_kernel<Format, Model, Tally::None>, general_kernel<Format, Model, Tally::None>);
      case Tally::Totals:
        return launch(four_neighbour_kernel<Format, Model, Tally::Totals>,
                      general_kernel<Format, Model, Tally::Totals>);
      case Tally::PerAtom:  // no rows of four are left to the first kernel
        return launch(four_neighbour_kernel<Format, Model, Tally::None>, general_kernel<Format, Model, Tally::PerAtom>);
    }
  });
}

template <class Format>
void TersoffDevice<Format>::collect(double *force, double *atom_energy, double *atom_virial) {
  if (n_all_ == 0) return;
  const std::size_t n = n_all_;
  const ForceArray<Format> accumulated = {force_.data(), n};
  collect_forces_kernel<Format><<<blocks_for(3 * n, 256), 256, 0, stream_>>>(n, accumulated, force);
  check(cudaGetLastError(), "collecting forces");
  if (atom_energy) collect_tally_kernel<<<blocks_for(n, 256), 256, 0, stream_>>>(n, atom_energy_.data(), atom_energy);
  if (atom_virial)
    collect_tally_kernel<<<blocks_for(6 * n, 256), 256, 0, stream_>>>(6 * n, atom_virial_.data(), atom_virial);
  check(cudaGetLastError(), "collecting per-atom tallies");
}

template <class Format>
void TersoffDevice<Format>::discard() {
  const auto clear = [&](auto &buffer) {
    if (buffer.bytes()) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream_), "clearing accumulators");
  };
  clear(force_);
  clear(atom_energy_);
  clear(atom_virial_);
}

template <class Format>
void TersoffDevice<Format>::sum_totals() {
  sum_totals_kernel<<<1, 256, 0, stream_>>>(blocks_, block_totals_.data(), total_.data());
  check(cudaGetLastError(), "summing energy and virial");
}

template <class Format>
std::size_t TersoffDevice<Format>::bytes() const {
  return params_.bytes() + position_.bytes() + reference_.bytes() + force_.bytes() + atom_energy_.bytes() +
         atom_virial_.bytes() + overflow_.bytes() + block_totals_.bytes() + list_.bytes();
}

}  // namespace cuda
}  // namespace triad

// TersoffDevice: errors, conversion of accumulators, and totals.
#pragma once

#include "core/messages.h"
#include "core/tuning.h"
#include "forces/tersoff/cuda/collect_forces.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"
#include "forces/tersoff/cuda/transfer_kernels.cuh"

namespace triad {
namespace cuda {

template <class Format>
void TersoffDevice<Format>::check_forces(const double *x) {
  const int centre = take_bad_centre();
  if (centre >= 0) throw LoopError(force_out_of_range(x ? read_position(x, centre + 1).data() : nullptr));
}

template <class Format>
int TersoffDevice<Format>::take_bad_centre() {
  return take_report(flags_[0].forces.bad_centre) - 1;
}

template <class Format>
void TersoffDevice<Format>::collect(double *force, Target target, int n_atoms) {
  if (n_atoms == 0) return;
  const std::size_t n = n_atoms;
  const auto launch_kernel = [&](const auto &source) {
    using Source = std::decay_t<decltype(source)>;
    const auto kernel =
        target == Target::Add ? collect_forces_kernel<Source, true> : collect_forces_kernel<Source, false>;
    constexpr unsigned block = tuning::collect_block;
    launch(false, blocks_for(n, tuning::collect_atoms * block), block, stream_, "collecting forces", kernel, n, source,
           force);
  };
  if (incomplete_)
    launch_kernel(GatheredForces<Format>{take_gather()});
  else
    launch_kernel(AccumulatedForces<Format>{forces()});
}

/// True if one kernel can compute the forces and collect them.
template <class Format>
bool TersoffDevice<Format>::collects_with_forces(const TallyRequest &request, const Destination &destination) const {
  const PrunedListView list = list_.view();
  return destination.force && destination.n == list.n_rows && !list.centre && !request.any_total() &&
         !request.any_per_atom() && can_refilter() && combined_.fit_many(*this);
}

template <class Format>
void TersoffDevice<Format>::launch_and_collect(const Destination &destination) {
  ForceJob<Format> job = take_step_forces(nullptr);
  if (age_ > 0) job.expiry = {expired_.data(), computations_};  // a list made in this call cannot have expired
  combined_.template launch<CollectForces<Format>>(
      job, {destination.force, std::size_t(destination.n), destination.target == Target::Add}, *this, false, stream_);
}

template <class Format>
void TersoffDevice<Format>::collect_tallies(double *atom_energy, double *atom_virial, double *atom_centroid) {
  if (n_all_ == 0) return;
  const std::size_t n = n_all_;
  const auto collect_tally = [&](auto &accumulators, double *target, std::size_t count) {
    if (target)
      collect_tally_kernel<<<blocks_for(count, tuning::elementwise_block), tuning::elementwise_block, 0, stream_>>>(
          count, accumulators.data(), target);
  };
  collect_tally(atom_energy_, atom_energy, n);
  collect_tally(atom_virial_, atom_virial, 6 * n);
  collect_tally(atom_centroid_, atom_centroid, 9 * n);
  check(cudaGetLastError(), "collecting per-atom tallies");
}

template <class Format>
void TersoffDevice<Format>::clear_forces() {
  if (force_.bytes()) check(cudaMemsetAsync(force_.data(), 0, force_.bytes(), stream_), "clearing forces");
}

template <class Format>
void TersoffDevice<Format>::discard() {
  const auto clear = [&](auto &buffer) {
    if (buffer.bytes()) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream_), "clearing accumulators");
  };
  clear(force_);
  clear(atom_energy_);
  clear(atom_virial_);
  clear(atom_centroid_);
  drop_forces();
  check(cudaStreamSynchronize(stream_), "discarding forces");
  flags_[0].forces = {};
}

template <class Format>
void TersoffDevice<Format>::sum_totals(BlockTotals *sum) {
  sum_totals_kernel<<<1, totals_block, 0, stream_>>>(totals_blocks(), block_totals_.data(), sum);
  check(cudaGetLastError(), "summing energy and virial");
}

}  // namespace cuda
}  // namespace triad

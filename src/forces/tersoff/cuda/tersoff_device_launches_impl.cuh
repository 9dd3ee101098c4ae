// TersoffDevice: arguments and launches of the kernels that compute and gather forces.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "forces/tersoff/cuda/bond_kernel.cuh"
#include "forces/tersoff/cuda/eight_neighbour_kernel.cuh"
#include "forces/tersoff/cuda/general_kernel.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

template <class Format>
ForceJob<Format> TersoffDevice<Format>::common_job() const {
  ForceJob<Format> job = {};
  job.position = position_.data();
  job.scale = scale_;
  job.force = {force_.data(), static_cast<std::size_t>(n_all_)};
  job.added_from = std::numeric_limits<int>::max();
  job.cutoff = cutoff_.data();
  job.nelements = table_.nelements();
  job.beyond = beyond_cutoffs();
  job.overflow = overflow_.data();
  job.longest = static_cast<int>(longest_row());
  job.flags = &flags_.data()->forces;
  job.images = images_;
  job.ghosts = ghosts_;
  return job;
}

template <class Format>
std::vector<ForceJob<Format>> TersoffDevice<Format>::bonds() const {
  std::vector<ForceJob<Format>> jobs(two_lists_ ? 2 : 1, common_job());
  jobs[0].list = list_.view();
  if (two_lists_) jobs[1].list = boundary_.view();
  if (two_lists_ && overflow_.data()) jobs[1].overflow += overflow_of(list_);
  return jobs;
}

template <class Format>
ForceJob<Format> TersoffDevice<Format>::take_step_forces(StepGuard *guard, bool virials) {
  ForceJob<Format> job = common_job();
  if (virials) set_totals(job, longer_row_blocks());
  set_gradients(job);
  incomplete_ = gathers_;
  job.list = list_.view();
  job.unrolls = true;
  job.guard = guard;
  job.first = job.decides = true;
  job.met = std::exchange(met_, 0);
  job.new_list = take_new_list();
  return job;
}

/// The totals of this number of blocks are tallied; eight_neighbour_kernel has no more than bond_kernel. The memory
/// stays the same while the number of rows does, since a graph of steps knows its address.
template <class Format>
void TersoffDevice<Format>::set_totals(ForceJob<Format> &job, unsigned blocks) {
  const int n = list_.view().n_rows;
  const unsigned most =
      blocks_for(n, tuning::four_block / lanes()) + std::max(bond_grid(n, false).blocks, bond_grid(n, true).blocks);
  block_totals_.reserve(std::max(most, blocks));
  job.totals = block_totals_.data();
  job.totals_rounding = rounding_of_sums(tuning::most_energy_per_atom * std::max(1, n_all_));
}

/// Gradients are stored for the next kernel to gather.
template <class Format>
void TersoffDevice<Format>::set_gradients(ForceJob<Format> &job) const {
  if (!gathers_) return;
  job.gradient = {gradient_.data(), gradients()};
  job.within = within_.data();
}

template <class Format>
GatherJob<Format> TersoffDevice<Format>::take_gather() {
  return std::exchange(incomplete_, false) ? view_gather() : GatherJob<Format>{};
}

template <class Format>
GatherJob<Format> TersoffDevice<Format>::view_gather() const {
  const PrunedListView list = list_.view();
  GatherJob<Format> job = {};
  job.own = {force_.data(), static_cast<std::size_t>(n_all_)};
  job.n = list.n_rows;
  job.width = list.width;
  job.gradient = {gradient_.data(), gradients()};
  job.reverse = list.reverse;
  if (two_lists_) {
    const PrunedListView second = boundary_.view();
    job.second_reverse = second.reverse;
    job.second_length = second.length;
    job.n_second = second.n_rows;
    job.second_width = second.width;
    job.first_entries = static_cast<int>(list.entries());
  }
  job.length = list.length;
  job.within = within_.data();
  return job;
}

template <class Format>
void TersoffDevice<Format>::complete_forces(StepGuard *guard) {
  if (!incomplete_) return;
  const GatherJob<Format> job = take_gather();
  launch(guard && dependent_, blocks_for(job.n, tuning::gather_block), tuning::gather_block, stream_,
         "gathering forces", gather_kernel<Format>, job, guard);
}

inline Tally tally_of(const TallyRequest &request) {
  return request.any_per_atom() ? Tally::PerAtom : request.any_total() ? Tally::Totals : Tally::None;
}

template <class Format>
typename TersoffDevice<Format>::Grid TersoffDevice<Format>::grid_of(const PrunedList &pruned, Tally tally) const {
  const PrunedListView list = pruned.view();
  const bool unrolls = tally != Tally::PerAtom;
  Grid grid = {};
  grid.by_bonds = unrolls && list.length;
  const bool all_by_bonds =
      grid.by_bonds && !gathers_ && double(pruned.summary().longer_rows) > tuning::many_longer_rows * list.n_rows;
  const std::size_t four_rows = !unrolls || all_by_bonds || list.n_general == list.n_rows ? 0 : list.n_rows;
  grid.four_blocks = blocks_for(four_rows, tuning::four_block / lanes());
  if (grid.by_bonds) {
    grid.other_blocks = longer_grid(list, all_by_bonds).blocks;
  } else {
    const long long rows = list.n_general + static_cast<long long>(unrolls ? 0 : list.n_rows);
    grid.other_blocks = general_blocks(rows, tuning::general_lanes);
  }
  return grid;
}

/// Returns the job without the members that differ between the interior and the boundary list. Allocates the
/// accumulators of the tallies.
template <class Format>
ForceJob<Format> TersoffDevice<Format>::job_for(const TallyRequest &request, StepGuard *guard) {
  reserve(n_all_, request);
  const Tally tally = tally_of(request);
  const Grid least = {0, 1, false};  // calls StepGuard::decide()
  grid_ = grid_of(list_, tally);
  boundary_grid_ = grid_of(boundary_, tally);
  if (guard && !two_lists_ && !grid_.blocks()) grid_ = least;
  if (two_lists_ && !boundary_grid_.blocks()) boundary_grid_ = least;
  ForceJob<Format> job = common_job();
  if (tally != Tally::None) set_totals(job, grid_.blocks() + boundary_grid_.blocks());
  job.unrolls = tally != Tally::PerAtom;
  job.atom_energy = request.atom_energy ? atom_energy_.data() : nullptr;
  job.atom_virial = request.atom_virial ? atom_virial_.data() : nullptr;
  job.atom_centroid = request.atom_centroid ? atom_centroid_.data() : nullptr;
  job.guard = guard;
  return job;
}

template <class Format>
void TersoffDevice<Format>::launch_forces(const TallyRequest &request, StepGuard *guard, cudaStream_t other) {
  ForceJob<Format> job = job_for(request, guard);
  set_gradients(job);
  incomplete_ = gathers_;
  job.list = list_.view();
  job.first = true;
  job.decides = !two_lists_;
  job.met = std::exchange(met_, 0);
  job.new_list = take_new_list();
  launch_list(job, grid_, tally_of(request), guard && dependent_ && !other, other ? other : stream_);
}

template <class Format>
void TersoffDevice<Format>::launch_further_forces(const TallyRequest &request, StepGuard *guard) {
  ForceJob<Format> job = job_for(request, guard);
  set_gradients(job);
  incomplete_ = gathers_;
  job.list = list_.view();
  job.met = std::exchange(met_, 0);
  job.new_list = take_new_list();
  launch_list(job, grid_, tally_of(request), guard && dependent_, stream_);
}

template <class Format>
void TersoffDevice<Format>::launch_boundary(const TallyRequest &request, StepGuard *guard, bool dependent) {
  ForceJob<Format> job = job_for(request, guard);
  set_gradients(job);
  if (gathers_) job.gradient = job.gradient.from(list_.entries());
  job.added_from = list_.view().n_rows;
  job.list = boundary_.view();
  job.decides = true;
  if (job.totals) job.totals += grid_.blocks();
  if (job.overflow) job.overflow += overflow_of(list_);
  dependent = dependent && boundary_grid_.blocks() <= unsigned(multiprocessors_);
  launch_list(job, boundary_grid_, tally_of(request), dependent, stream_);
}

/// A warp has fewer rows where there would be too few warps.
template <class Format>
typename TersoffDevice<Format>::LongerGrid TersoffDevice<Format>::bond_grid(int n_rows, bool all_rows) const {
  LongerGrid grid = {0, 0, tuning::most_rows_per_warp, false};
  const auto too_many = [&](int rows) {
    const int per_sm = rows > tuning::few_rows_per_warp ? tuning::bond_warps_per_sm : tuning::least_bond_warps_per_sm;
    return rows > tuning::least_rows_per_warp && n_rows / rows < multiprocessors_ * per_sm;
  };
  while (too_many(grid.rows_per_warp)) grid.rows_per_warp /= 2;
  const unsigned of_block = grid.rows_per_warp * tuning::bond_block / WarpBonds<Format>::lanes;
  const double rows_of_window = PrunedListView::window * (all_rows ? 1.0 : tuning::many_longer_rows);
  grid.per_window = blocks_for(static_cast<std::size_t>(rows_of_window), of_block);
  grid.blocks = grid.per_window * blocks_for(n_rows, PrunedListView::window);
  return grid;
}

template <class Format>
typename TersoffDevice<Format>::LongerGrid TersoffDevice<Format>::longer_grid(const PrunedListView &list,
                                                                              bool all_rows) const {
  if (all_rows || !gathers_ || list.width != eight_slots) return bond_grid(list.n_rows, all_rows);
  constexpr unsigned per_window = tuning::eight_blocks_per_window;
  return {per_window * blocks_for(list.n_rows, PrunedListView::window), per_window, 0, true};
}

/// Launches the kernel for rows with more than four entries, or bond_kernel for all rows. Returns the number of blocks.
template <class Format>
template <bool Totals, class Model>
unsigned TersoffDevice<Format>::launch_longer(const Model &model, ForceJob<Format> job, bool all_rows, bool dependent,
                                              cudaStream_t stream) {
  const LongerGrid grid = longer_grid(job.list, all_rows);
  constexpr const char *what = "launching the kernel for longer rows";
  job.least_bonds = all_rows ? 1 : 5;
  if (grid.eight)
    launch(dependent, grid.blocks, tuning::bond_block, stream, what, eight_neighbour_kernel<Format, Model, Totals>,
           model, job, grid.per_window);
  else
    launch(dependent, grid.blocks, tuning::bond_block, stream, what, bond_kernel<Format, Model, Totals>, model, job,
           grid.rows_per_warp, grid.per_window);
  return grid.blocks;
}

template <class Format>
unsigned TersoffDevice<Format>::launch_longer_rows(ForceJob<Format> &job, const BlockProgress &progress,
                                                   bool dependent) {
  unsigned blocks = 0;
  if (!job.list.length) return blocks;
  job.progress = progress;
  with_kernel_model([&](const auto &model) {
    blocks = job.totals ? launch_longer<true>(model, job, false, dependent, stream_)
                        : launch_longer<false>(model, job, false, dependent, stream_);
  });
  job.first = job.decides = false;
  return blocks;
}

/// Launches the kernel for rows of up to four entries and the one for longer rows, or bond_kernel for all rows if
/// longer ones are many. With few rows, longer rows come first, since a longer row takes longest, and the other kernel
/// starts when the blocks for longer rows have started. With per-atom tallies, and for rows of the general table,
/// general_kernel computes the longer rows. Only the first kernel has ForceJob::first and ForceJob::decides.
template <class Format>
void TersoffDevice<Format>::launch_list(ForceJob<Format> job, const Grid &grid, Tally tally, bool dependent,
                                        cudaStream_t stream) {
  with_kernel_model([&](const auto &model) {
    using Model = std::decay_t<decltype(model)>;
    const bool beside = grid.by_bonds && grid.four_blocks && dependent && !two_lists_ &&
                        job.list.n_rows <= multiprocessors_ * tuning::beside_rows_per_sm;
    const auto launch_tally = [&](auto with, auto lanes) {
      constexpr Tally kind = decltype(with)::value;
      constexpr Tally of_four = kind == Tally::Totals ? kind : Tally::None;  // general_kernel makes per-atom tallies
      const auto launch_four = [&] {
        if (!grid.four_blocks) return;
        launch(dependent, grid.four_blocks, tuning::four_block, stream, "launching the kernel for four neighbours",
               four_neighbour_kernel<Format, Model, of_four, decltype(lanes)::value>, model, job);
        job.first = job.decides = false;
      };
      const auto launch_others = [&] {
        ForceJob<Format> others = job;
        if (others.totals) others.totals += grid.four_blocks;
        if (grid.by_bonds)
          launch_longer<of_four == Tally::Totals>(model, others, !grid.four_blocks, dependent, stream);
        else if (grid.other_blocks)
          launch(dependent, grid.other_blocks, tuning::general_block, stream, "launching the general kernel",
                 general_kernel<Format, Model, kind>, model, others);
      };
      if (!beside) {
        launch_four();
        return launch_others();
      }
      job.progress = {beside_.data(), beside_.data() + 1, beside_.data() + 2};
      launch_others();
      job.first = job.decides = false;
      job.beside = std::exchange(job.progress, {});
      job.beside_blocks = grid.other_blocks;
      launch_four();
    };
    const auto launch_lanes = [&](auto lanes) {
      switch (tally) {
        case Tally::None:
          return launch_tally(std::integral_constant<Tally, Tally::None>(), lanes);
        case Tally::Totals:
          return launch_tally(std::integral_constant<Tally, Tally::Totals>(), lanes);
        case Tally::PerAtom:
          return launch_tally(std::integral_constant<Tally, Tally::PerAtom>(), lanes);
      }
    };
    if (lanes() == LanesOf<Model>::many)
      launch_lanes(std::integral_constant<int, LanesOf<Model>::many>());
    else
      launch_lanes(std::integral_constant<int, LanesOf<Model>::few>());
  });
}

}  // namespace cuda
}  // namespace triad

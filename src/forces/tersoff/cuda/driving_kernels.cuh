// The driving force of heat on all atoms, by the loops of the force kernels: the unrolled kernel computes rows of up to
// four entries, and tiles of lanes compute the others.
#pragma once

#include "forces/tersoff/bond_driving.h"
#include "forces/tersoff/cuda/general_kernel.cuh"

namespace triad {
namespace cuda {

/// Argument of the kernels. `bonds` has the list, the positions, memory for records, and as its force array that of the
/// driving forces. With ForceJob::gradient, the force array receives the parts of the centres, and the gradients are
/// minus the driving forces on neighbours, see GatherJob::with_stored_own(); otherwise all parts are added atomically.
template <class Format>
struct DrivingJob {
  ForceJob<Format> bonds;
  Vec3<typename Format::Real> field;  ///< 1/length
  const StepGuard *guard;             ///< of the steps, or null

  using Sum = typename Format::Sum;
  using Real = typename Format::Real;

  /// Returns a force as a term of sums. Reports one out of range as a force of centre i.
  __device__ __forceinline__ Vec3<Sum> term_of(const Vec3<Real> &force, int i) const {
    if constexpr (std::is_same<Sum, fixed_point::Word>::value)
      if (!fixed_point::in_range(force)) bonds.flags->bad_centre = i + 1;
    return to_accumulators<Sum>(force);
  }
};

/// Computes the row of centre i with four entries; entries equal to i are padding.
template <bool Forces, class Format, class Model>
__device__ __forceinline__ void drive_four(const Model &model, const DrivingJob<Format> &job, int i,
                                           const int (&entry)[4], BondDriving<typename Format::Real> (&driving)[4]) {
  using Real = typename Format::Real;
  const ForceJob<Format> &bonds = job.bonds;
  const auto pi = load(bonds.position + i);
  int element[4];
  Bond<Real> bond[4];
  TRIAD_UNROLL
  for (int k = 0; k < 4; ++k) {
    const auto relative = bonds.images.relative(bonds.position, pi, entry[k]);
    element[k] = static_cast<int>(relative.element);
    bond[k] = bond_to<Format>(relative, bonds.scale, model.shift);
    if (entry[k] == i) bond[k] = no_bond(bonds.beyond);
  }
  driving_unrolled<4, Forces>(model, static_cast<int>(pi.element), element, bond, job.field, driving);
}

/// Rows of up to four entries, one thread per row.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::four_block)
    four_driving_kernel(const Model model, const DrivingJob<Format> job) {
  using Real = typename Format::Real;
  const ForceJob<Format> &bonds = job.bonds;
  const PrunedListView &list = bonds.list;
  if (job.guard && job.guard->stopped) return;
  std::size_t row = blockIdx.x * static_cast<std::size_t>(tuning::four_block) + threadIdx.x;
  if (row >= static_cast<std::size_t>(list.n_rows)) return;
  if (list.length) {
    row = list.order[row];
    if (list.length[row] < 0 || list.length[row] > 4) return;
  }
  const std::size_t first = row, stride = list.n_rows;
  if (list.neighbour[first] == PrunedListView::no_row) return;
  const int i = list.centre ? list.centre[row] : static_cast<int>(row);
  int entry[4];
  TRIAD_UNROLL
  for (int k = 0; k < 4; ++k) entry[k] = list.neighbour[first + k * stride];
  BondDriving<Real> driving[4];
  drive_four<false>(model, job, i, entry, driving);
  Vec3<typename Format::Sum> own = {};
  TRIAD_UNROLL
  for (int k = 0; k < 4; ++k) {
    if (entry[k] == i) continue;
    const auto on_neighbour = job.term_of(Real(-1) * driving[k].gradient, i);
    own = own + job.term_of(driving[k].centre, i);
    if (bonds.gathers())
      bonds.gradient.store(first + k * stride, driving[k].gradient);
    else
      bonds.force.add(bonds.receiver(entry[k]), on_neighbour);
  }
  if (bonds.gathers())
    bonds.force.set(i, own);
  else
    bonds.force.add(i, own);
}

/// All other rows, one tile of lanes per row and one bond per lane.
template <class Format, class Model>
__global__ void __launch_bounds__(tuning::general_block)
    general_driving_kernel(const Model model, const DrivingJob<Format> job) {
  using Real = typename Format::Real;
  constexpr int lanes = tuning::heat_lanes;
  const ForceJob<Format> &bonds = job.bonds;
  if (job.guard && job.guard->stopped) return;
  const auto nothing = [](const Row &, int) {};
  for_rows<lanes>(model, bonds, false, nothing, [&](const auto &tile, const Row &row, int element, auto &found) {
    for (int j = tile.thread_rank(); j < found.n; j += lanes) {
      const auto driving = bond_driving<false>(model, element, j, found.n, found.record, job.field);
      bonds.force.add(bonds.receiver(found.entry_of(j)), job.term_of(Real(-1) * driving.gradient, row.centre));
      bonds.force.add(row.centre, job.term_of(driving.centre, row.centre));
    }
  });
}

}  // namespace cuda
}  // namespace triad

// Forces, and if wanted totals of energy and virial, of centres whose rows have five to eight entries, where such rows
// are few and forces are gathered. Eight lanes compute a centre, one entry per lane, without a selection of the entries
// within the cutoff. A row then takes less time than in bond_kernel, for which the other kernels of the step wait.
#pragma once

#include "forces/tersoff/cuda/bond_parts.cuh"
#include "forces/tersoff/cuda/rows_of_warp.cuh"
#include "forces/tersoff/cuda/tersoff_kernels.cuh"

namespace triad {
namespace cuda {

/// Slots of the rows that the kernel computes, which is also the number of its lanes per centre.
constexpr int eight_slots = 8;

/// The entry of a row of more than four entries that a lane computes.
struct EntryOfLane {
  int length;   ///< entries of the row; 0 if it has up to four
  bool exists;  ///< the row has an entry for the lane; otherwise `entry` is the centre
  int centre, entry;
  std::size_t number;  ///< of the entry

  /// `index`: of the row in PrunedListView::order, if it is less than `end`. `slot`: that of the lane.
  __device__ __forceinline__ EntryOfLane(const PrunedListView &list, int index, int end, int slot) {
    const int row = index < end ? list.order[index] : 0, all = index < end ? list.length[row] : 0;
    length = all > 4 && all <= eight_slots ? all : 0;  // a longer row has stopped the steps, and is not in the table
    exists = slot < length;
    number = long_entry(list.width, list.n_rows, row, slot);
    centre = list.centre ? list.centre[row] : row;
    entry = exists ? list.neighbour[number] : centre;
  }
};

/// Its registers leave room for the blocks of the kernel beside which it runs; those of the kernels with lam3 in fp64
/// need the most.
template <class Format, class Model, bool Totals>
__global__ void __launch_bounds__(tuning::bond_block, sizeof(typename Format::Real) == 4
                                                          ? tuning::bond_blocks_per_sm
                                                          : tuning::bond_blocks_per_sm_double_lambda3)
    eight_neighbour_kernel(const Model model, const ForceJob<Format> job, unsigned blocks_per_window) {
  using Real = typename Format::Real;
  using Position = typename PositionOf<Format>::type;
  constexpr int lanes = 32, rows_per_warp = lanes / eight_slots;
  using Records = BondParts<Real, lanes>;
  __shared__ Records memory[tuning::bond_block / lanes];
  if (job.new_list) wait_for_previous_kernel();
  const RowsOfWarp rows(job.list.n_rows, rows_per_warp, blocks_per_window);
  const int lane = static_cast<int>(threadIdx.x) % lanes, slot = lane % eight_slots;
  const auto entry_from = [&](int first) {
    return EntryOfLane(job.list, rows.begin + first + lane / eight_slots, rows.begin + rows.size, slot);
  };
  EntryOfLane of = entry_from(rows.first);
  if (!job.new_list) wait_for_previous_kernel();
  note_start(job);
  const bool stop = stopped(job);
  Records &records = memory[threadIdx.x / lanes];
  const auto row = records.from(lane - slot);
  Emitter<Format, Totals> emit(job);
  for (int k = rows.first; __any_sync(all_lanes, of.length > 0);) {
    // Computes before it is known whether the steps go on, as four_neighbour_kernel does. If they have stopped, an
    // entry may be old, and name an atom whose type has no element (-1).
    const Position pi = load(job.position + of.centre), pj = load(job.position + job.images.index(of.entry));
    const int ei = max(static_cast<int>(pi.element), 0), ej = max(static_cast<int>(pj.element), 0);
    bool within = false;  // true also for some entries beyond their cutoff, whose gradients are zero
    __syncwarp();         // all lanes have read the records of the rows before
    if (of.exists) {
      const Bond<Real> bond = bond_to<Format>(job.images.relative(pi, pj, of.entry), job.scale, model.shift);
      records.set(lane, make_record(model, ei, ej, bond));
      within = bond.r < job.beyond;
    }
    __syncwarp();
    if (of.exists) {
      const BondEnergy<Real> energy = general_bond_energy(model, ei, slot, of.length, row);
      records.set_energy(lane, energy);
      if (!stop) emit.energy(energy.energy);
    }
    __syncwarp();
    emit.start_centre();
    if (of.exists) {
      const Vec3<Real> gradient = general_gradient<false>(model, ei, slot, of.length, row, nullptr);
      if (!stop) emit.template neighbour<true>(of.entry, of.number, row[slot].bond, gradient);
    }
    if (stop) break;
    const unsigned within_row = __ballot_sync(all_lanes, within) >> (lane - slot) & ((1u << eight_slots) - 1);
    const auto own = sum_in_order_of_lanes<eight_slots>(emit.own());
    if (of.length > 0) emit.finish_centre(of.centre);
    if (of.length > 0 && slot == 0) {
      job.within[of.centre] = within_row;
      emit.centre(of.centre, own);
    }
    k += rows.stride;
    of = entry_from(k);
  }
  if (!stop) emit.template write_totals<tuning::bond_block>();
  note_end(job);
}

}  // namespace cuda
}  // namespace triad

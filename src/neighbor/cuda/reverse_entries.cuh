// Reverse entries of a pruned list, which the gathering of forces needs.
#pragma once

#include "core/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {
namespace pruning {

/// The number of the entry in the row of atom j that names atom i with the image opposite to that of `entry`, or
/// no_entry. `receiver`: the atom that an entry names. `Batch`: entries of that row that are loaded together.
template <int Batch, class Position, class Receiver>
__device__ __forceinline__ int reverse_of(const PrunedListView &list, const DeviceAtoms<Position> &atoms,
                                          const Receiver &receiver, int i, int entry, int j, int slots_of_j) {
  const float most = tuning::most_gap_of_ghosts * (atoms.nelements ? atoms.cutoff[0] : 0);
  int found = PrunedListView::no_entry;
  float least = most * most;
  for (int first = 0; first < slots_of_j && least > 0; first += Batch) {
    int back[Batch];
    TRIAD_UNROLL
    for (int m = 0; m < Batch; ++m) back[m] = first + m < slots_of_j ? list.neighbour[list.number(j, first + m)] : j;
    TRIAD_UNROLL
    for (int m = 0; m < Batch; ++m) {
      if (back[m] == j || receiver(back[m]) != i) continue;
      const float gap = atoms.gap_between(i, entry, j, back[m]);
      if (gap >= least) continue;
      least = gap;
      found = static_cast<int>(list.number(j, first + m));
    }
  }
  return found;
}

/// Finds the reverse of each entry, Lanes threads per row: the entry in the neighbour's row that holds the centre with
/// the opposite image. An entry without a reverse sets stop_row in *stop or, if `stop` is null, is counted. The threads
/// of all blocks call this.
template <int Lanes, class Position>
__device__ __forceinline__ void find_reverse_entries(const ReverseEntries &output, const DeviceAtoms<Position> &atoms,
                                                     int *stop) {
  const PrunedListView &list = output.list;
  const auto receiver = [&](int entry) { return atoms.ghosts.receiver(atoms.images.index(entry)); };
  const int lane = static_cast<int>(threadIdx.x) % Lanes, rows_of_block = static_cast<int>(blockDim.x) / Lanes;
  const unsigned lanes_of_row = ((1u << Lanes) - 1) << (threadIdx.x % 32 - lane);
  for (int i = blockIdx.x * rows_of_block + threadIdx.x / Lanes; i < list.n_rows; i += gridDim.x * rows_of_block) {
    const int slots = list.slots_of(i);
    unsigned in_short = 0;
    for (int k = lane; k < slots; k += Lanes) {
      const int entry = list.neighbour[list.number(i, k)], j = receiver(entry);
      int found = PrunedListView::no_entry;
      if (entry != i) {
        const int others = list.slots_of(j);
        if (others == 4 || atoms.ghosts.owner) in_short |= 1u << k;
        found = reverse_of<Lanes>(list, atoms, receiver, i, entry, j, others);
        if (found == PrunedListView::no_entry) {
          if (stop)
            atomicOr(stop, stop_row);
          else
            atomicAdd(reinterpret_cast<unsigned long long *>(&output.summary->one_way), 1ull);
        }
      }
      output.number[list.number(i, k)] = found;
    }
    if (!output.in_short_rows) continue;
    TRIAD_UNROLL
    for (int mask = 1; mask < Lanes; mask *= 2) in_short |= __shfl_xor_sync(lanes_of_row, in_short, mask);
    if (lane == 0) output.in_short_rows[i] = in_short;
  }
}

}  // namespace pruning
}  // namespace cuda
}  // namespace triad

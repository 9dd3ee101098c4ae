// Reverse entries of a pruned list, which the gathering of forces needs.
#pragma once

#include "core/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {
namespace pruning {

/// Finds the reverse of each entry, one thread per row: the entry in the neighbour's row that holds the centre with the
/// opposite image. An entry without a reverse sets stop_row in *stop or, if `stop` is null, is counted. The threads of
/// all blocks call this.
template <class Position>
__device__ __forceinline__ void find_reverse_entries(const ReverseEntries &output, const DeviceAtoms<Position> &atoms,
                                                     int *stop) {
  const PrunedListView &list = output.list;
  const auto receiver = [&](int entry) { return atoms.ghosts.receiver(atoms.images.index(entry)); };
  const float most = tuning::most_gap_of_ghosts * (atoms.nelements ? atoms.cutoff[0] : 0);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < list.n_rows; i += gridDim.x * blockDim.x) {
    const int slots = list.slots_of(i);
    unsigned in_short = 0;
    for (int k = 0; k < slots; ++k) {
      const int entry = list.neighbour[list.number(i, k)], j = receiver(entry);
      int found = PrunedListView::no_entry;
      if (entry != i) {
        const int others = list.slots_of(j);
        if (others == 4 || atoms.ghosts.owner) in_short |= 1u << k;
        float least = most * most;
        for (int m = 0; m < others && least > 0; ++m) {
          const int back = list.neighbour[list.number(j, m)];
          if (receiver(back) != i || back == j) continue;
          const float gap = atoms.gap_between(i, entry, j, back);
          if (gap >= least) continue;
          least = gap;
          found = static_cast<int>(list.number(j, m));
        }
        if (found == PrunedListView::no_entry) {
          if (stop)
            atomicOr(stop, stop_row);
          else
            atomicAdd(reinterpret_cast<unsigned long long *>(&output.summary->one_way), 1ull);
        }
      }
      output.number[list.number(i, k)] = found;
    }
    if (output.in_short_rows) output.in_short_rows[i] = in_short;
  }
}

}  // namespace pruning
}  // namespace cuda
}  // namespace triad

// Rows of a pair list as the kernels see them: slices of 32 rows, with slot k of all rows of a slice contiguous, so
// that a warp reads one cache line per slot. The length of a slice is that of its longest row (sliced ELLPACK).
#pragma once

#include "forces/pairwise/list_entry.h"
#include "potentials/pairwise/listed_constants.h"

namespace triad {
namespace cuda {

/// Parameters of listed pairs, one array for each two parameters, so that a list of one law with two parameters reads
/// 16 bytes per pair.
struct ListedColumns {
  double2 *first;       ///< parameters 0 and 1; null for a neighbour list
  double2 *rest;        ///< parameters 2 and 3, or null if no pair has them
  unsigned char *kind;  ///< ListedKind, or null if all pairs have the kind `common`
  ListedKind common;

  __device__ ListedConstants at(long long k) const {
    const double2 a = first[k], b = rest ? rest[k] : double2{0, 0};
    return {{a.x, a.y, b.x, b.y}, kind ? static_cast<ListedKind>(kind[k]) : common, false};
  }
  __device__ void copy(long long to, const ListedColumns &from, long long k) const {
    first[to] = from.first[k];
    if (rest) rest[to] = from.rest[k];
    if (kind) kind[to] = from.kind[k];
  }
};

/// Input of the kernels.
struct SlicedRows {
  int n_rows;
  const int *centre;        ///< [n_rows], null where centre[row] = row
  const int *length;        ///< [n_rows]
  const long long *slice;   ///< [slices + 1] first entry
  const unsigned *entry;    ///< index, and the two upper bits of PairListCsr
  ListedColumns constants;  ///< of each entry of listed pairs
};

}  // namespace cuda
}  // namespace triad

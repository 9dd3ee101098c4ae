// What the loops over atoms are given on the host: a chunk of rows with its atoms, packed. Plain structs: they cross
// from code for every processor to code that is compiled once per instruction set (chunk_kernel.h).
#pragma once

#include <cstdint>

#include "core/isa.h"
#include "core/precision.h"
#include "potentials/tersoff/params.h"

namespace triad {

/// Rows per block, the largest number of lanes.
constexpr int block_rows = 16;

/// Scratch that a kernel needs for each neighbour of its longest row.
constexpr int scratch_bytes_per_neighbour = 20 * 64;

/// Up to 16 rows of equal kind: same element of the centre, same number of neighbours, same elements in the same order.
/// So every parameter is one number for all lanes.
struct RowBlock {
  int used;        ///< rows, 1 to 16; the table repeats the last one up to 16
  int neighbours;  ///< n
  int centre_element;
  bool one_element;       ///< all neighbours are of one element
  std::int64_t table;     ///< begin of [1 + n][16] atoms of the chunk: the centres, then neighbour by neighbour
  std::int64_t elements;  ///< begin of [n] elements
};

/// A chunk as a kernel sees it. Atoms are numbered within the chunk.
struct ChunkView {
  int n_blocks;
  const RowBlock *block;
  const int *table;
  const int *element;
  const double *x;  ///< [atoms][4]

  const void *params;  ///< [nelements^3] of the type of the variant, pack_params()
  int nelements;
  double shift;
  bool want_virial;

  void *force;    ///< [atoms][4] accumulators of the format, added to
  double energy;  ///< added to
  double virial[6];
  int bad_centre;  ///< a centre with a force out of range, left as it is if there is none
  void *scratch;   ///< scratch_bytes_per_neighbour times the longest row, aligned to 64
};

using ChunkKernel = void (*)(ChunkView &);

/// The kernel for an instruction set of usable_isas().
ChunkKernel chunk_kernel(Isa isa, Precision precision, TersoffVariant variant);

/// The kernels of each instruction set; chunk_kernels.cpp defines one of these functions each time it is compiled.
ChunkKernel chunk_kernel_baseline(Precision precision, TersoffVariant variant);
#if defined(TRIAD_X86_ISAS)
ChunkKernel chunk_kernel_avx2(Precision precision, TersoffVariant variant);
ChunkKernel chunk_kernel_avx512(Precision precision, TersoffVariant variant);
#endif

}  // namespace triad

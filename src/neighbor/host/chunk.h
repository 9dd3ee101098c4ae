// Input of the host loops over atoms: a chunk of rows with a packed copy of its atoms. These are plain structs because
// they cross from generic code to code that is compiled once per instruction set
// (forces/tersoff/host/chunk_kernels.cpp).
#pragma once

#include <cstdint>

#include "core/isa.h"
#include "core/precision.h"
#include "potentials/tersoff/params.h"

namespace triad {

/// Rows per block; equals the maximum number of lanes.
constexpr int block_rows = 16;

/// Scratch memory of a kernel for each neighbour of its longest row.
constexpr int scratch_bytes_per_neighbour = 20 * 64;

/// Up to 16 rows of the same kind: same element of the centre, same number of neighbours, same elements in the same
/// order. Every parameter is therefore the same for all lanes.
struct RowBlock {
  int used;        ///< number of rows, 1 to 16; the table repeats the last row up to 16
  int neighbours;  ///< number n of neighbours
  int centre_element;
  bool one_element;       ///< all neighbours are of one element
  std::int64_t table;     ///< start of [1 + n][16] atoms of the chunk: the centres, then neighbour by neighbour
  std::int64_t elements;  ///< start of [n] elements
};

/// A chunk as seen by a kernel. Atom indices are local to the chunk.
struct ChunkView {
  int n_blocks;
  const RowBlock *block;
  const int *table;
  const int *element;
  const double *x;  ///< [atoms][4]

  const void *params;  ///< [nelements^3] parameters of the variant's type, see pack_params()
  int nelements;
  double shift;
  bool want_virial;

  void *force;    ///< [atoms][4] accumulators of the format; the kernel adds to them
  double energy;  ///< the kernel adds to this energy
  double virial[6];
  int bad_centre;  ///< set to a centre with a force out of range; unchanged if there is none
  void *scratch;   ///< scratch_bytes_per_neighbour bytes per neighbour of the longest row, aligned to 64
};

using ChunkKernel = void (*)(ChunkView &);

/// Returns the kernel for an instruction set of usable_isas().
ChunkKernel chunk_kernel(Isa isa, Precision precision, TersoffVariant variant);

/// Kernels of each instruction set. chunk_kernels.cpp defines one of these functions each time it is compiled.
ChunkKernel chunk_kernel_baseline(Precision precision, TersoffVariant variant);
#if defined(TRIAD_X86_ISAS)
ChunkKernel chunk_kernel_avx2(Precision precision, TersoffVariant variant);
ChunkKernel chunk_kernel_avx512(Precision precision, TersoffVariant variant);
#endif

}  // namespace triad

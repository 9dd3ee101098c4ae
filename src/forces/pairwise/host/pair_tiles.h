// All pairs of two blocks of atoms: what a kernel for one instruction set is given. Plain structs, as in chunk.h.
#pragma once

#include <cstddef>

#include "core/isa.h"
#include "forces/pairwise/pair_points.h"

namespace triad {

/// Slots [begin, end); begin is a multiple of tile_width.
struct SlotRange {
  int begin, end;
  int size() const { return end - begin; }
};

/// A pair of blocks as a kernel sees it. `Real` is the arithmetic of the format.
struct PairTile {
  const void *law;           ///< the functor of the law
  const void *coefficients;  ///< of the blocks' types, Law::Coefficients
  const void *frame;         ///< PairFrame<Real>
  const void *points;        ///< [words of a point][stride] Real, PointColumns
  std::size_t stride;
  SlotRange rows, columns;  ///< of at most tuning::host_pair_block slots; the same, or apart

  // Set by the kernel, in units of the law and without the strength of the atom they are for.
  void *row_force;  ///< [3][host_pair_block] Real
  void *row_tally;  ///< [PairTally::width][host_pair_block] Real, when tallied
  void *reaction;   ///< [3][host_pair_block] Real, force on the columns when they react; aligned to 64
};

/// The laws of with_law() (pairwise_formats.h).
enum class PairLawKind { Gravity, GravityOfEquals, CoulombPower, LennardJones };
PairLawKind pair_law_kind(const PairLawSettings &law, bool equal_strengths);

/// What kernels differ in. Reacts: each pair once, the reaction on the column; otherwise all columns act on each row.
struct PairTileKind {
  PairLawKind law;
  Precision precision;
  Images images;
  bool reacts, tallies;
};

using PairTileKernel = void (*)(const PairTile &);

/// The kernel for an instruction set of usable_isas().
PairTileKernel pair_tile_kernel(Isa isa, const PairTileKind &kind);

/// The kernels of each instruction set; pair_tile_kernels.cpp defines one of these functions each time it is compiled.
PairTileKernel pair_tile_kernel_baseline(const PairTileKind &kind);
#if defined(TRIAD_X86_ISAS)
PairTileKernel pair_tile_kernel_avx2(const PairTileKind &kind);
PairTileKernel pair_tile_kernel_avx512(const PairTileKind &kind);
#endif

}  // namespace triad

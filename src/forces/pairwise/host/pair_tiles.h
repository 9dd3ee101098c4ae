// Input of the kernels for all pairs of two blocks of atoms. Plain structs, because each kernel is compiled once per
// instruction set.
#pragma once

#include <cstddef>

#include "core/isa.h"
#include "forces/pairwise/pair_points.h"
#include "potentials/pairwise/law_settings.h"

namespace triad {

/// Slots [begin, end); begin is a multiple of tile_width.
struct SlotRange {
  int begin, end;
  int size() const { return end - begin; }
};

/// A pair of blocks as seen by a kernel. `Real` is the arithmetic of the format.
struct PairTile {
  const void *law;           ///< the functor of the law
  const void *coefficients;  ///< Law::Coefficients of the types of the blocks
  const void *frame;         ///< PairFrame<Real>
  const void *points;        ///< [words of a point][stride] Real, see PointColumns
  std::size_t stride;
  SlotRange rows, columns;  ///< at most tuning::host_pair_block slots each; equal or disjoint
  bool reacts;              ///< as in the PairTileKind

  // Output of the kernel, in units of the law, without the strength of the atom itself.
  void *row_force;  ///< [3][host_pair_block] Real
  void *row_tally;  ///< [PairTally::width][host_pair_block] Real; null without tallies
  void *reaction;   ///< [3][host_pair_block] Real, force on the columns if they react; aligned to 64
};

/// The laws of with_law() (pairwise_formats.h).
enum class PairLawKind { Gravity, GravityOfEquals, CoulombPower, LennardJones, Exponential, Table, Formula };
PairLawKind pair_law_kind(const PairLawSettings &law, bool equal_strengths);

/// Properties that select a kernel. `reacts`: each pair once, with the reaction on the column; otherwise all columns
/// act on each row.
struct PairTileKind {
  PairLawKind law;
  Precision precision;
  Images images;
  bool reacts, tallies;
};

using PairTileKernel = void (*)(const PairTile &);

/// Returns the kernel for an instruction set of usable_isas().
PairTileKernel pair_tile_kernel(Isa isa, const PairTileKind &kind);

/// Kernels of each instruction set. pair_tile_kernels.cpp defines one of these functions each time it is compiled.
PairTileKernel pair_tile_kernel_baseline(const PairTileKind &kind);
#if defined(TRIAD_X86_ISAS)
PairTileKernel pair_tile_kernel_avx2(const PairTileKind &kind);
PairTileKernel pair_tile_kernel_avx512(const PairTileKind &kind);
#endif

}  // namespace triad

// Loops over all pairs of two blocks for one instruction set. This file is compiled once per instruction set, with
//   TRIAD_REGISTER_BYTES      the size of a vector register
//   TRIAD_PAIR_TILE_KERNEL    the name of the function to define (pair_tiles.h)
// Every function is a template on the register size or always inlined, as in forces/tersoff/host/chunk_kernels.cpp.

#include "forces/pairwise/host/pair_tile_loop.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace {

template <class Law, class Point, Images images>
PairTileKernel kernel_of(const PairTileKind &kind) {
  constexpr int bytes = TRIAD_REGISTER_BYTES;
  using Loop = PairTileLoop<Law, Point, images, bytes>;
  // Tilted boxes are seldom used, and a third of the loops over several rows would be theirs. For formulas these loops
  // are small and much faster.
  constexpr bool formula = std::is_same<Law, FormulaLaw<typename Law::Real>>::value;
  if constexpr (formula || images != Images::Triclinic)
    if (kind.reacts && !kind.tallies) return Loop::run;
  return Loop::run_row_by_row;
}

template <class Format, Images images>
PairTileKernel kernel_of(const PairTileKind &kind) {
  using Real = typename Format::Real;
  using Point = typename PointOf<Format, images>::type;
  switch (kind.law) {
    case PairLawKind::Gravity:
      return kernel_of<GravityLaw<Real, true>, Point, images>(kind);
    case PairLawKind::GravityOfEquals:
      return kernel_of<GravityLaw<Real, false>, Point, images>(kind);
    case PairLawKind::CoulombPower:
      return kernel_of<CoulombPowerLaw<Real>, Point, images>(kind);
    case PairLawKind::Exponential:
      return kernel_of<ExponentialLaw<Real>, Point, images>(kind);
    case PairLawKind::Formula:
      return kernel_of<FormulaLaw<Real>, Point, images>(kind);
    case PairLawKind::Table:
      return kernel_of<TableLaw<Real>, Point, images>(kind);
    default:
      return kernel_of<LennardJonesLaw<Real>, Point, images>(kind);
  }
}

template <class Format>
PairTileKernel kernel_of(const PairTileKind &kind) {
  switch (kind.images) {
    case Images::None:
      return kernel_of<Format, Images::None>(kind);
    case Images::Orthogonal:
      return kernel_of<Format, Images::Orthogonal>(kind);
    default:
      return kernel_of<Format, Images::Triclinic>(kind);
  }
}

}  // namespace

PairTileKernel TRIAD_PAIR_TILE_KERNEL(const PairTileKind &kind) {
  return with_format<PairFormats>(kind.precision, [&kind](auto format) { return kernel_of<decltype(format)>(kind); });
}

}  // namespace triad

#include "forces/pairwise/host/pair_tiles.h"

namespace triad {

PairLawKind pair_law_kind(const PairLawSettings &law, bool equal_strengths) {
  if (std::holds_alternative<GravitySettings>(law))
    return equal_strengths ? PairLawKind::GravityOfEquals : PairLawKind::Gravity;
  if (std::holds_alternative<CoulombPowerSettings>(law)) return PairLawKind::CoulombPower;
  if (std::holds_alternative<ExponentialSettings>(law)) return PairLawKind::Exponential;
  if (std::holds_alternative<FormulaSettings>(law)) return PairLawKind::Formula;
  return std::holds_alternative<TableSettings>(law) ? PairLawKind::Table : PairLawKind::LennardJones;
}

PairTileKernel pair_tile_kernel(Isa isa, const PairTileKind &kind) {
  switch (isa) {
#if defined(TRIAD_X86_ISAS)
    case Isa::Avx512:
      return pair_tile_kernel_avx512(kind);
    case Isa::Avx2:
      return pair_tile_kernel_avx2(kind);
#endif
    default:
      return pair_tile_kernel_baseline(kind);
  }
}

}  // namespace triad

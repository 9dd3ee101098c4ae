// The loops over a chunk of rows, for one instruction set: this file is compiled once per set, with
//   TRIAD_REGISTER_BYTES   the size of a vector register
//   TRIAD_CHUNK_KERNEL     the name of the function to define (chunk.h)
//
// Everything here is a template on the register size or always inlined, so the linker cannot use a function of this
// object for code that other processors run. The test kernels_keep_to_themselves checks this.

#include "forces/tersoff/host/chunk_loop.h"

namespace triad {
namespace {

template <class Format>
ChunkKernel kernel_of(TersoffVariant variant) {
  using Real = typename Format::Real;
  constexpr int bytes = TRIAD_REGISTER_BYTES;
  switch (variant) {
    case TersoffVariant::Mod:
      return ChunkLoop<Format, ModParams<Real>, bytes>::run;
    case TersoffVariant::ModC:
      return ChunkLoop<Format, ModCParams<Real>, bytes>::run;
    case TersoffVariant::Zbl:
      return ChunkLoop<Format, ZblParams<Real>, bytes>::run;
    default:
      return ChunkLoop<Format, TersoffParams<Real>, bytes>::run;
  }
}

}  // namespace

ChunkKernel TRIAD_CHUNK_KERNEL(Precision precision, TersoffVariant variant) {
  return with_format<TersoffFormats>(precision,
                                     [variant](auto format) { return kernel_of<decltype(format)>(variant); });
}

}  // namespace triad

#include "neighbor/host/row_filter.h"

namespace triad {

RowFilters row_filters(Isa isa) {
  switch (isa) {
#if defined(TRIAD_X86_ISAS)
    case Isa::Avx512:
      return row_filter_avx512();
    case Isa::Avx2:
      return row_filter_avx2();
#endif
    default:
      return row_filter_baseline();
  }
}

}  // namespace triad

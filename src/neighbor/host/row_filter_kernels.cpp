// The filters of row_filter.h for one instruction set: this file is compiled once per set, with TRIAD_ROW_FILTER as the
// name of the function to define. All functions are local to the object or always inlined, as in
// forces/tersoff/host/chunk_kernels.cpp.
//
// With AVX-512, eight entries are compared at once, and those within the cutoff are packed by one instruction. The
// other sets have no such instruction, and their loops compare entry by entry. Neither loop branches on the comparison,
// which is unpredictable in a melt.

#include "core/portable_math.h"
#include "neighbor/host/row_filter.h"
#include "simd/lane_math.h"
#include "simd/lane_rows.h"

namespace triad {
namespace {

#if defined(__AVX512VL__) && defined(__AVX512DQ__)

constexpr int lanes = 8;
using Eight = Lanes<double, 64>;

TRIAD_HD __mmask8 first_lanes(int n) { return n < lanes ? __mmask8((1u << n) - 1) : __mmask8(0xff); }

/// The squared cutoffs of an atom with eight others, by the ranks (or types) of these.
struct Cutoffs {
  const double *squared;
  int n;
  __m512d first;  // of ranks below 8

  TRIAD_HD explicit Cutoffs(int n_ranks) : n(n_ranks) {}
  TRIAD_HD void set(const double *of_atom) {
    squared = of_atom;
    first = n == 1 ? _mm512_set1_pd(*of_atom) : _mm512_maskz_loadu_pd(first_lanes(n), of_atom);
  }
  TRIAD_HD __m512d of(__m256i rank) const {
    if (n == 1) return first;
    if (n <= lanes) return _mm512_permutexvar_pd(_mm512_cvtepi32_epi64(rank), first);
    return _mm512_i32gather_pd(rank, squared, 8);
  }
};

/// Returns the lanes of `inside` that are not beyond the cutoff.
TRIAD_HD __mmask8 within(__mmask8 inside, const Eight &dx, const Eight &dy, const Eight &dz, __m512d squared) {
  const Eight distance = dx * dx + dy * dy + dz * dz;
  return _mm512_mask_cmp_pd_mask(inside, (__m512d)distance.v, squared, _CMP_NGE_UQ);
}

/// Writes the numbers of the lanes in `keep` one after the other. All eight numbers behind `to` may be overwritten.
TRIAD_HD void store_kept(int *to, __mmask8 keep, __m256i numbers) {
  _mm256_storeu_si256(reinterpret_cast<__m256i *>(to), _mm256_maskz_compress_epi32(keep, numbers));
}

/// Loads the rows of four numbers of eight atoms.
TRIAD_HD void gather_atoms(const double *rows, __m256i atom, Eight &x, Eight &y, Eight &z, Eight &w) {
  alignas(32) int at[lanes];
  _mm256_store_si256(reinterpret_cast<__m256i *>(at), _mm256_slli_epi32(atom, 2));
  asm("" : "+m"(at));  // otherwise the compiler extracts each index from the register, which takes twice as long
  gather_rows<1>(rows, at, x, y, z, w);
}

/// With one rank, kept_rank is not written.
template <bool OneRank>
TRIAD_HD void filter_rows(RowFilterView &view) {
  const TableRow *const rows = view.row;
  const int n_rows = view.n_rows, n_ranks = OneRank ? 1 : view.n_ranks;
  const double *const x = view.x, *const cutoff_squared = view.cutoff_squared;
  std::size_t used = view.kept_entries;
  int kept = view.n_kept;
  Cutoffs cutoffs(n_ranks);
  static_assert(counted_ranks == lanes, "permutexvar takes the remainder of a rank by the number of lanes");
  const __m512i content_of_rank = _mm512_setr_epi64(content_of(0), content_of(1), content_of(2), content_of(3),
                                                    content_of(4), content_of(5), content_of(6), content_of(7));
  for (int r = 0; r < n_rows; ++r) {
    const TableRow row = rows[r];
    const double *origin = x + 4 * std::ptrdiff_t(row.centre);
    const Eight x0(origin[0]), y0(origin[1]), z0(origin[2]);
    cutoffs.set(cutoff_squared + row.centre_rank * n_ranks);
    const int *const from = view.index + row.begin, *const from_rank = view.rank + row.begin;
    int *const index = view.kept_index + used, *const rank = view.kept_rank + used;
    int n = 0;
    __m512i content = _mm512_setzero_si512();
    for (int s = 0; s < row.neighbours; s += lanes) {
      const __mmask8 inside = first_lanes(row.neighbours - s);
      const __m256i atom = _mm256_maskz_loadu_epi32(inside, from + s);
      Eight px, py, pz, unused;
      gather_atoms(x, atom, px, py, pz, unused);
      const __m256i ranks = OneRank ? _mm256_setzero_si256() : _mm256_maskz_loadu_epi32(inside, from_rank + s);
      const __mmask8 keep = within(inside, px - x0, py - y0, pz - z0, cutoffs.of(ranks));
      store_kept(index + n, keep, atom);
      if constexpr (!OneRank) {
        store_kept(rank + n, keep, ranks);
        const __m512i counts = _mm512_permutexvar_epi64(_mm512_cvtepi32_epi64(ranks), content_of_rank);
        content = _mm512_mask_add_epi64(content, keep, content, counts);
      }
      n += __builtin_popcount(keep);
    }
    if (n == 0) continue;
    view.kept[kept++] = {row.centre, row.centre_rank, n, used,
                         OneRank ? n * content_of(0) : std::uint64_t(_mm512_reduce_add_epi64(content))};
    used += n;
  }
  view.n_kept = kept;
  view.kept_entries = used;
}

void filter_rows(RowFilterView &view) {
  if (view.n_ranks == 1)
    filter_rows<true>(view);
  else
    filter_rows<false>(view);
}

int filter_span(const SpanFilterView &view, int *entry) {
  const Eight x0(view.origin[0]), y0(view.origin[1]), z0(view.origin[2]);
  Cutoffs cutoffs(view.n_types);
  cutoffs.set(view.cutoff_squared);
  int n = 0;
  for (int k = 0; k < view.n; k += lanes) {
    const __mmask8 inside = first_lanes(view.n - k);
    const auto position = [&](const double *from) __attribute__((always_inline)) {
      return Eight(_mm512_maskz_loadu_pd(inside, from + k));
    };
    const __m256i atom = _mm256_maskz_loadu_epi32(inside, view.atom + k),
                  type = _mm256_maskz_loadu_epi32(inside, view.type + k);
    const __mmask8 others = _mm256_mask_cmpneq_epi32_mask(inside, atom, _mm256_set1_epi32(view.self));
    const __mmask8 keep =
        within(others, position(view.x) - x0, position(view.y) - y0, position(view.z) - z0, cutoffs.of(type));
    store_kept(entry + n, keep, atom);
    n += __builtin_popcount(keep);
  }
  return n;
}

int filter_list(const ListFilterView &view, int *atom, int *type) {
  const Eight x0(view.self[0]), y0(view.self[1]), z0(view.self[2]);
  Cutoffs cutoffs(view.n_types);
  cutoffs.set(view.cutoff_squared);
  int n = 0;
  for (int k = 0; k < view.n; k += lanes) {
    const __mmask8 inside = first_lanes(view.n - k);
    const __m256i atoms = _mm256_maskz_loadu_epi32(inside, atom + k);
    Eight x, y, z, w;
    gather_atoms(view.x, atoms, x, y, z, w);
    const __m256i types = _mm512_cvtpd_epi32((__m512d)w.v);
    const __mmask8 keep = within(inside, x - x0, y - y0, z - z0, cutoffs.of(types));
    store_kept(atom + n, keep, atoms);
    store_kept(type + n, keep, types);
    n += __builtin_popcount(keep);
  }
  return n;
}

#else

TRIAD_HD bool within(double dx, double dy, double dz, double squared) {
  return !(dx * dx + dy * dy + dz * dz >= squared);
}

void filter_rows(RowFilterView &view) {
  std::size_t used = view.kept_entries;
  int kept = view.n_kept;
  for (int r = 0; r < view.n_rows; ++r) {
    const TableRow &row = view.row[r];
    const double *x0 = view.x + 4 * std::ptrdiff_t(row.centre);
    const double *squared = view.cutoff_squared + row.centre_rank * view.n_ranks;
    const int *from = view.index + row.begin, *from_rank = view.rank + row.begin;
    int *const index = view.kept_index + used, *const rank = view.kept_rank + used;
    int n = 0;
    std::uint64_t content = 0;
    for (int s = 0; s < row.neighbours; ++s) {
      const double *x = view.x + 4 * std::ptrdiff_t(from[s]);
      const bool keep = within(x[0] - x0[0], x[1] - x0[1], x[2] - x0[2], squared[from_rank[s]]);
      index[n] = from[s];
      rank[n] = from_rank[s];
      content += keep * content_of(from_rank[s]);
      n += keep;
    }
    if (n == 0) continue;
    view.kept[kept++] = {row.centre, row.centre_rank, n, used, content};
    used += n;
  }
  view.n_kept = kept;
  view.kept_entries = used;
}

int filter_span(const SpanFilterView &view, int *entry) {
  int n = 0;
  for (int k = 0; k < view.n; ++k) {
    entry[n] = view.atom[k];
    n += int(within(view.x[k] - view.origin[0], view.y[k] - view.origin[1], view.z[k] - view.origin[2],
                    view.cutoff_squared[view.type[k]])) &
         int(view.atom[k] != view.self);
  }
  return n;
}

int filter_list(const ListFilterView &view, int *atom, int *type) {
  int n = 0;
  for (int k = 0; k < view.n; ++k) {
    const int j = atom[k];
    const double *x = view.x + 4 * std::ptrdiff_t(j);
    type[n] = static_cast<int>(x[3]);
    atom[n] = j;
    n += int(within(x[0] - view.self[0], x[1] - view.self[1], x[2] - view.self[2], view.cutoff_squared[type[n]]));
  }
  return n;
}

#endif

/// Writes positions in fp32 relative to the first atom, and returns the largest of these numbers.
double write_relative(const WatchView &view) {
  using Four = Lanes<double, 32>;
  const Four origin = Four::load(view.x);
  Four largest(0);
  for (int a = 0; a < view.n_atoms; ++a) {
    const Four d = Four::load(view.x + 4 * std::ptrdiff_t(a)) - origin;
    store_narrowed(d, view.relative + 4 * std::ptrdiff_t(a));
    largest = math::at_least(math::abs(d), largest);
  }
  double most = 0;
  for (int k = 0; k < 4; ++k) most = math::at_least(most, largest.v[k]);
  return most;
}

/// Finds the rows that a distant neighbour may have reached. A coordinate in fp32 has an error of up to 2^-24 of the
/// largest one, so that the error of a distance near the cutoff is less than 2^-22 of the sum of both. The factor next
/// to the square covers the rounding of the square and of the limit.
void watch(const WatchView &view) {
  using Real = Lanes<float, TRIAD_REGISTER_BYTES>;
  const double largest = write_relative(view);
  for (int b = 0; b < view.n_blocks; ++b) {
    const int *centre = view.table + view.block[b].table;
    unsigned reached = 0;
    for (int first = 0; first < block_rows; first += Real::count) {
      Vec3<Real> origin, p;
      gather_rows(view.relative, centre + first, origin.x, origin.y, origin.z);
      LaneMask<float, TRIAD_REGISTER_BYTES> beyond = Real(0) >= 0.0f;
      for (int s = view.begin[b]; s < view.begin[b + 1]; ++s) {
        gather_rows(view.relative, view.distant + s * block_rows + first, p.x, p.y, p.z);
        const Vec3<Real> d = {p.x - origin.x, p.y - origin.y, p.z - origin.z};
        const double limit = view.cutoff[s] + 0x1p-22 * (largest + view.cutoff[s]);
        beyond = beyond && dot(d, d) >= static_cast<float>((1 + 0x1p-20) * limit * limit);
      }
      if (math::all(beyond)) continue;
      for (int l = 0; l < Real::count; ++l) reached |= unsigned(!beyond.v[l]) << (first + l);
    }
    view.reached[b] = reached;
  }
}

}  // namespace

RowFilters TRIAD_ROW_FILTER() { return {filter_rows, watch, filter_span, filter_list}; }

}  // namespace triad

#include "neighbor/host/row_order.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "core/parallel_errors.h"
#include "core/tuning.h"

namespace triad {
namespace {

struct RowCentre {
  float x[3];
  int row;
};

/// The boundaries of n equal pieces from row `first` to row `last`.
std::vector<int> borders(int first, int last, int n) {
  std::vector<int> begin;
  for (int c = 0; c <= n; ++c) begin.push_back(first + static_cast<int>(std::int64_t(c) * (last - first) / n));
  return begin;
}

/// The boundaries of full chunks.
std::vector<int> full_chunks(int n_rows) {
  return borders(0, n_rows, (n_rows + rows_per_chunk(n_rows) - 1) / rows_per_chunk(n_rows));
}

/// The boundaries of chunk `begin[c]` to begin[c + 1] itself, or of the parts that replace the chunk.
std::vector<int> parts_of(const std::vector<int> &begin, int c) {
  const bool cut = c % tuning::host_chunks_per_cut == tuning::host_chunks_per_cut - 1;
  return borders(begin[c], begin[c + 1], cut ? tuning::host_parts_of_chunk : 1);
}

class Halves {
 public:
  /// `begin`: boundaries of full chunks, or of the parts of a chunk.
  Halves(std::vector<RowCentre> &centre, const std::vector<int> &begin, bool full, RegionErrors &errors)
      : centre_(centre), begin_(begin), full_(full), errors_(errors) {}

  /// Sorts the rows of chunks `first` to `last` into the chunks.
  void split(int first, int last) {
    const auto from = centre_.begin() + begin_[first], to = centre_.begin() + begin_[last];
    if (last - first == 1) {
      std::vector<int> parts;
      if (full_) errors_.guard([&] { parts = parts_of(begin_, first); });
      if (parts.size() > 2) return Halves(centre_, parts, false, errors_).split(0, static_cast<int>(parts.size()) - 1);
      std::sort(from, to, [](const RowCentre &a, const RowCentre &b) { return a.row < b.row; });
      return;
    }
    const int middle = first + (last - first) / 2, axis = longest_axis(begin_[first], begin_[last]);
    std::nth_element(from, centre_.begin() + begin_[middle], to, [axis](const RowCentre &a, const RowCentre &b) {
      return a.x[axis] != b.x[axis] ? a.x[axis] < b.x[axis] : a.row < b.row;
    });
#pragma omp task if (begin_[last] - begin_[first] > tuning::host_rows_per_task)
    split(first, middle);
    split(middle, last);
#pragma omp taskwait
  }

 private:
  /// Prefers z among axes of equal length, because z varies most slowly in LAMMPS's order of atoms.
  int longest_axis(int from, int to) const {
    float low[3], high[3];
    std::fill(low, low + 3, std::numeric_limits<float>::max());
    std::fill(high, high + 3, std::numeric_limits<float>::lowest());
    for (int r = from; r < to; ++r)
      for (int k = 0; k < 3; ++k) {
        low[k] = std::min(low[k], centre_[r].x[k]);
        high[k] = std::max(high[k], centre_[r].x[k]);
      }
    int axis = 2;
    for (const int k : {1, 0})
      if (high[k] - low[k] > 1.001f * (high[axis] - low[axis])) axis = k;
    return axis;
  }

  std::vector<RowCentre> &centre_;
  const std::vector<int> &begin_;
  const bool full_;
  RegionErrors &errors_;
};

/// Returns the boundaries of all chunks, and an order of the right size.
RowOrder cut_into_chunks(int n_rows) {
  RowOrder result;
  result.order.resize(n_rows);
  if (n_rows == 0) return result;
  const std::vector<int> full = full_chunks(n_rows);
  result.begin = {0};
  for (std::size_t c = 0; c + 1 < full.size(); ++c) {
    const std::vector<int> parts = parts_of(full, static_cast<int>(c));
    result.begin.insert(result.begin.end(), parts.begin() + 1, parts.end());
  }
  return result;
}

}  // namespace

int rows_per_chunk(int n_rows) {
  const int rows = (n_rows + tuning::host_least_chunks - 1) / tuning::host_least_chunks;
  return std::clamp(rows, tuning::host_least_rows_per_chunk, tuning::host_rows_per_chunk);
}

RowOrder ordered_rows(int n_rows) {
  RowOrder result = cut_into_chunks(n_rows);
  std::iota(result.order.begin(), result.order.end(), 0);
  return result;
}

RowOrder order_rows(const NeighborListView &rows, const AtomsView &atoms, int threads) {
  RowOrder result = cut_into_chunks(rows.n_rows);
  if (rows.n_rows == 0) return result;
  std::vector<RowCentre> centre(rows.n_rows);
  const std::vector<int> full = full_chunks(rows.n_rows);
  RegionErrors errors;
  Halves halves(centre, full, true, errors);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (int r = 0; r < rows.n_rows; ++r) {
      const double *x0 = atoms.x + 3 * std::size_t(rows.centre[r]);
      centre[r].row = r;
      for (int k = 0; k < 3; ++k) {
        const float x = static_cast<float>(x0[k]);
        centre[r].x[k] = std::isfinite(x) ? x : 0.0f;  // needs a defined order; the force loop reports NaN
      }
    }
#pragma omp single
    halves.split(0, static_cast<int>(full.size()) - 1);
#pragma omp for schedule(static)
    for (int r = 0; r < rows.n_rows; ++r) result.order[r] = centre[r].row;
  }
  errors.rethrow();
  return result;
}

}  // namespace triad

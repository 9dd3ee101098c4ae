#include "neighbor/host/cell_list.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel_errors.h"
#include "core/threads.h"
#include "core/tuning.h"

namespace triad {

/// Returns the slab of coordinate x; NaN belongs to the first slab.
int CellList::Axis::slab(double x) const {
  const double position = (x - low) * per_length;
  return position > 0 ? static_cast<int>(std::min(position, number.size() - 1.0)) : 0;
}

CellList::Axis CellList::make_axis(const AtomsView &atoms, int axis, const double bounds[2], double edge, int threads) {
  const double extent = std::max(0.0, bounds[1] - bounds[0]),
               slabs = std::clamp(std::floor(extent / edge), 1.0, 8.0 + 2.0 * atoms.n_all);
  Axis result;
  result.low = bounds[0];
  result.per_length = extent > 0 ? slabs / extent : 0.0;
  result.number.assign(static_cast<std::size_t>(slabs), 0);
  if (slabs == 1) return result;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < atoms.n_all; ++i) {
    int &taken = result.number[result.slab(atoms.x[3 * std::size_t(i) + axis])];
#pragma omp atomic write
    taken = 1;
  }
  int next = 0;
  bool before = true;  // true if the slab before is occupied
  for (int &number : result.number) {
    const bool taken = number;
    if (taken || before) ++next;
    number = next - 1;
    before = taken;
  }
  result.n = next;
  return result;
}

/// Cells with edges of at least `cutoff`; the number of cells is of the order of the number of atoms.
CellList::Grid CellList::make_grid(const AtomsView &atoms, double cutoff, int threads) {
  double bounds[3][2];
  for (int axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : low) reduction(max : high)
    for (int i = 0; i < atoms.n_all; ++i) {
      const double x = atoms.x[3 * std::size_t(i) + axis];
      if (!std::isfinite(x)) continue;
      low = std::min(low, x);
      high = std::max(high, x);
    }
    bounds[axis][0] = low;
    bounds[axis][1] = high;
  }
  const double most = 8.0 + 2.0 * atoms.n_all;
  for (double edge = cutoff > 0 ? cutoff : 1.0;;) {
    Grid grid;
    for (int axis = 0; axis < 3; ++axis) grid.axis[axis] = make_axis(atoms, axis, bounds[axis], edge, threads);
    if (grid.cells() <= most) return grid;
    edge *= std::max(1.25, std::cbrt(grid.cells() / most));
  }
}

/// Sorts positions and types by cell, and within a cell by atom.
void CellList::sort_atoms(const AtomsView &atoms, int threads) {
  const int n = atoms.n_all;
  cell_.require(n);
  atom_.require(n);
  type_.require(n);
  for (AlignedArray<double> &x : x_) x.require(n);
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int i = 0; i < n; ++i) cell_[i] = grid_.of(atoms.x + 3 * std::size_t(i));
  begin_.assign(static_cast<std::size_t>(grid_.cells()) + 2, 0);
  for (int i = 0; i < n; ++i) ++begin_[cell_[i] + 2];
  for (std::size_t c = 2; c < begin_.size(); ++c) begin_[c] += begin_[c - 1];
  for (int i = 0; i < n; ++i) atom_[begin_[cell_[i] + 1]++] = i;
#pragma omp parallel for num_threads(threads) schedule(static)
  for (int k = 0; k < n; ++k) {
    type_[k] = atoms.type[atom_[k]] - 1;
    for (int axis = 0; axis < 3; ++axis) x_[axis][k] = atoms.x[3 * std::size_t(atom_[k]) + axis];
  }
}

void CellList::fill_span(const AtomsView &atoms, const RowFilters &filters, const double *cutoff_squared, int n_types,
                         int span) {
  constexpr int size = tuning::host_atoms_per_span;
  const int from = span * size, to = std::min(atoms.n_owned, from + size);
  std::vector<int> &entries = entries_[span];
  const int nx = grid_.axis[0].n, ny = grid_.axis[1].n, nz = grid_.axis[2].n;
  std::size_t used = 0;
  for (int i = from; i < to; ++i) {
    const double *xi = atoms.x + 3 * std::size_t(i), *squared = cutoff_squared + n_types * (atoms.type[i] - 1);
    const int cell = cell_[i], cx = cell % nx, cy = cell / nx % ny, cz = cell / nx / ny;
    const int x_low = std::max(0, cx - 1), x_high = std::min(nx - 1, cx + 1);
    const std::size_t begin = used;
    for (int z = std::max(0, cz - 1); z <= std::min(nz - 1, cz + 1); ++z)
      for (int y = std::max(0, cy - 1); y <= std::min(ny - 1, cy + 1); ++y) {
        const int row = (z * ny + y) * nx, first = begin_[row + x_low], last = begin_[row + x_high + 1];
        const std::size_t needed = used + (last - first) + row_filter_padding;
        if (entries.size() < needed) entries.resize(2 * needed);
        const SpanFilterView near = {x_[0].data() + first,
                                     x_[1].data() + first,
                                     x_[2].data() + first,
                                     atom_.data() + first,
                                     type_.data() + first,
                                     last - first,
                                     i,
                                     {xi[0], xi[1], xi[2]},
                                     squared,
                                     n_types};
        used += filters.span(near, entries.data() + used);
      }
    length_[i] = static_cast<int>(used - begin);
  }
  const int *entry = entries.data();
  for (int i = from; i < to; ++i) {
    first_[i] = entry;
    centre_[i] = i;
    entry += length_[i];
  }
}

void CellList::build(const AtomsView &atoms, const std::vector<double> &cutoff_squared, int threads) {
  const int n_types = static_cast<int>(std::lround(std::sqrt(double(cutoff_squared.size()))));
  cutoff_ = std::sqrt(*std::max_element(cutoff_squared.begin(), cutoff_squared.end()));
  const int n_spans = (atoms.n_owned + tuning::host_atoms_per_span - 1) / tuning::host_atoms_per_span;
  for (auto *array : {&centre_, &length_}) array->resize(atoms.n_owned);
  first_.resize(atoms.n_owned);
  entries_.resize(n_spans);
  grid_ = make_grid(atoms, cutoff_, threads);
  sort_atoms(atoms, threads);
  RegionErrors errors;
  const RowFilters filters = row_filters(chosen_isa());
#pragma omp parallel for num_threads(threads) schedule(dynamic)
  for (int s = 0; s < n_spans; ++s) errors.guard([&] { fill_span(atoms, filters, cutoff_squared.data(), n_types, s); });
  errors.rethrow();
}

NeighborListView CellList::rows() const {
  NeighborListView rows;
  rows.n_rows = static_cast<int>(centre_.size());
  rows.centre = centre_.data();
  rows.length = length_.data();
  rows.neighbour = first_.data();
  rows.cutoff = cutoff_;
  return rows;
}

double CellList::bytes() const {
  double bytes = double(cell_.bytes() + atom_.bytes() + type_.bytes() + 3 * x_[0].bytes()) +
                 sizeof(int) * double(begin_.capacity() + centre_.capacity() + length_.capacity()) +
                 sizeof(int *) * double(first_.capacity());
  for (const auto &entries : entries_) bytes += sizeof(int) * double(entries.capacity());
  return bytes;
}

}  // namespace triad

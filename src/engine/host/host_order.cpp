#include "engine/host/host_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "neighbor/host/row_order.h"

namespace triad {

void HostOrder::take(const AtomsView &atoms, bool by_chunks, int threads) {
  n_owned_ = atoms.n_owned;
  threads_ = threads;
  atom_.resize(atoms.n_all);
  std::iota(atom_.begin(), atom_.end(), 0);
  if (by_chunks) {
    NeighborListView all;
    all.n_rows = n_owned_;
    all.centre = atom_.data();
    const RowOrder order = order_rows(all, atoms, threads);
    std::copy(order.order.begin(), order.order.end(), atom_.begin());
  }
  index_map_.resize(atoms.n_all);
  for (int k = 0; k < atoms.n_all; ++k) index_map_[atom_[k]] = k;
}

NeighborListView HostOrder::rows(const NeighborListView &list, std::vector<int> &centre) const {
  NeighborListView rows = list;
  rows.index_map = index_map_.data();
  rows.centre = atom_.data();
  centre.clear();
  if (list.n_rows == n_owned_) return rows;
  std::vector<char> has_row(n_owned_, 0);
  for (int row = 0; row < list.n_rows; ++row) has_row[list.centre[row]] = 1;
  std::copy_if(atom_.begin(), atom_.begin() + n_owned_, std::back_inserter(centre), [&](int i) { return has_row[i]; });
  rows.centre = centre.data();
  return rows;
}

void HostOrder::from_caller(const double *from, int width, double *to) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int k = 0; k < n_owned_; ++k)
    std::copy_n(from + std::size_t(width) * atom_[k], width, to + std::size_t(width) * k);
}

void HostOrder::to_caller(const double *from, int width, double *to) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int k = 0; k < n_owned_; ++k)
    std::copy_n(from + std::size_t(width) * k, width, to + std::size_t(width) * atom_[k]);
}

void HostOrder::add_to_caller(const double *from, int width, double *to) const {
  const int n_all = static_cast<int>(atom_.size());
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int k = 0; k < n_all; ++k)
    for (int d = 0; d < width; ++d) to[std::size_t(width) * atom_[k] + d] += from[std::size_t(width) * k + d];
}

}  // namespace triad

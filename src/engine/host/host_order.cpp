#include "engine/host/host_order.h"

#include <algorithm>

#include "neighbor/host/row_order.h"

namespace triad {

void HostOrder::take(const AtomsView &atoms, const NeighborListView &rows, int threads) {
  rows_ = rows;
  n_owned_ = atoms.n_owned;
  threads_ = threads;
  const RowOrder order = order_rows(rows, atoms, threads);
  index_map_.assign(atoms.n_all, -1);
  atom_.clear();
  for (const int row : order.order) {
    index_map_[rows.centre[row]] = static_cast<int>(atom_.size());
    atom_.push_back(rows.centre[row]);
  }
  for (int i = 0; i < atoms.n_all; ++i)
    if (index_map_[i] < 0) {
      index_map_[i] = static_cast<int>(atom_.size());
      atom_.push_back(i);
    }
}

NeighborListView HostOrder::rows() const {
  NeighborListView rows = rows_;
  rows.centre = atom_.data();
  rows.index_map = index_map_.data();
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

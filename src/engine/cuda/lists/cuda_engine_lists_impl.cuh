// CudaEngine: neighbour lists that the device makes.
#pragma once

#include <utility>
#include <vector>

#include "engine/cuda/cuda_engine_impl.cuh"

namespace triad {
namespace cuda {

template <class Format>
ListCells CudaEngine<Format>::cells_of(const ListBox &box, int n_owned) const {
  return ListCells::of(box, tuning::most_cells_per_atom * (n_owned + 64ll));
}

template <class Format>
bool CudaEngine<Format>::makes_lists(const ListBox &box, int n_owned) const {
  using Names = ImageNames<Position>;
  return n_owned > 0 && n_owned < 1 << Names::index_bits && cells_of(box, n_owned).n_images() <= Names::max_images;
}

template <class Format>
bool CudaEngine<Format>::make_list(const ListBox &box) {
  const std::size_t n = atoms_.n_owned;
  select();
  flush();
  for_each(n, OutsideOp<Format>{{state(), anchor_.data()}, box, &reports_.data()->outside}, "looking at the box");
  if (reported(reports_[0].outside)) return false;

  if (!std::exchange(counts_crossings_, true)) {
    crossings_.reserve(3 * n);
    check(cudaMemsetAsync(crossings_.data(), 0, 3 * n * sizeof(int), stream_), "counting crossings of the box");
  }
  IntoBoxOp<Format> into = {state(), box, {}, {}, anchor_.data(), crossings_.data(), &reports_.data()->crossed};
  for (int d = 0; d < 3; ++d) {
    const double *const edge = box.edge[d];
    const double opposite[3] = {-edge[0], -edge[1], -edge[2]};
    into.forth[d] = shift_in_counts(edge, tersoff_.scale(), Position());
    into.back[d] = shift_in_counts(opposite, tersoff_.scale(), Position());
  }
  for_each(n, into, "putting atoms into the box");

  list_cells_ = cells_of(box, atoms_.n_owned);
  const CellGrid grid = {box, list_cells_, ImageNames<Position>::index_bits};
  cell_rows_.build(grid, atoms_.n_owned, anchor_.data(), stream_);
  crossed_ = std::exchange(reports_[0].crossed, 0) != 0 || crossed_;
  rows_.take(cell_rows_.rows());
  set_box(box);
  copy_on_device(list_reference_.data(), tersoff_.positions(), n, stream_, "keeping positions of the list");
  coarse_limit_ = -1;
  listed_ = false;
  return true;
}

template <class Format>
void CudaEngine<Format>::set_arrays(const AtomArrays &atoms) {
  atoms_ = atoms;
}

/// Copies to the host by how many box edges atoms were wrapped since the last copy.
template <class Format>
void CudaEngine<Format>::give_crossings() {
  counts_crossings_ = false;
  if (!std::exchange(crossed_, false) || !atoms_.crossings) return;
  std::vector<int> edges(3 * std::size_t(atoms_.n_owned));
  copy_to_host(edges.data(), crossings_.data(), edges.size(), stream_, "counting crossings of the box");
  stream_.wait("counting crossings of the box");
  for (std::size_t k = 0; k < edges.size(); ++k) atoms_.crossings[k] += edges[k];
}

}  // namespace cuda
}  // namespace triad

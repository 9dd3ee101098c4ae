// LAMMPS's neighbour list on the device. An entry holds the index of an atom on the device and, in its upper bits, the
// periodic image.
#pragma once

#include <vector>

#include "core/cuda/resources.cuh"
#include "engine/exchange/halo.h"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {

/// Order of the atoms on the device: owned atoms, ghosts of other ranks in the order of arrival, then copies of owned
/// atoms at their periodic images, which exist only if an entry has too few bits for the image.
struct GhostLayout {
  int n_owned = 0;
  bool images = false;                         ///< entries hold images, and there are no copies
  std::vector<int> entry;                      ///< [LAMMPS's ghosts] entry of a list that stands for the ghost
  std::vector<int> host_ghost;                 ///< [ghosts on the device] index of the ghost in LAMMPS; empty if the
                                               ///< engine has found the ghosts
  std::vector<int> copied_atom, copied_image;  ///< [copies]

  int n_arriving = 0;
  int index_mask = ~0;  ///< bits of an entry that hold the index
  int n_ghosts() const { return n_arriving + static_cast<int>(copied_atom.size()); }
  int n_all() const { return n_owned + n_ghosts(); }

  template <class Position>
  static GhostLayout of(int n_owned, const HaloPlan &halo) {
    using Names = ImageNames<Position>;
    GhostLayout layout;
    layout.n_owned = n_owned;
    layout.host_ghost = halo.receive;
    layout.n_arriving = halo.n_arriving();
    const long long n_direct = static_cast<long long>(n_owned) + layout.n_arriving;
    layout.images = halo.n_images() <= Names::max_images && n_direct < (1ll << Names::index_bits);
    if (layout.images) layout.index_mask = (1 << Names::index_bits) - 1;
    layout.entry.resize(halo.n_ghosts());
    for (std::size_t k = 0; k < halo.receive.size(); ++k) layout.entry[halo.receive[k]] = n_owned + static_cast<int>(k);
    for (int g = 0; g < halo.n_ghosts(); ++g) {
      if (halo.owner[g] == HaloPlan::remote) continue;
      if (layout.images) {
        const unsigned image = static_cast<unsigned>(halo.image[g]) << Names::index_bits;
        layout.entry[g] = static_cast<int>(static_cast<unsigned>(halo.owner[g]) | image);
      } else {
        layout.entry[g] = layout.n_all();
        layout.host_ghost.push_back(g);
        layout.copied_atom.push_back(halo.owner[g]);
        layout.copied_image.push_back(halo.image[g]);
      }
    }
    return layout;
  }
};

class UploadedNeighborList {
 public:
  /// Copies the rows to the device and waits for the copy. `splits_boundary`: puts the rows that hold ghosts of other
  /// ranks into boundary() and the others into view(); this needs rows in the order of atoms. Throws LoopError.
  void upload(const NeighborListView &rows, const GhostLayout &ghosts, bool splits_boundary, int n_threads,
              cudaStream_t stream) {
    const int n = rows.n_rows;
    offset_.resize(static_cast<std::size_t>(n) + 1);
    bool identity = true;
    offset_[0] = 0;
    for (int r = 0; r < n; ++r) {
      identity = identity && rows.centre[r] == r;
      offset_[r + 1] = offset_[r] + rows.length[rows.centre[r]];
    }
    const std::size_t entries = offset_[n];
    offset_device_.reserve(offset_.size());
    neighbour_device_.reserve(entries);
    copy_to_device(offset_device_.data(), offset_.data(), offset_.size(), stream, "copying the neighbour list");
    if (!identity) {
      centre_device_.reserve(n);
      copy_to_device(centre_device_.data(), rows.centre, n, stream, "copying the neighbour list");
    }
    splits_boundary = splits_boundary && identity;
    if (splits_boundary) names_ghosts_.assign(n, 0);
    // in chunks of rows, through one page-locked buffer
    const std::size_t chunk = std::max<std::size_t>(chunk_entries, n ? longest(rows) : 0);
    neighbour_.reserve(chunk);
    for (int begin = 0; begin < n;) {
      int end = begin;
      while (end < n && std::size_t(offset_[end + 1] - offset_[begin]) <= chunk) ++end;
      check(cudaStreamSynchronize(stream), "copying the neighbour list");
#pragma omp parallel for num_threads(n_threads) schedule(static)
      for (int r = begin; r < end; ++r) {
        const int i = rows.centre[r];
        int *target = neighbour_.data() + (offset_[r] - offset_[begin]);
        for (int k = 0; k < rows.length[i]; ++k) {
          const int j = rows.neighbour[i][k] & rows.mask;
          target[k] = j < ghosts.n_owned ? j : ghosts.entry[j - ghosts.n_owned];
          if (splits_boundary && (target[k] & ghosts.index_mask) >= ghosts.n_owned) names_ghosts_[r] = 1;
        }
      }
      copy_to_device(neighbour_device_.data() + offset_[begin], neighbour_.data(), offset_[end] - offset_[begin],
                     stream, "copying the neighbour list");
      begin = end;
    }
    check(cudaStreamSynchronize(stream), "copying the neighbour list");
    view_ = {n, identity ? nullptr : centre_device_.data(), offset_device_.data(), neighbour_device_.data(),
             rows.cutoff};
    boundary_ = DeviceNeighborList();
    if (!splits_boundary) return;
    boundary_centre_.clear();
    for (int r = 0; r < n; ++r)
      if (names_ghosts_[r]) boundary_centre_.push_back(r);
    elsewhere_.reserve(n);
    boundary_centre_device_.reserve(boundary_centre_.size());
    copy_to_device(elsewhere_.data(), names_ghosts_.data(), n, stream, "copying the rows at the boundary");
    copy_to_device(boundary_centre_device_.data(), boundary_centre_.data(), boundary_centre_.size(), stream,
                   "copying the rows at the boundary");
    check(cudaStreamSynchronize(stream), "copying the rows at the boundary");
    boundary_ = view_;
    boundary_.n_rows = static_cast<int>(boundary_centre_.size());
    boundary_.centre = boundary_centre_device_.data();
    boundary_.second_to = n;
    view_.elsewhere = elsewhere_.data();
  }

  /// Takes a list that was made on the device, with a row per owned atom in the order of atoms. `boundary`: rows that
  /// hold ghosts and are not in `rows`.
  void take(const DeviceNeighborList &rows, const DeviceNeighborList &boundary) {
    view_ = rows;
    boundary_ = boundary;
  }

  const DeviceNeighborList &view() const { return view_; }
  const DeviceNeighborList &boundary() const { return boundary_; }
  std::size_t device_bytes() const {
    return offset_device_.bytes() + centre_device_.bytes() + neighbour_device_.bytes() + elsewhere_.bytes() +
           boundary_centre_device_.bytes();
  }
  std::size_t host_bytes() const {
    return neighbour_.bytes() + sizeof(long long) * offset_.capacity() + names_ghosts_.capacity() +
           sizeof(int) * boundary_centre_.capacity();
  }

 private:
  static constexpr std::size_t chunk_entries = std::size_t(1) << 22;

  static std::size_t longest(const NeighborListView &rows) {
    int length = 0;
    for (int r = 0; r < rows.n_rows; ++r) length = std::max(length, rows.length[rows.centre[r]]);
    return length;
  }

  std::vector<long long> offset_;
  PinnedBuffer<int> neighbour_{"the neighbour list"};
  DeviceBuffer<long long> offset_device_{"the neighbour list"};
  DeviceBuffer<int> centre_device_{"the neighbour list"}, neighbour_device_{"the neighbour list"};
  std::vector<unsigned char> names_ghosts_;  // [rows] 1 if the row holds a ghost of another rank
  std::vector<int> boundary_centre_;
  DeviceBuffer<unsigned char> elsewhere_{"the rows at the boundary"};
  DeviceBuffer<int> boundary_centre_device_{"the rows at the boundary"};
  DeviceNeighborList view_ = {}, boundary_ = {};
};

}  // namespace cuda
}  // namespace triad

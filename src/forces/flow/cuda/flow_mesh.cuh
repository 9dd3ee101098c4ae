// The mesh of a rank on the device: cells, slots or edges, and the boundary.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "forces/flow/cuda/flow_arrays.cuh"
#include "forces/flow/flow_backend.h"

namespace triad {
namespace cuda {

/// Allocates device memory and copies a host array; waits for the copy.
template <class T>
void upload(DeviceBuffer<T> &target, const std::vector<T> &source, cudaStream_t stream) {
  target.reserve(source.size());
  copy_to_device(target.data(), source.data(), source.size(), stream, "copying a mesh");
  check(cudaStreamSynchronize(stream), "copying a mesh");
}

/// The slots of the owned cells in slices (flow_arrays.cuh), on the host.
class SlotPlan {
 public:
  explicit SlotPlan(const RankMesh &mesh) : n_(mesh.n_owned), used_(mesh.n_owned, 0) {
    std::vector<int> needed(n_, 0);
    const auto count = [&](int c) {
      if (c < n_) ++needed[c];
    };
    for (const auto &e : mesh.edges) count(e.left), count(e.right);
    for (const auto &e : mesh.boundary) count(e.cell);
    const int slices = (n_ + slice_cells - 1) / slice_cells;
    begin_.assign(slices + 1, 0);
    std::size_t slots = 0;
    for (int s = 0; s < slices; ++s) {
      const auto first = needed.begin() + slice_cells * std::size_t(s);
      slots += slice_cells * std::size_t(*std::max_element(first, std::min(first + slice_cells, needed.end())));
      if (slots > std::size_t(std::numeric_limits<int>::max()))
        throw LoopError("the cells of a rank have more than 2^31 edges; use more ranks");
      begin_[s + 1] = int(slots);
    }
  }

  /// The next free slot of a cell; -1 for a ghost.
  int take(int cell) {
    if (cell >= n_) return -1;
    return begin_[cell / slice_cells] + slice_cells * used_[cell]++ + cell % slice_cells;
  }
  const std::vector<int> &begin() const { return begin_; }
  std::size_t slots() const { return begin_.back(); }

 private:
  int n_;
  std::vector<int> begin_, used_;
};

/// Normals and lengths of edges, in the order of slots or in that of the mesh.
template <class Real>
class EdgeGeometry {
 public:
  /// Edge e has the slots first[e] and second[e] of n; -1: no slot.
  void set(const RankMesh &mesh, const std::vector<int> &first, const std::vector<int> &second, std::size_t n,
           cudaStream_t stream) {
    std::vector<Real> nx(n), ny(n), length(n);
    for (std::size_t e = 0; e < mesh.edges.size(); ++e)
      for (const int slot : {first[e], second[e]}) {
        if (slot < 0) continue;
        nx[slot] = Real(mesh.edges[e].nx);
        ny[slot] = Real(mesh.edges[e].ny);
        length[slot] = Real(mesh.edges[e].length);
      }
    upload(nx_, nx, stream);
    upload(ny_, ny, stream);
    upload(length_, length, stream);
  }
  const Real *nx() const { return nx_.data(); }
  const Real *ny() const { return ny_.data(); }
  const Real *length() const { return length_.data(); }

 private:
  DeviceBuffer<Real> nx_{"normals"}, ny_{"normals"}, length_{"lengths of edges"};
};

/// The arrays that a reduction needs to sum fluxes. One of the views is in use.
template <class Format>
class FlowEdges {
  using Real = typename Format::Real;

 public:
  /// `slot_of_boundary` receives the slots of the edges of the boundary, if the reduction has slots.
  void set(const RankMesh &mesh, FlowReduction reduction, std::vector<int> &slot_of_boundary, cudaStream_t stream) {
    n_edges_ = int(mesh.edges.size());
    slot_of_boundary.clear();
    if (reduction == FlowReduction::Atomic) return set_edges(mesh, stream);
    SlotPlan plan(mesh);
    std::vector<int> left(mesh.edges.size()), right(mesh.edges.size());
    for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
      left[e] = plan.take(mesh.edges[e].left);
      right[e] = plan.take(mesh.edges[e].right);
    }
    for (const auto &e : mesh.boundary) slot_of_boundary.push_back(plan.take(e.cell));
    upload(begin_, plan.begin(), stream);
    if (reduction == FlowReduction::Gather) return set_slots(mesh, plan, left, right, slot_of_boundary, stream);
    set_edges(mesh, stream);
    upload(slot_of_left_, left, stream);
    upload(slot_of_right_, right, stream);
    rows_.reserve(plan.slots());
    check(cudaMemsetAsync(rows_.data(), 0, plan.slots() * sizeof(FlowRow<Real>), stream), "clearing a mesh");
  }

  GatherSlots<Real> gathered() const {
    return {begin_.data(), neighbor_.data(), geometry_.nx(), geometry_.ny(), geometry_.length()};
  }
  EdgeArrays<Real> edges() const {
    return {left_.data(),       right_.data(),        geometry_.nx(),        geometry_.ny(),
            geometry_.length(), slot_of_left_.data(), slot_of_right_.data(), n_edges_};
  }
  ColoredSlots<Real> colored() const { return {begin_.data(), rows_.data()}; }

 private:
  void set_edges(const RankMesh &mesh, cudaStream_t stream) {
    std::vector<int> cells(mesh.edges.size());
    const auto copy = [&](DeviceBuffer<int> &target, int RankMesh::Edge::*member) {
      for (std::size_t e = 0; e < cells.size(); ++e) cells[e] = mesh.edges[e].*member;
      upload(target, cells, stream);
    };
    copy(left_, &RankMesh::Edge::left);
    copy(right_, &RankMesh::Edge::right);
    std::iota(cells.begin(), cells.end(), 0);
    geometry_.set(mesh, cells, cells, cells.size(), stream);
  }

  void set_slots(const RankMesh &mesh, const SlotPlan &plan, const std::vector<int> &left,
                 const std::vector<int> &right, const std::vector<int> &of_boundary, cudaStream_t stream) {
    std::vector<int> neighbor(plan.slots(), empty_slot);
    for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
      if (left[e] >= 0) neighbor[left[e]] = 2 * mesh.edges[e].right;
      if (right[e] >= 0) neighbor[right[e]] = 2 * mesh.edges[e].left + 1;
    }
    for (std::size_t b = 0; b < of_boundary.size(); ++b) neighbor[of_boundary[b]] = boundary_slot - int(b);
    upload(neighbor_, neighbor, stream);
    geometry_.set(mesh, left, right, plan.slots(), stream);
  }

  int n_edges_ = 0;
  EdgeGeometry<Real> geometry_;
  DeviceBuffer<int> begin_{"slots of cells"}, neighbor_{"neighbors of cells"};
  DeviceBuffer<int> left_{"edges"}, right_{"edges"}, slot_of_left_{"slots of edges"}, slot_of_right_{"slots of edges"};
  DeviceBuffer<FlowRow<Real>> rows_{"fluxes"};
};

/// The edges of the boundary, their conditions, and the volumes that pass them.
template <class Format>
class FlowBoundary {
  using Arrays = BoundaryArrays<Format>;
  using State = typename Format::Sum;

 public:
  void set(const RankMesh &mesh, const std::vector<int> &slots, cudaStream_t stream) {
    n_ = int(mesh.boundary.size());
    kinds_.clear();
    std::vector<typename Arrays::Edge> edges;
    for (const auto &e : mesh.boundary) {
      edges.push_back({e.cell, e.series, e.kind, State(e.nx), State(e.ny), State(e.length), State(e.value)});
      kinds_.push_back(e.kind);
    }
    upload(edges_, edges, stream);
    upload(slots_, slots, stream);
    rows_.reserve(n_);
    entered_.reserve(n_);
    std::vector<int> begin = {0};
    std::vector<double> time, value;
    for (const FlowSeries &s : mesh.series) {
      time.insert(time.end(), s.time.begin(), s.time.end());
      value.insert(value.end(), s.value.begin(), s.value.end());
      begin.push_back(int(time.size()));
    }
    upload(series_begin_, begin, stream);
    upload(series_time_, time, stream);
    upload(series_value_, value, stream);
    clear_volumes(stream);
  }

  Arrays arrays() const {
    return {edges_.data(),        rows_.data(),        entered_.data(),      slots_.data(),
            series_begin_.data(), series_time_.data(), series_value_.data(), n_};
  }

  /// Returns the volumes since the last call or since set(); waits for the stream.
  FlowVolumes take_volumes(cudaStream_t stream) {
    std::vector<double> entered(n_);
    copy_to_host(entered.data(), entered_.data(), n_, stream, "copying volumes");
    clear_volumes(stream);
    check(cudaStreamSynchronize(stream), "copying volumes");
    FlowVolumes volumes;
    for (int b = 0; b < n_; ++b) {
      if (kinds_[b] == FlowBoundaryKind::Open) volumes.open += entered[b];
      if (kinds_[b] == FlowBoundaryKind::Stage) volumes.stage += entered[b];
      if (kinds_[b] == FlowBoundaryKind::Discharge) volumes.discharge += entered[b];
    }
    return volumes;
  }

 private:
  void clear_volumes(cudaStream_t stream) {
    if (n_) check(cudaMemsetAsync(entered_.data(), 0, n_ * sizeof(double), stream), "clearing volumes");
  }

  int n_ = 0;
  std::vector<FlowBoundaryKind> kinds_;
  DeviceBuffer<typename Arrays::Edge> edges_{"edges of the boundary"};
  DeviceBuffer<int> slots_{"slots of the boundary"}, series_begin_{"time series"};
  DeviceBuffer<double> series_time_{"time series"}, series_value_{"time series"}, entered_{"volumes"};
  DeviceBuffer<FlowRow<typename Format::Real>> rows_{"fluxes of the boundary"};
};

}  // namespace cuda
}  // namespace triad

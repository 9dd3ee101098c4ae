// Points to which atoms are tied (MdEngine::set_tethers()) in device memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "engine/cuda/state/device_context.cuh"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// Sets of points to which atoms are tied.
struct TetherArrays {
  int count = 0;
  double *points[tuning::max_tethers];  ///< [n][3] each
  __device__ void move(std::size_t i, int axis, double by) const {
    for (int t = 0; t < count; ++t) points[t][3 * i + axis] += by;
  }
};

/// Moves points of the caller by the edges by which the engine has wrapped their atoms.
struct WrapTethersOp {
  double *points;        ///< [n][3]
  const int *crossings;  ///< [n][3]
  double edge[3][3];     ///< of the box
  __device__ void operator()(std::size_t i) const {
    for (int d = 0; d < 3; ++d)
      for (int k = 0; k < 3; ++k) points[3 * i + k] += crossings[3 * i + d] * edge[d][k];
  }
};

/// All functions throw LoopError.
class Tethers {
 public:
  explicit Tethers(DeviceContext &device) : device_(device) {}

  /// Copies points [n][3] of the caller. `crossings`: EngineLists::crossings(), the wraps of atoms along the edges of
  /// the box that the caller does not know yet, or null.
  void set(int number, const double *points, int n, const int *crossings, const double (&edge)[3][3]) {
    while (points_.size() <= std::size_t(number)) points_.emplace_back("points to which atoms are tied");
    points_[number].reserve(3 * std::size_t(n));
    double *const target = points_[number].data();
    copy_to_device(target, points, 3 * std::size_t(n), device_.stream(), "copying points to which atoms are tied");
    if (crossings) {
      WrapTethersOp op = {target, crossings, {}};
      for (int d = 0; d < 3; ++d) std::copy_n(edge[d], 3, op.edge[d]);
      device_.for_each(n, op, "wrapping points to which atoms are tied");
    }
    device_.wait("copying points to which atoms are tied");
    known_[number] = true;
  }
  /// To be called when the atoms or their positions are replaced.
  void forget() {
    std::fill_n(known_, tuning::max_tethers, false);
    ++revision_;
  }
  std::int64_t revision() const { return revision_; }

  /// [n][3] the points of set().
  const double *operator[](int number) const { return points_[number].data(); }
  /// All points of the present atoms.
  TetherArrays arrays() {
    TetherArrays all;
    for (int t = 0; t < tuning::max_tethers; ++t)
      if (known_[t]) all.points[all.count++] = points_[t].data();
    return all;
  }

  std::size_t device_bytes() const {
    std::size_t bytes = 0;
    for (const DeviceBuffer<double> &points : points_) bytes += points.bytes();
    return bytes;
  }

 private:
  DeviceContext &device_;
  std::deque<DeviceBuffer<double>> points_;  // by number
  bool known_[tuning::max_tethers] = {};     // of the present atoms
  std::int64_t revision_ = 0;
};

}  // namespace cuda
}  // namespace triad

// What neighbour lists need of each atom: the box, displacements, and where the atom is expected to be.
#pragma once

#include "engine/cuda/ghosts/image_shifts.cuh"
#include "engine/cuda/state/device_state.cuh"
#include "engine/cuda/state/expected_path.cuh"
#include "engine/cuda/state/field_ops.cuh"
#include "engine/cuda/state/tethers.cuh"
#include "neighbor/list_box.h"

namespace triad {
namespace cuda {

/// Sets *outside if an atom is beyond a non-periodic face of the box.
template <class Format>
struct OutsideOp {
  DecodeOp<Format> decode;
  ListBox box;
  int *outside;
  __device__ void operator()(std::size_t i) const {
    const Vec3<double> f = box.fraction(decode.state.position(decode.anchor, i));
    const auto inside = [&](double along, int edge) { return box.periodic[edge] || (along >= 0 && along < 1); };
    if (!(inside(f.x, 0) && inside(f.y, 1) && inside(f.z, 2))) *outside = 1;
  }
};

/// Wraps atoms into the periodic box, with their expected positions and the points to which they are tied. Also updates
/// the anchors, which a check that may be in vain must not do: their last digits depend on the steps in which they are
/// updated, and the steps with checks in vain depend on timing.
template <class Format>
struct IntoBoxOp {
  using Position = typename PositionOf<Format>::type;
  DecodeOp<Format> decode;
  ListBox box;
  Position forth[3], back[3];  ///< displacements by plus and minus one box edge
  int *crossings;              ///< [n][3] sum of the edges by which the atom was moved
  int *crossed;                ///< set to 1 if any atom was moved
  TetherArrays tethers;
  Position *expected = nullptr;  ///< [n], or null if there are none for these positions

  TRIAD_HD void set_box(const ListBox &now, const PositionScale &scale) {
    box = now;
    for (int d = 0; d < 3; ++d) {
      const double *const edge = now.edge[d], opposite[3] = {-edge[0], -edge[1], -edge[2]};
      forth[d] = shift_in_counts(edge, scale, Position());
      back[d] = shift_in_counts(opposite, scale, Position());
    }
  }
  /// By how many edges of the box an atom is to be moved.
  __device__ __forceinline__ void edges_of(const Vec3<double> &at, int (&edges)[3]) const {
    const Vec3<double> f = box.fraction(at);
    const double along[3] = {f.x, f.y, f.z};
    for (int d = 0; d < 3; ++d) edges[d] = box.periodic[d] ? ListBox::edges_back(along[d]) : 0;
  }
  /// The position to which the atom is to be moved.
  __device__ __forceinline__ void wrap(std::size_t i, double (&x)[3]) const {
    const Vec3<double> at = decode.state.position(decode.anchor, i);
    const double a[3] = {at.x, at.y, at.z};
    int edges[3];
    edges_of(at, edges);
    for (int k = 0; k < 3; ++k)
      x[k] = a[k] + edges[0] * box.edge[0][k] + edges[1] * box.edge[1][k] + edges[2] * box.edge[2][k];
  }
  __device__ void operator()(std::size_t i) const {
    decode(i);
    double *a = decode.anchor + 3 * i;
    int edges_back[3];
    edges_of({a[0], a[1], a[2]}, edges_back);
    const DeviceState<Format> &state = decode.state;
    auto coord = state.at.load_coord(i);
    bool moves = false;
    for (int d = 0; d < 3; ++d) {
      const int edges = edges_back[d];
      if (edges == 0) continue;
      moves = true;
      for (int k = 0; k < 3; ++k) {
        a[k] += edges * box.edge[d][k];
        tethers.move(i, k, edges * box.edge[d][k]);
      }
      for (int k = 0; k < abs(edges); ++k) {
        const Position &by = edges > 0 ? forth[d] : back[d];
        Coordinates<Format>::displace(coord, by);
        if (expected) expected[i] = displaced(expected[i], by);
      }
      crossings[3 * i + d] += edges;
    }
    if (!moves) return;
    *crossed = 1;
    state.at.store_coord(i, coord);
    decode(i);
  }
};

/// Computes coarse references from exact ones.
template <class Format>
struct ReferenceOp {
  const typename PositionOf<Format>::type *exact;
  unsigned *coarse;
  CoarseReference format;
  __device__ void operator()(std::size_t i) const { coarse[i] = format.pack(exact[i]); }
};

/// Sets *moved if an atom is farther than `limit` from its reference.
template <class Format>
struct MovedOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position, *reference;
  PositionScale scale;
  double limit_squared;
  int *moved;
  __device__ void operator()(std::size_t i) const {
    const auto d = difference(reference[i], position[i], scale);
    const Vec3<double> e = {d.x, d.y, d.z};
    if (!(dot(e, e) <= limit_squared)) *moved = 1;
  }
};

/// Sets *moved if an atom has left its limit of displacement in the pruned list.
template <class Format>
struct LimitOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position, *reference;
  PositionScale scale;
  int *moved;
  __device__ void operator()(std::size_t i) const {
    if (moved_from(load(reference + i), position[i], scale) == Moved::TooFar) *moved = 1;
  }
};

/// Both checks of displacements in one kernel.
template <class Format>
struct MovedAndLimitOp {
  MovedOp<Format> list;
  LimitOp<Format> pruned_list;
  __device__ void operator()(std::size_t i) const {
    list(i);
    pruned_list(i);
  }
};

/// Writes expected positions of atoms whose forces are not known.
template <class Format>
struct ExpectOp {
  DeviceState<Format> state;
  ExpectedPath<Format> expected;
  typename DeviceState<Format>::Velocity step;  ///< Coordinates::step() of the time step
  __device__ void operator()(std::size_t i) const {
    expected.store(i, state.at.position[i], as_float(step * state.velocity(i)), {0, 0, 0});
  }
};

}  // namespace cuda
}  // namespace triad

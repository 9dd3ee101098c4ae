// Copies of positions to ghosts, and sums of what ghosts return to their owners.
#pragma once

#include "engine/cuda/state/device_state.cuh"

namespace triad {
namespace cuda {

/// Copies positions of atoms, displaced to a periodic image, to a send buffer or to ghosts on this device.
template <class Format>
struct CopyOp {
  using Position = typename PositionOf<Format>::type;
  const Position *position;
  const int *atom, *image;  ///< [copies]
  const Position *shift;
  Position *target;  ///< [copies]
  __device__ void operator()(std::size_t k) const { target[k] = displaced(position[atom[k]], shift[image[k]]); }
};

/// The fp64 position of an atom, displaced to a periodic image.
struct DisplacedAnchor {
  const double *x;      ///< [n][3]
  const double *shift;  ///< [images][3]
  __device__ Vec3<double> operator()(int atom, int image) const {
    const double *const a = x + 3 * std::size_t(atom), *const s = shift + 3 * image;
    return {a[0] + s[0], a[1] + s[1], a[2] + s[2]};
  }
};

/// Copies fp64 positions of atoms, displaced to a periodic image, to a send buffer.
struct PackAnchorOp {
  DisplacedAnchor anchor;
  const int *atom, *image;  ///< [copies]
  double *target;           ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    const Vec3<double> x = anchor(atom[k], image[k]);
    target[3 * k] = x.x;
    target[3 * k + 1] = x.y;
    target[3 * k + 2] = x.z;
  }
};

/// Moves forces on ghosts to a buffer, and clears them.
template <class Format>
struct PackForceOp {
  ForceArray<Format> force;
  std::size_t first;
  typename Format::Sum *target;  ///< [ghosts][3]
  __device__ void operator()(std::size_t k) const {
    for (int axis = 0; axis < 3; ++axis) target[3 * k + axis] = force.component(first + k, axis);
    force.clear(first + k);
  }
};

/// Adds forces of a buffer to the owners of the ghosts.
template <class Format>
struct AddForceOp {
  ForceArray<Format> force;
  const int *atom;                     ///< [copies]
  const typename Format::Sum *source;  ///< [copies][3]
  __device__ void operator()(std::size_t k) const {
    force.add(atom[k], {source[3 * k], source[3 * k + 1], source[3 * k + 2]});
  }
};

/// Adds rows of a buffer to those of the owners of the ghosts, one number per call.
struct AddRowOp {
  double *row;  ///< [n][width]
  int width;
  const int *atom;       ///< [copies]
  const double *source;  ///< [copies][width]
  __device__ void operator()(std::size_t k) const {
    atomicAdd(row + static_cast<std::size_t>(width) * atom[k / width] + k % width, source[k]);
  }
};

}  // namespace cuda
}  // namespace triad

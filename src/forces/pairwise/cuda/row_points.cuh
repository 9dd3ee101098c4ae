// The atom of a row, as the triangular and the one-sided kernel keep it in registers.
#pragma once

#include "forces/pairwise/pair_points.h"

namespace triad {
namespace cuda {

/// The atom with unmodified coordinates.
template <class Law, class Point, Images images, bool folded>
struct RowPoint {
  using Real = typename Law::Real;
  Point point;

  RowPoint() = default;
  __device__ __forceinline__ RowPoint(const Point &p, const Law &) : point(p) {}

  __device__ __forceinline__ Vec3<Real> separation_to(const Point &q, const PairFrame<Real> &frame) const {
    return separation<images>(point, q, frame);
  }
  __device__ __forceinline__ Real squared(const Law &law, const Vec3<Real> &d) const { return triad::squared(law, d); }
  /// The pull that the row exerts on other atoms.
  __device__ __forceinline__ Real weighed(Real pull) const {
    if constexpr (Law::by_strength)
      return pull * Real(point.strength);
    else
      return pull;
  }
  /// Converts a sum of pulls on the row times separations to the force on the row.
  __device__ __forceinline__ Vec3<Real> on_row(const Vec3<Real> &sum) const { return sum; }
};

/// Minimum of Law::softening() for folded coordinates: (2^-16)^2, with the extent as the unit of length. The difference
/// of the folded coordinates of two atoms at the same position is not zero but the rounding error of nu times the
/// position, 2^-25 of the extent.
constexpr float least_folded_softening = 1.0f / 4294967296.0f;

/// The atom with coordinates multiplied by nu = strength^(-1/2), for laws that are inverse_square. The product of pull
/// and separation is then multiplied by nu^-2, the strength of the row, so reactions need no multiplication.
/// Differences are fused multiply-adds, which cost as much as subtractions.
template <class Law>
struct RowPoint<Law, FloatPoint, Images::None, true> {
  float nu, softening;
  Vec3<float> origin;  ///< -nu times the position

  RowPoint() = default;
  /// Slots without an atom have strength zero; the coordinates must be finite nevertheless.
  __device__ __forceinline__ RowPoint(const FloatPoint &p, const Law &law)
      : nu(p.strength > 0 ? rsqrtf(p.strength) : 1.0f),
        softening(nu * nu * law.softening()),
        origin{-nu * p.x, -nu * p.y, -nu * p.z} {}

  __device__ __forceinline__ Vec3<float> separation_to(const FloatPoint &q, const PairFrame<float> &) const {
    return {nu * q.x + origin.x, nu * q.y + origin.y, nu * q.z + origin.z};
  }
  __device__ __forceinline__ float squared(const Law &, const Vec3<float> &d) const {
    return d.x * d.x + (d.y * d.y + (d.z * d.z + softening));
  }
  __device__ __forceinline__ float weighed(float pull) const { return pull; }
  __device__ __forceinline__ Vec3<float> on_row(const Vec3<float> &sum) const { return (nu * nu) * sum; }
};

}  // namespace cuda
}  // namespace triad

// Coordinates of atoms in the loops over all pairs, and the separation of two atoms.
//
//   open boundaries   single: fp32 relative to the centre of the extent. mixed: two fp32 numbers, of which the first is
//   a
//                     multiple of 2^-23 of the extent, so that differences of each part are exact
//   nearest image     single and mixed: 32-bit fractions of the box, which wrap like the box. double: fp64 fractions
//   double            fp64
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "forces/pairwise/pair_numbers.h"

namespace triad {

/// Rule for the images of a pair.
enum class Images { None, Orthogonal, Triclinic };

// Components are numbers or vector registers (simd/lanes.h). The sizes of points of numbers are multiples of 16 bytes,
// the size of a device load.

template <class Real>
struct PlainPoint {
  Real x, y, z, strength;
};
using FloatPoint = PlainPoint<float>;
using DoublePoint = PlainPoint<double>;

template <class Real>
struct TwoPartPoint {
  Real x, y, z, strength;
  Real rest_x, rest_y, rest_z, unused;
};
using SplitPoint = TwoPartPoint<float>;

template <class Integer, class Real>
struct IntegerPoint {
  Integer x, y, z;
  Real strength;
};
using CountPoint = IntegerPoint<std::int32_t, float>;

template <class Format, Images images>
struct PointOf {
  using type = CountPoint;
};
template <>
struct PointOf<PairSingle, Images::None> {
  using type = FloatPoint;
};
template <>
struct PointOf<PairMixed, Images::None> {
  using type = SplitPoint;
};
template <Images images>
struct PointOf<PairDouble, images> {
  using type = DoublePoint;
};

/// Conversion of positions to points, in fp64.
struct PointMaker {
  double origin[3] = {0, 0, 0};
  double to_fraction[6] = {1, 1, 1, 0, 0, 0};  ///< xx yy zz xy xz yz of the inverse of the box; unit matrix without box
  double counts[3] = {1, 1, 1};                ///< CountPoint: counts per fraction
  double quantum = 1;                          ///< SplitPoint: the first part is a multiple of this length

  TRIAD_HD Vec3<double> fraction(const double *position) const {
    const double x = position[0] - origin[0], y = position[1] - origin[1], z = position[2] - origin[2];
    const double *m = to_fraction;
    return {m[0] * x + m[3] * y + m[4] * z, m[1] * y + m[5] * z, m[2] * z};
  }
  TRIAD_HD void make(const double *position, double strength, FloatPoint &p) const {
    const Vec3<double> s = fraction(position);
    p = {float(s.x), float(s.y), float(s.z), float(strength)};
  }
  TRIAD_HD void make(const double *position, double strength, SplitPoint &p) const {
    const Vec3<double> s = fraction(position);
    const Vec3<double> first = {quantum * ::rint(s.x / quantum), quantum * ::rint(s.y / quantum),
                                quantum * ::rint(s.z / quantum)};
    p = {float(first.x),       float(first.y),       float(first.z),       float(strength),
         float(s.x - first.x), float(s.y - first.y), float(s.z - first.z), 0};
  }
  TRIAD_HD void make(const double *position, double strength, CountPoint &p) const {
    const Vec3<double> s = fraction(position);
    p = {wrap(s.x * counts[0]), wrap(s.y * counts[1]), wrap(s.z * counts[2]), float(strength)};
  }
  TRIAD_HD void make(const double *position, double strength, DoublePoint &p) const {
    const Vec3<double> s = fraction(position);
    p = {s.x, s.y, s.z, strength};
  }

 private:
  /// Wraps modulo 2^32, for |counts| < 2^63.
  TRIAD_HD static std::int32_t wrap(double counts) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(static_cast<std::int64_t>(::rint(counts))));
  }
};

/// Conversion of differences of points to separations.
template <class Real>
struct PairFrame {
  Real edges[6];      ///< of the box: xx yy zz xy xz yz
  Real tilt[3];       ///< xy/xx, xz/xx, yz/yy
  Real per_count[3];  ///< fraction per count
  Real length[3];     ///< length per count along the edges of the box
  Real periodic[3];   ///< 1 for a periodic axis, otherwise 0
};

template <Images images, class Real>
TRIAD_HD Vec3<Real> separation(const TwoPartPoint<Real> &a, const TwoPartPoint<Real> &b, const PairFrame<float> &) {
  return {(b.x - a.x) + (b.rest_x - a.rest_x), (b.y - a.y) + (b.rest_y - a.rest_y),
          (b.z - a.z) + (b.rest_z - a.rest_z)};
}

/// Converts fractions, each within half a period, to lengths in a tilted box. As in LAMMPS, the nearest image is chosen
/// first along z, then y, then x, using the box lengths along these axes.
template <class Real, class Scalar>
TRIAD_HD Vec3<Real> tilted_image(Real x, Real y, Real z, const PairFrame<Scalar> &frame) {
  const Scalar *e = frame.edges;
  y = y - frame.periodic[1] * math::nearest_whole(y + frame.tilt[2] * z);
  x = x - frame.periodic[0] * math::nearest_whole(x + frame.tilt[0] * y + frame.tilt[1] * z);
  return {e[0] * x + e[3] * y + e[4] * z, e[1] * y + e[5] * z, e[2] * z};
}

template <Images images, class Integer, class Real>
TRIAD_HD Vec3<Real> separation(const IntegerPoint<Integer, Real> &a, const IntegerPoint<Integer, Real> &b,
                               const PairFrame<float> &frame) {
  const Real x = math::wrapped_difference(b.x, a.x);
  const Real y = math::wrapped_difference(b.y, a.y);
  const Real z = math::wrapped_difference(b.z, a.z);
  if constexpr (images == Images::Orthogonal)
    return {x * frame.length[0], y * frame.length[1], z * frame.length[2]};
  else
    return tilted_image(x * frame.per_count[0], y * frame.per_count[1], z * frame.per_count[2], frame);
}

/// With images, the coordinates of a point are fractions of the box.
template <Images images, class Real, class Scalar>
TRIAD_HD Vec3<Real> separation(const PlainPoint<Real> &a, const PlainPoint<Real> &b, const PairFrame<Scalar> &frame) {
  const Real x = b.x - a.x, y = b.y - a.y, z = b.z - a.z;
  if constexpr (images == Images::None) {
    return {x, y, z};
  } else {
    const Real u = x - frame.periodic[0] * math::nearest_whole(x);
    const Real v = y - frame.periodic[1] * math::nearest_whole(y);
    const Real w = z - frame.periodic[2] * math::nearest_whole(z);
    if constexpr (images == Images::Orthogonal)
      return {frame.edges[0] * u, frame.edges[1] * v, frame.edges[2] * w};
    else
      return tilted_image(u, v, w, frame);
  }
}

}  // namespace triad

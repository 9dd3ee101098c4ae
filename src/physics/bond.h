// Geometry of a bond: from the vector between two atoms to what the terms need.
#pragma once

#include "physics/portable.h"

namespace triad {

/// One bonded neighbour seen from its centre: unit vector towards it, distance as the terms see it (true length plus
/// shift), and 1/length. The distance is r + rest: in fp32 `rest` holds the digits that r loses, which a cutoff only
/// tenths of an Angstrom wide multiplies by tens of eV/A^2; it is 0 where they are not tracked.
template <class Real>
struct Bond {
  Vec3<Real> u;
  Real r, rest, inv_length;

  /// The vector from the centre to the neighbour.
  TRIAD_HD Vec3<Real> vector() const { return math::reciprocal(inv_length) * u; }
};

namespace detail {

/// Bond from the vector, `inverse` = 1/sqrt(r2) to a few ulp, root = r2 * inverse, and the residual r^2 - root^2, from
/// which one Newton step corrects both.
template <class Real>
TRIAD_HD Bond<Real> bond_from_root(const Vec3<Real> &d, Real inverse, Real root, Real residual, Real shift) {
  const Real correction = Real(0.5) * inverse * residual;
  const Real inv_length = inverse + inverse * inverse * correction;
  const Real length = root + correction;
  const Real r = length + shift;
  return {inv_length * d, r, (correction - (length - root)) + (shift - (r - length)), inv_length};
}

}  // namespace detail

/// From the vector and `inverse` = 1/length to half of the digits.
template <class Real>
TRIAD_HD Bond<Real> make_bond(const Vec3<Real> &d, Real shift, Real inverse) {
  const Real r2 = dot(d, d), root = r2 * inverse;
  Bond<Real> bond = detail::bond_from_root(d, inverse, root, r2 - root * root, shift);
  bond.rest = Real(0);
  return bond;
}

/// From the vector alone.
template <class Real>
TRIAD_HD Bond<Real> make_bond(const Vec3<Real> &d, Real shift = Real(0)) {
  return make_bond(d, shift, math::rsqrt(dot(d, d)));
}

/// The same bond in fp32, the distance in two parts.
TRIAD_HD Bond<float> round_bond(const Bond<double> &b) {
  const float r = static_cast<float>(b.r);
  return {{static_cast<float>(b.u.x), static_cast<float>(b.u.y), static_cast<float>(b.u.z)},
          r,
          static_cast<float>(b.r - r),
          static_cast<float>(b.inv_length)};
}

/// From the vector d + d_rest, |d_rest| a few ulp of d and |shift| <= |d|: the distance comes out to about 2^-40
/// relative. Squares and sums with their rounding errors: T. J. Dekker, Numer. Math. 18, 224 (1971).
TRIAD_HD Bond<float> make_bond(const Vec3<float> &d, const Vec3<float> &d_rest, float shift) {
  const Vec3<float> square = {d.x * d.x, d.y * d.y, d.z * d.z};
  const auto sum_error = [](float a, float b, float sum) {
    const float b_part = sum - a;
    return (a - (sum - b_part)) + (b - b_part);
  };
  const float xy = square.x + square.y, r2 = xy + square.z;
  float rest = math::fma(d.x, d.x, -square.x) + math::fma(d.y, d.y, -square.y) + math::fma(d.z, d.z, -square.z);
  rest += sum_error(square.x, square.y, xy) + sum_error(xy, square.z, r2);
  rest += 2.0f * dot(d, d_rest);
  const float inverse = math::rsqrt(r2), root = r2 * inverse;
  return detail::bond_from_root(d, inverse, root, math::fma(-root, root, r2) + rest, shift);
}

}  // namespace triad

// Geometry of a bond: from the vector between two atoms to the quantities that the terms need.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// One bonded neighbour as seen from its centre: unit vector towards the neighbour, distance used by the terms (true
/// length plus shift), and 1/length. The distance is r + rest. In fp32 `rest` holds the digits that r loses, because
/// the slope of a cutoff function only tenths of an Angstrom wide multiplies them by tens of eV/A^2. `rest` is 0 where
/// these digits are not tracked.
template <class Real>
struct Bond {
  Vec3<Real> u;
  Real r, rest, inv_length;

  /// The vector from the centre to the neighbour.
  TRIAD_HD Vec3<Real> vector() const { return math::fast_reciprocal(inv_length) * u; }
};

namespace detail {

/// Bond from the vector, `inverse` = 1/sqrt(r2) to a few ulp, root = r2 * inverse, residual = r2 - root^2, and r2_rest,
/// the difference between the squared length and r2. The function makes one Newton step: the residual measures the
/// error of `inverse`, which root has with the same sign and inv_length must lose, while r2_rest increases root and
/// decreases inv_length.
template <class Real>
TRIAD_HD Bond<Real> bond_from_root(const Vec3<Real> &d, Real inverse, Real root, Real residual, Real r2_rest,
                                   Real shift) {
  const Real half = Real(0.5) * inverse;
  const Real correction = math::rounded_product(half, residual + r2_rest);
  const Real inv_length = math::multiply_add(inverse * inverse, half * (residual - r2_rest), inverse);
  const Real length = math::rounded_sum(root, correction);
  const Real r = math::rounded_sum(length, shift);
  const Real length_error = correction - math::rounded_difference(length, root);
  const Real r_error = shift - math::rounded_difference(r, length);
  return {inv_length * d, r, length_error + r_error, inv_length};
}

}  // namespace detail

/// Bond from the vector and `inverse` = 1/length, of which at least half of the digits are correct.
template <class Real>
TRIAD_HD Bond<Real> make_bond(const Vec3<Real> &d, Real shift, Real inverse) {
  const Real r2 = dot(d, d), root = r2 * inverse;
  Bond<Real> bond = detail::bond_from_root(d, inverse, root, math::multiply_add(-root, root, r2), Real(0), shift);
  bond.rest = Real(0);
  return bond;
}

/// Bond from the vector alone.
template <class Real>
TRIAD_HD Bond<Real> make_bond(const Vec3<Real> &d, Real shift = Real(0)) {
  return make_bond(d, shift, math::rsqrt(dot(d, d)));
}

/// Rounds a bond to fp32, with the distance in two parts.
TRIAD_HD Bond<float> round_bond(const Bond<double> &b) {
  const float r = static_cast<float>(b.r);
  return {{static_cast<float>(b.u.x), static_cast<float>(b.u.y), static_cast<float>(b.u.z)},
          r,
          static_cast<float>(b.r - r),
          static_cast<float>(b.inv_length)};
}

/// Bond from a difference of positions in counts of `length`, a power of two, each at most 2^30. The square of the
/// distance is a 64-bit integer, which is split into two fp32 numbers. The relative error of the distance is about
/// 2^-40 for |shift| <= the length of the vector.
TRIAD_HD Bond<float> make_bond(const Vec3<int> &counts, float length, float shift) {
  const auto square = [](int c) { return static_cast<long long>(c) * c; };
  const long long sum = square(counts.x) + square(counts.y) + square(counts.z);
  const float upper = static_cast<float>(sum), lower = static_cast<float>(sum - static_cast<long long>(upper));
  const float r2 = upper * (length * length), r2_rest = lower * (length * length);
  const float inverse = math::rsqrt(r2), root = r2 * inverse;
  const Vec3<float> d = {counts.x * length, counts.y * length, counts.z * length};
  return detail::bond_from_root(d, inverse, root, math::fma(-root, root, r2), r2_rest, shift);
}

}  // namespace triad

// Laws with an exponential function of the distance, and the law of a table.
#pragma once

#include "potentials/pairwise/laws.h"

namespace triad {

/// The laws of ExponentialSettings. All pairs of a force have the same one.
template <class R>
struct ExponentialLaw {
  using Real = R;
  struct alignas(4 * sizeof(Real)) Coefficients {
    Real amplitude;  ///< A or D0
    Real rate;       ///< of the exponential function, 1 / distance
    Real rate2;      ///< rate log2(e)
    Real other;      ///< Morse: r0. Buckingham: C. Yukawa: 0

    Coefficients() = default;
    explicit Coefficients(const ExponentialSettings::Entry &e)
        : amplitude(Real(e.p[0])),
          rate(Real(e.p[1])),
          rate2(Real(e.p[1] * 1.44269504088896340736)),
          other(Real(e.p[2])) {}
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit ExponentialLaw(const ExponentialSettings &s) : kind(s.kind) {}

  static double scale(const ExponentialSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number squared, const Coefficients &c) const {
    const Number inverse = math::rsqrt_normal(squared), r = squared * inverse;
    if (kind == ExponentialKind::Morse) {
      const Number e = math::exp2(c.rate2 * (c.other - r));
      return morse(e, c.amplitude, c.rate, inverse);
    }
    const Number e = c.amplitude * math::exp2(-c.rate2 * r);
    if (kind == ExponentialKind::Yukawa) {
      const Number energy = e * inverse;
      return {energy, -(c.rate + inverse) * energy * inverse};
    }
    const Number inverse2 = inverse * inverse, power = c.other * (inverse2 * inverse2 * inverse2);
    return {e - power, (Real(6) * power * inverse - c.rate * e) * inverse};
  }

  ExponentialKind kind;
};

/// The law of TableSettings.
template <class R>
struct TableLaw {
  using Real = R;
  struct alignas(4 * sizeof(Real)) Coefficients {
    Real inner_squared, per_spacing, intervals, first;

    Coefficients() = default;
    explicit Coefficients(const TableSettings::Entry &e)
        : inner_squared(Real(e.inner_squared)),
          per_spacing(Real(e.per_spacing)),
          intervals(Real(e.intervals)),
          first(Real(e.first)) {}
  };
  static constexpr bool by_strength = false, softened = false, inverse_square = false;

  explicit TableLaw(const TableSettings &s) : style(s.style), point(values(s).data()) {}

  static const std::vector<Real> &values(const TableSettings &s) {
    if constexpr (sizeof(Real) == 4)
      return s.points->rounded;
    else
      return s.points->exact;
  }
  static double scale(const TableSettings &) { return 1; }
  TRIAD_HD Real softening() const { return 0; }
  template <class Number>
  TRIAD_HD PairTerm<Number> operator()(Number squared, const Coefficients &c) const {
    PairTerm<Number> term;
    for (int l = 0; l < Number::count; ++l) {
      const PairTerm<Real> one = (*this)(Real(squared.v[l]), c);
      term.energy.v[l] = one.energy;
      term.pull.v[l] = one.pull;
    }
    return term;
  }
  TRIAD_HD PairTerm<Real> operator()(Real squared, const Coefficients &c) const {
    if (style == TableStyle::Bitmap) return by_bits(squared, c);
    const Real at = (squared - c.inner_squared) * c.per_spacing;
    if (at >= c.intervals) return {0, 0};
    if (!(at >= 0)) return {Real(NAN), Real(NAN)};
    const int interval = static_cast<int>(at);
    const std::size_t number = static_cast<std::size_t>(c.first) + interval;
    const Real b = style == TableStyle::Lookup ? Real(0) : at - Real(interval);
    if (style != TableStyle::Spline) {
      const Real *const p = point + 2 * number;
      return {p[0] + b * (p[2] - p[0]), -(p[1] + b * (p[3] - p[1]))};
    }
    const Real *const p = point + 4 * number;
    const Real a = Real(1) - b, left = a * (a * a - Real(1)), right = b * (b * b - Real(1));
    return {a * p[0] + b * p[4] + left * p[2] + right * p[6], -(a * p[1] + b * p[5] + left * p[3] + right * p[7])};
  }

 private:
  TRIAD_HD PairTerm<Real> by_bits(Real squared, const Coefficients &c) const {
    if (squared >= c.intervals) return {0, 0};
    if (!(squared >= c.inner_squared)) return {Real(NAN), Real(NAN)};
    const float rounded = float(squared);
    const unsigned bits = bits_of(rounded) - bits_of(float(c.inner_squared));
    const Real *const p = point + 4 * (static_cast<std::size_t>(c.first) + (bits >> int(c.per_spacing)));
    const Real fraction = (Real(rounded) - p[2]) / (p[6] - p[2]);
    return {p[0] + fraction * (p[4] - p[0]), -(p[1] + fraction * (p[5] - p[1]))};
  }

 public:
  TableStyle style;
  const Real *point;  ///< TableSettings::Points
};

}  // namespace triad

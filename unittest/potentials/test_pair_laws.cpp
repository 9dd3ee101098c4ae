// Pair force laws: checks values, and that the pull is the derivative of the energy.

#include <gtest/gtest.h>

#include "potentials/central_difference.h"
#include "potentials/pairwise/exponential_laws.h"
#include "potentials/pairwise/laws.h"
#include "potentials/pairwise/listed_laws.h"
#include "potentials/pairwise/pair_table.h"

namespace triad {
namespace {

/// pull * r is the derivative of the energy at every r. `absolute`: tolerance where both vanish or a singularity is
/// near.
template <class Law>
void expect_pull_is_derivative(const Law &law, const typename Law::Coefficients &c, double from, double to,
                               double absolute = 0) {
  const auto energy = [&](double r) { return law(r * r + law.softening(), c).energy; };
  for (double r = from; r < to; r += (to - from) / 97) {
    const double derivative = central_difference(energy, r, 1e-3 * r);
    const double pull = law(r * r + law.softening(), c).pull;
    ASSERT_NEAR(pull * r, derivative, 1e-8 * (std::abs(derivative) + std::abs(energy(r)) / r) + absolute)
        << "r = " << r;
  }
}

TEST(PairLaws, GravityPullsWithItsPotential) {
  for (const double eps : {0.0, 0.01, 1.0})
    expect_pull_is_derivative(GravityLaw<double>(GravitySettings{1, eps}), {}, 0.05, 8);
  const GravityLaw<double> law(GravitySettings{1, 2});
  const auto term = law(3 * 3 + law.softening(), {});
  EXPECT_NEAR(term.energy, -1 / std::sqrt(13.0), 1e-15);
  EXPECT_NEAR(term.pull, std::pow(13.0, -1.5), 1e-15);
}

TEST(PairLaws, CoulombPowerPullsWithItsPotential) {
  const CoulombPowerLaw<double> law(CoulombPowerSettings{{}, 0.04});
  for (const auto &entry : {CoulombPowerSettings::Entry{1.5, 0, 1}, CoulombPowerSettings::Entry{-1, 0.6, 9},
                            CoulombPowerSettings::Entry{0, 1.2, 2}, CoulombPowerSettings::Entry{0.3, 0.5, 0.5},
                            CoulombPowerSettings::Entry{1, 0.5, 2.001}}) {
    expect_pull_is_derivative(law, CoulombPowerLaw<double>::Coefficients(entry), 0.21, 5);
    expect_pull_is_derivative(law, CoulombPowerLaw<double>::Coefficients(entry), 0.01, 0.19);
  }
}

/// F = R (c1 s^-3 + (c2/s)^n), s^2 = max(R^2, floor).
TEST(PairLaws, CoulombPowerIsThePublishedForce) {
  const CoulombPowerSettings::Entry e = {1.5, 0.7, 5};
  const CoulombPowerLaw<double> law(CoulombPowerSettings{{}, 1e-4});
  for (const double r : {0.0, 0.003, 0.0099, 0.0101, 0.5, 3.0}) {
    const double s = std::max(r, 0.01), force = e.c1 / (s * s * s) + std::pow(e.c2 / s, e.n);
    EXPECT_NEAR(law(r * r, CoulombPowerLaw<double>::Coefficients(e)).pull, -force, 1e-13 * force) << "r = " << r;
  }
}

TEST(PairLaws, CoulombPowerIsContinuousAtTheFloor) {
  const CoulombPowerLaw<double> law(CoulombPowerSettings{{}, 0.25});
  const CoulombPowerLaw<double>::Coefficients c(CoulombPowerSettings::Entry{1.5, 0.7, 5});
  EXPECT_NEAR(law(0.25 * (1 - 1e-12), c).energy, law(0.25 * (1 + 1e-12), c).energy, 1e-10);
}

TEST(PairLaws, LennardJonesPullsWithItsPotential) {
  const LennardJonesLaw<double> law{LennardJonesSettings()};
  const LennardJonesLaw<double>::Coefficients c(LennardJonesSettings::Entry{0.8, 1.1});
  expect_pull_is_derivative(law, c, 0.7, 4);
  const double minimum = 1.1 * std::pow(2.0, 1.0 / 6);
  EXPECT_NEAR(law(minimum * minimum, c).energy, -0.8, 1e-14);
  EXPECT_NEAR(law(minimum * minimum, c).pull, 0, 1e-12);
  EXPECT_NEAR(law(1.1 * 1.1, c).energy, 0, 1e-14);
}

ListedConstants constants(ListedKind kind, double a, double b = 0, double c = 0, double d = 0) {
  return {{a, b, c, d}, kind, false};
}

TEST(PairLaws, ListedLawsPullWithTheirPotentials) {
  const ListedLaw<double> law{ListedSettings()};
  using Coefficients = ListedLaw<double>::Coefficients;
  const auto expect = [&](const ListedConstants &c, double from, double to, double absolute = 0) {
    expect_pull_is_derivative(law, Coefficients(c), from, to, absolute);
  };
  expect(constants(ListedKind::Harmonic, 40, 1.2), 0.1, 4);
  expect(constants(ListedKind::Fene, 30, 1.5, 1, 1), 0.8, 1.12);
  expect(constants(ListedKind::Fene, 30, 1.5, 1, 1), 1.13, 1.3, 1e-7);  // measured: 3e-8
  expect(constants(ListedKind::Morse, 2, 1.7, 1.1), 0.5, 4);
  expect(constants(ListedKind::LennardJones, 0.8, 1.1), 0.7, 4);
  expect(constants(ListedKind::LjGromacs, 0.8, 1.1, 1.5, 2.2), 0.8, 1.49, 1e-7);
  expect(constants(ListedKind::LjGromacs, 0.8, 1.1, 1.5, 2.2), 1.51, 2.19, 1e-7);
  expect(constants(ListedKind::Contact1210, 0.7, 1.3), 0.9, 4, 1e-7);
  expect(constants(ListedKind::Coulomb, -3), 0.1, 9);
}

TEST(PairLaws, ListedLawsHaveTheirPublishedValues) {
  const ListedLaw<double> law{ListedSettings()};
  const auto at = [&](double r, const ListedConstants &c) { return law(r * r, ListedLaw<double>::Coefficients(c)); };
  EXPECT_EQ(at(0, constants(ListedKind::Harmonic, 40, 1.2)).pull, 0);
  EXPECT_NEAR(at(0, constants(ListedKind::Harmonic, 40, 1.2)).energy, 20 * 1.44, 1e-13);
  EXPECT_NEAR(at(1.2, constants(ListedKind::Fene, 30, 1.5, 0, 1)).energy, -33.75 * std::log(0.36), 1e-13);
  EXPECT_NEAR(at(1.45, constants(ListedKind::Fene, 30, 1.5, 0, 1)).pull, 300, 1e-10);  // the argument is held at 0.1
  EXPECT_TRUE(std::isnan(at(3.01, constants(ListedKind::Fene, 30, 1.5, 0, 1)).pull));
  EXPECT_NEAR(at(1.1, constants(ListedKind::Morse, 2, 1.7, 1.1)).energy, -2, 1e-14);
  EXPECT_NEAR(at(1.1, constants(ListedKind::Morse, 2, 1.7, 1.1)).pull, 0, 1e-13);
  EXPECT_NEAR(at(1.3, constants(ListedKind::Contact1210, 0.7, 1.3)).energy, -0.7, 1e-14);
  EXPECT_NEAR(at(1.3, constants(ListedKind::Contact1210, 0.7, 1.3)).pull, 0, 1e-13);
  EXPECT_NEAR(at(2, constants(ListedKind::Coulomb, -3)).energy, -1.5, 1e-15);
  const ListedConstants gromacs = constants(ListedKind::LjGromacs, 0.8, 1.1, 1.5, 2.2);
  EXPECT_EQ(at(2.2, gromacs).energy, 0);
  EXPECT_NEAR(at(2.2 - 1e-6, gromacs).energy, 0, 1e-15);
  EXPECT_NEAR(at(2.2 - 1e-6, gromacs).pull, 0, 1e-10);
  const double plain = at(1.3, constants(ListedKind::LennardJones, 0.8, 1.1)).pull;
  EXPECT_NEAR(at(1.3, gromacs).pull, plain, 1e-13 * std::abs(plain));  // unchanged below `inner`
}

TEST(PairLaws, ExponentialLawsPullWithTheirPotentials) {
  ExponentialSettings settings;
  for (const auto &[kind, entry] : {std::pair(ExponentialKind::Yukawa, ExponentialSettings::Entry{{-2, 0.7, 0}}),
                                    std::pair(ExponentialKind::Morse, ExponentialSettings::Entry{{2, 1.7, 1.1}}),
                                    std::pair(ExponentialKind::Buckingham, ExponentialSettings::Entry{{90, 3, 0.4}})}) {
    settings.kind = kind;
    expect_pull_is_derivative(ExponentialLaw<double>(settings), ExponentialLaw<double>::Coefficients(entry), 0.3, 6,
                              1e-12);
  }
  settings.kind = ExponentialKind::Yukawa;
  const ExponentialLaw<double>::Coefficients c(ExponentialSettings::Entry{{2, 0.5, 0}});
  EXPECT_NEAR(ExponentialLaw<double>(settings)(4.0, c).energy, std::exp(-1.0), 1e-15);
}

/// A table of a smooth energy has that energy between its points, is zero from its end on, and has no value below its
/// first point.
class Tables : public testing::TestWithParam<TableStyle> {};

TEST_P(Tables, Interpolate) {
  const TableStyle style = GetParam();
  // Largest relative errors of energy and force. Measured: lookup 7.7e-4 and 2.3e-3, linear 9.6e-7 and 5.7e-6, spline
  // 7.0e-12 and 4.4e-11, bitmap 1.2e-6 and 2.2e-6.
  const struct {
    int points;
    double energy, force;
  } bounds[] = {{5000, 2e-3, 6e-3}, {5000, 2e-6, 1.5e-5}, {5000, 2e-11, 1.2e-10}, {12, 3e-6, 6e-6}};
  const auto &bound = bounds[static_cast<int>(style)];
  PairTable table;
  for (int k = 0; k < 400; ++k) {
    table.r.push_back(0.5 + 2.5 * k / 399);
    table.energy.push_back(std::exp(-table.r[k]));
    table.force.push_back(std::exp(-table.r[k]));
  }
  table.has_slopes = true;
  table.slope_low = -table.force.front();
  table.slope_high = -table.force.back();
  const auto points = std::make_shared<TableSettings::Points>();
  TableSettings settings;
  settings.style = style;
  add_points(table, 3, style, 7, *points);  // another section before this one
  const std::size_t before = points->exact.size() / TableSettings::numbers_per_point(style);
  const TableSettings::Entry entry = add_points(table, 3, style, bound.points, *points);
  settings.points = points;
  const TableLaw<double> law(settings);
  const TableLaw<double>::Coefficients c(entry);
  EXPECT_EQ(entry.first, before);
  double worst[2] = {0, 0};
  for (double r = 0.5001; r < 3; r += 0.0173) {
    const PairTerm<double> term = law(r * r, c);
    worst[0] = std::max(worst[0], std::abs(term.energy / std::exp(-r) - 1));
    worst[1] = std::max(worst[1], std::abs(term.pull * -r / std::exp(-r) - 1));
    const PairTerm<float> rounded = TableLaw<float>(settings)(float(r * r), TableLaw<float>::Coefficients(entry));
    if (style != TableStyle::Lookup) {  // whose steps fp32 moves
      EXPECT_NEAR(rounded.energy, term.energy, 1e-5 * std::exp(-r)) << r;
    }
  }
  EXPECT_LT(worst[0], bound.energy);
  EXPECT_LT(worst[1], bound.force);
  EXPECT_GT(worst[0] + worst[1], 0);
  EXPECT_EQ(law(9.01, c).energy, 0);
  EXPECT_EQ(law(9.01, c).pull, 0);
  EXPECT_TRUE(std::isnan(law(0.2, c).pull));
}
std::string table_style_name(const testing::TestParamInfo<TableStyle> &info) {
  static const char *const names[] = {"Lookup", "Linear", "Spline", "Bitmap"};
  return names[info.index];
}
INSTANTIATE_TEST_SUITE_P(PairLaws, Tables,
                         testing::Values(TableStyle::Lookup, TableStyle::Linear, TableStyle::Spline,
                                         TableStyle::Bitmap),
                         table_style_name);

/// The grids of LAMMPS's Pair::init_bitmap.
TEST(PairLaws, BitmapsHaveEquidistantPatterns) {
  // r^2 from 1/4 to 25/4 in eight powers of two: three bits of the exponent, nine of the mantissa.
  const BitmapGrid grid = bitmap_grid(0.5, 2.5, 12).value();
  EXPECT_EQ(grid.shift, 14);
  EXPECT_EQ(grid.squared(0), 0.25);
  EXPECT_EQ(grid.squared(1), 0.25 * (1 + 1.0 / 512));
  EXPECT_EQ(grid.squared(512), 0.5);
  EXPECT_EQ(grid.squared(4095), 32 * (2 - 1.0 / 512));
  EXPECT_GE(bitmap_grid(0.3, 2.5, 12).value().squared(0), 0.09);
  EXPECT_FALSE(bitmap_grid(0.5, 2.5, 5));
  EXPECT_FALSE(bitmap_grid(0.5, 2.5, 27));
  EXPECT_FALSE(bitmap_grid(1e-60, 2.5, 12));
}

/// Compares fp32 with fp64, relative to the sizes of the terms.
TEST(PairLaws, AreAccurateInFloat) {
  const auto expect_near = [](double value, double reference, double size) {
    EXPECT_NEAR(value, reference, 3e-6 * std::abs(size));
  };
  for (double r = 0.05; r < 6; r *= 1.07) {
    const float f2 = float(r * r);
    const double r2 = f2;
    const auto gravity = GravityLaw<double>({1, 0})(r2, {});
    expect_near(GravityLaw<float>({1, 0})(f2, {}).pull, gravity.pull, gravity.pull);
    expect_near(GravityLaw<float>({1, 0})(f2, {}).energy, gravity.energy, gravity.energy);
    const CoulombPowerSettings::Entry e = {-1.5, 0.75, 9};
    const auto coulomb = CoulombPowerLaw<double>({{}, 0.01})(r2, CoulombPowerLaw<double>::Coefficients(e));
    const auto in_float = CoulombPowerLaw<float>({{}, 0.01f})(f2, CoulombPowerLaw<float>::Coefficients(e));
    const double s = std::max(r, 0.1), size = 1.5 / (s * s * s) + 10 * std::pow(0.75 / s, 9);
    expect_near(in_float.pull, coulomb.pull, size);
    expect_near(in_float.energy, coulomb.energy, size * s * s);
    const LennardJonesSettings::Entry lj = {1, 1};
    const auto exact = LennardJonesLaw<double>({})(r2, LennardJonesLaw<double>::Coefficients(lj));
    const auto rounded = LennardJonesLaw<float>({})(f2, LennardJonesLaw<float>::Coefficients(lj));
    const double s6 = std::pow(r, -6);
    expect_near(rounded.energy, exact.energy, 4 * (s6 * s6 + s6));
    expect_near(rounded.pull, exact.pull, 24 * (2 * s6 * s6 + s6) / r2);
  }
}

/// The host's reciprocal square root, which uses no divisions.
TEST(PairLaws, ReciprocalRootsAreAccurate) {
  for (double x = 1e-30; x < 1e30; x *= 1.37) {
    EXPECT_NEAR(math::rsqrt_normal(x) * std::sqrt(x), 1, 6e-16) << x;
    const float f = float(x);
    EXPECT_NEAR(math::rsqrt_normal(f) * std::sqrt(double(f)), 1, 2.5e-7) << f;
  }
}

}  // namespace
}  // namespace triad

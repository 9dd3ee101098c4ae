// Compares the terms that tersoff/mod, tersoff/mod/c and tersoff/zbl change, in double, with the published formulas,
// and their derivatives with finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "potentials/bond_order.h"
#include "potentials/central_difference.h"
#include "potentials/cutoff_edges.h"
#include "potentials/tersoff/variants.h"
#include "testing/parameter_sets.h"
#include "testing/published_terms.h"

namespace triad {
namespace {

// ---- tersoff/mod

class ModTerms : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const ModParams<double> params{GetParam().entry};

  // Thresholds of t = beta_ters zeta beyond which stock uses the asymptotes of b.
  const double high = std::pow(2e-16 * entry().n_outer, -1 / entry().n), low = 1 / high;

  std::vector<double> cosines() const {
    std::vector<double> values;
    for (int k = 0; k <= 80; ++k) values.push_back(-1 + k / 40.0);
    for (const double offset : {0.0, 1e-9, 1e-6, 1e-3})
      for (const double sign : {-1.0, 1.0}) values.push_back(entry().costheta0 + sign * offset);
    return values;
  }
  void expect_published_bond_order(double t) const {
    const double zeta = t / entry().beta;
    const auto b = bond_order(params, zeta);
    const auto expected = published::mod::bond_order(entry(), zeta);
    EXPECT_NEAR(b.value / double(expected.value), 1, 3e-14) << "t = " << t;
    EXPECT_NEAR(b.derivative * zeta, double(expected.slope) * zeta, 3e-16 * entry().n / entry().n_outer) << "t = " << t;
    if (t > low * (1 + 1e-9)) {
      EXPECT_NEAR(b.derivative / double(expected.slope), 1, 5e-14) << "t = " << t;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(, ModTerms, testing::Values(silicon_mod(), silicon_modc()), testing::PrintToStringParamName());

TEST_P(ModTerms, CutoffIsThePublishedTaper) {
  const double D = entry().D;
  for (int k = -10; k <= 210; ++k) {
    const double r = entry().R + (k / 100.0 - 1) * D;
    const auto term = cutoff(params, r);
    const auto expected = published::mod::cutoff(entry(), r);
    EXPECT_NEAR(term.value, double(expected.value), 1e-15 * (2 + 1 / D)) << "r = " << r;
    EXPECT_NEAR(term.derivative, double(expected.slope), 1e-15 * (2 + 1 / D) / D) << "r = " << r;
  }
}

TEST_P(ModTerms, CutoffIsOneInsideAndZeroOutside) {
  expect_one_inside_and_zero_outside(params, params.inner, params.outer);
}

/// Unlike the taper of 1988, this taper has zero curvature at both edges.
TEST_P(ModTerms, CutoffMeetsItsEdges) {
  const double D = entry().D, third = 15 / (D * D * D);  // above its largest third derivative, 3 pi^3 / 8 D^3
  for (const double offset : {1e-1, 1e-2, 1e-4, 1e-6})
    for (const double sign : {-1.0, 1.0}) {
      const double x = offset * D;
      EXPECT_NEAR(cutoff(params, params.inner + sign * x).value, 1, third * x * x * x + 1e-15);
      EXPECT_NEAR(cutoff(params, params.inner + sign * x).derivative, 0, third * x * x + 1e-14);
      EXPECT_NEAR(cutoff(params, params.outer + sign * x).value, 0, third * x * x * x + 1e-15);
      EXPECT_NEAR(cutoff(params, params.outer + sign * x).derivative, 0, third * x * x + 1e-14);
    }
}

TEST_P(ModTerms, CutoffTakesTheDistanceInTwoParts) {
  for (const double rest : {-1e-3, 1e-3}) {
    const double r = entry().R + 0.2 * entry().D;
    EXPECT_NEAR(cutoff(params, r, rest).value, cutoff(params, r + rest).value, 2e-15);
    EXPECT_NEAR(cutoff(params, r, rest).derivative, cutoff(params, r + rest).derivative, 2e-14);
  }
}

TEST_P(ModTerms, AngleIsThePublishedFormula) {
  for (const double cosine : cosines()) {
    const auto term = angle(params, cosine);
    const auto expected = published::mod::angle(entry(), cosine);
    EXPECT_NEAR(term.value / double(expected.value), 1, 5e-15) << "cos = " << cosine;
    // The error of (h - cos) is one rounding of 1, and the slope is proportional to it.
    EXPECT_NEAR(term.derivative, double(expected.slope), 3e-14 * std::abs(double(expected.slope)) + 1e-17)
        << "cos = " << cosine;
  }
}

TEST_P(ModTerms, AngleIsLowestAtItsOwnAngle) {
  EXPECT_EQ(angle(params, entry().costheta0).value, entry().c1);
  EXPECT_EQ(angle(params, entry().costheta0).derivative, 0.0);
}

TEST_P(ModTerms, AngleHasItsDerivative) {
  for (const double cosine : cosines()) {
    const double numeric = central_difference([&](double at) { return angle(params, at).value; }, cosine, 1e-3);
    EXPECT_NEAR(angle(params, cosine).derivative, numeric, 1e-8) << "cos = " << cosine;
  }
}

TEST_P(ModTerms, BondOrderIsPublishedOnEveryBranch) {
  for (const auto &[from, to] : {std::pair{low, 1e-4}, {1e-4, 1.0}, {1.0, 1e4}, {1e4, high}, {high, high * high}})
    for (int k = 1; k < 20; ++k) expect_published_bond_order(from * std::pow(to / from, k / 20.0));
}

TEST_P(ModTerms, BondOrderIsPublishedAtTheThresholds) {
  for (const double threshold : {low, 1.0, high})
    for (const double offset : {-1e-3, -1e-8, -1e-12, 0.0, 1e-12, 1e-8, 1e-3})
      expect_published_bond_order(threshold * (1 + offset));
}

TEST_P(ModTerms, BondOrderIsOneBelowTheLowestThresholdAndAtZero) {
  for (const double t : {low * (1 - 1e-9), low / 2, low * low, std::numeric_limits<double>::min(), 0.0}) {
    EXPECT_EQ(bond_order(params, t / entry().beta).value, 1.0) << "t = " << t;
    EXPECT_EQ(bond_order(params, t / entry().beta).derivative, 0.0) << "t = " << t;
  }
}

/// Above the highest threshold b = t^(-eta/2n), up to the largest zeta that the limit of the distance term permits.
TEST_P(ModTerms, BondOrderHasItsAsymptote) {
  const double exponent = -entry().n / (2 * entry().n_outer);
  for (const double t : {2 * high, 1e30, 1e40}) {
    if (t < high) continue;
    const auto b = bond_order(params, t / entry().beta);
    EXPECT_NEAR(b.value / std::pow(t, exponent), 1, 2e-14) << "t = " << t;
    EXPECT_NEAR(b.derivative * t / entry().beta / b.value, exponent, 1e-15) << "t = " << t;
  }
}

TEST_P(ModTerms, BondOrderHasItsDerivative) {
  for (int k = 0; k <= 60; ++k) {
    const double zeta = std::pow(10, -3 + k / 10.0), step = 1e-3 * zeta;
    const double numeric = central_difference([&](double at) { return bond_order(params, at).value; }, zeta, step);
    EXPECT_NEAR(bond_order(params, zeta).derivative, numeric, 1e-9 * std::abs(numeric) + 1e-15 / step)
        << "zeta = " << zeta;
  }
}

// ---- tersoff/mod/c

TEST(ModCTerms, BondSumHasAConstantMore) {
  const TersoffEntry entry = silicon_modc().entry;
  const ModCParams<double> params(entry);
  for (double r = 1; r < entry.cutoff(); r += 0.05) {
    const auto with = bond_sum(params, r, -0.7);
    const auto without = bond_sum(static_cast<const TersoffParams<double> &>(params), r, -0.7);
    EXPECT_EQ(with.sum.value, without.sum.value + entry.c0) << "r = " << r;
    EXPECT_EQ(with.sum.derivative, without.sum.derivative) << "r = " << r;
    EXPECT_EQ(with.attractive, without.attractive) << "r = " << r;
  }
}

// ---- tersoff/zbl

class ZblTerms : public testing::TestWithParam<NamedEntry> {
 protected:
  const TersoffEntry &entry() const { return GetParam().entry; }
  const ZblParams<double> params{GetParam().entry};
  ZblJoin<double> join(double r) const { return zbl_join(params, cutoff(params, r), r); }

  /// Distances from the nuclear region over the join to the cutoff.
  std::vector<double> distances() const {
    std::vector<double> r;
    for (double x = 0.02; x < entry().cutoff() + 0.1; x += 0.02) r.push_back(x);
    return r;
  }
};

INSTANTIATE_TEST_SUITE_P(, ZblTerms, testing::Values(silicon_zbl(), silicon_carbon_zbl()),
                         testing::PrintToStringParamName());

TEST_P(ZblTerms, ScreenedCoulombIsTheUniversalPotential) {
  for (const double r : distances()) {
    const auto term = screened_coulomb(params, r);
    const auto expected = published::zbl::nuclear(entry(), r);
    EXPECT_NEAR(term.value / double(expected.value), 1, 2e-14) << "r = " << r;
    EXPECT_NEAR(term.derivative / double(expected.slope), 1, 2e-14) << "r = " << r;
  }
}

/// phi(0) is 1.00007 with the four published weights: at short distance the energy is almost the bare Coulomb energy.
TEST_P(ZblTerms, ScreenedCoulombIsBareAtTheNucleus) {
  const double r = 1e-9;
  EXPECT_NEAR(screened_coulomb(params, r).value * r / (entry().Z_i * entry().Z_j * entry().coulomb), 1.00007, 2e-8);
}

TEST_P(ZblTerms, JoinIsPublished) {
  for (const double r : distances()) {
    const auto sides = join(r);
    const auto weight = product(published::zbl::fermi(entry(), r), published::cutoff(entry(), r));
    const auto nuclear = product(published::zbl::one_minus_fermi(entry(), r), published::zbl::nuclear(entry(), r));
    const double steep = entry().zbl_scale + 1 / entry().D;
    EXPECT_NEAR(sides.weight.value, double(weight.value), 1e-14 * (1 + 1 / entry().D)) << "r = " << r;
    EXPECT_NEAR(sides.weight.derivative, double(weight.slope), 1e-13 * steep) << "r = " << r;
    EXPECT_NEAR(sides.nuclear.value, double(nuclear.value), 4e-14 * double(nuclear.value)) << "r = " << r;
    EXPECT_NEAR(sides.nuclear.derivative / double(nuclear.slope), 1, 1e-13) << "r = " << r;
  }
}

TEST_P(ZblTerms, JoinHasItsDerivatives) {
  for (const double r : distances()) {
    const double h = 1e-4 * std::min(1.0, r);
    if (std::abs(r - params.inner) < 3 * h || std::abs(r - params.outer) < 3 * h) continue;
    const double weight = central_difference([&](double at) { return join(at).weight.value; }, r, h);
    const double nuclear = central_difference([&](double at) { return join(at).nuclear.value; }, r, h);
    EXPECT_NEAR(join(r).weight.derivative, weight, 1e-8 * std::abs(weight) + 1e-14 / h) << "r = " << r;
    EXPECT_NEAR(join(r).nuclear.derivative, nuclear, 1e-9 * std::abs(nuclear) + 1e-14 * join(r).nuclear.value / h)
        << "r = " << r;
  }
}

/// Where the exponential of the Fermi function would overflow, the pair energy is the nuclear part alone.
TEST_P(ZblTerms, JoinIsNuclearAtShortDistance) {
  TersoffEntry steep = entry();
  steep.zbl_scale = 1e4;
  const ZblParams<double> params(steep);
  const double r = 0.5;
  const auto sides = zbl_join(params, cutoff(params, r), r);
  const auto nuclear = screened_coulomb(params, r);
  EXPECT_NEAR(sides.nuclear.value / nuclear.value, 1, 1e-15);
  EXPECT_NEAR(sides.nuclear.derivative / nuclear.derivative, 1, 1e-14);
  EXPECT_NEAR(sides.weight.value, 0, 1e-20);
}

/// Only the Tersoff part has the cutoff function: at the cutoff a tail of (1 - F) V remains, and bond_energy()
/// truncates it.
TEST_P(ZblTerms, NuclearTailEndsAtTheCutoff) {
  const double r = params.outer, inside = std::nextafter(r, 0.0);
  const double tail =
      double(published::zbl::one_minus_fermi(entry(), r).value * published::zbl::nuclear(entry(), r).value);
  EXPECT_NEAR(join(r).nuclear.value / tail, 1, 1e-13);
  EXPECT_EQ(join(r).weight.value, 0.0);
  EXPECT_NEAR(bond_energy(params, cutoff(params, inside), inside, 0.0).energy / (0.5 * tail), 1, 1e-6);
  EXPECT_EQ(bond_energy(params, cutoff(params, r), r, 0.0).energy, 0.0);
  EXPECT_EQ(bond_energy(params, cutoff(params, r), r, 0.0).dr, 0.0);
}

// ---- energies of bonds of every variant

template <class P>
void expect_bond_energy(const NamedEntry &named, TersoffVariant variant, const std::vector<double> &fractions) {
  const TersoffEntry &e = named.entry;
  const P params(e);
  const published::Family family = {variant};
  for (const double fraction : fractions)
    for (const double t : {0.0, 1e-3, 0.7, 5.0, 1e5}) {
      const double r = fraction * e.R, zeta = t / e.beta;
      const auto b = family.bond_order(e, zeta);
      const auto repulsive = family.repulsive(e, r), attractive = family.attractive(e, r);
      const double size = std::abs(double(repulsive.value)) + e.B;
      const auto energy = bond_energy(params, cutoff(params, r), r, zeta);
      SCOPED_TRACE(named.name + ", r = " + std::to_string(r) + ", t = " + std::to_string(t));
      EXPECT_NEAR(energy.energy, double(repulsive.value + b.value * attractive.value) / 2, 2e-14 * size);
      EXPECT_NEAR(energy.dr, double(repulsive.slope + b.value * attractive.slope) / 2, 5e-13 * size);
      EXPECT_NEAR(energy.dzeta * zeta, double(attractive.value * b.slope) * zeta / 2, 2e-14 * size);
    }
}

TEST(BondEnergyOfVariants, IsPublished) {
  const std::vector<double> lengths = {0.6, 0.8, 0.93, 1.0, 1.05, 1.09};
  expect_bond_energy<ModParams<double>>(silicon_mod(), TersoffVariant::Mod, lengths);
  expect_bond_energy<ModParams<double>>(silicon_modc(), TersoffVariant::Mod, lengths);
  expect_bond_energy<ModCParams<double>>(silicon_modc(), TersoffVariant::ModC, lengths);
  for (const auto &named : {silicon_zbl(), silicon_carbon_zbl()})
    expect_bond_energy<ZblParams<double>>(named, TersoffVariant::Zbl, {0.2, 0.3, 0.35, 0.4, 0.5, 0.8, 0.97, 1.03});
}

}  // namespace
}  // namespace triad

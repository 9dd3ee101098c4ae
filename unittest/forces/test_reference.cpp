// Tests of the reference: its forces and virial against differences of its energy, and properties of its systems.
#include <gtest/gtest.h>

#include <algorithm>

#include "potentials/central_difference.h"
#include "testing/systems.h"

namespace triad {
namespace {

using Number = ReferenceTersoff::Number;
using Vector = ReferenceTersoff::Vector;

class Reference : public testing::TestWithParam<NamedSystem> {
 protected:
  const System system = GetParam().make();
  const std::vector<int> element = system.elements();
  const std::vector<Vector> x = system.positions();
  Number energy(const std::vector<Vector> &at) const {
    return ReferenceTersoff(system.table, at, element, system.centres()).energy;
  }
};

/// Small enough for an energy evaluation per coordinate.
INSTANTIATE_TEST_SUITE_P(
    , Reference,
    testing::Values(NamedSystem{"SiliconT3", [] { return random_cluster(one_element(silicon_t3()), 12, 5, 1.9, 1); }},
                    NamedSystem{"SiliconT2", [] { return random_cluster(one_element(silicon_t2()), 12, 5, 1.9, 2); }},
                    NamedSystem{"GalliumNitride", [] { return random_cluster(gallium_nitride(), 12, 4.5, 1.6, 3); }},
                    NamedSystem{"ThreeElements", [] { return random_cluster(three_elements(), 15, 4.8, 1.4, 4); }},
                    NamedSystem{"Mod", [] { return random_cluster(mod(), 12, 5, 1.9, 5); }},
                    NamedSystem{"ModC", [] { return random_cluster(mod_c(), 12, 5, 1.9, 6); }},
                    NamedSystem{"TwoElementsModC",
                                [] { return random_cluster(two_elements_mod(TersoffVariant::ModC), 12, 4.5, 1.4, 7); }},
                    NamedSystem{"Zbl", [] { return random_cluster(silicon_carbide_zbl(), 12, 3, 0.8, 8); }},
                    NamedSystem{"ShiftOut",
                                [] { return random_cluster(shifted(three_elements(), -0.3), 12, 5, 1.5, 9); }},
                    NamedSystem{"ShiftIn", [] { return random_cluster(mod(0.2), 12, 4.5, 1.6, 10); }}),
    testing::PrintToStringParamName());

TEST_P(Reference, ForcesAreMinusTheGradientOfTheEnergy) {
  const auto expected = system.reference();
  for (int i = 0; i < system.n_all(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      const auto moved = [&](Number shift) {
        auto at = x;
        at[i][axis] += shift;
        return energy(at);
      };
      EXPECT_NEAR(double(expected.force[i][axis] + central_difference(moved, Number(0), Number(1e-5))), 0,
                  1e-12 * double(1 + expected.force_size[i]))
          << "atom " << i << " axis " << axis;
    }
}

TEST_P(Reference, VirialIsMinusTheStrainDerivativeOfTheEnergy) {
  const auto expected = system.reference();
  constexpr int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
  for (int v = 0; v < 6; ++v) {
    const auto strained = [&](Number strain) {
      auto at = x;
      for (auto &r : at) r[row[v]] += strain * r[column[v]];
      return energy(at);
    };
    EXPECT_NEAR(double(expected.virial[v] + central_difference(strained, Number(0), Number(1e-6))), 0, 1e-8);
  }
}

TEST_P(Reference, AtomTalliesAddUpToTotals) {
  const auto expected = system.reference();
  Number sum = 0;
  ReferenceTersoff::Tensor virial = {};
  Vector total = {};
  for (int i = 0; i < system.n_all(); ++i) {
    sum += expected.atom_energy[i];
    for (int v = 0; v < 6; ++v) virial[v] += expected.atom_virial[i][v];
    for (int axis = 0; axis < 3; ++axis) total[axis] += expected.force[i][axis];
  }
  EXPECT_NEAR(double(sum), double(expected.energy), 1e-12);
  for (int v = 0; v < 6; ++v) EXPECT_NEAR(double(virial[v]), double(expected.virial[v]), 1e-12);
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(double(total[axis]), 0, 1e-12);
}

/// The definition, evaluated independently: forces of each bond's energy by finite differences, with positions relative
/// to the midpoint of the bond.
TEST_P(Reference, CentroidVirialIsThatOfTheForcesOfEachBond) {
  const auto expected = system.reference();
  const int n = system.n_all();
  std::vector<ReferenceTersoff::Centroid> centroid(n);
  for (const int i : system.centres())
    for (int j = 0; j < n; ++j) {
      if (i == j || system.distance(i, j) > system.table.cutoff()) continue;
      for (int a = 0; a < n; ++a)
        for (int axis = 0; axis < 3; ++axis) {
          const auto moved = [&](Number by) {
            auto at = x;
            at[a][axis] += by;
            return ReferenceTersoff::bond_energy(system.table, at, element, i, j);
          };
          const Number force = -central_difference(moved, Number(0), Number(1e-5));
          for (int v = 0; v < 9; ++v)
            if (ReferenceTersoff::column[v] == axis) {
              const int row = ReferenceTersoff::row[v];
              centroid[a][v] += (x[a][row] - (x[i][row] + x[j][row]) / 2) * force;
            }
        }
    }
  for (int a = 0; a < n; ++a)
    for (int v = 0; v < 9; ++v)
      EXPECT_NEAR(double(expected.atom_centroid[a][v] - centroid[a][v]), 0, 1e-11 * double(1 + expected.force_size[a]))
          << "atom " << a << " component " << v;
}

/// The sum over atoms is the total virial, a symmetric tensor because the energy is invariant under rotation.
TEST_P(Reference, CentroidVirialsAddUpToTheVirial) {
  const auto expected = system.reference();
  ReferenceTersoff::Centroid sum = {};
  for (const auto &centroid : expected.atom_centroid)
    for (int v = 0; v < 9; ++v) sum[v] += centroid[v];
  const int same[9] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
  for (int v = 0; v < 9; ++v) EXPECT_NEAR(double(sum[v]), double(expected.virial[same[v]]), 1e-11) << v;
}

/// Two bonded atoms have the published pair energy with b = 1.
TEST(ReferencePair, HasNoBondOrder) {
  System system(one_element(silicon_t3()));
  system.add({0, 0, 0});
  system.add({2.3, 0, 0});
  const auto &e = system.table.triplets[0];
  EXPECT_NEAR(double(system.reference().energy), e.A * std::exp(-2.3 * e.lam1) - e.B * std::exp(-2.3 * e.lam2), 1e-12);
}

/// The cohesive energy of perfect T3 silicon is -4.63 eV (1989, table II); the atom has all its bonds.
TEST(ReferenceCrystal, HasThePublishedCohesiveEnergy) {
  const System system = diamond(silicon_t3(), 3, 0);
  const auto expected = system.reference();
  const int inner = 8 * 13 + 4;  // in the central cell
  ASSERT_EQ(expected.bonds[inner], 4);
  EXPECT_NEAR(double(expected.atom_energy[inner]), -4.63, 0.005);
}

TEST(Systems, HaveTheCoordinationsThatTheLoopsDistinguish) {
  const auto bonds = coordinations(silicon_t3()).reference().bonds;
  for (const int n : {0, 1, 2, 3, 4, 5, 8, 11, 12, 13, 14, 40})
    EXPECT_NE(std::find(bonds.begin(), bonds.end(), n), bonds.end()) << n;
  EXPECT_GT(std::count(bonds.begin(), bonds.end(), 4), 3);
}

/// A cluster of three elements in which some atoms are bonded only as third atom, or only as partner.
TEST(Systems, ThreeElementsHaveUnequalCutoffs) {
  const System system = random_cluster(three_elements(), 60, 8, 1.4, 12);
  int partner_only = 0, third_only = 0;
  for (int i = 0; i < system.n_all(); ++i)
    for (int k = 0; k < system.n_all(); ++k) {
      const int ei = system.type[i] - 1, ek = system.type[k] - 1;
      if (i == k || system.distance(i, k) >= system.table.cutoff(ei, ek)) continue;
      const bool partner = system.distance(i, k) < system.table.at(ei, ek, ek).cutoff();
      bool third = false;
      for (int e = 0; e < 3; ++e)
        third = third || (e != ek && system.distance(i, k) < system.table.at(ei, e, ek).cutoff());
      partner_only += partner && !third;
      third_only += third && !partner;
    }
  EXPECT_GT(partner_only, 3);
  EXPECT_GT(third_only, 10);
}

}  // namespace
}  // namespace triad

// The reference itself: its forces and virial against differences of its energy, and its systems.
#include <gtest/gtest.h>

#include <algorithm>

#include "loops/systems.h"
#include "physics/central_difference.h"

namespace triad {
namespace {

using Number = ReferenceTersoff::Number;
using Vector = ReferenceTersoff::Vector;

class Reference : public testing::TestWithParam<NamedSystem> {
 protected:
  const System system = GetParam().make();
  const std::vector<int> element = [this] {
    std::vector<int> list;
    for (const int type : system.type) list.push_back(system.type_to_element[type]);
    return list;
  }();
  const std::vector<Vector> x = [this] {
    std::vector<Vector> list;
    for (int i = 0; i < system.n_all(); ++i)
      list.push_back({system.x[3 * i], system.x[3 * i + 1], system.x[3 * i + 2]});
    return list;
  }();
  Number energy(const std::vector<Vector> &at) const {
    return ReferenceTersoff(system.table, at, element, system.centres()).energy;
  }
};

/// Small enough for an energy per coordinate.
INSTANTIATE_TEST_SUITE_P(
    , Reference,
    testing::Values(NamedSystem{"SiliconT3", [] { return random_cluster(one_element(silicon_t3()), 12, 5, 1.9, 1); }},
                    NamedSystem{"SiliconT2", [] { return random_cluster(one_element(silicon_t2()), 12, 5, 1.9, 2); }},
                    NamedSystem{"GalliumNitride", [] { return random_cluster(gallium_nitride(), 12, 4.5, 1.6, 3); }},
                    NamedSystem{"ThreeElements", [] { return random_cluster(three_elements(), 15, 4.8, 1.4, 4); }}),
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

TEST_P(Reference, SharesAddUp) {
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

/// Two bonded atoms: the energy of the published pair, b = 1.
TEST(ReferencePair, HasNoBondOrder) {
  System system(one_element(silicon_t3()));
  system.add({0, 0, 0});
  system.add({2.3, 0, 0});
  const auto &e = system.table.triplets[0];
  EXPECT_NEAR(double(system.reference().energy), e.A * std::exp(-2.3 * e.lam1) - e.B * std::exp(-2.3 * e.lam2), 1e-12);
}

/// The perfect crystal's cohesive energy of T3 silicon, -4.63 eV (1989, table II): an atom with all its bonds.
TEST(ReferenceCrystal, HasThePublishedCohesiveEnergy) {
  const System system = diamond(silicon_t3(), 3, 0);
  const auto expected = system.reference();
  const int inner = 8 * 13 + 4;  // in the central cell
  ASSERT_EQ(expected.bonds[inner], 4);
  EXPECT_NEAR(double(expected.atom_energy[inner]), -4.63, 0.005);
}

TEST(Systems, HaveTheCoordinationsThatTheLoopsTellApart) {
  const auto bonds = coordinations(silicon_t3()).reference().bonds;
  for (const int n : {0, 1, 2, 3, 4, 5, 8, 11, 12, 13, 14, 40})
    EXPECT_NE(std::find(bonds.begin(), bonds.end(), n), bonds.end()) << n;
  EXPECT_GT(std::count(bonds.begin(), bonds.end(), 4), 3);
}

/// A cluster of three elements in which some atoms are bonded as a third atom only, or as a partner only.
TEST(Systems, ThreeElementsHaveUnequalCutoffs) {
  const System system = random_cluster(three_elements(), 60, 8, 1.4, 12);
  int partner_only = 0, third_only = 0;
  for (int i = 0; i < system.n_all(); ++i)
    for (int k = 0; k < system.n_all(); ++k) {
      const int ei = system.type[i] - 1, ek = system.type[k] - 1;
      if (i == k || system.distance(i, k) >= system.table.reach(ei, ek)) continue;
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

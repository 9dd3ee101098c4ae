// Invariances of any potential under motions of space and renumbering of atoms, and the relations of forces, virial and
// heat current to the energy. The tests examine the loops directly, without a reference.

#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "forces/backends.h"
#include "potentials/central_difference.h"

namespace triad {
namespace {

using Matrix = std::array<std::array<double, 3>, 3>;
constexpr int row[9] = {0, 1, 2, 0, 0, 1, 1, 2, 2}, column[9] = {0, 1, 2, 1, 2, 2, 0, 0, 1};

std::vector<NamedSystem> systems() {
  return {
      {"Silicon", [] { return random_cluster(one_element(silicon_t3_lambda3()), 30, 7, 1.9, 80); }},
      {"Diamond", [] { return diamond(silicon_t3(), 2, 0.15); }},
      {"ThreeElements", [] { return random_cluster(shifted(three_elements(), -0.2), 30, 6.5, 1.4, 86); }},
      {"ModC", [] { return random_cluster(mod_c(0.1), 30, 7, 1.8, 82); }},
      {"TwoElementsMod", [] { return random_cluster(two_elements_mod(TersoffVariant::Mod), 30, 6, 1.4, 83); }},
      {"Zbl", [] { return random_cluster(silicon_carbide_zbl(), 30, 6, 1.3, 84); }},
  };
}

class Invariances : public testing::TestWithParam<std::tuple<Backend, NamedSystem>> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
    const auto reference = system.reference();
    for (int i = 0; i < system.n_all(); ++i) {
      error.push_back(2 * relative_error(backend) * double(reference.force_size[i]) + 128 * fixed_point::quantum);
      total_error += error.back();
    }
  }
  Results results_of(const System &of) const { return compute_once(backend, of, NeighbourList(of)); }
  double energy_of(const System &of) const { return compute_once(backend, of, NeighbourList(of), totals).energy; }

  const Backend backend = std::get<0>(GetParam());
  const System system = std::get<1>(GetParam()).make();
  std::vector<double> error;  // of the force on an atom, twice, and of a virial divided by a length
  double total_error = 0;
  const double arm = 1.5 * system.table.cutoff();
};

std::string name_of(const testing::TestParamInfo<Invariances::ParamType> &info) {
  return testing::PrintToString(std::get<0>(info.param)) + testing::PrintToString(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(, Invariances,
                         testing::Combine(testing::ValuesIn(all_backends()), testing::ValuesIn(systems())), name_of);

TEST_P(Invariances, CentroidVirialsAddUpToTheVirial) {
  const Results results = results_of(system);
  const int same[9] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
  for (int v = 0; v < 9; ++v) {
    double sum = 0;
    for (int i = 0; i < system.n_all(); ++i) sum += results.atom_centroid[9 * i + v];
    EXPECT_NEAR(sum, results.virial[same[v]], arm * total_error) << "component " << v;
  }
}

TEST_P(Invariances, NothingChangesWithTranslation) {
  System moved = system;
  for (int i = 0; i < system.n_all(); ++i) {
    moved.x[3 * i] += 113.7;
    moved.x[3 * i + 1] -= 57.3;
    moved.x[3 * i + 2] += 0.9;
  }
  const Results here = results_of(system), there = results_of(moved);
  EXPECT_NEAR(there.energy, here.energy, total_error);
  for (int i = 0; i < system.n_all(); ++i) {
    EXPECT_NEAR(there.atom_energy[i], here.atom_energy[i], error[i]) << "atom " << i;
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(there.force[3 * i + axis], here.force[3 * i + axis], error[i]) << "atom " << i;
    for (int v = 0; v < 6; ++v)
      EXPECT_NEAR(there.atom_virial[6 * i + v], here.atom_virial[6 * i + v], arm * error[i]) << "atom " << i;
    for (int v = 0; v < 9; ++v)
      EXPECT_NEAR(there.atom_centroid[9 * i + v], here.atom_centroid[9 * i + v], arm * error[i]) << "atom " << i;
  }
}

/// Rotation by Euler angles, orthogonal to rounding error.
Matrix rotation(double a, double b, double c) {
  const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b), cc = std::cos(c),
               sc = std::sin(c);
  return {{{ca * cc - cb * sa * sc, -ca * sc - cb * cc * sa, sa * sb},
           {cc * sa + ca * cb * sc, ca * cb * cc - sa * sc, -ca * sb},
           {sb * sc, cc * sb, cb}}};
}

TEST_P(Invariances, EverythingTurnsWithRotation) {
  const Matrix R = rotation(0.7, 1.1, -0.4);
  System turned = system;
  for (int i = 0; i < system.n_all(); ++i)
    for (int a = 0; a < 3; ++a) {
      turned.x[3 * i + a] = 0;
      for (int b = 0; b < 3; ++b) turned.x[3 * i + a] += R[a][b] * system.x[3 * i + b];
    }
  const Results before = results_of(system), after = results_of(turned);
  EXPECT_NEAR(after.energy, before.energy, total_error);
  for (int i = 0; i < system.n_all(); ++i) {
    EXPECT_NEAR(after.atom_energy[i], before.atom_energy[i], error[i]) << "atom " << i;
    Matrix W = {};
    for (int v = 0; v < 9; ++v) W[row[v]][column[v]] = before.atom_centroid[9 * i + v];
    for (int a = 0; a < 3; ++a) {
      double force = 0;
      for (int b = 0; b < 3; ++b) force += R[a][b] * before.force[3 * i + b];
      EXPECT_NEAR(after.force[3 * i + a], force, 2 * error[i]) << "atom " << i;
    }
    for (int v = 0; v < 9; ++v) {
      double expected = 0;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) expected += R[row[v]][a] * W[a][b] * R[column[v]][b];
      EXPECT_NEAR(after.atom_centroid[9 * i + v], expected, 4 * arm * error[i]) << "atom " << i << " component " << v;
    }
  }
}

TEST_P(Invariances, AtomsMayBeNumberedInAnyOrder) {
  const int n = system.n_all();
  Random random(85);
  std::vector<int> old_of(n);
  for (int i = 0; i < n; ++i) old_of[i] = i;
  for (int i = n - 1; i > 0; --i) std::swap(old_of[i], old_of[random.below(i + 1)]);
  System renumbered(system.table);
  for (const int old : old_of)
    renumbered.add({system.x[3 * old], system.x[3 * old + 1], system.x[3 * old + 2]}, system.type[old]);
  const Results before = results_of(system), after = results_of(renumbered);
  EXPECT_NEAR(after.energy, before.energy, total_error);
  for (int v = 0; v < 6; ++v) EXPECT_NEAR(after.virial[v], before.virial[v], arm * total_error);
  for (int i = 0; i < n; ++i) {
    const int old = old_of[i];
    EXPECT_NEAR(after.atom_energy[i], before.atom_energy[old], error[old]) << "atom " << old;
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(after.force[3 * i + axis], before.force[3 * old + axis], error[old]) << "atom " << old;
    for (int v = 0; v < 9; ++v)
      EXPECT_NEAR(after.atom_centroid[9 * i + v], before.atom_centroid[9 * old + v], arm * error[old]);
  }
}

/// Another order of elements leads to another table but the same potential.
TEST_P(Invariances, ElementsMayBeListedInAnyOrder) {
  const int ne = system.table.nelements();
  System relisted = system;
  const auto swapped = [ne](int e) { return ne - 1 - e; };
  for (int i = 0; i < ne; ++i)
    for (int j = 0; j < ne; ++j)
      for (int k = 0; k < ne; ++k)
        relisted.table.triplets[(i * ne + j) * ne + k] = system.table.at(swapped(i), swapped(j), swapped(k));
  for (int &type : relisted.type) type = 1 + swapped(type - 1);
  const Results before = results_of(system), after = results_of(relisted);
  if (backend.precision == Precision::Mixed) {
    EXPECT_TRUE(after == before);
  }
  EXPECT_NEAR(after.energy, before.energy, total_error);  // sums may have another order
  for (int i = 0; i < system.n_all(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_NEAR(after.force[3 * i + axis], before.force[3 * i + axis], error[i]) << "atom " << i;
}

/// Derivatives of the energy of the loops.
using Derivatives = Invariances;
INSTANTIATE_TEST_SUITE_P(, Derivatives,
                         testing::Combine(testing::ValuesIn(backends_of({Precision::Double})),
                                          testing::ValuesIn(systems())),
                         name_of);

TEST_P(Derivatives, ForcesAreMinusTheGradientOfTheEnergy) {
  const Results results = results_of(system);
  for (int i = 0; i < system.n_all(); i += 3)
    for (int axis = 0; axis < 3; ++axis) {
      const auto moved = [&](double by) {
        System at = system;
        at.x[3 * i + axis] += by;
        return energy_of(at);
      };
      EXPECT_NEAR(results.force[3 * i + axis], -central_difference(moved, 0.0, 2e-4), 1e-7 * (1 + 1e7 * error[i]))
          << "atom " << i << " axis " << axis;
    }
}

TEST_P(Derivatives, VirialIsMinusTheStrainDerivativeOfTheEnergy) {
  const Results results = results_of(system);
  for (int v = 0; v < 6; ++v) {
    const auto strained = [&](double strain) {
      System at = system;
      for (int i = 0; i < at.n_all(); ++i) at.x[3 * i + row[v]] += strain * system.x[3 * i + column[v]];
      return energy_of(at);
    };
    EXPECT_NEAR(results.virial[v], -central_difference(strained, 0.0, 1e-4), 1e-6 * (1 + std::abs(results.virial[v])))
        << "component " << v;
  }
}

}  // namespace
}  // namespace triad

// Compares every backend in every precision with the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "core/threads.h"
#include "forces/backends.h"

namespace triad {
namespace {

/// Every backend on every system.
class Loops : public testing::TestWithParam<std::tuple<Backend, NamedSystem>> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  const Backend backend = std::get<0>(GetParam());
  const System system = std::get<1>(GetParam()).make();
};

INSTANTIATE_TEST_SUITE_P(, Loops, testing::Combine(testing::ValuesIn(all_backends()), testing::ValuesIn(all_systems())),
                         [](const auto &info) {
                           return testing::PrintToString(std::get<0>(info.param)) +
                                  testing::PrintToString(std::get<1>(info.param));
                         });

TEST_P(Loops, GiveTheReferencesForces) {
  const NeighbourList list(system);
  expect_matches(compute_once(backend, system, list, forces_only), system, backend, forces_only);
}

TEST_P(Loops, GiveTheReferencesTotals) {
  const NeighbourList list(system);
  expect_matches(compute_once(backend, system, list, totals), system, backend, totals);
}

TEST_P(Loops, GiveTheReferencesPerAtomTallies) {
  const NeighbourList list(system);
  expect_matches(compute_once(backend, system, list), system, backend);
}

/// With rows for a third of the atoms, ghosts receive forces, and energies are those of the bonds that start at owned
/// atoms.
TEST_P(Loops, TreatGhostsAsNeighboursOnly) {
  System with_ghosts = system;
  with_ghosts.n_owned = system.n_all() / 3;
  const NeighbourList list(with_ghosts);
  expect_matches(compute_once(backend, with_ghosts, list, totals), with_ghosts, backend, totals);
  expect_matches(compute_once(backend, with_ghosts, list), with_ghosts, backend);
}

class Backends : public BackendTest {
 protected:
  const Backend &backend = GetParam();
};

INSTANTIATE_TEST_SUITE_P(, Backends, testing::ValuesIn(all_backends()), testing::PrintToStringParamName());

TEST_P(Backends, NameThemselves) {
  const System system = diamond(silicon_t3(), 1, 0);
  const std::string text = backend.make(system)->description();
  const std::string host = usable_threads(2) == 2 ? "host, 2 threads" : "host, 1 thread";
  EXPECT_EQ(text.rfind(backend.location == Backend::Host ? host : "cuda, ", 0), 0u) << text;
}

TEST_P(Backends, AcceptRowsInAnyOrder) {
  System system = random_cluster(three_elements(), 60, 8, 1.4, 21);
  system.n_owned = 45;
  NeighbourList list(system);
  list.shuffle_rows(1);
  expect_matches(compute_once(backend, system, list), system, backend);
  expect_matches(compute_once(backend, system, list, totals), system, backend, totals);
}

TEST_P(Backends, AcceptRowsOfSomeAtomsOnly) {
  System system = random_cluster(three_elements(), 60, 8, 1.4, 26);
  for (int i = 0; i < system.n_all(); i += 3) system.without_row.insert(i);
  const NeighbourList list(system);
  expect_matches(compute_once(backend, system, list), system, backend);
  expect_matches(compute_once(backend, system, list, totals), system, backend, totals);
}

/// All rows have four neighbours and another order than the atoms.
TEST_P(Backends, AcceptRowsOfFourInAnyOrder) {
  const System system = diamond(silicon_t3(), 3, 0);
  const auto bonds = system.reference().bonds;
  System crystal(system.table);  // atoms with four bonds first
  for (const bool inner : {true, false})
    for (int i = 0; i < system.n_all(); ++i)
      if ((bonds[i] == 4) == inner) crystal.add({system.x[3 * i], system.x[3 * i + 1], system.x[3 * i + 2]});
  crystal.n_owned = int(std::count(bonds.begin(), bonds.end(), 4));
  ASSERT_GT(crystal.n_owned, 30);
  crystal.displace(0.02, 5);
  NeighbourList list(crystal);
  expect_matches(compute_once(backend, crystal, list, totals), crystal, backend, totals);
  list.shuffle_rows(2);
  expect_matches(compute_once(backend, crystal, list, totals), crystal, backend, totals);
  expect_matches(compute_once(backend, crystal, list), crystal, backend);
}

/// The list as a table, in the two layouts of KOKKOS.
TEST_P(Backends, AcceptTheListAsATable) {
  const System system = random_cluster(three_elements(), 60, 8, 1.4, 27);
  const NeighbourList list(system);
  const std::size_t n = system.n_all();
  NeighborListView view = list.rows();
  const std::size_t longest = *std::max_element(view.length, view.length + n);
  for (const bool atom_by_atom : {true, false}) {
    view = list.rows();
    view.row_stride = atom_by_atom ? longest : 1;
    view.entry_stride = atom_by_atom ? 1 : n;
    std::vector<int> table(n * longest, -1);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < view.length[i]; ++k) table[i * view.row_stride + k * view.entry_stride] = view.first(i)[k];
    view.neighbour = nullptr;
    view.table = table.data();
    const auto loops = backend.make(system);
    loops->set_neighbours(view, system.atoms());
    expect_matches(compute(*loops, system, everything), system, backend);
  }
}

TEST_P(Backends, IgnoreTheSpecialBitsOfEntries) {
  const System system = diamond(silicon_t3(), 2, 0.1);
  NeighbourList list(system);
  list.set_special_bits();
  expect_matches(compute_once(backend, system, list), system, backend);
}

/// Atoms of types that are mapped to NULL do not interact.
TEST_P(Backends, LeaveUnmappedTypesAlone) {
  System system = random_cluster(three_elements(), 60, 8, 1.4, 22);
  system.type_to_element = {-1, 2, -1, 0, 1, -1};
  for (int i = 0; i < system.n_all(); ++i) system.type[i] = 1 + i % 5;
  system.n_owned = 50;
  const NeighbourList list(system);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  const Results results = compute(*loops, system, everything);
  expect_matches(results, system, backend);
  expect_matches(compute(*loops, system, totals), system, backend, totals);
  for (int i = 0; i < system.n_all(); ++i)
    if (system.type_to_element[system.type[i]] < 0) {
      EXPECT_EQ(results.force[3 * i], 0.0) << "atom " << i;
    }
}

TEST_P(Backends, AcceptOnlyUnmappedTypes) {
  System system = diamond(silicon_t3(), 1, 0);
  system.type_to_element = {-1, -1};
  const Results results = compute_once(backend, system, NeighbourList(system));
  EXPECT_EQ(results.energy, 0.0);
  EXPECT_EQ(results.force, std::vector<double>(3 * system.n_all(), 0.0));
}

TEST_P(Backends, AddToWhatTheArraysHold) {
  const System system = diamond(silicon_t3(), 2, 0.1);
  const NeighbourList list(system);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  expect_matches(compute(*loops, system, everything, 17.0), system, backend, everything, 17.0);
  expect_matches(compute(*loops, system, totals, -3.0), system, backend, totals, -3.0);
}

TEST_P(Backends, GiveEachTallyOnItsOwn) {
  const System system = random_cluster(gallium_nitride(), 40, 7.5, 1.6, 23);
  const NeighbourList list(system);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  for (int bits = 0; bits < 32; ++bits) {
    const TallyRequest request = {bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8), bool(bits & 16)};
    SCOPED_TRACE(bits);
    expect_matches(compute(*loops, system, request), system, backend, request);
  }
}

/// One list, many positions. On the device, small motions reuse the pruned list and large ones renew it, with any
/// tallies.
TEST_P(Backends, FollowMovingAtoms) {
  for (const auto &start : {diamond(silicon_t3(), 2, 0.05), random_cluster(three_elements(), 60, 8, 1.4, 24)}) {
    const NeighbourList list(start);
    const auto loops = backend.make(start);
    loops->set_neighbours(list.rows(), start.atoms());
    const TallyRequest requests[] = {forces_only, totals, everything};
    unsigned step = 0;
    for (const double most : {0.0, 0.02, 0.05, 0.45, 0.02, 0.45, 0.45, 0.1, 0.3, 0.0, 0.45, 0.45}) {
      System moved = start;
      moved.displace(most, step);
      SCOPED_TRACE(step);
      const TallyRequest &request = requests[(step + step / 3) % 3];
      expect_matches(compute(*loops, moved, request), moved, backend, request);
      ++step;
    }
  }
}

/// A single atom leaves and returns: the smallest change for which a list must be renewed.
TEST_P(Backends, FollowOneAtom) {
  const System start = diamond(silicon_t3(), 2, 0);
  const NeighbourList list(start);
  const auto loops = backend.make(start);
  loops->set_neighbours(list.rows(), start.atoms());
  for (const double shift : {0.0, 0.1, 0.2, 0.3, 0.6, 0.9, 0.2, 0.0}) {
    System moved = start;
    moved.x[3 * 20 + 1] += shift;
    SCOPED_TRACE(shift);
    expect_matches(compute(*loops, moved, totals), moved, backend, totals);
  }
}

/// Changes of types (fix atom/swap) do not change the list.
TEST_P(Backends, FollowChangingTypes) {
  System system = random_cluster(three_elements(), 60, 8, 1.4, 25);
  system.type_to_element.push_back(-1);
  const NeighbourList list(system);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  for (const int step : {0, 1, 2, 3}) {
    SCOPED_TRACE(step);
    expect_matches(compute(*loops, system, totals), system, backend, totals);
    for (int i = step; i < system.n_all(); i += 7) system.type[i] = 1 + (system.type[i] + step) % 4;
  }
}

TEST_P(Backends, AcceptNewListsWithOtherAtoms) {
  const auto loops = backend.make(System(three_elements()));
  unsigned seed = 30;
  for (const int n : {20, 60, 7, 1, 0, 33, 100, 0, 100}) {
    const System system = random_cluster(three_elements(), n, 10, 1.3, seed++);
    const NeighbourList list(system);
    loops->set_neighbours(list.rows(), system.atoms());
    for (const TallyRequest &request : {everything, forces_only, totals}) {
      SCOPED_TRACE(n);
      expect_matches(compute(*loops, system, request), system, backend, request);
    }
  }
}

TEST_P(Backends, AcceptNoAtoms) {
  const System nothing(one_element(silicon_t3()));
  const auto loops = backend.make(nothing);
  loops->set_neighbours(NeighborListView(), AtomsView());
  for (int repeat = 0; repeat < 2; ++repeat) {
    ResultsView results;
    results.energy = 5;
    results.virial[3] = 5;
    loops->compute(AtomsView(), everything, results);
    EXPECT_EQ(results.energy, 0.0);
    EXPECT_EQ(results.virial[3], 0.0);
  }
}

/// A rank may have ghosts but no owned atom.
TEST_P(Backends, AcceptNoRows) {
  System system = diamond(silicon_t3(), 1, 0);
  system.n_owned = 0;
  const Results results = compute_once(backend, system, NeighbourList(system));
  EXPECT_EQ(results.energy, 0.0);
  EXPECT_EQ(results.force, std::vector<double>(3 * system.n_all(), 0.0));
}

/// More neighbours than `mixed` supports (test_mixed.cpp) are supported in the other precisions.
using WideBackends = Backends;
INSTANTIATE_TEST_SUITE_P(, WideBackends, testing::ValuesIn(backends_of({Precision::Single, Precision::Double})),
                         testing::PrintToStringParamName());

TEST_P(WideBackends, AcceptThousandsOfNeighbours) {
  System system(one_element(silicon_t2()));
  Random random(40);
  add_star(system, 1100, {0, 0, 0}, 2.0, 3.19, 0, random);
  system.n_owned = 1;
  expect_matches(compute_once(backend, system, NeighbourList(system), totals), system, backend, totals);
}

/// Atoms exactly on the edges of the taper and on both sides, as partner and as third atom.
TEST_P(Backends, AgreeOnTheEdgesOfTheCutoff) {
  const TersoffTable tables[] = {one_element(silicon_t3()),
                                 one_element(silicon_step()),
                                 mod(),
                                 mod_c(),
                                 zbl(),
                                 shifted(one_element(silicon_t3()), -0.25),
                                 mod(0.25)};
  for (const TersoffTable &table : tables) {
    const TersoffEntry &e = table.triplets[0];
    for (const double edge : {e.R - e.D, e.R, e.R + e.D})
      for (const double offset : {-1e-3, -1e-9, 0.0, 1e-9, 1e-3}) {
        if (e.D == 0 && std::abs(offset) == 1e-9) continue;  // fp32 does not resolve the side of the step
        System system(table);
        system.add({0, 0, 0});
        system.add({1.625, 1.5, 0.25});
        system.add({0, 0, -(edge - table.shift) - offset});
        SCOPED_TRACE("edge " + std::to_string(edge) + " offset " + std::to_string(offset));
        // At 1e-9 A from the edge, the slope of the taper has half of the digits of a double: the measured error is 210
        // times that of other cases.
        const double times = backend.precision == Precision::Double ? 210 : 1;
        expect_matches(compute_once(backend, system, NeighbourList(system)), system, backend, everything, 0, times);
        expect_matches(compute_once(backend, system, NeighbourList(system), totals), system, backend, totals, 0, times);
      }
  }
}

/// A NaN position never leads to finite results: the backend throws, or results are NaN.
TEST_P(Backends, NeverHideThatAPositionIsNotANumber) {
  System system = diamond(silicon_t3(), 2, 0);
  const NeighbourList list(system);
  for (const bool from_the_start : {true, false}) {
    const auto loops = backend.make(system);
    System broken = system;
    broken.x[3 * 20] = std::numeric_limits<double>::quiet_NaN();
    loops->set_neighbours(list.rows(), from_the_start ? broken.atoms() : system.atoms());
    if (!from_the_start) compute(*loops, system, totals);
    try {
      const Results results = compute(*loops, broken, totals);
      EXPECT_TRUE(std::isnan(results.energy)) << "new list " << from_the_start;
      EXPECT_TRUE(std::isnan(results.force[3 * 20])) << "new list " << from_the_start;
    } catch (const LoopError &) {
    }
  }
}

/// Thousands of identical molecules along a long box: more rows than one iteration of a grid-stride loop, and
/// coordinates a million times a bond length.
class ManyMolecules : public BackendTest {
 protected:
  static constexpr int copies = 12000;
  static constexpr double spacing = 128;  // a power of two keeps the copies exact

  static System molecule() {
    System system(one_element(silicon_t3()));
    system.add({0, 0, 0});
    system.add({2.25, 0.5, -0.125});
    system.add({-0.5, 2.125, 0.75});
    return system;
  }
  static System all_copies() {
    System system(molecule().table);
    const System one = molecule();
    system.n_owned = 3 * copies;
    for (int c = 0; c < copies; ++c)
      for (int i = 0; i < 3; ++i) {
        for (int axis = 0; axis < 3; ++axis)
          system.x.push_back(one.x[3 * i + axis] + (axis == 0 ? spacing * (c - copies / 2) : -spacing * c));
        system.type.push_back(1);
      }
    return system;
  }
  static NeighbourList list() {
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 3 * copies; ++i) {
      const int first = i - i % 3;
      rows.push_back({first + (i % 3 + 1) % 3, first + (i % 3 + 2) % 3});
    }
    return NeighbourList(rows);
  }
};

INSTANTIATE_TEST_SUITE_P(, ManyMolecules, testing::ValuesIn(all_backends()), testing::PrintToStringParamName());

TEST_P(ManyMolecules, HaveEqualForces) {
  const System one = molecule(), all = all_copies();
  const NeighbourList rows = list();
  const auto loops = GetParam().make(all);
  loops->set_neighbours(rows.rows(), all.atoms());
  const auto expected = one.reference();
  for (const TallyRequest &request : {totals, everything}) {
    const Results results = compute(*loops, all, request);
    for (int i = 0; i < 3 * copies; ++i)
      for (int axis = 0; axis < 3; ++axis)
        ASSERT_NEAR(results.force[3 * i + axis], double(expected.force[i % 3][axis]),
                    1e-8 + relative_error(GetParam()) * double(expected.force_size[i % 3]))
            << "atom " << i;
    const double size = double(expected.energy_size[0] + expected.energy_size[1] + expected.energy_size[2]);
    EXPECT_NEAR(results.energy / copies, double(expected.energy), relative_error(GetParam()) * size);
  }
}

}  // namespace
}  // namespace triad

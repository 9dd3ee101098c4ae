// Features of the CUDA backends alone: forces on ghosts are added to their owners.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "forces/backends.h"
#include "testing/periodic_copies.h"

namespace triad {
namespace {

class DeviceBackend : public BackendTest {};

INSTANTIATE_TEST_SUITE_P(, DeviceBackend,
                         testing::Values(Backend{Backend::Device, Precision::Single},
                                         Backend{Backend::Device, Precision::Mixed},
                                         Backend{Backend::Device, Precision::Double}),
                         testing::PrintToStringParamName());

/// Sums `width` numbers per atom over an owned atom and its ghosts; ghosts keep the initial value.
std::vector<double> returned_to_owners(std::vector<double> values, const std::vector<int> &owner, int n_owned,
                                       int width, double initial) {
  for (std::size_t g = 0; g < owner.size(); ++g)
    for (int k = 0; k < width; ++k) {
      double &ghost = values[(n_owned + g) * width + k];
      values[std::size_t(owner[g]) * width + k] += ghost - initial;
      ghost = initial;
    }
  return values;
}

void expect_near(const std::vector<double> &found, const std::vector<double> &expected, double relative) {
  double largest = 1;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(found[k], expected[k], relative * largest) << k;
}

/// Compares with the same backend without owners. Several ghosts have the same owner, and some atoms have no ghosts.
TEST_P(DeviceBackend, AddsGhostForcesToOwners) {
  System system = random_cluster(three_elements(), 90, 9, 1.4, 31);
  system.n_owned = 40;
  const NeighbourList list(system);
  std::vector<int> owner;
  for (int g = 0; g < system.n_all() - system.n_owned; ++g) owner.push_back((7 * g) % 33);
  const double initial = 0.5, relative = relative_error(GetParam());
  for (const TallyRequest &request : {forces_only, totals, everything}) {
    const auto with_owners = GetParam().make(system), without = GetParam().make(system);
    AtomsView atoms = system.atoms();
    atoms.owner = owner.data();
    with_owners->set_neighbours(list.rows(), atoms);
    without->set_neighbours(list.rows(), system.atoms());
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Results expected = compute(*without, system, request, initial);
      const Results found = compute(*with_owners, system, request, initial);
      expect_near(found.force, returned_to_owners(expected.force, owner, system.n_owned, 3, initial), relative);
      expect_near(found.atom_energy, returned_to_owners(expected.atom_energy, owner, system.n_owned, 1, initial),
                  relative);
      expect_near(found.atom_virial, returned_to_owners(expected.atom_virial, owner, system.n_owned, 6, initial),
                  relative);
      expect_near(found.atom_centroid, returned_to_owners(expected.atom_centroid, owner, system.n_owned, 9, initial),
                  relative);
      EXPECT_NEAR(found.energy, expected.energy, relative * std::abs(expected.energy));
    }
  }
}

/// The number of atoms that each atom has within a distance.
std::vector<int> neighbours_within(const System &system, double distance) {
  std::vector<int> found(system.n_all());
  for (int i = 0; i < system.n_all(); ++i)
    for (int j = 0; j < system.n_all(); ++j) found[i] += j != i && system.distance(i, j) < distance;
  return found;
}

/// The system without atoms that have more than eight neighbours within `distance`.
System with_up_to_eight(System system, double distance) {
  for (;;) {
    const std::vector<int> neighbours = neighbours_within(system, distance);
    const auto most = std::max_element(neighbours.begin(), neighbours.end());
    if (most == neighbours.end() || *most <= 8) return system;
    const auto i = most - neighbours.begin();
    system.x.erase(system.x.begin() + 3 * i, system.x.begin() + 3 * i + 3);
    system.type.erase(system.type.begin() + i);
    system.n_owned = system.n_all();
  }
}

/// Rows of five to eight entries have a kernel of their own where forces are gathered. Every variant and model, with
/// totals and without.
TEST_P(DeviceBackend, GathersRowsOfFiveToEightEntries) {
  int systems = 0;
  for (const NamedSystem &named : all_systems()) {
    const System any = named.make(), system = with_up_to_eight(any, 1.2 * any.table.cutoff());
    const std::vector<int> neighbours = neighbours_within(system, system.table.cutoff());
    if (std::none_of(neighbours.begin(), neighbours.end(), [](int n) { return n > 4; })) continue;
    ++systems;
    SCOPED_TRACE(named.name);
    const NeighbourList list(system);
    setenv("TRIAD_REDUCTION", "gather", 1);
    const auto backend = GetParam().make(system);
    unsetenv("TRIAD_REDUCTION");
    backend->set_neighbours(list.rows(), system.atoms());
    for (const TallyRequest &request : {forces_only, totals, everything, forces_only})
      expect_matches(compute(*backend, system, request), system, GetParam(), request);
  }
  EXPECT_GE(systems, 20);
}

/// The bits of results are the same with lists of different lengths, which other kernels compute: a list without
/// entries beyond the cutoff, and one with all that the inner skin contains. In mixed, all results; in single and
/// double, forces that are gathered. Rows of up to eight entries, and longer ones.
TEST_P(DeviceBackend, ComputesTheSameBitsWithEntriesBeyondTheCutoff) {
  const bool mixed = GetParam().precision == Precision::Mixed;
  const std::vector<const char *> reductions =
      mixed ? std::vector<const char *>{"gather", "atomic", "auto"} : std::vector<const char *>{"gather"};
  int with_entries_beyond = 0;
  for (const NamedSystem &named : all_systems())
    for (const bool up_to_eight : {true, false}) {
      if (!up_to_eight && !mixed) continue;  // rows of the general table are not gathered
      const System any = named.make(), system = up_to_eight ? with_up_to_eight(any, 1.2 * any.table.cutoff()) : any;
      SCOPED_TRACE(named.name + (up_to_eight ? ", up to eight neighbours" : ""));
      const double cutoff = system.table.cutoff();
      with_entries_beyond += neighbours_within(system, cutoff) != neighbours_within(system, 1.1 * cutoff);
      const NeighbourList all(system), within(system, cutoff * (1 + 1e-6));
      std::map<std::string, Results> expected;
      for (const char *const reduction : reductions)
        for (const NeighbourList *list : {&within, &all}) {
          NeighborListView rows = list->rows();
          rows.cutoff = all.rows().cutoff;  // on which the resolution of positions depends
          setenv("TRIAD_REDUCTION", reduction, 1);
          const auto backend = GetParam().make(system);
          unsetenv("TRIAD_REDUCTION");
          backend->set_neighbours(rows, system.atoms());
          for (const auto &[name, request] :
               {std::pair("forces", forces_only), std::pair("totals", totals), std::pair("all", everything)}) {
            const Results found = compute(*backend, system, request);
            const Results &first = expected.emplace(name, found).first->second;
            const auto expect_equal = [&, of = name](const char *what, const auto &value, const auto &first_value) {
              EXPECT_TRUE(value == first_value) << what << ", " << reduction << ", " << of;
            };
            expect_equal("forces", found.force, expected.at("forces").force);
            if (!mixed) continue;
            expect_equal("energy", found.energy, first.energy);
            expect_equal("virial", found.virial, first.virial);
            expect_equal("energies of atoms", found.atom_energy, first.atom_energy);
            expect_equal("virials of atoms", found.atom_virial, first.atom_virial);
            expect_equal("centroid virials of atoms", found.atom_centroid, first.atom_centroid);
          }
        }
    }
  EXPECT_GE(with_entries_beyond, 10);
}

/// A periodic crystal with ghosts, whose forces are gathered.
class PeriodicCrystal : public BackendTest {
 protected:
  static System crystal(double most, const NamedEntry &potential = silicon_t3()) {
    System owned = diamond(potential, 2, most);
    owned.n_owned = owned.n_all();
    return owned;
  }
  static constexpr double edge = 2 * 5.432;
  const double lengths[3] = {edge, edge, edge};

  std::unique_ptr<TersoffBackend> backend_for(const PeriodicBox &box, bool owners_known) const {
    auto backend = GetParam().make(box.system);
    AtomsView atoms = box.system.atoms();
    if (owners_known) atoms.owner = box.halo.owner.data();
    backend->set_neighbours(box.list.rows(), atoms);
    return backend;
  }
  /// Moves the owned atoms by up to `most`, and takes their ghosts along. Returns the forces in fp64.
  static std::vector<double> moved(PeriodicBox &box, double most, unsigned seed) {
    Random random(seed);
    for (int k = 0; k < 3 * box.n_owned(); ++k) box.system.x[k] += random(-most, most) / std::sqrt(3.0);
    box.compute_forces();
    return box.f;
  }
};

INSTANTIATE_TEST_SUITE_P(
    , PeriodicCrystal,
    testing::Values(Backend{Backend::Cuda, Precision::Single}, Backend{Backend::Cuda, Precision::Mixed},
                    Backend{Backend::Cuda, Precision::Double}, Backend{Backend::Device, Precision::Single},
                    Backend{Backend::Device, Precision::Mixed}, Backend{Backend::Device, Precision::Double}),
    testing::PrintToStringParamName());

/// Rows of up to four entries, some longer rows, and mostly longer ones; within the life of a list and beyond.
TEST_P(PeriodicCrystal, SendsForcesToOwners) {
  for (const char *const reduction : {"gather", "auto", "atomic"})
    for (const double most : {0.05, 0.25, 0.5})
      for (const bool owners_known : {true, false}) {
        SCOPED_TRACE(std::string(reduction) + ", " + std::to_string(most) + ", owners " + std::to_string(owners_known));
        setenv("TRIAD_REDUCTION", reduction, 1);
        PeriodicBox box(crystal(most), lengths, 0);
        const auto backend = backend_for(box, owners_known);
        unsetenv("TRIAD_REDUCTION");
        for (const unsigned seed : {1, 2, 3, 4, 5}) {
          const std::vector<double> expected = moved(box, 0.1, seed);
          const double initial = 0.5;
          const TallyRequest request = seed % 3 == 0 ? everything : seed % 3 == 1 ? totals : forces_only;
          const Results found = compute(*backend, box.system, request, initial);
          const int n = box.n_owned();
          std::vector<double> force =
              owners_known ? found.force : returned_to_owners(found.force, box.halo.owner, n, 3, initial);
          for (std::size_t k = 3 * n; k < force.size(); ++k) ASSERT_EQ(force[k], initial) << k;
          force.resize(expected.size());
          for (double &f : force) f -= initial;
          expect_near(force, expected, relative_error(GetParam()));
        }
      }
}

/// So many atoms that one kernel computes the forces and hands them over: rows of up to four entries, and some longer
/// ones; within the life of a list and beyond. With `inert` atoms, a part of the atoms has a type without an element,
/// and which atoms these are changes.
TEST_P(PeriodicCrystal, CopiesHaveEqualForces) {
  struct Case {
    const char *reduction;
    double most;
    bool inert;
    NamedEntry potential = silicon_t3();
    double farthest = 0.6;  ///< displacement beyond the life of a list
  };
  for (const auto &[reduction, most, some_inert, potential, farthest] :
       {Case{"gather", 0.05, false}, Case{"gather", 0.25, false}, Case{"auto", 0.05, false}, Case{"auto", 0.25, false},
        Case{"gather", 0.05, true}, Case{"auto", 0.25, true}, Case{"auto", 0.25, false, silicon_t3_lambda3(), 0.3}}) {
    const bool inert = some_inert;
    SCOPED_TRACE(std::string(reduction) + ", " + std::to_string(most) + ", inert " + std::to_string(inert));
    PeriodicBox one(crystal(most, potential), lengths, 0);
    one.system.type_to_element.push_back(-1);
    const PeriodicCopies copies(one, 3000);
    System all(one.system.table);
    all.type_to_element = one.system.type_to_element;
    all.n_owned = copies.n;
    const auto make_inert = [&](int first) {  // each seventh atom from `first` on
      for (int i = 0; i < one.n_owned(); ++i) one.system.type[i] = inert && i % 7 == first ? 2 : 1;
      for (int g = 0; g < copies.ghosts_of_one; ++g)
        one.system.type[one.n_owned() + g] = one.system.type[one.halo.owner[g]];
      const auto begin = one.system.type.begin(), ghosts = begin + one.n_owned();
      all.type.clear();
      for (int c = 0; c < copies.copies; ++c) all.type.insert(all.type.end(), begin, ghosts);
      for (int c = 0; c < copies.copies; ++c) all.type.insert(all.type.end(), ghosts, one.system.type.end());
    };
    make_inert(0);
    all.x = copies.all(one.system.x.data());
    setenv("TRIAD_REDUCTION", reduction, 1);
    const auto backend = GetParam().make(all);
    unsetenv("TRIAD_REDUCTION");
    AtomsView atoms = all.atoms();
    atoms.owner = copies.halo.owner.data();
    backend->set_neighbours(copies.list.rows(), atoms);
    const auto of_few = backend_for(one, true);
    for (const unsigned seed : {1, 2, 3, 4, 5, 6}) {
      if (seed == 5) make_inert(3);
      const std::vector<double> expected = moved(one, seed % 3 ? 0.1 : farthest, seed);
      all.x = copies.all(one.system.x.data());
      const double initial = 0.5;
      Results found = compute(*backend, all, seed == 4 ? totals : forces_only, initial);
      for (std::size_t k = 3 * std::size_t(copies.n); k < found.force.size(); ++k) ASSERT_EQ(found.force[k], initial);
      found.force.resize(3 * std::size_t(copies.n));
      const std::size_t one_copy = 3 * std::size_t(copies.n_of_one);
      if (reduction == std::string("gather")) {
        for (std::size_t k = one_copy; k < found.force.size(); ++k)
          ASSERT_EQ(found.force[k], found.force[k - one_copy]) << k;
      }
      if (GetParam().precision == Precision::Mixed) {  // few atoms have other kernels
        const std::vector<double> few = compute(*of_few, one.system, forces_only, initial).force;
        for (std::size_t k = 0; k < one_copy; ++k) ASSERT_EQ(found.force[k], few[k]) << k;
      }
      for (double &f : found.force) f -= initial;
      expect_near(found.force, copies.owned(expected.data()), relative_error(GetParam()));
    }
  }
}

TEST_P(PeriodicCrystal, HasTheSameBitsInEveryRun) {
  PeriodicBox box(crystal(0.05), lengths, 0);
  setenv("TRIAD_REDUCTION", "gather", 1);
  const auto one = backend_for(box, true), other = backend_for(box, true);
  unsetenv("TRIAD_REDUCTION");
  for (const unsigned seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    moved(box, 0.1, seed);
    EXPECT_EQ(compute(*one, box.system, forces_only).force, compute(*other, box.system, forces_only).force);
  }
}

}  // namespace
}  // namespace triad

// Guarantees of precision mixed: bitwise independence of threads and timing, exact conservation of momentum, and an
// error if the fixed-point range is exceeded.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "forces/backends.h"

namespace triad {
namespace {

TEST(FixedPoint, RoundsToTheNearestQuantum) {
  for (const float quanta : {0.0f, 1.0f, -1.0f, 0.4f, -0.4f, 0.6f, -0.6f, 2.4f, -2.6f, 12345678.0f}) {
    const auto word = fixed_point::from_force(quanta / fixed_point::per_unit);
    EXPECT_EQ(word, std::llround(quanta)) << quanta;
    EXPECT_EQ(fixed_point::to_force(word), double(word) * fixed_point::quantum);
  }
  EXPECT_EQ(fixed_point::to_force(fixed_point::from_force(-1048575.9375f)), -1048575.9375);
}

TEST(FixedPoint, HasARange) {
  const float most = std::nextafter(fixed_point::max_contribution, 0.0f), infinity = INFINITY, nan = NAN;
  for (const float sign : {-1.0f, 1.0f}) {
    EXPECT_TRUE(fixed_point::in_range({sign * most, 0, 0}));
    EXPECT_TRUE(fixed_point::in_range({0, 0, sign * most}));
    EXPECT_FALSE(fixed_point::in_range({0, sign * fixed_point::max_contribution, 0}));
    EXPECT_FALSE(fixed_point::in_range({0, 0, sign * infinity}));
    EXPECT_FALSE(fixed_point::in_range({0, sign * nan, 0}));
  }
  // The maximum number of contributions of maximum size to an atom, and as many reactions of its own.
  EXPECT_LT(2.0 * (fixed_point::neighbour_limit - 1) * fixed_point::max_contribution * fixed_point::per_unit, 0x1p63);
}

class Mixed : public BackendTest {
 protected:
  const Backend &backend = GetParam();

  /// Returns the message of the error for `system`, or an empty string.
  static std::string error_of(TersoffBackend &loops, const System &system, const TallyRequest &request) {
    try {
      compute(loops, system, request);
    } catch (const LoopError &error) {
      return error.what();
    }
    return {};
  }
  std::string error_of(const System &system) const {
    const NeighbourList list(system);
    const auto loops = backend.make(system);
    loops->set_neighbours(list.rows(), system.atoms());
    EXPECT_NE(error_of(*loops, system, totals), "");
    EXPECT_NE(error_of(*loops, system, everything), "");
    return error_of(*loops, system, forces_only);
  }
};

INSTANTIATE_TEST_SUITE_P(, Mixed, testing::ValuesIn(backends_of({Precision::Mixed})),
                         testing::PrintToStringParamName());

std::vector<System> samples() {
  return {coordinations(silicon_t3()),
          diamond(silicon_t3(), 3, 0.1),
          random_cluster(three_elements(), 150, 11, 1.4, 50),
          random_cluster(gallium_nitride(), 150, 12, 1.6, 51),
          diamond(mod_c(0.05), 3, 0.1),
          random_cluster(silicon_carbide_zbl(), 150, 11, 1.5, 54)};
}

TEST_P(Mixed, RepeatsItsBits) {
  for (const System &system : samples()) {
    const NeighbourList list(system);
    for (const TallyRequest &request : {totals, everything}) {
      const Results first = compute_once(backend, system, list, request);
      const auto loops = backend.make(system);
      loops->set_neighbours(list.rows(), system.atoms());
      for (int repeat = 0; repeat < 3; ++repeat) EXPECT_TRUE(compute(*loops, system, request) == first);
    }
  }
}

TEST_P(Mixed, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const System &system : samples()) {
    const NeighbourList list(system);
    for (const TallyRequest &request : {totals, everything}) {
      const auto with = [&](int threads) {
        return compute_once({backend.location, Precision::Mixed, threads, backend.isa}, system, list, request);
      };
      const Results one = with(1);
      EXPECT_TRUE(with(2) == one);
      EXPECT_TRUE(with(3) == one);
    }
  }
}

TEST_P(Mixed, HasTheSameForcesInAnyOrderOfRows) {
  for (const System &system : samples()) {
    NeighbourList list(system);
    const Results in_order = compute_once(backend, system, list);
    list.shuffle_rows(52);
    const Results shuffled = compute_once(backend, system, list);
    EXPECT_EQ(shuffled.force, in_order.force);
    EXPECT_EQ(shuffled.atom_energy, in_order.atom_energy);
    EXPECT_EQ(shuffled.atom_virial, in_order.atom_virial);
    EXPECT_EQ(shuffled.atom_centroid, in_order.atom_centroid);
  }
}

TEST_P(Mixed, ConservesMomentumExactly) {
  for (System &system : samples()) {
    system.n_owned -= system.n_owned / 4;  // ghosts keep their contributions until reverse communication
    const NeighbourList list(system);
    for (const TallyRequest &request : {forces_only, everything}) {
      const Results results = compute_once(backend, system, list, request);
      std::int64_t sum[3] = {0, 0, 0};
      for (std::size_t k = 0; k < results.force.size(); ++k) {
        const double quanta = results.force[k] / fixed_point::quantum;
        ASSERT_EQ(quanta, std::nearbyint(quanta)) << "not a multiple of the quantum";
        sum[k % 3] += std::int64_t(quanta);
      }
      EXPECT_EQ(sum[0], 0);
      EXPECT_EQ(sum[1], 0);
      EXPECT_EQ(sum[2], 0);
    }
  }
}

/// Three atoms; the first two have the distance `apart`.
System overlapping(double apart) {
  System system(one_element(silicon_t3()));
  system.add({100.25, -3.5, 7});
  system.add({100.25 + apart, -3.5, 7});
  system.add({101.25, -1.5, 7.5});
  return system;
}

TEST_P(Mixed, RefusesAtomsOnTopOfEachOther) {
  for (const double apart : {1e-9, 0.0})
    EXPECT_NE(error_of(overlapping(apart)).find("(100.25, -3.5, 7)"), std::string::npos) << apart;
}

TEST_P(Mixed, RefusesForcesOutOfRange) {
  System system = diamond(silicon_t3(), 2, 0);
  system.table.triplets[0].A = 1e10;
  EXPECT_NE(error_of(system).find("use precision double"), std::string::npos);
}

/// Large forces within the range of 2^20 force units per bond.
TEST_P(Mixed, AcceptsForcesWithinRange) {
  System system = diamond(silicon_t3(), 2, 0.1);
  system.table.triplets[0].A = 1e7;
  expect_matches(compute_once(backend, system, NeighbourList(system)), system, backend);
}

TEST_P(Mixed, RefusesPositionsThatAreNotNumbers) {
  System system = diamond(silicon_t3(), 2, 0);
  const NeighbourList list(system);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  compute(*loops, system, totals);
  system.x[3 * 20 + 2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(error_of(*loops, system, totals), "");
}

TEST_P(Mixed, GoesOnAfterAnError) {
  const System bad = overlapping(0), good = diamond(silicon_t3(), 2, 0.1);
  const NeighbourList bad_list(bad), good_list(good);
  const auto loops = backend.make(good);
  loops->set_neighbours(bad_list.rows(), bad.atoms());
  EXPECT_NE(error_of(*loops, bad, everything), "");
  loops->set_neighbours(good_list.rows(), good.atoms());
  EXPECT_TRUE(compute(*loops, good, everything) == compute_once(backend, good, good_list));
}

/// The fixed-point sum of an atom cannot wrap for up to 1023 neighbours.
TEST_P(Mixed, AcceptsUpTo1023Neighbours) {
  System system(one_element(silicon_t2()));
  Random random(53);
  add_star(system, 1023, {0, 0, 0}, 2.0, 3.19, 0, random);
  system.n_owned = 1;
  // The 1023 forces on the central atom cancel: the measured error is 1.8e-6, six times that of other cases.
  expect_matches(compute_once(backend, system, NeighbourList(system), totals), system, backend, totals, 0, 6);
  add_star(system, 0, {0, 0, 2.5}, 0, 0, 0, random);
  system.n_owned = 1;
  EXPECT_NE(error_of(system).find("1023"), std::string::npos);
}

/// One of many molecules has overlapping atoms: the message names an atom of that molecule.
TEST_P(Mixed, NamesTheAtomAtFault) {
  constexpr int copies = 20000;  // more rows than one iteration of a grid-stride loop
  System system(one_element(silicon_t3()));
  std::vector<std::vector<int>> rows;
  for (int c = 0; c < copies; ++c) {
    const double y = c == 17 ? 0 : 2.25;
    for (const auto &at : {std::array<double, 3>{64.0 * c, 0, 0}, {64.0 * c, y, 0}, {64.0 * c, 0, 2.25}}) {
      system.x.insert(system.x.end(), at.begin(), at.end());
      system.type.push_back(1);
    }
    for (int i = 0; i < 3; ++i) rows.push_back({3 * c + (i + 1) % 3, 3 * c + (i + 2) % 3});
  }
  system.n_owned = system.n_all();
  const NeighbourList list(rows);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  const std::string message = error_of(*loops, system, totals);
  EXPECT_NE(message.find("(" + std::to_string(64 * 17) + ","), std::string::npos) << message;
}

}  // namespace
}  // namespace triad

// Properties of the host loops beyond accuracy: results that are bitwise independent of the number of threads, in every
// precision and with every instruction set, and the selection of the instruction set.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "forces/backends.h"
#include "neighbor/host/expected_motion.h"
#include "neighbor/host/pruned_list.h"

namespace triad {
namespace {

std::vector<Backend> host_backends() {
  std::vector<Backend> hosts;
  for (const Backend &backend : all_backends())
    if (backend.location == Backend::Host) hosts.push_back(backend);
  return hosts;
}

class Host : public testing::TestWithParam<Backend> {
 protected:
  const Backend &backend = GetParam();
  Backend with(int threads) const { return {Backend::Host, backend.precision, threads, backend.isa}; }
};

INSTANTIATE_TEST_SUITE_P(, Host, testing::ValuesIn(host_backends()), testing::PrintToStringParamName());

/// Systems with several chunks, and rows of few and of many neighbours.
std::vector<System> large_systems() {
  return {diamond(silicon_t3(), 7, 0.2), random_cluster(three_elements(), 2600, 26, 1.4, 90),
          random_cluster(silicon_carbide_zbl(), 2600, 26, 1.3, 91)};
}

TEST_P(Host, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const System &start : large_systems()) {
    ASSERT_GT(start.n_owned, 2 * rows_per_chunk(start.n_owned));
    const NeighbourList list(start);
    std::vector<std::unique_ptr<TersoffBackend>> loops;
    for (const int threads : {1, 2, 3, 7}) {
      loops.push_back(with(threads).make(start));
      loops.back()->set_neighbours(list.rows(), start.atoms());
    }
    System moved = start;
    for (const TallyRequest &request : {totals, everything, totals}) {
      const Results one = compute(*loops[0], moved, request);
      for (std::size_t k = 1; k < loops.size(); ++k) EXPECT_TRUE(compute(*loops[k], moved, request) == one);
      moved.displace(0.1, 92);
    }
  }
}

/// Boundary atoms receive the contributions of all chunks.
TEST_P(Host, SumsBoundaryAtoms) {
  System system = diamond(silicon_t3(), 7, 0.15);
  system.n_owned = 2500;
  ASSERT_GT(system.n_owned, 2 * rows_per_chunk(system.n_owned));
  NeighbourList list(system);
  const Results in_order = compute_once(backend, system, list, totals);
  expect_matches(in_order, system, backend, totals);
  list.shuffle_rows(93);  // now every chunk contains atoms from all regions
  const Results shuffled = compute_once(backend, system, list, totals);
  const double error = 100 * relative_error(backend);  // forces are a few eV/A
  for (std::size_t k = 0; k < in_order.force.size(); ++k) ASSERT_NEAR(shuffled.force[k], in_order.force[k], error);
}

/// Previous values in the array are overwritten, also for atoms without neighbours.
TEST_P(Host, ReplacesForcesWhenAsked) {
  System system = random_cluster(three_elements(), 700, 14, 1.2, 95);
  system.add({100, 0, 0});
  const NeighbourList list(system);
  const Results wanted = compute_once(backend, system, list, totals);
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  std::vector<double> force(wanted.force.size(), 1e3);
  ResultsView results;
  results.force = force.data();
  results.replace_force = true;
  loops->compute(system.atoms(), {}, results);
  EXPECT_EQ(force, wanted.force);
  EXPECT_EQ(force.back(), 0);
}

/// Expects displacements of all sizes, some of them not finite, whatever the atoms do.
class RandomMotion : public ExpectedMotion {
 public:
  explicit RandomMotion(const System &system) : random_(96), by_(3 * std::size_t(system.n_all())) {}
  const double *to_means() override {
    ++lists;
    for (std::size_t k = 0; k < by_.size(); ++k) by_[k] = random_(-1, 1) * std::pow(10, random_(-3, 2));
    by_[0] = std::numeric_limits<double>::quiet_NaN();
    by_[3] = 1e300;
    return by_.data();
  }
  int lists = 0;

 private:
  Random random_;
  std::vector<double> by_;
};

TEST_P(Host, ForcesDoNotDependOnWhereAtomsAreExpected) {
  for (System system : {diamond(silicon_t3(), 3, 0.1), random_cluster(three_elements(), 200, 11, 1.4, 97)}) {
    const NeighbourList list(system);
    const auto loops = backend.make(system);
    loops->set_neighbours(list.rows(), system.atoms());
    RandomMotion motion(system);
    for (unsigned step = 0; step < 12; ++step) {
      AtomsView atoms = system.atoms();
      atoms.expected = &motion;
      const Results results =
          results_of(system.n_all(), totals, 0, [&](ResultsView &view) { loops->compute(atoms, totals, view); });
      expect_matches(results, system, backend, totals);
      system.displace(0.02, 98 + step);
    }
    EXPECT_GT(motion.lists, 1);
  }
}

/// Three elements in disorder: hardly any two rows are of the same kind.
TEST_P(Host, TakesRowsOfManyKinds) {
  const System system = random_cluster(three_elements(), 700, 14, 1.2, 94);
  expect_matches(compute_once(backend, system, NeighbourList(system), totals), system, backend, totals);
}

class InstructionSet : public testing::Test {
 protected:
  void TearDown() override { unsetenv("TRIAD_HOST_ISA"); }
  const System system = diamond(silicon_t3(), 1, 0);
  std::string description() const {
    return make_tersoff_host({system.table, system.type_to_element, Precision::Double}, 1)->description();
  }
};

TEST_F(InstructionSet, IsTheHighestUnlessTheEnvironmentNamesAnother) {
  unsetenv("TRIAD_HOST_ISA");
  EXPECT_EQ(description(), std::string("host, 1 thread, ") + name_of(usable_isas().back()));
  setenv("TRIAD_HOST_ISA", "", 1);
  EXPECT_EQ(description(), std::string("host, 1 thread, ") + name_of(usable_isas().back()));
  for (const Isa isa : usable_isas()) {
    setenv("TRIAD_HOST_ISA", name_of(isa), 1);
    EXPECT_EQ(description(), std::string("host, 1 thread, ") + name_of(isa));
  }
}

TEST_F(InstructionSet, MustBeUsable) {
  setenv("TRIAD_HOST_ISA", "mmx", 1);
  try {
    description();
    FAIL() << "no error";
  } catch (const LoopError &error) {
    EXPECT_NE(std::string(error.what()).find("TRIAD_HOST_ISA is mmx"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(std::string("usable: ") + name_of(Isa::Baseline)), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace triad

// Memory of the host that runs out at every allocation in turn: an exception, no crash and no hang, and what the same
// object computes afterwards is what it would have computed.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "core/error.h"
#include "engine/make_engine.h"
#include "faults/host_faults.h"
#include "forces/pairwise/pairwise_backend.h"
#include "neighbor/host/cell_list.h"
#include "testing/periodic_box.h"
#include "testing/systems.h"

namespace triad {
namespace {

/// Calls work() with the first allocation failing, then with the second one, and so on until none is left. After each
/// failure `check` is called without a fault. Returns how many have failed.
int fail_each(const std::function<void()> &work, const std::function<void()> &check) {
  int failed = 0;
  for (long long n = 1;; ++n) {
    bool thrown = false;
    std::string what;
    faults::fail_allocation(n);
    try {
      work();
    } catch (const LoopError &e) {
      thrown = true;
      what = e.what();
    } catch (const std::bad_alloc &) {
      thrown = true;
    }
    const bool fired = faults::fired();
    faults::fail_allocation(0);
    if (!fired) return failed;
    if (!what.empty()) {
      EXPECT_NE(what.find("out of memory on the host"), std::string::npos) << what;
      EXPECT_NE(what.find(" more needed"), std::string::npos) << what;
    }
    failed += thrown;
    check();
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "after the failure of allocation " << n;
      return failed;
    }
  }
}

class Faults : public testing::TestWithParam<Precision> {};
INSTANTIATE_TEST_SUITE_P(, Faults, testing::ValuesIn(all_precisions),
                         [](const auto &info) { return std::string(name_of(info.param)); });

/// Two threads, chunks of more than one rank of kinds, per-atom tallies.
TEST_P(Faults, OfTersoffForces) {
  const System system = diamond(silicon_t3(), 4, 0.1);
  const NeighbourList list(system, system.table.cutoff() + 0.5);
  const TersoffSetup setup = {system.table, system.type_to_element, GetParam()};
  std::vector<double> force(3 * system.n_all()), energy(system.n_all()), virial(6 * system.n_all());
  TallyRequest request;
  request.energy = request.virial = request.atom_energy = request.atom_virial = true;
  std::unique_ptr<TersoffBackend> backend;
  double found = 0;
  const auto compute = [&] {
    if (!backend) {
      backend = make_tersoff_host(setup, 2);
      backend->set_neighbours(list.rows(), system.atoms());
    }
    ResultsView results;
    results.force = force.data();
    results.atom_energy = energy.data();
    results.atom_virial = virial.data();
    backend->compute(system.atoms(), request, results);
    found = results.energy;
  };
  compute();
  const double expected = found;
  backend.reset();
  const int failed = fail_each(
      [&] {
        backend.reset();
        compute();
      },
      [&] {
        compute();
        EXPECT_EQ(found, expected);
      });
  EXPECT_GT(failed, 20);
}

TEST_P(Faults, OfTheEngine) {
  const double edge[3] = {3 * 5.432, 3 * 5.432, 3 * 5.432};
  Backend backend = {Backend::Host, GetParam()};
  PeriodicBox box(diamond(silicon_t3(), 3, 0.1), edge, 8);
  const std::vector<double> x = box.system.x, v = box.v;
  double expected = 0, found = 0;
  const auto run = [&] {
    std::copy(x.begin(), x.end(), box.system.x.begin());
    std::copy(v.begin(), v.end(), box.v.begin());
    const auto engine = make_engine(backend, box.system);
    box.send_to(*engine);
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 2;
    batch.last.energy = true;
    ResultsView results;
    engine->compute_forces({}, results);
    found = engine->run_steps(batch).totals.energy;
  };
  run();
  expected = found;
  const int failed = fail_each(run, [&] {
    run();
    EXPECT_EQ(found, expected);
  });
  EXPECT_GT(failed, 20);
}

TEST(AllocationFaults, OfACellList) {
  const System system = diamond(silicon_t3(), 9, 0.1);
  const double cutoff = system.table.cutoff() + 1;
  CellList kept;
  long long expected = 0, found = 0;
  const auto build = [&](CellList &cells) {
    cells.build(system.atoms(), {cutoff * cutoff}, 2);
    found = 0;
    const NeighborListView rows = cells.rows();
    for (int r = 0; r < rows.n_rows; ++r) found += rows.length[rows.centre[r]];
  };
  build(kept);
  expected = found;
  const int failed = fail_each(
      [&] {
        CellList cells;
        build(cells);
      },
      [&] {
        CellList cells;
        build(cells);
        EXPECT_EQ(found, expected);
      });
  EXPECT_GT(failed, 5);
}

TEST_P(Faults, OfPairForces) {
  const int n = 600;
  std::vector<double> x(3 * n), force(3 * n), energy(n), strength(n, 1.0);
  std::vector<int> type(n, 1);
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 3; ++k)
      x[3 * i + k] = 10 * std::fmod(0.7548776662 * (i + 1) * (k + 1) * (k + 1) + 0.1 * k, 1.0);
  PairwiseSetup setup;
  setup.range = PairRange::All;
  setup.law = GravitySettings{1.0, 0.01};
  setup.n_types = 1;
  setup.precision = GetParam();
  PairAtomsView atoms;
  atoms.n = atoms.n_owned = n;
  atoms.x = x.data();
  atoms.type = type.data();
  atoms.strength = strength.data();
  TallyRequest request;
  request.energy = request.atom_energy = true;
  double expected = 0, found = 0;
  const auto compute = [&] {
    const auto backend = make_pairwise_host(setup, 2);
    ResultsView results;
    results.force = force.data();
    results.atom_energy = energy.data();
    backend->compute(atoms, request, results);
    found = results.energy;
  };
  compute();
  expected = found;
  const int failed = fail_each(compute, [&] {
    compute();
    EXPECT_EQ(found, expected);
  });
  EXPECT_GT(failed, 10);
}

}  // namespace
}  // namespace triad

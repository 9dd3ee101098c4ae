// Compares engines of several ranks with velocity Verlet of the full box in fp64.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <cstdint>
#include <exception>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "engine/copy_device_memory.h"
#include "engine/make_engine.h"
#include "forces/backends.h"
#include "testing/several_ranks.h"

namespace triad {
namespace {

struct Case {
  Backend backend;
  int ranks;
  bool device_memory;  ///< exchanged data stay on the devices
  bool direct;         ///< ranks access each other's memory directly
};
std::ostream &operator<<(std::ostream &out, const Case &c) {
  return out << c.backend << "On" << c.ranks << (c.device_memory ? "FromDeviceMemory" : "")
             << (c.direct ? "" : "ByMessages");
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (Backend backend : all_backends()) {
    if (backend.location == Backend::Device) continue;
    backend.threads = 1;
    for (const int ranks : {2, 3}) {
      all.push_back({backend, ranks, false, true});
      if (backend.location == Backend::Cuda)
        all.push_back({backend, ranks, true, true});
      else
        all.push_back({backend, ranks, false, false});
    }
  }
  return all;
}

class Ranks : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  /// Calls work(engine, rank) in a thread for each rank, after the first forces. A rank that throws ends the waits of
  /// the others. Returns the error message of each rank, or empty strings.
  template <class Work>
  std::vector<std::string> errors_of_all_ranks(SeveralRanks &ranks, const PeriodicBox &box, Work &&work) {
    std::vector<std::thread> threads;
    std::vector<std::string> errors(ranks.rank.size());
    for (std::size_t r = 0; r < ranks.rank.size(); ++r)
      threads.emplace_back([&, r] {
        try {
#if defined(TRIAD_HAS_CUDA)
          if (GetParam().device_memory) ranks.rank[r]->exchange.take_device_memory(copy_device_memory);
#endif
          if (!GetParam().direct) ranks.rank[r]->exchange.forbid_direct_exchange();
          const auto engine = make_engine(backend, box.system, static_cast<int>(r));
          ranks.rank[r]->send_to(*engine, box);
          ResultsView results;
          engine->compute_forces({}, results);
          if (backend.location == Backend::Host) {
            EXPECT_EQ(engine->ghost_transport(), GetParam().direct ? "through memory that ranks share" : "through MPI");
          }
          work(*engine, static_cast<int>(r));
        } catch (const std::exception &e) {
          errors[r] = e.what();
          ranks.break_off();
        }
      });
    for (std::thread &thread : threads) thread.join();
    return errors;
  }

  /// The same; fails if a rank throws.
  template <class Work>
  void on_all_ranks(SeveralRanks &ranks, const PeriodicBox &box, Work &&work) {
    for (const std::string &error : errors_of_all_ranks(ranks, box, work)) EXPECT_EQ(error, "");
  }

  /// Many steps; the ranks stop early when another rank has ended.
  static StepBatch long_batch() {
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 1000000;
    return batch;
  }

  /// Checks that positions, up to whole edges of the box, and velocities of the rank's atoms are those of `course`.
  void expect_course(const RankOfBox &part, const PeriodicBox &course) const {
    const double error = course_error(backend.precision);
    for (int i = 0; i < part.system.n_owned; ++i)
      for (int k = 0; k < 3; ++k) {
        const int at = 3 * part.box_atom[i] + k;
        const double apart = part.system.x[3 * i + k] - course.system.x[at];
        ASSERT_NEAR(apart, course.edge[k] * std::round(apart / course.edge[k]), error)
            << "position of atom " << part.box_atom[i];
        ASSERT_NEAR(part.v[3 * i + k], course.v[at], 100 * error) << "velocity of atom " << part.box_atom[i];
      }
  }

  const Backend backend = GetParam().backend;
  const int count = GetParam().ranks;
  const double edge[3] = {3 * 5.432, 3 * 5.432, 3 * 5.432};
};

INSTANTIATE_TEST_SUITE_P(, Ranks, testing::ValuesIn(cases()), testing::PrintToStringParamName());

TEST_P(Ranks, FollowTheTrajectoryOfTheFullBox) {
  const System crystal = diamond(silicon_t3(), 3, 0.1);
  PeriodicBox box(crystal, edge, 8), course(crystal, edge, 8);
  SeveralRanks ranks(box, count);
  course.compute_forces();
  ForceTotals expected;
  for (int s = 0; s < 30; ++s) expected = course.step({all_atoms});

  std::vector<ForceTotals> totals(count);
  on_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 13;
    engine.run_steps(batch);
    batch.n_steps = 17;
    batch.last.energy = true;
    const BatchResult result = engine.run_steps(batch);
    EXPECT_EQ(result.completed, 17);
    totals[r] = result.totals;
    engine.sync_host(field_state);
  });

  const double error = course_error(backend.precision);
  double energy = 0;
  for (int r = 0; r < count; ++r) {
    energy += totals[r].energy;
    const RankOfBox &part = *ranks.rank[r];
    ASSERT_NO_FATAL_FAILURE(expect_course(part, course));
    for (int i = 0; i < part.system.n_owned; ++i)
      for (int k = 0; k < 3; ++k)
        ASSERT_NEAR(part.f[3 * i + k], course.f[3 * part.box_atom[i] + k], 300 * error)
            << "force on atom " << part.box_atom[i];
  }
  EXPECT_NEAR(energy, expected.energy, 30 * error * box.n_owned());
}

/// Positions go through shared memory here, so that forward() sends the means of paths alone.
TEST_P(Ranks, ExchangeMeansOfPathsWhenTheyRenewTheirPrunedLists) {
  if (backend.location == Backend::Cuda || !GetParam().direct) GTEST_SKIP() << "forward() sends positions too";
  PeriodicBox box(diamond(silicon_t3(), 3, 0.1), edge, 20);
  SeveralRanks ranks(box, count);
  std::vector<int> sent(count);
  on_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    const int before = ranks.rank[r]->exchange.forwards();
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 150;
    EXPECT_EQ(engine.run_steps(batch).completed, 150);
    sent[r] = ranks.rank[r]->exchange.forwards() - before;
  });
  for (const int of_rank : sent) EXPECT_EQ(of_rank, sent[0]);
  EXPECT_GT(sent[0], 3);
  EXPECT_LT(sent[0], 30);
}

/// The first forces after a new list belong to the step that the old list has ended. Forces without a step have no
/// expected paths.
TEST_P(Ranks, ExchangeMeansOfPathsAfterANewList) {
  if (backend.location == Backend::Cuda || !GetParam().direct) GTEST_SKIP() << "forward() sends positions too";
  PeriodicBox box(diamond(silicon_t3(), 3, 0.1), edge, 20);
  SeveralRanks ranks(box, count);
  on_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 100;
    batch.list.check = true;
    batch.list.limit = 0.04;
    ASSERT_TRUE(engine.run_steps(batch).list_expired);
    engine.sync_host(field_state);
    const auto forwards_of_forces = [&] {
      const int before = ranks.rank[r]->exchange.forwards();
      ranks.rank[r]->send_to(engine, box);
      ResultsView results;
      engine.compute_forces({}, results);
      return ranks.rank[r]->exchange.forwards() - before;
    };
    EXPECT_EQ(forwards_of_forces(), 1);
    EXPECT_EQ(forwards_of_forces(), 0);
  });
}

/// The engines find the ghosts and make a list every few steps; atoms cross the parts of the ranks meanwhile.
TEST_P(Ranks, MakeTheirOwnLists) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "engines on the host take LAMMPS's lists";
  const int cells = 5;
  const double length = cells * 5.432, edges[3] = {length, length, length};
  const System crystal = diamond(silicon_t3(), cells, 0.1);
  PeriodicBox box(crystal, edges, 8), course(crystal, edges, 8);
  for (PeriodicBox *b : {&box, &course})
    for (int i = 0; i < b->n_owned(); ++i) b->v[3 * i] += 20;
  SeveralRanks ranks(box, count);
  course.compute_forces();
  ForceTotals expected;
  for (int s = 0; s < 30; ++s) expected = course.step({all_atoms});

  std::vector<ForceTotals> totals(count);
  std::vector<double> energies(box.n_owned());
  on_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    ListBox list;
    for (int d = 0; d < 3; ++d) list.edge[d][d] = length;
    list.cutoff = crystal.table.cutoff() + box.skin;
    list.divided[0] = true;
    list.part[0][0] = double(r) / count;
    list.part[0][1] = double(r + 1) / count;
    ASSERT_TRUE(engine.makes_lists(list, ranks.rank[r]->system.n_owned));
    ASSERT_TRUE(ranks.rank[r]->send_without_list(engine, box, list));
    ResultsView results;
    engine.compute_forces({}, results);
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 13;
    batch.list.check = true;
    batch.list.limit = 0.1;
    batch.list.box = &list;
    batch.list.own_until = 13;
    BatchResult result = engine.run_steps(batch);
    EXPECT_EQ(result.completed, 13);
    EXPECT_GT(result.lists, 1);
    batch.n_steps = batch.list.own_until = 17;
    batch.last.energy = true;
    result = engine.run_steps(batch);
    EXPECT_EQ(result.completed, 17);
    EXPECT_GT(result.lists, 1);
    totals[r] = result.totals;
    std::vector<double> energy(ranks.rank[r]->system.n_owned);
    TallyRequest tallies;
    tallies.atom_energy = true;
    results.atom_energy = energy.data();
    engine.compute_forces(tallies, results);
    for (std::size_t i = 0; i < energy.size(); ++i) energies[ranks.rank[r]->box_atom[i]] = energy[i];
    engine.sync_host(field_state);
  });

  const double error = course_error(backend.precision);
  double energy = 0, energy_of_atoms = 0;
  for (const ForceTotals &t : totals) energy += t.energy;
  for (const double e : energies) energy_of_atoms += e;
  EXPECT_NEAR(energy, expected.energy, 30 * error * box.n_owned());
  EXPECT_NEAR(energy_of_atoms, expected.energy, 30 * error * box.n_owned());
  for (int r = 0; r < count; ++r) ASSERT_NO_FATAL_FAILURE(expect_course(*ranks.rank[r], course));
}

/// The atoms of all ranks drive the chain, whose state is the same on each rank.
TEST_P(Ranks, FollowTheTrajectoryOfTheFullBoxUnderNoseHoover) {
  const System crystal = diamond(silicon_t3(), 3, 0.1);
  PeriodicBox box(crystal, edge, 8), course(crystal, edge, 8);
  SeveralRanks ranks(box, count);
  const double boltz = 8.617333e-5, mass_to_energy = 1.0364269e-4, degrees = 3.0 * box.n_owned();
  ThermostatBatch start = {};
  start.group_bit = start.measured_bit = 1;
  start.thermostat.length = 3;
  start.thermostat.settings = {degrees, boltz, 1 / 0.02, {dt, 1, 1}};
  start.thermostat.target = {700, 300, {0, 30}};
  start.thermostat.per_degree = mass_to_energy / (degrees * boltz);
  const auto run = [&](MdEngine &engine, ThermostatBatch &nose_hoover) {
    std::int64_t first = 0;
    for (const int steps : {13, 17}) {
      StepBatch batch;
      batch.groups = {all_atoms};
      batch.n_steps = steps;
      batch.first_step = first;
      batch.thermostats = {&nose_hoover};
      EXPECT_EQ(engine.run_steps(batch).completed, steps);
      first += steps;
    }
    engine.sync_host(field_state);
  };
  const auto alone = make_engine(backend, course.system);
  course.send_to(*alone);
  ResultsView results;
  alone->compute_forces({}, results);
  start.thermostat.temperature = temperature_of(alone->kinetic(1).mvv, start.thermostat.per_degree);
  ThermostatBatch expected = start;
  run(*alone, expected);
  std::vector<ThermostatBatch> found(count, start);
  on_all_ranks(ranks, box, [&](MdEngine &engine, int r) { run(engine, found[r]); });

  const double relative = backend.precision == Precision::Double ? 1e-9 : 1e-5;
  for (int r = 0; r < count; ++r) {
    ASSERT_NO_FATAL_FAILURE(expect_course(*ranks.rank[r], course));
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(found[r].thermostat.velocity[k], found[0].thermostat.velocity[k]);
      EXPECT_NEAR(found[r].thermostat.velocity[k], expected.thermostat.velocity[k],
                  relative * std::abs(expected.thermostat.velocity[k]));
    }
    for (int k = 0; k < 6; ++k)
      EXPECT_NEAR(found[r].measured.mvv[k], expected.measured.mvv[k], relative * expected.measured.mvv[0]);
  }
}

/// One atom of one rank is fast: all ranks stop in the same step.
TEST_P(Ranks, StopTogetherWhereTheListExpires) {
  PeriodicBox box(diamond(silicon_t3(), 3, 0.05), edge, 0.5);
  box.v[3 * 5 + 1] = 60;
  SeveralRanks ranks(box, count);
  std::vector<BatchResult> result(count);
  on_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    StepBatch batch;
    batch.groups = {all_atoms};
    batch.n_steps = 100;
    batch.list.check = true;
    batch.list.limit = 0.5 * box.skin;
    result[r] = engine.run_steps(batch);
  });
  for (int r = 0; r < count; ++r) {
    EXPECT_TRUE(result[r].list_expired);
    EXPECT_EQ(result[r].completed, result[0].completed);
    EXPECT_GT(result[r].completed, 3);
    EXPECT_LT(result[r].completed, 20);
  }
}

/// One rank fails between two steps, as a fix in LAMMPS may: the other ranks report its reason.
TEST_P(Ranks, EndWithTheReasonOfTheOneThatFails) {
  PeriodicBox box(diamond(silicon_t3(), 3, 0.05), edge, 0.5);
  SeveralRanks ranks(box, count);
  const std::vector<std::string> errors = errors_of_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    if (r != 1) {
      engine.run_steps(long_batch());
      return;
    }
    engine.fail("a fix has failed");
    throw LoopError("a fix has failed");
  });
  const bool by_memory = backend.location == Backend::Host && GetParam().direct;
  for (int r = 0; r < count; ++r)
    if (r == 1)
      EXPECT_EQ(errors[r], "a fix has failed");
    else if (by_memory)
      EXPECT_EQ(errors[r], "rank 1 failed: a fix has failed");
    else
      EXPECT_EQ(errors[r], "another rank has left the exchange");
}

/// One rank ends without a message, like a killed process.
TEST_P(Ranks, EndWhenOneIsGone) {
  PeriodicBox box(diamond(silicon_t3(), 3, 0.05), edge, 0.5);
  SeveralRanks ranks(box, count);
  const bool by_memory = backend.location == Backend::Host && GetParam().direct;
  const std::vector<std::string> errors = errors_of_all_ranks(ranks, box, [&](MdEngine &engine, int r) {
    if (r != 1)
      engine.run_steps(long_batch());
    else if (!by_memory)
      ranks.break_off();
  });
  for (int r = 0; r < count; ++r)
    if (r == 1)
      EXPECT_EQ(errors[r], "");
    else if (by_memory)
      EXPECT_NE(errors[r].find(" has ended; "), std::string::npos) << errors[r];  // the others end in turn
    else
      EXPECT_EQ(errors[r], "another rank has left the exchange");
}

/// If files cannot grow, for example because /dev/shm is full, ghosts are exchanged through MPI.
TEST_P(Ranks, SendMessagesWhereThereIsNoSharedMemory) {
  if (backend.location != Backend::Host || !GetParam().direct) GTEST_SKIP() << "no shared memory in this case";
  struct Limit {
    Limit() {
      getrlimit(RLIMIT_FSIZE, &before);
      handler = std::signal(SIGXFSZ, SIG_IGN);
      const rlimit none = {1000, before.rlim_max};
      setrlimit(RLIMIT_FSIZE, &none);
    }
    ~Limit() {
      setrlimit(RLIMIT_FSIZE, &before);
      std::signal(SIGXFSZ, handler);
    }
    rlimit before;
    void (*handler)(int);
  };
  PeriodicBox box(diamond(silicon_t3(), 3, 0.05), edge, 0.5);
  SeveralRanks ranks(box, count);
  std::vector<std::string> way(count);
  {
    const Limit limit;
    std::vector<std::thread> threads;
    for (int r = 0; r < count; ++r)
      threads.emplace_back([&, r] {
        const auto engine = make_engine(backend, box.system, r);
        ranks.rank[r]->send_to(*engine, box);
        StepBatch batch = long_batch();
        batch.n_steps = 3;
        if (engine->run_steps(batch).completed == 3) way[r] = engine->ghost_transport();
      });
    for (std::thread &thread : threads) thread.join();
  }
  for (const std::string &w : way) EXPECT_EQ(w, "through MPI");
}

}  // namespace
}  // namespace triad

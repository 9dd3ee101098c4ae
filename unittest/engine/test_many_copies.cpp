// Steps of many atoms, for which a device has other kernels, in batches of any length.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/changing_boxes.h"

namespace triad {
namespace {

/// Independent copies of a crystal: so many atoms that a device cannot process all of them at once, that blocks which
/// gather forces start between those that compute them, and that the host has several chunks. On a device, other
/// kernels make the steps of small systems.
struct ManyCopies : PeriodicCopies {
  ManyCopies(const Backend &backend, const PeriodicBox &box)
      : ManyCopies(backend, box, backend.location == Backend::Cuda ? 1000 : 20) {}
  ManyCopies(const Backend &backend, const PeriodicBox &box, int number_of_copies)
      : PeriodicCopies(box, number_of_copies),
        x(all(box.system.x.data())),
        v(owned(box.v.data())),
        f(3 * std::size_t(n)),
        mass(box.mass),
        type(n + copies * ghosts_of_one, 1),
        tag(n),
        engine(make_engine(backend, box.system)) {
    std::iota(tag.begin(), tag.end(), 1);
    for (int c = 0; c < copies; ++c) {
      mask.insert(mask.end(), box.mask.begin(), box.mask.end());
      rmass.insert(rmass.end(), box.rmass.begin(), box.rmass.end());
    }
    AtomArrays atoms = views_of(n, x, v, f, type, mask, tag, mass);
    if (!rmass.empty()) atoms.rmass = rmass.data();
    engine->set_atoms(atoms, list.rows(), halo);
    ResultsView results;
    engine->compute_forces({}, results);
  }

  std::vector<double> x, v, f, mass, rmass;
  std::vector<int> type, mask, tag;
  std::unique_ptr<MdEngine> engine;
};

/// In `mixed`, the kernels for many atoms compute the bits of those for few.
TEST_P(Engines, MoveManyCopiesAsOne) {
  start();
  ManyCopies many(backend, box);
  // In double and mixed the run is long enough for CUDA graphs; in single, rounding errors would grow too much.
  for (const int steps : {25, backend.precision == Precision::Single ? 60 : 300}) {
    engine->run_steps(batch_of(steps));
    many.engine->run_steps(batch_of(steps));
  }
  engine->sync_host(field_x | field_v);
  many.engine->sync_host(field_x | field_v);
  const double three_times_as_many_steps = 10 * course_error(backend.precision);
  const double error = backend.precision == Precision::Mixed ? 0 : three_times_as_many_steps;
  const int n = many.n_of_one;
  for (int c = 0; c < many.copies; ++c)
    for (int k = 0; k < 3 * n; ++k) {
      ASSERT_NEAR(many.x[3 * std::size_t(c) * n + k], box.system.x[k], error) << "copy " << c << " atom " << k / 3;
      ASSERT_NEAR(many.v[3 * std::size_t(c) * n + k], box.v[k], 100 * error) << "copy " << c << " atom " << k / 3;
    }
}

/// The kernel that computes the forces of many atoms also sums their kinetic energy. Two runs have the same bits, and
/// in `mixed` these are the bits of separate kernels, which make the last step of each batch.
TEST_P(Engines, ThermostatManyCopiesAlikeInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host has no such kernels";
  if (backend.precision != Precision::Mixed && std::getenv("TRIAD_REDUCTION"))
    GTEST_SKIP() << "the environment chooses the reduction, on which the bits may depend";
  start();
  const auto course = [&](int n_steps, int steps_of_batch) {
    ManyCopies many(backend, box);
    ThermostatBatch nose_hoover = nose_hoover_of(*many.engine, many.n, 1);
    for (int done = 0; done < n_steps; done += steps_of_batch) {
      StepBatch batch = batch_of(steps_of_batch);
      batch.first_step = 100 + done;
      batch.thermostats = {&nose_hoover};
      EXPECT_EQ(many.engine->run_steps(batch).completed, steps_of_batch);
      const HeldThermostat &held = nose_hoover.thermostat;
      const double measured = temperature_of(many.engine->kinetic(1).mvv, held.per_degree);
      EXPECT_NEAR(held.temperature, measured, 1e-6 * measured);
    }
    many.engine->sync_host(field_x);
    std::vector<double> found(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    found.insert(found.end(), nose_hoover.thermostat.velocity, nose_hoover.thermostat.velocity + 3);
    found.push_back(nose_hoover.thermostat.temperature);
    return found;
  };
  const std::vector<double> in_one = course(20, 20), one_by_one = course(20, 1);
  EXPECT_EQ(in_one, course(20, 20));
  if (backend.precision == Precision::Mixed) {
    EXPECT_EQ(in_one, one_by_one);
    EXPECT_EQ(course(300, 300), course(300, 60)) << "300 steps allow CUDA graphs";
  } else {
    expect_near(in_one, one_by_one, in_one.size() - 4, 3 * course_error(backend.precision), "position");
  }
}

/// Barostats of few and of many atoms, which have kernels of their own. The kernel that computes the forces of many
/// atoms also sums their virial, except in the last step of a batch. Under a high pressure, the box shrinks so fast
/// that images move too far for the pruned list in every few steps, also in steps that renew this list.
TEST_P(Engines, BarostatOfCopiesActsAlikeInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host makes no such batches";
  start();
  const Box box_at_start = box_from_origin(edge);
  long long lists = 0;
  const auto course = [&](int copies, int n_steps, int steps_of_batch, Box &last, double pressure = 0) {
    lists = 0;
    ManyCopies many(backend, box, copies);
    const std::vector<double> edges = rows_times(inverse(box_at_start.edges()), many.halo.shift);
    ThermostatBatch nose_hoover = barostat_of(*many.engine, many.n, box_at_start, true);
    nose_hoover.thermostat.step = 99;
    HeldBarostat &held = nose_hoover.barostat;
    for (double &target : held.targets.start) target += pressure;
    TallyRequest request;
    request.virial = true;
    ResultsView results;
    many.engine->compute_forces(request, results);
    std::copy_n(results.virial, 3, held.virial);
    for (int d = 0; d < 3; ++d) held.kinetic[d] = mass_to_energy * many.engine->kinetic(1).mvv[d];
    for (int done = 0; done < n_steps; done += steps_of_batch) {
      StepBatch batch = batch_of(steps_of_batch);
      batch.first_step = 100 + done;
      batch.thermostats = {&nose_hoover};
      batch.last.virial = true;
      const BatchResult result = many.engine->run_steps(batch);
      EXPECT_EQ(result.completed, steps_of_batch);
      lists += result.pruned_lists + result.late_pruned_lists;
      std::copy_n(result.totals.virial, 3, held.virial);
      many.engine->set_shifts(shifts_of(edges, held.box));
    }
    last = held.box;
    many.engine->sync_host(field_x);
    return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
  };
  for (const int copies : {5, 1000}) {
    Box in_one, again, one_by_one;
    const std::vector<double> found = course(copies, 20, 20, in_one);
    EXPECT_EQ(found, course(copies, 20, 20, again));
    const double error = course_error(backend.precision);
    expect_near(found, course(copies, 20, 1, one_by_one), found.size(), 3 * error, "position");
    const double relative = backend.precision == Precision::Single ? 1e-6 : 1e-10;
    for (int d = 0; d < 3; ++d) {
      EXPECT_EQ(in_one.high[d], again.high[d]);
      EXPECT_NEAR(in_one.high[d], one_by_one.high[d], relative * edge[d]);
      EXPECT_EQ(in_one.high[d] == box_at_start.high[d], d == 1);
    }
    if (backend.precision != Precision::Mixed) continue;
    const std::vector<double> with_graphs = course(copies, 60, 60, in_one);
    expect_near(with_graphs, course(copies, 60, 20, again), found.size(), 10 * error, "position");
    const std::vector<double> shrunk = course(copies, 60, 60, in_one, 1e6);
    EXPECT_GT(lists, 6) << "images have moved so far that pruned lists expire";
    expect_near(shrunk, course(copies, 60, 20, again, 1e6), found.size(), 10 * error, "position");
    expect_near(shrunk, course(copies, 60, 1, again, 1e6), found.size(), 10 * error, "position");
  }
}

/// The kernel that computes the forces of many atoms also moves them in a box that changes along a path. Other kernels
/// start the first step of a batch and end the last one.
TEST_P(Engines, ManyCopiesFollowADeformedBoxInBatchesOfAnyLength) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host makes no such batches";
  start();
  for (const bool triclinic : {false, true}) {
    const DeformedBox deformed = {box_from_origin(edge, triclinic), {true, true, true}};
    long long lists = 0;
    const auto course = [&](int n_steps, int steps_of_batch) {
      ManyCopies many(backend, box);
      const std::vector<double> edges = rows_times(inverse(deformed.start.edges()), many.halo.shift);
      for (int done = 0; done < n_steps; done += steps_of_batch) {
        if (done > 0) follow(*many.engine, deformed, done);
        many.engine->set_shifts(shifts_of(edges, deformed.at(done)));
        const BoxPath path = deformed.path(done, steps_of_batch);
        StepBatch batch = batch_of(steps_of_batch);
        batch.first_step = 100 + done;
        batch.box_path = &path;
        const BatchResult result = many.engine->run_steps(batch);
        EXPECT_EQ(result.completed, steps_of_batch);
        lists += result.pruned_lists + result.late_pruned_lists;
        many.engine->set_shifts(shifts_of(edges, deformed.at(done + steps_of_batch - 1)));
      }
      many.engine->sync_host(field_x);
      return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    };
    const std::vector<double> found = course(20, 20);
    EXPECT_EQ(found, course(20, 20));
    expect_near(found, course(20, 1), found.size(), 3 * course_error(backend.precision), "position");
    if (backend.precision == Precision::Mixed)
      expect_near(course(60, 60), course(60, 20), found.size(), 10 * course_error(backend.precision), "position");
    EXPECT_GT(lists, 3) << "images have moved so far that pruned lists expire";
  }
}

/// Between removals of the momentum, steps are parts of CUDA graphs, with and without a thermostat.
TEST_P(Engines, RemoveTheMomentumBetweenGraphs) {
  constexpr int steps = 204;
  for (const auto &[copies, thermostat] : {std::pair(1, false), std::pair(1, true), std::pair(1000, false)}) {
    if (copies > 1 && backend.location != Backend::Cuda) continue;
    const auto course = [&, copies = copies, thermostat = thermostat](int steps_of_batch) {
      ManyCopies many(backend, box, copies);
      EndOfStep removal;
      removal.kind = EndOfStep::Kind::MomentumRemoval;
      removal.every = 17;  // after some steps in graphs of 8, one would end where it acts
      removal.along[0] = removal.along[1] = removal.along[2] = true;
      ThermostatBatch csvr = csvr_of(many.n, 1);
      const std::vector<BathNoise> noise = noise_of(many.n, steps);
      for (int done = 0; done < steps; done += steps_of_batch) {
        StepBatch batch = batch_of(steps_of_batch);
        batch.first_step = 1 + done;
        batch.ends = {&removal};
        Rescaling &rescaling = csvr.thermostat.rescaling;
        rescaling.noise = noise.data() + done;
        rescaling.scalings = 0;
        if (thermostat) batch.thermostats = {&csvr};
        EXPECT_EQ(many.engine->run_steps(batch).completed, steps_of_batch);
        EXPECT_EQ(rescaling.scalings, thermostat ? steps_of_batch : 0);
      }
      const KineticSums sums = many.engine->kinetic(1);
      for (int d = 0; d < 3; ++d) EXPECT_NEAR(sums.mv[d] / sums.mass, 0, 1e-7) << "the last step has an action";
      many.engine->sync_host(field_x);
      return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    };
    const std::vector<double> found = course(steps);
    expect_near(found, course(4), found.size(), 10 * course_error(backend.precision), "position");
  }
}

/// Actions on few of many atoms in each step, as parts of CUDA graphs, in one kernel whose blocks wait for each other.
/// In short batches, all atoms have several kernels.
TEST_P(Engines, ActOnFewOfManyAtomsInGraphs) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host makes no such batches";
  for (int i = 0; i < box.n_owned(); ++i) box.mask[i] = 1 | (i % 8 == 3 ? 2 : i % 8 == 5 ? 4 : 0);
  constexpr int steps = 60;
  const auto course = [&](int steps_of_batch) {
    ManyCopies many(backend, box, 50);
    EndOfStep exchange = exchange_of(2, 10), rescale = berendsen_of(many.n / 8.0, 4);
    for (int done = 0; done < steps; done += steps_of_batch) {
      StepBatch batch = batch_of(steps_of_batch);
      batch.first_step = 1 + done;
      batch.ends = {&exchange, &rescale};
      EXPECT_EQ(many.engine->run_steps(batch).completed, steps_of_batch);
      EXPECT_FALSE(exchange.failed || rescale.failed);
    }
    many.engine->sync_host(field_x);
    return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
  };
  const std::vector<double> found = course(steps);
  EXPECT_EQ(found, course(steps));
  expect_near(found, course(4), found.size(), 10 * course_error(backend.precision), "position");
}

/// Atoms with masses of their own, of which a group moves, with the temperature of this group or of all atoms.
TEST_P(Engines, ThermostatAGroupOfManyCopiesAsOnTheHost) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "compares a device with the host";
  Random random(17);
  for (int i = 0; i < box.n_owned(); ++i) box.rmass.push_back(random(20, 40));
  for (const int measured_bit : {2, 1}) {
    const auto course = [&](const Backend &of, bool rescales) {
      ManyCopies many(of, box, 1000);
      const int measured_atoms = measured_bit == 1 ? many.n : many.n / 3;
      ThermostatBatch thermostat =
          rescales ? csvr_of(measured_atoms, 2) : nose_hoover_of(*many.engine, measured_atoms, 2);
      const std::vector<BathNoise> noise = noise_of(measured_atoms, 20);
      if (rescales) thermostat.thermostat.rescaling.noise = noise.data();
      thermostat.measured_bit = measured_bit;
      HeldThermostat &held = thermostat.thermostat;
      held.temperature = temperature_of(many.engine->kinetic(measured_bit).mvv, held.per_degree);
      StepBatch batch = batch_of(20);
      batch.groups[0].group_bit = 2;
      batch.first_step = 100;
      batch.thermostats = {&thermostat};
      EXPECT_EQ(many.engine->run_steps(batch).completed, 20);
      if (measured_bit == thermostat.group_bit) {
        const double measured = temperature_of(many.engine->kinetic(measured_bit).mvv, held.per_degree);
        EXPECT_NEAR(held.temperature, measured, 1e-6 * measured);
      }
      many.engine->sync_host(field_x);
      return std::vector<double>(many.x.begin(), many.x.begin() + 3 * std::size_t(many.n));
    };
    for (const bool rescales : {false, true}) {
      const std::vector<double> found = course(backend, rescales);
      expect_near(found, course({Backend::Host, Precision::Double, 4}, rescales), found.size(),
                  3 * course_error(backend.precision), "position");
    }
  }
}

}  // namespace
}  // namespace triad

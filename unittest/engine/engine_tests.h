// Fixtures of the tests that compare engines with velocity Verlet in fp64, and batches with hooks; thermostats for
// them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/tuning.h"
#include "engine/make_engine.h"
#include "forces/backends.h"
#include "testing/periodic_copies.h"

namespace triad {

struct NamedBox {
  std::string name;
  System system;
  double edge[3];
  double speed;
  Ghosts ghosts;
  double skin = 0.8;
};
inline std::ostream &operator<<(std::ostream &out, const NamedBox &box) { return out << box.name; }

/// Silicon, and atoms of another mass that bind slightly less.
inline System crystal_of_two_elements(int cells) {
  TersoffTable table = one_element(silicon_t3());
  const TersoffEntry silicon = table.triplets[0];
  table.elements = {"Si", "X"};
  table.triplets.assign(8, silicon);
  for (int t = 1; t < 8; ++t) {
    table.triplets[t].B *= 0.99;
    table.triplets[t].lam1 *= 1.002;
  }
  System system(table);
  const System crystal = diamond(silicon_t3(), cells, 0.1);
  for (int i = 0; i < crystal.n_all(); ++i)
    system.add({crystal.x[3 * i], crystal.x[3 * i + 1], crystal.x[3 * i + 2]}, i % 5 == 0 ? 2 : 1);
  return system;
}

/// Boxes that are wide; that use another rank; that are so narrow that there are more images than entries can encode;
/// and that have so many atoms that the host sorts them.
inline std::vector<NamedBox> boxes() {
  const double a = 5.432;
  const System crystal = diamond(silicon_t3(), 2, 0.1);
  return {{"Crystal", crystal, {2 * a, 2 * a, 2 * a}, 8, Ghosts::AllOwn},
          {"SomeRemote", crystal, {2 * a, 2 * a, 2 * a}, 8, Ghosts::SomeRemote},
          {"Narrow", diamond(silicon_t3(), 1, 0.1), {a, a, a}, 8, Ghosts::AllOwn, 3},
          {"NarrowSomeRemote", diamond(silicon_t3(), 1, 0.1), {a, a, a}, 8, Ghosts::SomeRemote, 3},
          {"TwoElements", crystal_of_two_elements(2), {2 * a, 2 * a, 2 * a}, 8, Ghosts::AllOwn},
          {"SeveralChunks", crystal_of_two_elements(5), {5 * a, 5 * a, 5 * a}, 8, Ghosts::SomeRemote},
          {"Hot", diamond(silicon_t3(), 2, 0.3), {2 * a, 2 * a, 2 * a}, 30, Ghosts::AllOwn}};
}

inline void expect_near(const std::vector<double> &values, const std::vector<double> &expected, std::size_t n,
                        double error, const char *what) {
  for (std::size_t k = 0; k < n; ++k)
    ASSERT_NEAR(values[k], expected[k], error) << what << " of atom " << k / 3 << " axis " << k % 3;
}

class Courses : public testing::TestWithParam<std::tuple<Backend, NamedBox>> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  const Backend backend = std::get<0>(GetParam());
  const NamedBox named = std::get<1>(GetParam());
  const double error = course_error(backend.precision);
  PeriodicBox box{named.system, named.edge, named.speed, named.ghosts, named.skin};

  // The same trajectory twice: of `box` in batches, and of `other` hook by hook.
  PeriodicBox other{named.system, named.edge, named.speed, named.ghosts, named.skin};
  std::unique_ptr<MdEngine> batches, hooks;
  ResultsView results;

  void start_two() {
    for (const auto &[engine, of] : {std::pair(&batches, &box), std::pair(&hooks, &other)}) {
      *engine = make_engine(backend, of->system);
      of->send_to(**engine);
      (*engine)->compute_forces({}, results);
    }
  }
  void run_hooks(std::vector<EndOfStep> &ends, std::int64_t first, std::int64_t last);
  void compare_thermostats(const std::vector<int> &bits, int rest);
  void expect_the_same_with_barostat(bool anisotropic, bool deforms, bool triclinic);
  template <class Samples>
  void run_with_samples(Samples &few, Samples &all, std::vector<Samples *> StepBatch::*samplings);
  template <class Samples, class Check>
  void check_samples(const Samples &few, const Samples &all, const Check &check);
  void expect_the_same_in_deformed_box(bool thermostat, bool triclinic);
  void expect_the_same() {
    batches->sync_host(field_state);
    hooks->sync_host(field_state);
    expect_near(box.system.x, other.system.x, box.v.size(), error, "position");
    expect_near(box.v, other.v, box.v.size(), 100 * error, "velocity");
    expect_near(box.f, other.f, box.f.size(), 300 * error, "force");
  }
};

inline StepBatch batch_of(long long steps) {
  StepBatch batch;
  batch.n_steps = steps;
  batch.groups = {all_atoms};
  return batch;
}

constexpr double boltz = 8.617333e-5, mass_to_energy = 1.0364269e-4;
constexpr TemperatureRamp ramp = {700, 300, {95, 145}};

/// An exchange of heat with the atoms with one bit, as of stock ehex. `heat`: energy per time.
inline EndOfStep exchange_of(int bit, double heat) {
  EndOfStep exchange;
  exchange.group_bit = exchange.measured_bit = bit;
  exchange.heat = heat * dt * conversion;
  exchange.corrected = dt;
  exchange.ftm2v = conversion;
  return exchange;
}
/// A thermostat of stock temp/berendsen of the n atoms with one bit.
inline EndOfStep berendsen_of(double n, int bit) {
  EndOfStep rescale;
  rescale.kind = EndOfStep::Kind::Rescaling;
  rescale.group_bit = rescale.measured_bit = bit;
  rescale.rescaling.rescaled.approach = 0.1;
  rescale.target = ramp;
  rescale.per_degree = mass_to_energy / (3 * n * boltz);
  return rescale;
}

/// A thermostat of stock temp/csvr, which controls the temperature of all n atoms.
inline ThermostatBatch csvr_of(int n, int bit) {
  ThermostatBatch csvr = {};
  csvr.group_bit = bit;
  csvr.measured_bit = 1;
  HeldThermostat &held = csvr.thermostat;
  held.rescales = true;
  held.rescaling.rescaled.memory = 0.9;
  held.rescaling.rescaled.freedom = 3.0 * n;
  held.target = ramp;
  held.per_degree = mass_to_energy / (3.0 * n * boltz);
  return csvr;
}
/// Random numbers for such a thermostat.
inline std::vector<BathNoise> noise_of(int n, int steps) {
  Random random(29);
  std::vector<BathNoise> noise(steps);
  for (BathNoise &one : noise) one = {random(-1, 1), 3 * n * random(0.9, 1.1)};
  return noise;
}

/// A thermostat of the atoms with one bit, which controls the temperature of all n atoms of `engine`.
inline ThermostatBatch nose_hoover_of(MdEngine &engine, int n, int bit) {
  const double degrees = 3.0 * n;
  ThermostatBatch nose_hoover = {};
  nose_hoover.group_bit = bit;
  nose_hoover.measured_bit = 1;
  HeldThermostat &held = nose_hoover.thermostat;
  held.length = 3;
  held.settings = {degrees, boltz, 1 / 0.02, {dt, 2, 0.999}};
  held.target = ramp;
  held.per_degree = mass_to_energy / (degrees * boltz);
  held.temperature = temperature_of(engine.kinetic(1).mvv, held.per_degree);
  return nose_hoover;
}

class Engines : public BackendTest {
 protected:
  static constexpr double edge[3] = {3 * 5.432, 3 * 5.432, 3 * 5.432};
  const Backend &backend = GetParam();
  PeriodicBox box{diamond(silicon_t3(), 3, 0.05), edge, 10};
  std::unique_ptr<MdEngine> engine;

  void start() {
    engine = make_engine(backend, box.system);
    box.send_to(*engine);
    ResultsView results;
    engine->compute_forces({}, results);
  }
};

}  // namespace triad

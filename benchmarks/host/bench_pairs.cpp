// Google Benchmark of softened gravity between all pairs on the host: a simple double loop, and the backend in every
// precision, on one thread with every usable instruction set, and with 2, 4, ... threads: of different masses
// (backend), of equal masses (equal), and the latter as a formula (formula).

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "common/gravity_formula.h"
#include "forces/pairwise/pairwise_backend.h"
#include "host/host_benchmark.h"

namespace triad {
namespace bench {
namespace {

constexpr int n_bodies = 8192;
constexpr GravitySettings gravity = {1, 0.01};

struct Bodies {
  std::vector<double> x, mass, force;

  explicit Bodies(bool equal = false) : force(3 * n_bodies) {
    unsigned state = 1;
    const auto uniform = [&state] {
      state = 1664525u * state + 1013904223u;
      return state / 4294967296.0;
    };
    for (int i = 0; i < n_bodies; ++i) {
      for (int axis = 0; axis < 3; ++axis) x.push_back(uniform());
      mass.push_back(equal ? 1 : (0.5 + uniform()) / n_bodies);
    }
  }
};

void count_pairs(benchmark::State &state) {
  state.counters["ordered pairs/s"] =
      benchmark::Counter(double(n_bodies) * n_bodies * double(state.iterations()), benchmark::Counter::kIsRate);
}

/// Each pair once, in fp64, without optimisation by hand.
void straightforward(benchmark::State &state) {
  Bodies bodies;
  const double *x = bodies.x.data(), *m = bodies.mass.data();
  double *f = bodies.force.data();
  for (auto _ : state) {
    for (int i = 0; i < n_bodies; ++i)
      for (int j = i + 1; j < n_bodies; ++j) {
        const double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1], dz = x[3 * j + 2] - x[3 * i + 2];
        const double r2 = dx * dx + dy * dy + dz * dz + gravity.eps * gravity.eps;
        const double pull = gravity.G * m[i] * m[j] / (r2 * std::sqrt(r2));
        f[3 * i] += pull * dx;
        f[3 * i + 1] += pull * dy;
        f[3 * i + 2] += pull * dz;
        f[3 * j] -= pull * dx;
        f[3 * j + 1] -= pull * dy;
        f[3 * j + 2] -= pull * dz;
      }
    benchmark::DoNotOptimize(f);
    benchmark::ClobberMemory();
  }
  count_pairs(state);
}
BENCHMARK(straightforward)->Unit(benchmark::kMillisecond);

void compute(benchmark::State &state, const PairLawSettings &law, bool equal, Isa isa, Precision precision,
             int threads) {
  Bodies bodies(equal);
  PairwiseSetup setup;
  setup.law = law;
  setup.precision = precision;
  const auto loops = make_pairwise_host(setup, threads, isa);
  PairAtomsView atoms;
  atoms.n = n_bodies;
  atoms.x = bodies.x.data();
  atoms.strength = bodies.mass.data();
  ResultsView results;
  results.force = bodies.force.data();
  for (auto _ : state) loops->compute(atoms, TallyRequest(), results);
  benchmark::DoNotOptimize(results.force);
  count_pairs(state);
}

void backend(benchmark::State &state, Isa isa, Precision precision, int threads) {
  compute(state, gravity, false, isa, precision, threads);
}
void equal(benchmark::State &state, Isa isa, Precision precision, int threads) {
  compute(state, gravity, true, isa, precision, threads);
}
void formula(benchmark::State &state, Isa isa, Precision precision, int threads) {
  compute(state, gravity_formula(gravity.eps), true, isa, precision, threads);
}

void register_all() {
  register_backends("backend/", backend);
  register_backends("equal/", equal);
  register_backends("formula/", formula);
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_benchmarks("bench_pairs", argc, argv, triad::bench::register_all);
}

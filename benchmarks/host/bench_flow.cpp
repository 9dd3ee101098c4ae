// Google Benchmark of shallow water on the host: a circular dam break on a grid of squares, sub-steps of the backend
// with both fluxes in every precision, on one thread with every usable instruction set, and with 2, 4, ... threads.
// "straight" is a simple loop in fp64 without optimisation by hand, compiled for the baseline.

#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "dynamics/shallow_water/cell_update.h"
#include "dynamics/shallow_water/edge_flux.h"
#include "forces/flow/flow_backend.h"
#include "host/host_benchmark.h"
#include "testing/flow_meshes.h"

namespace triad {
namespace bench {
namespace {

constexpr int side = 512;  // 262,144 cells

/// The grid with rows of four numbers: water of depth 2 within a circle, 1 outside, over an uneven bed.
struct Pool {
  RankMesh mesh;
  std::vector<double> rows;

  Pool() : mesh(squares(side, side, 1.0)) {
    for (int c = 0; c < mesh.n_owned; ++c)
      mesh.bed[c] = 0.2 * std::sin(0.05 * (c % side)) * std::cos(0.03 * (c / side));
    rows = at_rest(mesh, [](int c) { return std::hypot(c % side - side / 2, c / side - side / 2) < side / 4 ? 2 : 1; });
  }
};

void count_cells(benchmark::State &state) {
  state.counters["cell-steps/s"] =
      benchmark::Counter(double(side) * side * double(state.iterations()), benchmark::Counter::kIsRate);
}

/// One pass over the edges that adds to both cells, one over the cells.
void straight(benchmark::State &state) {
  Pool pool;
  const FlowConstants<double> constants = {9.81, 1e-6};
  for (std::size_t c = 0; c < pool.mesh.bed.size(); ++c) pool.rows[4 * c + 3] = pool.mesh.bed[c];
  std::vector<CellRates<double>> rates(pool.mesh.bed.size());
  double *const rows = pool.rows.data();
  for (auto _ : state) {
    for (auto &r : rates) r = {0, 0, 0, 0};
    for (const auto &e : pool.mesh.edges) {
      const auto f =
          edge_flux<FlowFlux::Roe>(edge_states<double>(rows + 4 * e.left, rows + 4 * e.right), e.nx, e.ny, constants);
      CellRates<double> &left = rates[e.left], &right = rates[e.right];
      left.h -= e.length * f.mass;
      left.qx -= e.length * f.left_x;
      left.qy -= e.length * f.left_y;
      left.waves += e.length * f.speed;
      right.h += e.length * f.mass;
      right.qx -= e.length * f.right_x;
      right.qy -= e.length * f.right_y;
      right.waves += e.length * f.speed;
    }
    double dt = 1e300;
    for (std::size_t c = 0; c < rates.size(); ++c)
      dt = std::min(dt, largest_time_step(rates[c], rows[4 * c], 1.0, 0.9, 1e300));
    for (std::size_t c = 0; c < rates.size(); ++c) update_cell(rows + 4 * c, rates[c], 1.0, dt, 0.0, 0.0, 1e-6);
  }
  benchmark::DoNotOptimize(rows);
  count_cells(state);
}
BENCHMARK(straight)->Unit(benchmark::kMillisecond);

void backend(benchmark::State &state, Isa isa, FlowFlux flux, Precision precision, int threads) {
  const Pool pool;
  FlowSetup setup;
  setup.flux = flux;
  setup.precision = precision;
  const auto loops = make_flow_host(setup, threads, isa);
  loops->set_mesh(pool.mesh);
  loops->set_state(pool.rows.data());
  for (auto _ : state) loops->update(loops->rates(0));
  count_cells(state);
}

void register_all() {
  for (const FlowFlux flux : {FlowFlux::Roe, FlowFlux::Hll})
    register_backends(flux == FlowFlux::Roe ? "roe/" : "hll/",
                      [flux](benchmark::State &state, Isa isa, Precision precision, int threads) {
                        backend(state, isa, flux, precision, threads);
                      });
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_benchmarks("bench_flow", argc, argv, triad::bench::register_all);
}

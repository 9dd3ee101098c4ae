// Sub-steps of shallow water: every reduction, flux and precision on the GPU, and the host with several threads, on a
// grid of squares with a circular dam break over an uneven bed.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/options.h"
#include "flow/flow_operations.h"
#include "forces/flow/flow_backend.h"
#include "testing/flow_meshes.h"

namespace triad {
namespace bench {
namespace {

struct Pool {
  RankMesh mesh;
  std::vector<double> rows;

  explicit Pool(int cells) {
    const int side = std::max(1, int(std::lround(std::sqrt(double(cells)))));
    mesh = squares(side, side, 1.0);
    for (int c = 0; c < mesh.n_owned; ++c)
      mesh.bed[c] = 0.2 * std::sin(0.05 * (c % side)) * std::cos(0.03 * (c / side));
    rows = at_rest(mesh, [side](int c) {
      return std::hypot(double(c % side - side / 2), double(c / side - side / 2)) < 0.25 * side ? 2 : 1;
    });
  }
};

/// Bytes per sub-step that each cell needs at least, if every array is read or written once per kernel: cells of four
/// edges, without friction and rain.
double bytes_per_cell(FlowReduction reduction, Precision precision) {
  const double state = precision == Precision::Single ? 4 : 8, real = precision == Precision::Double ? 8 : 4;
  const double index = 4, slots = 4, edges = 2, row = 4;
  const double update = row * state + 2 * row * state + state;  // rates, state in and out, area
  const double limit = state;                                   // area
  if (reduction == FlowReduction::Gather)
    return row * state + slots * (index + 3 * real) + limit + row * state + update;
  const double edge_pass = row * state + edges * (2 * index + 3 * real);
  if (reduction == FlowReduction::Atomic)  // sums in and out, read for the limit, cleared by the update
    return edge_pass + 2 * row * state + limit + row * state + state + update + row * state;
  return edge_pass + edges * 2 * index + 2 * slots * row * real + limit + state + row * state + update;
}

struct Rate {
  double cells_per_s = 0;
  long long sub_steps = 0;
};

/// Advances by intervals of about `sub_steps` sub-steps; the fastest of `repeats` counts.
Rate measure(FlowBackend &loops, const Pool &pool, int sub_steps, int repeats) {
  loops.set_mesh(pool.mesh);
  loops.set_state(pool.rows.data());
  SubSteps steps;
  Rate best;
  const double interval = sub_steps * loops.rates(0);
  for (int r = -1; r < repeats; ++r) {
    steps.start += steps.span;
    steps.span = r < 0 ? 0.2 * interval : interval;
    steps.done = 0;
    steps.count = 0;
    const auto start = std::chrono::steady_clock::now();
    if (!loops.advance(steps, nullptr)) throw std::runtime_error("the time step vanishes");
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (r < 0) continue;
    best.cells_per_s = std::max(best.cells_per_s, double(steps.count) * pool.mesh.n_owned / seconds.count());
    best.sub_steps = steps.count;
  }
  return best;
}

/// Operations per second in a precision at the maximum clock: two per fused multiply-add, 128 lanes per SM in fp32;
/// in fp64 64 lanes on compute capability 8.0, 9.0 and 10.0, and 2 on others.
double peak_operations(Precision precision) {
  int device = 0, clock_kHz = 0, multiprocessors = 0, major = 0, minor = 0;
  check(cudaGetDevice(&device), "querying the current device");
  check(cudaDeviceGetAttribute(&clock_kHz, cudaDevAttrClockRate, device), "reading the clock");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "querying the compute capability");
  check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device), "querying the compute capability");
  const double lanes = precision != Precision::Double ? 128 : (major >= 8 && minor == 0 && major <= 10 ? 64 : 2);
  return 2 * lanes * multiprocessors * clock_kHz * 1e3;
}

class Table {
 public:
  Table(int repeats, double peak_bandwidth) : repeats_(repeats), peak_bandwidth_(peak_bandwidth) {}

  void add_cuda(const Pool &pool, const FlowSetup &setup, int sub_steps) {
    const Rate rate = measure(*make_flow_cuda(setup, 0, 1), pool, sub_steps, repeats_);
    const double bytes = rate.cells_per_s * bytes_per_cell(setup.reduction, setup.precision);
    const double flops = rate.cells_per_s * operations(setup), peak = peak_operations(setup.precision);
    print(pool, setup, name_of(setup.reduction), rate);
    std::printf(" %7.1f | %5.1f | %8.1f | %5.1f |\n", 1e-9 * bytes, 100 * bytes / peak_bandwidth_, 1e-9 * flops,
                100 * flops / peak);
    std::fflush(stdout);
    auto members = members_of(pool, setup, name_of(setup.reduction), rate);
    members.insert(members.end(), {{"bytes_per_s", bytes},
                                   {"share_of_peak_bandwidth", bytes / peak_bandwidth_},
                                   {"flop_per_s", flops},
                                   {"share_of_peak_flop", flops / peak}});
    lines_.push_back(Json::object(members));
  }

  void add_host(const Pool &pool, const FlowSetup &setup, int threads, int sub_steps) {
    const Rate rate = measure(*make_flow_host(setup, threads), pool, sub_steps, repeats_);
    const std::string name = "host, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
    print(pool, setup, name, rate);
    std::printf(" | | %8.1f | |\n", 1e-9 * rate.cells_per_s * operations(setup));
    std::fflush(stdout);
    auto members = members_of(pool, setup, name, rate);
    members.push_back({"flop_per_s", rate.cells_per_s * operations(setup)});
    lines_.push_back(Json::object(members));
  }

  Json as_json() const { return Json::lines(lines_); }

 private:
  /// Operations of a cell in a sub-step, each of its four edges counted half.
  static double operations(const FlowSetup &setup) {
    return 2.0 * double(operations_of_edge(setup.flux)) + double(operations_of_cell());
  }
  static const char *flux_of(const FlowSetup &setup) { return setup.flux == FlowFlux::Roe ? "roe" : "hll"; }
  static void print(const Pool &pool, const FlowSetup &setup, const std::string &loops, const Rate &rate) {
    std::printf("| %d | %s | %s | %s | %lld | %.3f |", pool.mesh.n_owned, flux_of(setup), name_of(setup.precision),
                loops.c_str(), rate.sub_steps, 1e-9 * rate.cells_per_s);
  }
  static std::vector<std::pair<std::string, Json>> members_of(const Pool &pool, const FlowSetup &setup,
                                                              const std::string &loops, const Rate &rate) {
    return {{"cells", pool.mesh.n_owned},
            {"flux", flux_of(setup)},
            {"precision", name_of(setup.precision)},
            {"loops", loops},
            {"sub_steps", rate.sub_steps},
            {"cell_steps_per_s", rate.cells_per_s}};
  }

  int repeats_;
  double peak_bandwidth_;
  std::vector<Json> lines_;
};

FlowReduction reduction_named(const std::string &word) {
  for (const auto r : {FlowReduction::Gather, FlowReduction::Atomic, FlowReduction::Colored})
    if (word == name_of(r)) return r;
  throw std::invalid_argument("--reduction takes gather, atomic, colored");
}

FlowFlux flux_named(const std::string &word) {
  if (word != "roe" && word != "hll") throw std::invalid_argument("--flux takes roe, hll");
  return word == "roe" ? FlowFlux::Roe : FlowFlux::Hll;
}

void run(int argc, char **argv) {
  const Options options(argc, argv,
                        {{"cells", "4000000"},
                         {"flux", "roe,hll"},
                         {"precision", "single,mixed,double"},
                         {"reduction", "gather,atomic,colored"},
                         {"steps", "100"},
                         {"threads", "1,4"},
                         {"host-steps", "4"},
                         {"repeats", "3"},
                         {"json", "flow_rate.json"},
                         {"commit", ""}});
  const DeviceFacts facts = device_facts();
  std::printf(
      "%s, %s, peak %.0f GB/s, fp32 %.1f and fp64 %.1f TFLOP/s\n\n"
      "| cells | flux | precision | loops | sub-steps | G cell-steps/s | GB/s | %% | GFLOP/s | %% |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
      facts.name.c_str(), facts.driver.c_str(), 1e-9 * facts.peak_bandwidth, 1e-12 * peak_operations(Precision::Single),
      1e-12 * peak_operations(Precision::Double));
  Table table(options.number("repeats"), facts.peak_bandwidth);
  for (const int cells : options.numbers("cells")) {
    const Pool pool(cells);
    for (const std::string &flux : options.words("flux"))
      for (const Precision precision : options.precisions()) {
        FlowSetup setup;
        setup.flux = flux_named(flux);
        setup.precision = precision;
        for (const std::string &reduction : options.words("reduction")) {
          setup.reduction = reduction_named(reduction);
          table.add_cuda(pool, setup, options.number("steps"));
        }
        for (const std::string &threads : options.words("threads"))
          if (threads != "0") table.add_host(pool, setup, std::stoi(threads), options.number("host-steps"));
      }
  }
  auto members = result_header("flow_rate", facts, options.text("commit"));
  members.push_back({"results", table.as_json()});
  Json::object(members, true).write(options.text("json"));
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("flow_rate", [&] { triad::bench::run(argc, argv); });
}

// Rate of softened gravity between all pairs of atoms: the triangular and the one-sided kernel in every precision, the
// choice of `kernel auto`, the law as a formula that NVRTC compiles (--formula no without NVRTC), and the ring
// algorithm in shared memory (fp32) known from textbooks. Forces are compared with those of precision double; a
// difference beyond the tolerance is a failure.

#include <cstdio>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/gravity_formula.h"
#include "common/options.h"
#include "forces/pairwise/cuda/all_pairs.cuh"
#include "pairs/ring_kernel.cuh"

namespace triad {
namespace bench {
namespace {

/// Bodies in a unit cube, and their masses, on the device.
struct Bodies {
  std::vector<double> x, mass;
  DeviceBuffer<double> x_device{"positions"}, mass_device{"masses"};
  bool equal;

  Bodies(int n, bool equal_masses, cudaStream_t stream) : equal(equal_masses) {
    unsigned state = 1;
    const auto uniform = [&state] {  // the quick generator of Numerical Recipes
      state = 1664525u * state + 1013904223u;
      return state / 4294967296.0;
    };
    for (int i = 0; i < n; ++i) {
      for (int axis = 0; axis < 3; ++axis) x.push_back(uniform());
      mass.push_back((equal ? 1 : 0.5 + uniform()) / n);
    }
    upload(x_device, x, stream);
    upload(mass_device, mass, stream);
  }
  int n() const { return int(mass.size()); }
  PairAtomsView atoms() const {
    PairAtomsView view;
    view.n = n();
    view.x = x.data();
    view.strength = mass.data();
    return view;
  }
};

constexpr GravitySettings gravity = {1, 0.01};  // eps^2 = 1e-4 (Nyland et al. 2007)

/// Arithmetic operations per ordered pair; a fused multiply-add counts as two. For an unordered pair: 3 differences, 6
/// for the square, a reciprocal square root, 2 for its cube, 2 for the masses unless they are equal, and 6 for each
/// force.
double operations(bool each_once, bool equal) {
  return each_once ? (24 + (equal ? 0 : 2)) / 2.0 : 18 + (equal ? 0 : 1);
}

struct Timing {
  std::string kernel;
  Precision precision;
  int atoms;
  bool equal;
  double seconds, operations;
  double error;  // maximum difference of a force from fp64, relative to the root mean square
  double pairs_per_s() const { return double(atoms) * atoms / seconds; }
};

/// Median time of launch(). clear() is called after each launch and not timed.
template <class Launch, class Clear>
double time_launches(int repeats, cudaStream_t stream, Launch &&launch, Clear &&clear) {
  GpuTimer timer(stream);
  std::vector<double> seconds;
  for (int r = -1; r < repeats; ++r) {
    timer.start();
    launch();
    timer.stop();
    if (r >= 0) seconds.push_back(timer.seconds());
    clear();
  }
  return median(seconds);
}

double largest_error(const std::vector<double> &force, const std::vector<double> &exact) {
  double largest = 0, squares = 0;
  for (std::size_t k = 0; k < force.size(); ++k) {
    const double difference = std::fabs(force[k] - exact[k]);
    if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
    squares += exact[k] * exact[k];
  }
  return largest / std::sqrt(3 * squares / double(force.size()));
}

/// Forces of one kernel of the library, and its time.
template <class Format>
double measure(const Bodies &bodies, const PairLawSettings &law, PairKernel kernel, Precision precision, int repeats,
               cudaStream_t stream, std::vector<double> &force) {
  PairwiseSetup setup;
  setup.law = law;
  setup.kernel = kernel;
  setup.precision = precision;
  const PairGeometry geometry(bodies.atoms(), setup, 1);
  TileOrder order;
  order.update(bodies.n(), nullptr, 1, nullptr);
  cuda::AllPairsDevice<Format> pairs(setup, stream);
  pairs.set_order(order);
  DeviceBuffer<double> result("forces");
  cuda::PinnedBuffer<int> bad("a flag");
  result.reserve(3 * std::size_t(bodies.n()));
  bad.reserve(1);
  bad[0] = 0;
  const double seconds = time_launches(
      repeats, stream,
      [&] {
        pairs.compute(bodies.x_device.data(), bodies.mass_device.data(), strengths_of(bodies.atoms()), geometry,
                      TallyRequest(), RankSlice());
      },
      [&] {
        pairs.results().collect(pairs.atom(), bodies.mass_device.data(), result.data(), nullptr, bad.data(), stream);
      });
  force = download(result.data(), 3 * std::size_t(bodies.n()), stream);
  return seconds;
}

double measure_ring(const Bodies &bodies, int repeats, cudaStream_t stream, std::vector<double> &force) {
  std::vector<float4> position;
  for (int i = 0; i < bodies.n(); ++i)
    position.push_back({float(bodies.x[3 * i] - 0.5), float(bodies.x[3 * i + 1] - 0.5),
                        float(bodies.x[3 * i + 2] - 0.5), float(bodies.mass[i])});
  DeviceBuffer<float4> points("positions"), sums("forces");
  upload(points, position, stream);
  sums.reserve(position.size());
  std::vector<float4> result;
  const auto clear = [&] {
    check(cudaMemsetAsync(sums.data(), 0, position.size() * sizeof(float4), stream), "clearing");
  };
  clear();
  const unsigned blocks = unsigned(triangle_size(bodies.n() / ring_block));
  const double seconds = time_launches(
      repeats, stream,
      [&] { ring_kernel<<<blocks, ring_block, 0, stream>>>(GravityLaw<float>(gravity), points.data(), sums.data()); },
      [&] {
        check(cudaGetLastError(), "running the ring kernel");
        result = download(sums.data(), position.size(), stream);
        clear();
      });
  force.clear();
  for (int i = 0; i < bodies.n(); ++i)
    for (const float f : {result[i].x, result[i].y, result[i].z}) force.push_back(f * bodies.mass[i]);
  return seconds;
}

/// Tolerance of the difference of a force from fp64, relative to the root mean square.
double tolerance(Precision precision) {
  return precision == Precision::Double ? 1e-11 : precision == Precision::Mixed ? 1e-4 : 1e-3;
}

class Comparison {
 public:
  Comparison(const Options &options, double peak) : options_(options), peak_(peak) {}

  void run(int n, bool equal, cudaStream_t stream) {
    const Bodies bodies(n, equal, stream);
    const int repeats = options_.number("repeats");
    std::vector<double> exact, force;
    measure<PairDouble>(bodies, gravity, PairKernel::OneSided, Precision::Double, 1, stream, exact);
    for (const Precision precision : options_.precisions()) {
      const auto library = [&](const char *name, const PairLawSettings &law, PairKernel kernel, bool each_once) {
        const double seconds = with_format<PairFormats>(precision, [&](auto format) {
          return measure<decltype(format)>(bodies, law, kernel, precision, repeats, stream, force);
        });
        keep({name, precision, n, equal, seconds, operations(each_once, equal), largest_error(force, exact)});
      };
      library("triangular", gravity, PairKernel::Triangular, true);
      library("onesided", gravity, PairKernel::OneSided, false);
      library("auto", gravity, PairKernel::Auto, true);
      if (equal && options_.text("formula") == "yes")
        library("formula", gravity_formula(gravity.eps), PairKernel::Auto, true);
      if (precision == Precision::Single && n % ring_block == 0 && !equal) {
        const double seconds = measure_ring(bodies, repeats, stream, force);
        keep({"ring", precision, n, equal, seconds, operations(true, false), largest_error(force, exact)});
      }
    }
  }

  Json as_json() const {
    std::vector<Json> lines;
    for (const Timing &t : timings_)
      lines.push_back(Json::object({{"kernel", t.kernel},
                                    {"precision", name_of(t.precision)},
                                    {"atoms", t.atoms},
                                    {"masses", t.equal ? "equal" : "different"},
                                    {"seconds", t.seconds},
                                    {"ordered_pairs_per_s", t.pairs_per_s()},
                                    {"share_of_fp32_peak", t.pairs_per_s() * t.operations / peak_},
                                    {"force_error", t.error}}));
    return Json::lines(lines);
  }

 private:
  void keep(const Timing &t) {
    std::printf("| %d | %s | %s | %s | %.3f | %.0f %% | %.3g | %.1e |\n", t.atoms, t.equal ? "equal" : "different",
                name_of(t.precision), t.kernel.c_str(), 1e-12 * t.pairs_per_s(),
                100 * t.pairs_per_s() * t.operations / peak_, 1e3 * t.seconds, t.error);
    std::fflush(stdout);
    if (!(t.error <= tolerance(t.precision)))
      throw LoopError("kernel " + t.kernel + ", precision " + name_of(t.precision) + ": forces differ from fp64 by " +
                      std::to_string(t.error) + " of their root mean square");
    timings_.push_back(t);
  }

  const Options &options_;
  double peak_;
  std::vector<Timing> timings_;
};

/// fp32 operations per second at the maximum clock: 128 fused multiply-adds per SM and clock on compute capability 8.6
/// and later, including 9.0.
double fp32_peak() {
  int device = 0, clock_kHz = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "querying the current device");
  check(cudaDeviceGetAttribute(&clock_kHz, cudaDevAttrClockRate, device), "reading the clock");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
  return 2.0 * 128 * multiprocessors * clock_kHz * 1e3;
}

void run(int argc, char **argv) {
  const Options options(argc, argv,
                        {{"atoms", "1024,4096,16384,65536,131072,524288"},
                         {"precision", "single,mixed,double"},
                         {"repeats", "5"},
                         {"formula", "yes"},
                         {"json", "all_pairs.json"},
                         {"commit", ""}});
  const DeviceFacts facts = device_facts();
  const cuda::Stream stream;
  const double peak = fp32_peak();
  std::printf("%s, %s, fp32 peak %.1f Tflop/s\n\n", facts.name.c_str(), facts.driver.c_str(), 1e-12 * peak);
  std::printf(
      "| atoms | masses | precision | kernel | T ordered pairs/s | of the fp32 peak | ms | force error |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  Comparison comparison(options, peak);
  for (const int n : options.numbers("atoms"))
    for (const bool equal : {false, true}) comparison.run(n, equal, stream);
  auto members = result_header("all_pairs", facts, options.text("commit"));
  members.insert(members.end(), {{"fp32_peak_flop_per_s", peak}, {"results", comparison.as_json()}});
  Json::object(members, true).write(options.text("json"));
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("all_pairs", [&] { triad::bench::run(argc, argv); });
}

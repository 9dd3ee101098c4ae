// Pair forces of two source documents as they print them, beside the kernels of this project:
//   nbody      131,072 bodies in +-0.5 without masses, softening 1e-4, kick and drift of 0.01, two steps timed by
//   events;
//              float3 against float4, and blocks of 64 to 1024 threads. The energy after the steps is compared with
//              that of fp64.
//   one block  the triangular loop in one block, with coefficients by the types of a pair; forces are compared with
//   fp64.
// A wrong force or energy is a failure.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/options.h"
#include "forces/pairwise/cuda/all_pairs.cuh"
#include "published/nbody_kernel.cuh"
#include "published/one_block_kernel.cuh"

namespace triad {
namespace bench {
namespace {

double uniform() {
  static unsigned state = 1;
  state = 1664525u * state + 1013904223u;  // the quick generator of Numerical Recipes
  return state / 4294967296.0;
}

/// Median time of launch() in seconds, after one launch that is not timed. prepare() precedes each launch.
template <class Prepare, class Launch>
double time_of(int repeats, cudaStream_t stream, Prepare &&prepare, Launch &&launch) {
  GpuTimer timer(stream);
  std::vector<double> seconds;
  for (int r = -1; r < repeats; ++r) {
    prepare();
    timer.start();
    launch();
    timer.stop();
    if (r >= 0) seconds.push_back(timer.seconds());
  }
  return median(seconds);
}

/// All pairs of one law with the kernels of this project.
template <class Format>
class LibraryPairs {
 public:
  LibraryPairs(const PairwiseSetup &setup, const std::vector<int> &type, cudaStream_t stream)
      : setup_(setup), type_(type), stream_(stream), pairs_(setup_, stream) {
    TileOrder order;
    order.update(int(type.size()), goes_by_type(setup.law) ? type.data() : nullptr, setup.n_types, nullptr);
    pairs_.set_order(order);
    force_.reserve(3 * type.size());
    bad_.reserve(1);
    bad_[0] = 0;
  }

  /// Queues the forces at positions on the device; `low` and `high` bound all coordinates.
  void compute(const double *x, double low, double high, const TallyRequest &request = TallyRequest()) {
    PairGeometry geometry(nullptr);
    geometry.set_extent({{low, low, low}, {high, high, high}}, setup_);
    pairs_.compute(x, nullptr, {1, 1}, geometry, request, RankSlice());
    pairs_.results().collect(pairs_.atom(), nullptr, force_.data(), nullptr, bad_.data(), stream_);
  }
  const double *force() const { return force_.data(); }
  double energy() { return download(pairs_.results().totals(), 1, stream_)[0]; }

 private:
  const PairwiseSetup setup_;
  std::vector<int> type_;
  cudaStream_t stream_;
  cuda::AllPairsDevice<Format> pairs_;
  DeviceBuffer<double> force_{"forces"};
  cuda::PinnedBuffer<int> bad_{"a flag"};
};

__global__ void kick_drift(int n, double *x, double *v, const double *force, double dt) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  v[k] += dt * force[k];
  x[k] += dt * v[k];
}

// ---- N-body

struct NbodyTiming {
  std::string kernel;
  int block;
  double seconds;  // per step
  double energy;   // after two steps
};

class Nbody {
 public:
  Nbody(int n, int repeats, cudaStream_t stream) : n_(n), repeats_(repeats), stream_(stream) {
    for (int k = 0; k < 3 * n; ++k) x_.push_back(uniform() - 0.5);
    for (int k = 0; k < 3 * n; ++k) v_.push_back(uniform() - 0.5);
  }

  template <class Body>
  void literal(const char *name, int block) {
    if (n_ % block != 0) throw LoopError("the number of bodies must be a multiple of the block sizes");
    DeviceBuffer<Body> x[2] = {DeviceBuffer<Body>("positions"), DeviceBuffer<Body>("positions")},
                       v[2] = {DeviceBuffer<Body>("velocities"), DeviceBuffer<Body>("velocities")};
    const std::vector<Body> start_x = bodies<Body>(x_), start_v = bodies<Body>(v_);
    for (auto *buffer : {&x[1], &v[1]}) buffer->reserve(n_);
    const double seconds = time_of(
        repeats_, stream_,
        [&] {
          upload(x[0], start_x, stream_);
          upload(v[0], start_v, stream_);
        },
        [&] {
          for (int s = 0; s < steps; ++s)
            nbody_step_kernel<<<n_ / block, block, block * sizeof(Body), stream_>>>(
                n_, x[s % 2].data(), v[s % 2].data(), x[1 - s % 2].data(), v[1 - s % 2].data());
          check(cudaGetLastError(), "running the N-body kernel");
        });
    const std::vector<Body> end_x = download(x[0].data(), n_, stream_), end_v = download(v[0].data(), n_, stream_);
    keep(name, block, seconds, numbers(end_x), numbers(end_v));
  }

  template <class Format>
  void measure(const char *name, Precision precision, PairKernel kernel) {
    PairwiseSetup setup = gravity(precision);
    setup.kernel = kernel;
    LibraryPairs<Format> pairs(setup, std::vector<int>(n_, 1), stream_);
    DeviceBuffer<double> x("positions"), v("velocities");
    // Bodies that are close to another in the first step are far away in the second.
    constexpr double bound[steps] = {0.5, 4096};
    const double seconds = time_of(
        repeats_, stream_,
        [&] {
          upload(x, x_, stream_);
          upload(v, v_, stream_);
        },
        [&] {
          for (int s = 0; s < steps; ++s) {
            pairs.compute(x.data(), -bound[s], bound[s]);
            kick_drift<<<cuda::blocks_for(3 * n_, 256), 256, 0, stream_>>>(3 * n_, x.data(), v.data(), pairs.force(),
                                                                           nbody_time_step);
          }
          check(cudaGetLastError(), "moving the bodies");
        });
    keep(name, 0, seconds, download(x.data(), 3 * n_, stream_), download(v.data(), 3 * n_, stream_));
  }

  Json as_json() const {
    std::vector<Json> lines;
    for (const NbodyTiming &t : timings_)
      lines.push_back(Json::object({{"kernel", t.kernel},
                                    {"block", t.block},
                                    {"seconds_per_step", t.seconds},
                                    {"ordered_pairs_per_s", double(n_) * n_ / t.seconds},
                                    {"energy", t.energy},
                                    {"energy_error", energy_error(t)}}));
    return Json::lines(lines);
  }

 private:
  static constexpr int steps = 2;

  static PairwiseSetup gravity(Precision precision) {
    PairwiseSetup setup;
    setup.law = GravitySettings{1, 1e-4};
    setup.precision = precision;
    return setup;
  }

  template <class Body>
  std::vector<Body> bodies(const std::vector<double> &from) const {
    std::vector<Body> result(n_);
    for (int i = 0; i < n_; ++i) {
      result[i].x = float(from[3 * i]);
      result[i].y = float(from[3 * i + 1]);
      result[i].z = float(from[3 * i + 2]);
    }
    return result;
  }
  template <class Body>
  static std::vector<double> numbers(const std::vector<Body> &from) {
    std::vector<double> result;
    for (const Body &b : from) result.insert(result.end(), {b.x, b.y, b.z});
    return result;
  }

  /// Kinetic and potential energy in fp64.
  double energy_of(const std::vector<double> &x, const std::vector<double> &v) {
    LibraryPairs<PairDouble> pairs(gravity(Precision::Double), std::vector<int>(n_, 1), stream_);
    DeviceBuffer<double> on_device("positions");
    upload(on_device, x, stream_);
    TallyRequest request;
    request.energy = true;
    pairs.compute(on_device.data(), -0.5, 0.5, request);
    double kinetic = 0;
    for (const double c : v) kinetic += 0.5 * c * c;
    return kinetic + pairs.energy();
  }

  double energy_error(const NbodyTiming &t) const {
    return std::fabs(t.energy - timings_.front().energy) / std::fabs(timings_.front().energy);
  }

  void keep(const char *name, int block, double seconds, const std::vector<double> &x, const std::vector<double> &v) {
    timings_.push_back({name, block, seconds / steps, energy_of(x, v)});
    const NbodyTiming &t = timings_.back();
    std::printf("| %s | %d | %.3f | %.3f | %.2e |\n", name, block, 1e3 * t.seconds, 1e-12 * n_ * n_ / t.seconds,
                energy_error(t));
    std::fflush(stdout);
    if (!(energy_error(t) < 0.05)) throw LoopError(std::string("kernel ") + name + " has another energy than fp64");
  }

  int n_, repeats_;
  cudaStream_t stream_;
  std::vector<double> x_, v_;
  std::vector<NbodyTiming> timings_;  // the first is the reference, in fp64
};

// ---- one block

struct OneBlockTiming {
  int atoms;
  std::string kernel;
  double seconds, error;
};

class OneBlock {
 public:
  OneBlock(int repeats, cudaStream_t stream) : repeats_(repeats), stream_(stream) {}

  /// Ions of two types in a box of one atom per unit volume.
  void run(int n) {
    std::vector<double> x;
    std::vector<int> type;
    std::vector<float4> position;
    const double edge = std::cbrt(double(n));
    for (int i = 0; i < n; ++i) {
      for (int axis = 0; axis < 3; ++axis) x.push_back(edge * uniform());
      type.push_back(1 + i % 2);
      position.push_back({float(x[3 * i]), float(x[3 * i + 1]), float(x[3 * i + 2]), float(i % 2)});
    }
    for (int i = 0; i < n; ++i) x[3 * i] = position[i].x, x[3 * i + 1] = position[i].y, x[3 * i + 2] = position[i].z;
    const CoulombPowerSettings::Entry by_sum[3] = {{1, 0.7, 8}, {-1, 0.8, 8}, {1, 0.9, 8}};
    std::vector<float4> coefficient;
    PairwiseSetup setup;
    CoulombPowerSettings law;
    law.floor = one_block_floor;
    law.pairs = TypePairTable<CoulombPowerSettings::Entry>(2);
    for (int a = 1; a <= 2; ++a)
      for (int b = 1; b <= 2; ++b) law.pairs.set(a, b, by_sum[a + b - 2]);
    for (const auto &c : by_sum) coefficient.push_back({float(c.c1), float(c.c2), float(c.n), 0});
    setup.law = law;
    setup.n_types = 2;

    DeviceBuffer<double> x_device("positions");
    upload(x_device, x, stream_);
    std::vector<double> exact;
    measure<PairDouble>(setup, Precision::Double, "onesided, double", PairKernel::OneSided, x_device, type, edge,
                        exact);
    DeviceBuffer<float4> points("positions"), table("coefficients"), force("forces");
    upload(points, position, stream_);
    upload(table, coefficient, stream_);
    force.reserve(n);
    const double seconds = time_of(
        repeats_, stream_, [] {},
        [&] {
          one_block_kernel<<<1, (n + 31) / 32 * 32, 0, stream_>>>(n, points.data(), table.data(), force.data());
          check(cudaGetLastError(), "running the kernel of one block");
        });
    std::vector<double> found;
    for (const float4 &f : download(force.data(), n, stream_)) found.insert(found.end(), {f.x, f.y, f.z});
    keep(n, "one block", seconds, found, exact);
    measure<PairSingle>(setup, Precision::Single, "triangular", PairKernel::Triangular, x_device, type, edge, exact);
    measure<PairSingle>(setup, Precision::Single, "onesided", PairKernel::OneSided, x_device, type, edge, exact);
  }

  Json as_json() const {
    std::vector<Json> lines;
    for (const OneBlockTiming &t : timings_)
      lines.push_back(
          Json::object({{"atoms", t.atoms}, {"kernel", t.kernel}, {"seconds", t.seconds}, {"force_error", t.error}}));
    return Json::lines(lines);
  }

 private:
  template <class Format>
  void measure(PairwiseSetup setup, Precision precision, const char *name, PairKernel kernel,
               const DeviceBuffer<double> &x, const std::vector<int> &type, double edge, std::vector<double> &exact) {
    setup.precision = precision;
    setup.kernel = kernel;
    LibraryPairs<Format> pairs(setup, type, stream_);
    const double seconds = time_of(
        repeats_, stream_, [] {}, [&] { pairs.compute(x.data(), 0, edge); });
    const std::vector<double> force = download(pairs.force(), 3 * type.size(), stream_);
    if (exact.empty()) exact = force;
    keep(int(type.size()), name, seconds, force, exact);
  }

  void keep(int n, const char *name, double seconds, const std::vector<double> &force,
            const std::vector<double> &exact) {
    double largest = 0, squares = 0;
    for (std::size_t k = 0; k < force.size(); ++k) {
      const double difference = std::fabs(force[k] - exact[k]);
      if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
      squares += exact[k] * exact[k];
    }
    timings_.push_back({n, name, seconds, largest / std::sqrt(squares / n)});
    std::printf("| %d | %s | %.2f | %.3f | %.1e |\n", n, name, 1e6 * seconds, 1e-9 * n * n / seconds,
                timings_.back().error);
    std::fflush(stdout);
    if (!(timings_.back().error < 1e-3)) throw LoopError(std::string("wrong forces of kernel ") + name);
  }

  int repeats_;
  cudaStream_t stream_;
  std::vector<OneBlockTiming> timings_;
};

void run(int argc, char **argv) {
  const Options options(argc, argv,
                        {{"bodies", "131072"},
                         {"blocks", "64,128,192,256,384,512,768,1024"},
                         {"atoms", "128,256,512,1024"},
                         {"repeats", "5"},
                         {"json", "published_pairs.json"},
                         {"commit", ""}});
  const DeviceFacts facts = device_facts();
  const cuda::Stream stream;
  const int n = options.number("bodies"), repeats = options.number("repeats");
  std::printf("%s, %s\n\n%d bodies; energy error against fp64 after two steps\n\n", facts.name.c_str(),
              facts.driver.c_str(), n);
  std::printf("| kernel | block | ms per step | T ordered pairs/s | energy error |\n| --- | --- | --- | --- | --- |\n");
  Nbody nbody(n, repeats, stream);
  nbody.measure<PairDouble>("triangular, double", Precision::Double, PairKernel::Triangular);
  for (const int block : options.numbers("blocks"))
    if (n % block == 0) nbody.literal<float3>("float3", block);
  for (const int block : options.numbers("blocks"))
    if (n % block == 0) nbody.literal<float4>("float4", block);
  nbody.measure<PairSingle>("onesided, single", Precision::Single, PairKernel::OneSided);
  nbody.measure<PairSingle>("triangular, single", Precision::Single, PairKernel::Triangular);
  nbody.measure<PairMixed>("triangular, mixed", Precision::Mixed, PairKernel::Triangular);

  std::printf("\n| atoms | kernel | us | G ordered pairs/s | force error |\n| --- | --- | --- | --- | --- |\n");
  OneBlock one_block(repeats, stream);
  for (const int atoms : options.numbers("atoms")) one_block.run(atoms);

  auto members = result_header("published_pairs", facts, options.text("commit"));
  members.insert(members.end(), {{"bodies", n}, {"nbody", nbody.as_json()}, {"one_block", one_block.as_json()}});
  Json::object(members, true).write(options.text("json"));
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("published_pairs", [&] { triad::bench::run(argc, argv); });
}

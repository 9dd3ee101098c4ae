// The least time of a step of few atoms: a step's launches, waits and dependent loads and stores, without its
// arithmetic. Each atom has four neighbours, and four lanes share an atom. What a real step takes beyond this floor is
// arithmetic, checks and further fields of the atoms.

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "common/device.cuh"
#include "common/options.h"
#include "core/cuda/block_progress.cuh"
#include "forces/tersoff/cuda/combined_kernel.cuh"

namespace triad {
namespace bench {
namespace {

using cuda::CombinedOrder;
using cuda::ForceProgress;

constexpr int lanes = 4;
constexpr unsigned threads = tuning::combined_block;

struct Chain {
  int n;
  const int *neighbour;  ///< [4][n]
  const int *reverse;    ///< [4][n] elements of `gradient` that belong to an atom
  const float4 *from;    ///< [n] positions
  float4 *to;            ///< [n] positions of the next step
  float4 *gradient;      ///< [4][n]
  const int *stop;       ///< 0; read before the positions, as the guard of a step is
  CombinedOrder order;
  ForceProgress progress;
};

__device__ __forceinline__ float4 operator+(const float4 &a, const float4 &b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
/// Stands for the force of a bond: depends on both positions.
__device__ __forceinline__ float4 bond(const float4 &a, const float4 &b) {
  return {0.01f * (b.x - a.x), 0.01f * (b.y - a.y), 0.01f * (b.z - a.z), 0};
}
__device__ __forceinline__ float4 sum_over_lanes(float4 f) {
  for (int step = 1; step < lanes; step *= 2) {
    const float4 other = {__shfl_xor_sync(~0u, f.x, step), __shfl_xor_sync(~0u, f.y, step),
                          __shfl_xor_sync(~0u, f.z, step), 0};
    f = f + other;
  }
  return f;
}

/// A step in which each lane loads one neighbour. `atom` and `entry` have been loaded before.
__device__ __forceinline__ void move_atom(const Chain &job, const float4 *from, float4 *to, int atom, int entry) {
  if (__ldcg(job.stop)) return;
  const float4 own = __ldcg(from + atom);
  const float4 force = sum_over_lanes(bond(own, __ldcg(from + entry)));
  if (threadIdx.x % lanes == 0) to[atom] = own + force;
}

__global__ void __launch_bounds__(threads) empty_kernel(const Chain) { cuda::wait_for_previous_kernel(); }

/// One phase: positions, motion.
__global__ void __launch_bounds__(threads) move_kernel(const Chain job) {
  const int atom = static_cast<int>(blockIdx.x * threads + threadIdx.x) / lanes;
  const int entry = job.neighbour[static_cast<int>(threadIdx.x) % lanes * job.n + atom];
  cuda::wait_for_previous_kernel();
  move_atom(job, job.from, job.to, atom, entry);
}

/// Two phases in one kernel, as in combined_kernel(): positions, gradients; gradients, motion.
__global__ void __launch_bounds__(threads) gather_kernel(const Chain job) {
  const CombinedOrder::Turn turn = job.order.turn(blockIdx.x);
  if (!turn.gathers) {
    const int slot = static_cast<int>(threadIdx.x) % lanes;
    const int atom = static_cast<int>(turn.block * threads + turn.part * (threads / lanes) + threadIdx.x / lanes);
    const int entry = job.neighbour[slot * job.n + atom];
    cuda::wait_for_previous_kernel();
    if (blockIdx.x == 0) job.progress.clear_next();
    if (__ldcg(job.stop)) return;
    job.gradient[slot * job.n + atom] = bond(__ldcg(job.from + atom), __ldcg(job.from + entry));
    job.progress.note(turn.block);
    return;
  }
  const int atom = static_cast<int>(turn.block * threads + threadIdx.x);
  int entry[lanes];
  for (int s = 0; s < lanes; ++s) entry[s] = job.reverse[s * job.n + atom];
  cuda::wait_for_previous_kernel();
  if (__ldcg(job.stop)) return;
  float4 moved = __ldcg(job.from + atom);
  job.progress.wait_for<false>(job.order, turn.block);
  for (int s = 0; s < lanes; ++s)
    moved = moved + __ldcg(job.gradient + s * job.n + atom) + bond(__ldcg(job.gradient + entry[s]), {});
  job.to[atom] = moved;
}

/// The same in two kernels, of which this is the first: positions, gradients.
__global__ void __launch_bounds__(threads) force_kernel(const Chain job) {
  const int slot = static_cast<int>(threadIdx.x) % lanes;
  const int atom = static_cast<int>(blockIdx.x * threads + threadIdx.x) / lanes;
  const int entry = job.neighbour[slot * job.n + atom];
  cuda::wait_for_previous_kernel();
  if (__ldcg(job.stop)) return;
  job.gradient[slot * job.n + atom] = bond(__ldcg(job.from + atom), __ldcg(job.from + entry));
}
/// The second one: gradients, motion.
__global__ void __launch_bounds__(threads) collect_kernel(const Chain job) {
  const int atom = static_cast<int>(blockIdx.x * threads + threadIdx.x);
  int entry[lanes];
  for (int s = 0; s < lanes; ++s) entry[s] = job.reverse[s * job.n + atom];
  float4 moved = __ldcg(job.from + atom);
  cuda::wait_for_previous_kernel();
  if (__ldcg(job.stop)) return;
  for (int s = 0; s < lanes; ++s)
    moved = moved + __ldcg(job.gradient + s * job.n + atom) + bond(__ldcg(job.gradient + entry[s]), {});
  job.to[atom] = moved;
}

/// `steps` steps of one phase in one launch: all blocks are resident, and wait for each other after each step.
__global__ void __launch_bounds__(threads)
    persistent_kernel(const Chain job, float4 *other, int steps, unsigned *arrived) {
  const int atom = static_cast<int>(blockIdx.x * threads + threadIdx.x) / lanes;
  const int entry = job.neighbour[static_cast<int>(threadIdx.x) % lanes * job.n + atom];
  for (int step = 0; step < steps; ++step) {
    move_atom(job, step % 2 ? other : job.to, step % 2 ? job.to : other, atom, entry);
    cuda::wait_for_grid(arrived);
  }
}

/// Runs the kernels for n atoms, a multiple of `threads`. Neighbours of atom i are i + 1, i - 1, i + 64, i - 64.
class Floor {
 public:
  Floor(int n, cudaStream_t stream) : n_(n), stream_(stream) {
    const int offset[lanes] = {1, -1, 64, -64};
    std::vector<int> neighbour, reverse;
    for (int s = 0; s < lanes; ++s)
      for (int i = 0; i < n; ++i) {
        neighbour.push_back((i + offset[s] + n) % n);
        reverse.push_back((s ^ 1) * n + neighbour.back());
      }
    upload(neighbour_, neighbour, stream);
    upload(reverse_, reverse, stream);
    upload(stop_, std::vector<int>(1, 0), stream);
    upload(progress_, std::vector<unsigned>(2 * ForceProgress::counts + 1, 0), stream);
    std::vector<float4> x(n);
    for (int i = 0; i < n; ++i) x[i] = {float(i % 64), float(i / 64 % 64), float(i / 4096), 0};
    for (DeviceBuffer<float4> &positions : x_) upload(positions, x, stream);
    gradient_.reserve(std::size_t(lanes) * n);
  }

  unsigned gathering() const { return cuda::blocks_for(n_, threads); }
  unsigned blocks() const { return lanes * gathering(); }

  /// us per step of kernels in a chain: the shortest of several runs of a graph. Each step launches the kernels, which
  /// are pairs of a kernel and its number of blocks.
  template <class... Kernels>
  double chained(const Kernels &...kernels) const {
    constexpr int steps = 200;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing steps");
    for (int step = 0; step < steps; ++step) {
      bool follows = step > 0;
      const auto launch = [&](const auto &kernel) {
        cuda::launch(follows, kernel.second, threads, stream_, "launching a step", kernel.first, chain(step));
        follows = true;
      };
      (launch(kernels), ...);
    }
    check(cudaStreamEndCapture(stream_, &graph), "capturing steps");
    check(cudaGraphInstantiate(&executable, graph, 0), "making a graph");
    const double time = shortest([&] { check(cudaGraphLaunch(executable, stream_), "launching a graph"); });
    check(cudaGraphExecDestroy(executable), "freeing a graph");
    check(cudaGraphDestroy(graph), "freeing a graph");
    return 1e6 * time / steps;
  }
  /// True if all blocks of the persistent kernel can be resident at once.
  bool all_resident() const {
    int device = 0, multiprocessors = 0;
    check(cudaGetDevice(&device), "querying the current device");
    check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), "querying the device");
    return cuda::run_at_once(persistent_kernel, blocks(), threads, multiprocessors);
  }
  /// us per step of the persistent kernel. Requires all_resident().
  double persistent() const {
    constexpr int steps = 1000;
    unsigned *const arrived = progress_.data() + 2 * ForceProgress::counts;
    return 1e6 / steps * shortest([&] {
             cuda::launch(false, blocks(), threads, stream_, "launching steps", persistent_kernel, chain(1),
                          x_[1].data(), steps, arrived);
           });
  }

 private:
  Chain chain(int step) const {
    unsigned *const done[] = {progress_.data(), progress_.data() + ForceProgress::counts};
    Chain chain;
    chain.n = n_;
    chain.neighbour = neighbour_.data();
    chain.reverse = reverse_.data();
    chain.from = x_[step % 2].data();
    chain.to = x_[(step + 1) % 2].data();
    chain.gradient = gradient_.data();
    chain.stop = stop_.data();
    chain.order = CombinedOrder::at_once(gathering(), lanes);
    chain.progress = {done[step % 2], done[(step + 1) % 2], CombinedOrder::blocks_per_group(gathering()), 0};
    return chain;
  }
  /// Seconds of the shortest of several runs.
  template <class Run>
  double shortest(Run &&run) const {
    GpuTimer timer(stream_);
    double least = 1e9;
    for (int k = 0; k < 20; ++k) {
      timer.start();
      run();
      timer.stop();
      least = std::min(least, timer.seconds());
    }
    return least;
  }

  int n_;
  cudaStream_t stream_;
  DeviceBuffer<int> neighbour_{"neighbours"}, reverse_{"reverse entries"}, stop_{"a flag"};
  DeviceBuffer<unsigned> progress_{"progress"};
  DeviceBuffer<float4> x_[2] = {DeviceBuffer<float4>("positions"), DeviceBuffer<float4>("positions")},
                       gradient_{"gradients"};
};

void run(int argc, char **argv) {
  const Options options(argc, argv, {{"atoms", "4096,8192,16384,32768,65536"}});
  const DeviceFacts facts = device_facts();
  std::printf("%s, %s, commit %s\n\nus per step\n\n", facts.name.c_str(), facts.driver.c_str(), TRIAD_COMMIT);
  std::printf(
      "| atoms | empty kernels | one phase | two phases in two kernels | two phases in one kernel | one phase, ");
  std::printf("one launch for all steps |\n| --- | --- | --- | --- | --- | --- |\n");
  const cuda::Stream stream;
  for (const int atoms : options.numbers("atoms")) {
    const int n = static_cast<int>(cuda::blocks_for(atoms, threads) * threads);
    const Floor floor(n, stream);
    const unsigned force = floor.blocks(), gather = floor.gathering();
    std::printf("| %d | %.2f | %.2f | %.2f | %.2f | ", n, floor.chained(std::pair(empty_kernel, force)),
                floor.chained(std::pair(move_kernel, force)),
                floor.chained(std::pair(force_kernel, force), std::pair(collect_kernel, gather)),
                floor.chained(std::pair(gather_kernel, force + gather)));
    if (floor.all_resident())
      std::printf("%.2f |\n", floor.persistent());
    else
      std::printf("the blocks are not resident at once |\n");
  }
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("step_floor", [&] { triad::bench::run(argc, argv); });
}

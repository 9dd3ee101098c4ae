// The crystal on the device: its lists, its state, and the timed run.
#pragma once

#include <numeric>

#include "ablation/variants.cuh"
#include "common/reference.cuh"
#include "testing/mixed_tables.h"
#include "testing/periodic.h"

namespace triad {
namespace bench {

constexpr double time_step = 0.001;          // ps
constexpr double start_temperature = 300.0;  // initial, on the lattice sites: half of it becomes vibrational energy

/// Cutoff of the bonded list around the lattice sites, Angstrom: between the first shell (2.35) and the second (3.84).
/// The list is valid until two atoms of the second shell have approached by 0.84 A, which does not occur in a crystal.
/// The forces at the end of every run are compared with those of a list with a cutoff of 4.0 A.
constexpr double bonded_cutoff = 3.3, reference_cutoff = 4.0;

static __global__ void widen_kernel(int n, const float4 *x, double *wide) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 xi = x[i];
  double *target = wide + 3 * static_cast<std::size_t>(i);
  target[0] = xi.x;
  target[1] = xi.y;
  target[2] = xi.z;
}

/// Several steps recorded as a CUDA graph; otherwise launch overhead would dominate the time of small systems.
class StepGraph {
 public:
  template <class Record>
  StepGraph(cudaStream_t stream, Record &&record) : stream_(stream) {
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording steps");
    record();
    check(cudaStreamEndCapture(stream, &graph_), "recording steps");
    check(cudaGraphInstantiate(&executable_, graph_, 0), "preparing steps");
  }
  ~StepGraph() {
    cudaStreamSynchronize(stream_);
    if (executable_) cudaGraphExecDestroy(executable_);
    if (graph_) cudaGraphDestroy(graph_);
  }
  StepGraph(const StepGraph &) = delete;
  StepGraph &operator=(const StepGraph &) = delete;

  void launch() const { check(cudaGraphLaunch(executable_, stream_), "running steps"); }

 private:
  cudaStream_t stream_;
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

class Crystal {
 public:
  /// State at the end of a run.
  struct Observation {
    double potential_energy;  ///< eV per atom
    double total_energy;      ///< eV per atom
    double temperature;       ///< K
    double force_error;       ///< maximum difference from the fp64 forces, eV/Angstrom
  };

  Crystal(int cells, cudaStream_t stream)
      : stream_(stream), structure_(make_diamond(cells, silicon_lattice)), n_(static_cast<int>(structure_.size())) {
    const PeriodicAtoms atoms = with_ghosts(structure_, reference_cutoff);
    const float length = static_cast<float>(structure_.length);
    box_ = {length, 1 / length};
    const Rows rows = without_ghosts(neighbour_rows(atoms, reference_cutoff), atoms);
    reference_ = std::make_unique<Reference>(silicon_table(), rows.offset, rows.neighbour, length, stream);
    upload_bonds(without_ghosts(neighbour_rows(atoms, bonded_cutoff), atoms));
    upload_state();
  }

  int size() const { return n_; }

  /// Prepares the state from which every timed run starts.
  void equilibrate(int steps) {
    const StepGraph one(stream_, [&] { record(Variant::Atomic, 1); });
    start_forces(Variant::Atomic);
    for (int s = 0; s < steps; ++s) one.launch();
    copy(x_start_, x_);
    copy(v_start_, v_);
    check(cudaStreamSynchronize(stream_), "equilibrating");
  }

  /// Returns the device time of `steps` steps from that state, in seconds.
  double time(Variant variant, int steps) {
    const int steps_per_graph = std::gcd(steps, 20);
    const StepGraph several(stream_, [&] { record(variant, steps_per_graph); });
    several.launch();  // the first launch loads code
    copy(x_, x_start_);
    copy(v_, v_start_);
    start_forces(variant);
    GpuTimer timer(stream_);
    timer.start();
    for (int s = 0; s < steps; s += steps_per_graph) several.launch();
    timer.stop();
    return timer.seconds();
  }

  /// Compares the forces at the end of the last run with the reference.
  Observation observe() {
    widen_kernel<<<cuda::blocks_for(n_, 256), 256, 0, stream_>>>(n_, x_.data(), wide_.data());
    check(cudaGetLastError(), "converting positions");
    const Reference::Result reference = reference_->compute(wide_.data(), n_);
    const std::vector<float4> f = download(force_.data(), n_, stream_), v = download(v_.data(), n_, stream_);
    std::vector<double> force(3 * f.size());
    double kinetic = 0;
    for (std::size_t i = 0; i < f.size(); ++i) {
      const double fi[3] = {f[i].x, f[i].y, f[i].z}, vi[3] = {v[i].x, v[i].y, v[i].z};
      for (int d = 0; d < 3; ++d) {
        force[3 * i + d] = fi[d];
        const double now = vi[d] + 0.5 * kick * fi[d];  // v is half a step behind
        kinetic += 0.5 * silicon_mass * mass_to_energy * now * now;
      }
    }
    return {reference.energy / n_, (reference.energy + kinetic) / n_, kinetic / n_ / (1.5 * boltzmann),
            largest_difference(force, reference.force)};
  }

 private:
  static constexpr double kick = time_step / (silicon_mass * mass_to_energy);

  void upload_bonds(const Rows &rows) {
    int width = 0;
    for (int i = 0; i < n_; ++i) width = std::max(width, rows.length(i));
    if (width > max_bonds) throw LoopError("the bonded list has more than " + std::to_string(max_bonds) + " slots");
    std::vector<int> count(n_), by_atom(std::size_t(n_) * width, 0), by_slot(by_atom);
    parallel_for(n_, [&](std::size_t i) {
      count[i] = rows.length(i);
      for (int k = 0; k < count[i]; ++k)
        by_atom[i * width + k] = by_slot[std::size_t(k) * n_ + i] = rows.neighbour[rows.offset[i] + k];
    });
    upload(count_, count, stream_);
    upload(by_atom_, by_atom, stream_);
    upload(by_slot_, by_slot, stream_);
    bonds_ = {n_, width, count_.data(), by_atom_.data(), by_slot_.data()};
  }

  void upload_state() {
    const std::vector<double> velocity = thermal_velocities(n_, start_temperature, 1);
    const auto as_float4 = [&](const std::vector<double> &values) {
      std::vector<float4> packed(n_);
      for (int i = 0; i < n_; ++i) {
        const double *p = values.data() + 3 * std::size_t(i);
        packed[i] = make_float4(float(p[0]), float(p[1]), float(p[2]), 0);
      }
      return packed;
    };
    upload(x_, as_float4(structure_.x), stream_);
    upload(v_, as_float4(velocity), stream_);
    x_start_.reserve(n_);
    v_start_.reserve(n_);
    force_.reserve(n_);
    partial_.reserve(std::size_t(n_) * bonds_.width);
    wide_.reserve(3 * std::size_t(n_));
  }

  void copy(const DeviceBuffer<float4> &target, const DeviceBuffer<float4> &source) {
    check(cudaMemcpyAsync(target.data(), source.data(), n_ * sizeof(float4), cudaMemcpyDeviceToDevice, stream_),
          "copying the state");
  }

  void launch_forces_of(Variant variant) {
    launch_forces(variant, model_, bonds_, box_, x_.data(), partial_.data(), force_.data(), stream_);
  }

  void start_forces(Variant variant) {
    check(cudaMemsetAsync(force_.data(), 0, n_ * sizeof(float4), stream_), "clearing forces");
    launch_forces_of(variant);
  }

  void record(Variant variant, int steps) {
    for (int s = 0; s < steps; ++s) {
      launch_kick_drift(variant, n_, x_.data(), v_.data(), force_.data(), float(kick), float(time_step), stream_);
      launch_forces_of(variant);
    }
  }

  cudaStream_t stream_;
  Structure structure_;
  int n_;
  Box box_;
  const Model model_{TersoffParams<float>(silicon_table().triplets[0]), 0};
  std::unique_ptr<Reference> reference_;
  BondList bonds_;
  DeviceBuffer<int> count_{"bond counts"}, by_atom_{"bonds by atom"}, by_slot_{"bonds by slot"};
  DeviceBuffer<float4> x_{"positions"}, v_{"velocities"}, force_{"forces"}, partial_{"partial forces"},
      x_start_{"start positions"}, v_start_{"start velocities"};
  DeviceBuffer<double> wide_{"fp64 positions"};
};

}  // namespace bench
}  // namespace triad

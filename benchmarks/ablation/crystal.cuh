// The crystal on the device: its lists, its state, and the timed run.
#pragma once

#include <array>
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

/// The list of all neighbours on the sites of make_diamond(), from those of one cell. Requires cutoff < lattice.
inline Rows lattice_rows(int cells, double lattice, double cutoff) {
  struct Neighbour {
    int cell[3], site;
  };
  std::vector<Neighbour> of_cell;  // of the eight sites one after the other
  std::array<int, 9> begin = {};
  for (int site = 0; site < 8; ++site) {
    for (int k = 0; k < 27 * 8; ++k) {
      const Neighbour other = {{k / 8 % 3 - 1, k / 24 % 3 - 1, k / 72 - 1}, k % 8};
      double squared = 0;
      for (int d = 0; d < 3; ++d) {
        const double apart = lattice * (other.cell[d] + diamond_basis[other.site][d] - diamond_basis[site][d]);
        squared += apart * apart;
      }
      if (squared > 0 && squared < cutoff * cutoff) of_cell.push_back(other);
    }
    begin[site + 1] = static_cast<int>(of_cell.size());
  }
  const std::size_t n_cells = std::size_t(cells) * cells * cells;
  Rows rows;
  rows.offset.resize(8 * n_cells + 1, 0);
  rows.neighbour.resize(n_cells * of_cell.size());
  parallel_for(n_cells, [&](std::size_t cell) {
    const int at[3] = {int(cell % cells), int(cell / cells % cells), int(cell / cells / cells)};
    for (int site = 0; site < 8; ++site)
      rows.offset[8 * cell + site + 1] = static_cast<long long>(cell * of_cell.size()) + begin[site + 1];
    for (std::size_t k = 0; k < of_cell.size(); ++k) {
      int wrapped[3];
      for (int d = 0; d < 3; ++d) wrapped[d] = (at[d] + of_cell[k].cell[d] + cells) % cells;
      rows.neighbour[cell * of_cell.size() + k] =
          8 * (wrapped[0] + cells * (wrapped[1] + cells * wrapped[2])) + of_cell[k].site;
    }
  });
  return rows;
}

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
    const float length = static_cast<float>(structure_.length);
    box_ = {length, 1 / length};
    const Rows rows = lattice_rows(cells, silicon_lattice, reference_cutoff);
    reference_ = std::make_unique<Reference>(silicon_table(), rows.offset, rows.neighbour, length, stream);
    upload_bonds(lattice_rows(cells, silicon_lattice, bonded_cutoff));
    upload_state();
  }

  int size() const { return n_; }

  /// Prepares the state from which every timed run starts.
  void equilibrate(int steps) {
    const StepGraph one(stream_, [&] { record(Variant::Atomic, 1); });
    convert(Variant::Baseline, x_start_, v_start_, Variant::Atomic, x_, v_);
    start_forces(Variant::Atomic);
    for (int s = 0; s < steps; ++s) one.launch();
    convert(Variant::Atomic, x_, v_, Variant::Baseline, x_start_, v_start_);
    check(cudaStreamSynchronize(stream_), "equilibrating");
  }

  /// Returns the device time of `steps` steps from that state, in seconds.
  double time(Variant variant, int steps) {
    const int steps_per_graph = std::gcd(steps, 20);
    const StepGraph several(stream_, [&] { record(variant, steps_per_graph); });
    several.launch();  // the first launch loads code
    convert(Variant::Baseline, x_start_, v_start_, variant, x_, v_);
    start_forces(variant);
    last_ = variant;
    GpuTimer timer(stream_);
    timer.start();
    for (int s = 0; s < steps; s += steps_per_graph) several.launch();
    timer.stop();
    return timer.seconds();
  }

  /// Compares the forces at the end of the last run with the reference.
  Observation observe() {
    convert(last_, x_, v_, Variant::Baseline, x_end_, v_end_);
    convert(last_, force_, force_, Variant::Baseline, force_end_, force_end_);
    widen_kernel<<<cuda::blocks_for(n_, 256), 256, 0, stream_>>>(n_, x_end_.data(), wide_.data());
    check(cudaGetLastError(), "converting positions");
    const Reference::Result reference = reference_->compute(wide_.data(), n_);
    const std::vector<float4> f = download(force_end_.data(), n_, stream_), v = download(v_end_.data(), n_, stream_);
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
    std::vector<int> count(n_), entry(std::size_t(n_) * width, 0);
    parallel_for(n_, [&](std::size_t i) {
      count[i] = rows.length(i);
      for (int k = 0; k < count[i]; ++k) entry[std::size_t(k) * n_ + i] = rows.neighbour[rows.offset[i] + k];
    });
    upload(count_, count, stream_);
    upload(entry_, entry, stream_);
    bonds_ = {n_, count_.data(), entry_.data()};
    partials_ = std::size_t(n_) * width;
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
    upload(x_start_, as_float4(structure_.x), stream_);
    upload(v_start_, as_float4(velocity), stream_);
    for (DeviceBuffer<float4> *array : {&x_, &v_, &force_, &x_end_, &v_end_, &force_end_}) array->reserve(n_);
    partial_.reserve(partials_);
    wide_.reserve(3 * std::size_t(n_));
  }

  template <bool Separate>
  static Vectors<Separate> view(const DeviceBuffer<float4> &array, std::size_t n) {
    return {reinterpret_cast<float *>(array.data()), n};
  }

  /// Copies two arrays from the layout of one variant to that of another.
  void convert(Variant from, const DeviceBuffer<float4> &a, const DeviceBuffer<float4> &b, Variant to,
               const DeviceBuffer<float4> &target_a, const DeviceBuffer<float4> &target_b) {
    with_layout(from, [&](auto separate_from) {
      with_layout(to, [&](auto separate_to) {
        constexpr bool of_source = decltype(separate_from)::value, of_target = decltype(separate_to)::value;
        const unsigned blocks = cuda::blocks_for(n_, 256);
        convert_kernel<<<blocks, 256, 0, stream_>>>(n_, view<of_source>(a, n_), view<of_target>(target_a, n_));
        convert_kernel<<<blocks, 256, 0, stream_>>>(n_, view<of_source>(b, n_), view<of_target>(target_b, n_));
      });
    });
    check(cudaGetLastError(), "copying the state");
  }

  template <bool Separate>
  Arrays<Separate> arrays() const {
    return {view<Separate>(x_, n_), view<Separate>(v_, n_), view<Separate>(force_, n_),
            view<Separate>(partial_, partials_)};
  }

  void launch_forces_of(Variant variant) {
    with_layout(variant, [&](auto separate) {
      launch_forces(variant, model_, bonds_, box_, arrays<decltype(separate)::value>(), stream_);
    });
  }

  void start_forces(Variant variant) {
    check(cudaMemsetAsync(force_.data(), 0, n_ * sizeof(float4), stream_), "clearing forces");
    launch_forces_of(variant);
  }

  void record(Variant variant, int steps) {
    for (int s = 0; s < steps; ++s) {
      with_layout(variant, [&](auto separate) {
        launch_kick_drift(variant, n_, arrays<decltype(separate)::value>(), float(kick), float(time_step), stream_);
      });
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
  std::size_t partials_ = 0;
  Variant last_ = Variant::Baseline;  // of the last timed run
  DeviceBuffer<int> count_{"bond counts"}, entry_{"bonds"};
  DeviceBuffer<float4> x_{"positions"}, v_{"velocities"}, force_{"forces"}, partial_{"partial forces"},
      x_start_{"start positions"}, v_start_{"start velocities"};                                     // float4
  DeviceBuffer<float4> x_end_{"end positions"}, v_end_{"end velocities"}, force_end_{"end forces"};  // float4
  DeviceBuffer<double> wide_{"fp64 positions"};
};

}  // namespace bench
}  // namespace triad

// Silicon at 300 K on the device, moved by its own forces, with periodic images as ghost atoms. The program does the
// same work around the force computation as a GPU-resident MD code, so the pruned list expires at a realistic rate.
#pragma once

#include <deque>

#include "common/device.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"
#include "testing/mixed_tables.h"
#include "testing/periodic.h"

namespace triad {
namespace bench {

constexpr double time_step = 0.001;  // ps
/// Initial temperature in K on the lattice sites: half of it becomes vibrational energy, which leaves 300 K.
constexpr double start_temperature = 600.0;
/// Cutoff of the list with skin around the lattice sites, Angstrom: potential 3.0, skin 1.0.
constexpr double list_cutoff = 4.0;
/// The list does not contain the third shell (4.50 A). While no atom is farther than this distance from its site, no
/// atom of that shell comes within the cutoff of the pruned list (3.3 A).
constexpr double largest_displacement = 0.6;

/// Velocity Verlet with the second half kick of a step and the first half kick of the next step combined; v is half a
/// step behind x.
static __global__ void kick_drift_kernel(std::size_t n, double *x, double *v, const double *force, double kick,
                                         double drift) {
  const std::size_t k = blockIdx.x * static_cast<std::size_t>(blockDim.x) + threadIdx.x;
  if (k >= n) return;
  v[k] += kick * force[k];
  x[k] += drift * v[k];
}

/// Adds the forces on ghosts to those of their owners.
static __global__ void fold_forces_kernel(int n_owned, int n_ghosts, const int *owner, double *force) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= n_ghosts) return;
  for (int d = 0; d < 3; ++d)
    atomicAdd(force + 3 * static_cast<std::size_t>(owner[g]) + d,
              force[3 * (static_cast<std::size_t>(n_owned) + g) + d]);
}

static __global__ void refresh_ghosts_kernel(int n_owned, int n_ghosts, const int *owner, const double *shift,
                                             double *x) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= n_ghosts) return;
  for (int d = 0; d < 3; ++d)
    x[3 * (static_cast<std::size_t>(n_owned) + g) + d] =
        x[3 * static_cast<std::size_t>(owner[g]) + d] + shift[3 * static_cast<std::size_t>(g) + d];
}

/// Atoms and their list on the host, the same for every precision.
struct Crystal {
  PeriodicAtoms atoms;
  Rows rows;

  explicit Crystal(int cells)
      : atoms(with_ghosts(sorted_by_bins(make_diamond(cells, silicon_lattice), list_cutoff / 2), list_cutoff)),
        rows(neighbour_rows(atoms, list_cutoff)) {}
};

template <class Format>
class Trajectory {
 public:
  /// Times of a number of steps.
  struct Times {
    double forces = 0;  ///< device time in s: storage and check of positions, rebuilds of the pruned list, forces
    int n_rebuilds = 0;
  };

  Trajectory(const Crystal &crystal, cudaStream_t stream)
      : crystal_(crystal),
        n_owned_(crystal.atoms.n_owned),
        n_all_(crystal.atoms.n_all()),
        n_ghosts_(n_all_ - n_owned_),
        stream_(stream),
        tersoff_(silicon_table(), stream) {
    upload(x_, crystal.atoms.x, stream);
    upload(v_, thermal_velocities(n_owned_, start_temperature, 1), stream);
    upload(element_, crystal.atoms.element, stream);
    upload(owner_, crystal.atoms.ghosts.owner, stream);
    upload(shift_, crystal.atoms.ghosts.shift, stream);
    upload(offset_, crystal.rows.offset, stream);
    upload(neighbour_, crystal.rows.neighbour, stream);
    force_.reserve(3 * std::size_t(n_all_));
    rows_ = {n_owned_, nullptr, offset_.data(), neighbour_.data(), list_cutoff};
    tersoff_.set_list_cutoff(list_cutoff);
    tersoff_.store_positions(x_.data(), element_.data(), n_all_, false);
    build_list();
    tersoff_.launch_forces();
  }

  /// Runs n steps.
  Times advance(int n) {
    while (timers_.size() < std::size_t(n)) timers_.emplace_back(stream_);
    Times times;
    for (int s = 0; s < n; ++s) {
      move();
      compute_forces(timers_[s], times);
    }
    for (int s = 0; s < n; ++s) times.forces += timers_[s].seconds();
    return times;
  }

  /// Device time in s of one launch of the force kernels for the current positions and list.
  double time_forces(int launches) {
    GpuTimer timer(stream_);
    timer.start();
    for (int k = 0; k < launches; ++k) tersoff_.launch_forces();
    timer.stop();
    const double seconds = timer.seconds();
    tersoff_.discard();
    tersoff_.launch_forces();  // the next step requires these forces
    return seconds / launches;
  }

  /// Device time in s of building the pruned list for the current positions.
  double time_rebuild(int builds) {
    GpuTimer timer(stream_);
    timer.start();
    for (int k = 0; k < builds; ++k) build_list();
    timer.stop();
    renew_list();  // the reduction of the forces may be another one now
    return timer.seconds() / builds;
  }

  /// Rebuilds the pruned list for the current positions.
  void renew_list() {
    tersoff_.discard();
    build_list();
    tersoff_.launch_forces();
  }

  /// Current forces as computed by the kernels, before ghost forces are added to owners.
  std::vector<double> forces() {
    tersoff_.collect(force_.data());
    std::vector<double> f = download(force_.data(), 3 * std::size_t(n_all_), stream_);
    tersoff_.launch_forces();
    return f;
  }

  /// Returns the temperature in K.
  double temperature() {
    double kinetic = 0;
    for (const double v : download(v_.data(), 3 * std::size_t(n_owned_), stream_))
      kinetic += 0.5 * silicon_mass * mass_to_energy * v * v;
    return kinetic / n_owned_ / (1.5 * boltzmann);
  }

  /// Throws LoopError if an atom is so far from its site that the list with skin may miss neighbours.
  void check_displacements() {
    const std::vector<double> x = download(x_.data(), 3 * std::size_t(n_owned_), stream_);
    double largest = 0;
    for (std::size_t i = 0; i < x.size(); i += 3) {
      double squared = 0;
      for (int d = 0; d < 3; ++d)
        squared += (x[i + d] - crystal_.atoms.x[i + d]) * (x[i + d] - crystal_.atoms.x[i + d]);
      largest = std::max(largest, squared);
    }
    if (!(largest < largest_displacement * largest_displacement))
      throw LoopError("an atom is " + std::to_string(std::sqrt(largest)) +
                      " A from its site, so the structure is not a crystal any more");
  }

  const double *positions() const { return x_.data(); }
  int n_all() const { return n_all_; }
  cuda::PrunedListView pruned_list() const { return tersoff_.pruned_list().view(); }

 private:
  void build_list() { tersoff_.build_pruned_list(rows_); }

  /// Collects forces, adds ghost forces to owners, moves the atoms and updates the ghosts.
  void move() {
    constexpr double kick = time_step / (silicon_mass * mass_to_energy);
    const std::size_t n = 3 * std::size_t(n_owned_);
    tersoff_.collect(force_.data());
    const unsigned ghost_blocks = cuda::blocks_for(n_ghosts_, 256);
    fold_forces_kernel<<<ghost_blocks, 256, 0, stream_>>>(n_owned_, n_ghosts_, owner_.data(), force_.data());
    kick_drift_kernel<<<cuda::blocks_for(n, 256), 256, 0, stream_>>>(n, x_.data(), v_.data(), force_.data(), kick,
                                                                     time_step);
    refresh_ghosts_kernel<<<ghost_blocks, 256, 0, stream_>>>(n_owned_, n_ghosts_, owner_.data(), shift_.data(),
                                                             x_.data());
    check(cudaGetLastError(), "moving the atoms");
  }

  void compute_forces(GpuTimer &timer, Times &times) {
    timer.start();
    times.n_rebuilds += tersoff_.compute(rows_, false, x_.data(), element_.data(), n_all_, {}, {}).renewed;
    timer.stop();
  }

  const Crystal &crystal_;
  int n_owned_, n_all_, n_ghosts_;
  cudaStream_t stream_;
  cuda::TersoffDevice<Format> tersoff_;
  std::deque<GpuTimer> timers_;
  cuda::DeviceNeighborList rows_;
  DeviceBuffer<double> x_{"positions"}, v_{"velocities"}, force_{"forces"}, shift_{"ghosts"};
  DeviceBuffer<int> element_{"elements"}, owner_{"ghosts"}, neighbour_{"the list with skin"};
  DeviceBuffer<long long> offset_{"the list with skin"};
};

}  // namespace bench
}  // namespace triad

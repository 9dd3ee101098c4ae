// The Tersoff computation on device memory: positions in, forces out, nothing copied. Adaptors that already hold atoms
// on the device, and the standalone benchmarks, use this class; TersoffCuda (tersoff_cuda.cu) wraps it for host arrays.
#pragma once

#include <memory>
#include <vector>

#include "loops/cuda/tersoff_kernels.cuh"
#include "loops/tersoff_backend.h"

namespace triad {
namespace cuda {

template <class Format>
class TersoffDevice {
 public:
  using Real = typename Format::Real;
  using Position = typename PositionOf<Format>::type;

  TersoffDevice(const TersoffTable &table, cudaStream_t stream);

  /// Stores the positions x [n_all][3] and elements in the format of the kernels. With `check_moved` (same atoms as at
  /// the last build_short_list() only) sets status.moved when an atom is farther than half the inner skin from there.
  /// Asynchronous.
  void store_positions(const double *x, const int *element, int n_all, bool check_moved);

  /// Builds the short list from `rows` for the positions given. Waits for the stream. Throws LoopError.
  void build_short_list(const DeviceRows &rows, const double *x, const int *element, int n_all);

  /// Adds forces, and what `tally` asks for, to the accumulators. Asynchronous.
  void launch_forces(Tally tally, bool atom_energy, bool atom_virial);

  /// Converts the accumulated forces to force [n_all][3] and clears them; likewise the per-atom tallies where the
  /// target is not null. Asynchronous.
  void collect(double *force, double *atom_energy, double *atom_virial);

  /// Clears accumulators after a launch whose result is not wanted.
  void discard();

  /// Sums the block totals of the last launch into totals(), in a fixed order. Asynchronous.
  void sum_totals();

  const BlockTotals *totals() const { return total_.data(); }
  DeviceStatus *status() const { return status_.data(); }
  const ShortList &short_list() const { return list_; }
  std::size_t bytes() const;

 private:
  void reserve(int n_all, bool atom_energy, bool atom_virial);

  TersoffTable table_;
  cudaStream_t stream_;
  double inner_skin_;
  PositionScale scale_;
  int multiprocessors_ = 1;
  int n_all_ = 0;
  unsigned blocks_ = 0;  // of the last launch with totals

  DeviceBuffer<TersoffParams<Real>> params_{"Tersoff parameters"};
  DeviceBuffer<double> reach_squared_{"cutoffs"};
  DeviceBuffer<Position> position_{"positions"};
  DeviceBuffer<double> reference_{"positions of the last list"};
  DeviceBuffer<typename Format::Sum> force_{"force accumulators"};
  DeviceBuffer<typename Format::Tally> atom_energy_{"per-atom energies"};
  DeviceBuffer<typename Format::Tally> atom_virial_{"per-atom virials"};
  DeviceBuffer<BondRecord<Real>> overflow_{"bonds of long rows"};
  DeviceBuffer<BlockTotals> block_totals_{"energy and virial"};
  DeviceBuffer<BlockTotals> total_{"energy and virial"};
  DeviceBuffer<DeviceStatus> status_{"status"};
  ShortList list_;
};

/// The backend for host arrays, one instantiation per precision in a translation unit of its own.
template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_cuda_format(const TersoffSetup &setup, int device, int n_threads);

}  // namespace cuda
}  // namespace triad

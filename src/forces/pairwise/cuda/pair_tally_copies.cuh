// Copies of energy, virial and per-atom tallies of pair forces from the device to the caller's arrays on the host.
#pragma once

#include "core/cuda/host_arrays.cuh"
#include "forces/pairwise/cuda/pair_results.cuh"
#include "forces/pairwise/host/pairwise_host.h"

namespace triad {
namespace cuda {

class PairTallyCopies {
  static constexpr int width = PairTallies::width;

 public:
  PairTallyCopies() { totals_.reserve(1); }

  /// Returns cleared device memory for the tallies of n atoms, or null if `request` asks for no per-atom tally.
  double *target(const TallyRequest &request, std::size_t n, cudaStream_t stream) {
    if (!request.any_per_atom()) return nullptr;
    double *const target = per_atom_.reserve(width * n);
    if (n) check(cudaMemsetAsync(target, 0, width * n * sizeof(double), stream), "clearing results");
    return target;
  }

  /// Queues copies of the totals and of the memory of target().
  void queue(const TallyRequest &request, const double *totals, cudaStream_t stream) {
    if (request.any_per_atom()) per_atom_.start_copy(stream);
    if (request.any()) copy_to_host(totals_[0].v, totals, width, stream, "copying energy and virial");
  }

  /// Adds the copied tallies of n atoms to `results`; to be called after the stream has finished.
  void deliver(const TallyRequest &request, std::size_t n, int n_threads, ResultsView &results) const {
    set_totals(request.any() ? totals_[0] : PairTally<double>(), results);
    if (!request.any_per_atom()) return;
#pragma omp parallel for num_threads(n_threads) schedule(static) if (n > tuning::threads_pay)
    for (std::size_t i = 0; i < n; ++i) {
      PairTally<double> of_atom;
      for (int v = 0; v < width; ++v) of_atom.v[v] = per_atom_.data()[width * i + v];
      add_tally(of_atom, i, results);
    }
  }

  double bytes() const { return per_atom_.bytes(); }

 private:
  DownloadedArray per_atom_{"per-atom energies and virials"};
  PinnedBuffer<PairTally<double>> totals_{"energy and virial"};
};

}  // namespace cuda
}  // namespace triad

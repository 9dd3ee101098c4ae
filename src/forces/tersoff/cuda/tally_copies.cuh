// Copies energy, virial and per-atom tallies from the device to the caller's arrays on the host.
#pragma once

#include <algorithm>

#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

class TallyCopies {
 public:
  /// `n_threads`: host threads that add per-atom tallies to the caller's arrays.
  explicit TallyCopies(int n_threads) : n_threads_(n_threads) { totals_.reserve(1); }

  /// Queues the sum of the totals, and copies of the per-atom tallies of n atoms that `request` asks for.
  template <class Format>
  void queue(TersoffDevice<Format> &tersoff, const TallyRequest &request, std::size_t n, cudaStream_t stream) {
    if (!request.any()) return;
    energy_.reserve(request.atom_energy ? n : 0);
    virial_.reserve(request.atom_virial ? n : 0);
    centroid_.reserve(request.atom_centroid ? n : 0);
    tersoff.collect_tallies(energy_.target(), virial_.target(), centroid_.target());
    tersoff.sum_totals(totals_.data());
    energy_.copy(stream, "copying per-atom energies");
    virial_.copy(stream, "copying per-atom virials");
    centroid_.copy(stream, "copying centroid virials");
  }

  /// Adds what queue() has copied to `results`. The stream must be done.
  void deliver(const TallyRequest &request, ResultsView &results) const {
    if (!request.any()) return;
    energy_.add_to(results.atom_energy, n_threads_);
    virial_.add_to(results.atom_virial, n_threads_);
    centroid_.add_to(results.atom_centroid, n_threads_);
    results.energy = totals_[0].v[0];
    std::copy(totals_[0].v + 1, totals_[0].v + 7, results.virial);
  }

  std::size_t bytes() const { return energy_.host.bytes() + virial_.host.bytes() + centroid_.host.bytes(); }

 private:
  /// Buffers of one per-atom tally of `width` numbers per atom; empty if the tally is not requested.
  struct Tally {
    std::size_t width, count = 0;
    PinnedBuffer<double> host;
    DeviceBuffer<double> device;

    Tally(std::size_t width, const char *purpose) : width(width), host(purpose), device(purpose) {}
    void reserve(std::size_t n) {
      count = width * n;
      host.reserve(count);
      device.reserve(count);
    }
    double *target() const { return count ? device.data() : nullptr; }
    void copy(cudaStream_t stream, const char *what) { copy_to_host(host.data(), device.data(), count, stream, what); }
    void add_to(double *sum, int n_threads) const {
#pragma omp parallel for num_threads(n_threads) schedule(static)
      for (std::size_t k = 0; k < count; ++k) sum[k] += host[k];
    }
  };

  int n_threads_;
  Tally energy_{1, "per-atom energies"}, virial_{6, "per-atom virials"}, centroid_{9, "per-atom centroid virials"};
  PinnedBuffer<BlockTotals> totals_{"energy and virial"};
};

}  // namespace cuda
}  // namespace triad

// Accumulators of pair forces on the device, and their conversion to forces, energies and virials of atoms.
#pragma once

#include "core/cuda/block_sums.cuh"
#include "core/cuda/resources.cuh"
#include "core/tuning.h"
#include "forces/pairwise/cuda/pair_accumulators.cuh"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace cuda {

/// Converts slots to force [n][3] and tally [n][width] of atoms, adds or assigns them unless the pointer is null, and
/// clears the accumulators. Null `atom`: slots are atoms. `length`: the unit of tallies. `bad`, in host memory: 1 +
/// index of an atom whose force is not finite.
template <class Format, bool add>
__global__ void collect_pairs_kernel(int n_slots, const int *__restrict__ atom, PairForces<Format> accumulated,
                                     PairTallies tallies, const double *__restrict__ strength, double factor,
                                     double length, double *force, double *tally, int *bad) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n_slots) return;
  const long long i = atom ? atom[s] : s;
  const double of_slot = strength && i >= 0 ? factor * strength[i] : factor;
  double size = 0;
  for (int axis = 0; axis < 3; ++axis) {
    auto &sum = accumulated.component(s, axis);
    const double f = of_slot * double(sum);
    sum = 0;
    if (i >= 0 && force) force[3 * i + axis] = add ? force[3 * i + axis] + f : f;
    size += fabs(f);
  }
  if (i >= 0 && !isfinite(size)) *bad = int(i) + 1;
  if (!tallies.base) return;
  for (int v = 0; v < PairTallies::width; ++v) {
    double &sum = tallies.base[v * tallies.stride + s];
    sum *= of_slot * length;
    if (tally && i >= 0) tally[PairTallies::width * i + v] = sum;
  }
}

/// Adds the accumulators of ghosts to those of their owners, and clears them. Ghosts without owner, -1, keep theirs.
template <class Format>
__global__ void send_pairs_to_owners_kernel(int n_ghosts, int n_owned, const int *__restrict__ owner,
                                            PairForces<Format> accumulated, PairTallies tallies) {
  const int ghost = blockIdx.x * blockDim.x + threadIdx.x;
  if (ghost >= n_ghosts || owner[ghost] < 0) return;
  const std::size_t from = static_cast<std::size_t>(n_owned) + ghost;
  accumulated.add(owner[ghost], accumulated.value(from));
  accumulated.clear(from);
  if (!tallies.base) return;
  PairTally<double> tally;
  for (int v = 0; v < PairTallies::width; ++v) {
    double &sum = tallies.base[v * tallies.stride + from];
    tally.v[v] = sum;
    sum = 0;
  }
  tallies.add(owner[ghost], tally);
}

/// One block per component. The assignment of atoms to threads is fixed, so sums are reproducible.
static __global__ void sum_tallies_kernel(int n, PairTallies tallies, double *total) {
  constexpr int threads = 512;
  const double *v = tallies.base + blockIdx.x * tallies.stride;
  PartialSums<1> sum;
  for (int k = threadIdx.x; k < n; k += threads) sum.v[0] += v[k];
  sum = sum_over_block<threads>(sum);
  if (threadIdx.x == 0) total[blockIdx.x] = sum.v[0];
}

template <class Format>
class PairResults {
  using Sum = typename Format::Sum;

 public:
  /// Reserves n slots; the accumulators are cleared.
  void reserve(int n, bool tallies, cudaStream_t stream) {
    n_ = n;
    const std::size_t elements = PairForces<Format>::elements(n);
    reserve_cleared(force_, elements, stream, "clearing accumulators");
    has_tallies_ = tallies;
    if (!tallies) return;
    const std::size_t wanted = PairTallies::width * static_cast<std::size_t>(n);
    tally_.reserve(wanted);
    total_.reserve(PairTallies::width);
    check(cudaMemsetAsync(tally_.data(), 0, wanted * sizeof(double), stream), "clearing accumulators");
  }

  PairForces<Format> forces() const {
    PairForces<Format> f;
    f.base = force_.data();
    f.stride = n_;
    return f;
  }
  PairTallies tallies() const { return {has_tallies_ ? tally_.data() : nullptr, static_cast<std::size_t>(n_)}; }

  /// Sets the factors of forces and tallies: a constant and, with by_strength, the strength of the atom; tallies are
  /// also multiplied by `length`, the unit of length.
  void set_factors(double factor, bool by_strength, double length = 1) {
    factor_ = factor;
    by_strength_ = by_strength;
    length_ = length;
  }

  /// See send_pairs_to_owners_kernel(); slots must be atoms. Asynchronous.
  void send_to_owners(int n_owned, const int *owner, cudaStream_t stream) {
    if (n_ > n_owned)
      send_pairs_to_owners_kernel<Format>
          <<<blocks_for(n_ - n_owned, tuning::elementwise_block), tuning::elementwise_block, 0, stream>>>(
              n_ - n_owned, n_owned, owner, forces(), tallies());
    check(cudaGetLastError(), "sending forces of ghosts to their owners");
  }

  /// See collect_pairs_kernel(). Totals, if tallied, are written to totals(). Asynchronous.
  template <bool add = false>
  void collect(const int *atom, const double *strength, double *force, double *tally, int *bad, cudaStream_t stream) {
    if (n_ > 0)
      collect_pairs_kernel<Format, add>
          <<<blocks_for(n_, tuning::elementwise_block), tuning::elementwise_block, 0, stream>>>(
              n_, atom, forces(), tallies(), by_strength_ ? strength : nullptr, factor_, length_, force, tally, bad);
    if (has_tallies_) sum_tallies_kernel<<<PairTallies::width, 512, 0, stream>>>(n_, tallies(), total_.data());
    check(cudaGetLastError(), "collecting forces");
  }
  const double *totals() const { return total_.data(); }

 private:
  int n_ = 0;
  bool has_tallies_ = false, by_strength_ = false;
  double factor_ = 1, length_ = 1;
  DeviceBuffer<Sum> force_{"force accumulators"};
  DeviceBuffer<double> tally_{"energies and virials"};
  DeviceBuffer<double> total_{"energy and virial"};
};

/// Device copies of the coefficients and the tables of a law.
class CoefficientTable {
 public:
  /// Returns the law with pointers to device memory.
  template <class Law, class Settings>
  Law on_device(Law law, const Settings &settings, cudaStream_t stream) {
    if constexpr (std::is_same<Settings, TableSettings>::value) {
      const auto &values = Law::values(settings);
      const std::size_t bytes = values.size() * sizeof values[0];
      if (table_.bytes() == 0) {
        table_.reserve(bytes);
        copy_to_device(table_.data(), reinterpret_cast<const char *>(values.data()), bytes, stream, "copying a table");
        check(cudaStreamSynchronize(stream), "copying a table");
      }
      law.point = reinterpret_cast<const typename Law::Real *>(table_.data());
    }
    return law;
  }

  template <class Law, class Settings>
  const typename Law::Coefficients *get(const Settings &settings, cudaStream_t stream) {
    using Coefficients = typename Law::Coefficients;
    if constexpr (std::is_empty<Coefficients>::value) {
      return nullptr;
    } else {
      if (!filled_) {
        const auto table = coefficient_table<Law>(settings);
        const std::size_t bytes = table.size() * sizeof(Coefficients);
        memory_.reserve(bytes);
        copy_to_device(memory_.data(), reinterpret_cast<const char *>(table.data()), bytes, stream,
                       "copying coefficients");
        check(cudaStreamSynchronize(stream), "copying coefficients");
        filled_ = true;
      }
      return reinterpret_cast<const Coefficients *>(memory_.data());
    }
  }

 private:
  DeviceBuffer<char> memory_{"coefficients"}, table_{"tables"};
  bool filled_ = false;
};

}  // namespace cuda
}  // namespace triad

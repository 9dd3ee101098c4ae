// Pair forces from lists in device memory: rows, positions and launches (pair_list_kernel.cuh has the kernel).
#pragma once

#include "core/tuning.h"
#include "forces/pairwise/cuda/formula_kernels.cuh"
#include "forces/pairwise/cuda/pair_list_kernel.cuh"
#include "forces/pairwise/cuda/pair_results.cuh"
#include "forces/pairwise/cuda/pair_rows.cuh"
#include "forces/pairwise/pairwise_backend.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace cuda {

template <class Format, class Position>
class PairListDevice {
 public:
  PairListDevice(const PairwiseSetup &setup, cudaStream_t stream) : setup_(setup), stream_(stream) {}

  /// Sets new rows for n atoms; `cutoff` is the maximum difference of positions on every axis.
  void set_rows(const PairListCsr &rows, double cutoff) {
    rows_.upload(rows, stream_);
    scale_ = PositionScale::for_cutoff(cutoff);
    stale_ = true;
  }
  /// The same for a table in device memory; see PairRowsDevice::borrow().
  void borrow_rows(const PairListView &list, double cutoff) {
    rows_.borrow(list);
    scale_ = PositionScale::for_cutoff(cutoff);
    stale_ = true;
  }

  /// Stores positions. Filters listed pairs with a cutoff again if an atom has moved half the skin. x [n][3]; packed
  /// [n]: TypeAndSide. Waits for the stream only for that check.
  void prepare(const double *x, const int *packed, int n);

  /// Adds forces, and tallies if requested, to results(). Asynchronous.
  void compute(const double *strength, double equal_strength, bool tallies);

  PairResults<Format> &results() { return results_; }

 private:
  template <class Law, class Settings>
  void launch(const Law &law, const Settings &settings, const double *strength, double equal_strength, bool tallies);

  const PairwiseSetup &setup_;
  cudaStream_t stream_;
  int n_ = 0;
  bool stale_ = true;
  PositionScale scale_ = PositionScale::for_cutoff(1);
  PairRowsDevice rows_;
  PairResults<Format> results_;
  CoefficientTable coefficients_;
  FormulaKernels formula_kernels_;
  DeviceBuffer<Position> position_{"positions"}, reference_{"positions of the last list"};
  PinnedBuffer<int> moved_{"a flag"};
};

template <class Position>
__global__ void store_list_positions_kernel(int n, const double *__restrict__ x, const int *__restrict__ packed,
                                            PositionScale scale, const Position *__restrict__ reference,
                                            double limit_squared, Position *position, int *moved) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const std::size_t at = 3 * static_cast<std::size_t>(i);
  const double xi[3] = {x[at], x[at + 1], x[at + 2]};
  Position p;
  store(p, xi, packed[i], scale);
  position[i] = p;
  if (!reference) return;
  const auto d = difference(load(reference + i), p, scale);
  if (dot(d, d) > limit_squared) *moved = 1;
}

template <class Format, class Position>
void PairListDevice<Format, Position>::prepare(const double *x, const int *packed, int n) {
  n_ = n;
  const bool filtered = setup_.range == PairRange::Pairs && setup_.cutoff > 0;
  position_.reserve(n);
  moved_.reserve(1);
  moved_[0] = 0;
  const bool check_moved = filtered && !stale_;
  if (n > 0)
    store_list_positions_kernel<<<blocks_for(n, tuning::elementwise_block), tuning::elementwise_block, 0, stream_>>>(
        n, x, packed, scale_, check_moved ? reference_.data() : nullptr, 0.25 * setup_.skin * setup_.skin,
        position_.data(), moved_.data());
  check(cudaGetLastError(), "storing positions");
  if (check_moved) check(cudaStreamSynchronize(stream_), "checking positions");
  if (!stale_ && !moved_[0]) return;
  rows_.filter(position_.data(), scale_, filtered ? setup_.cutoff + setup_.skin : 0, stream_);
  if (filtered) {
    reference_.reserve(n);
    check(cudaMemcpyAsync(reference_.data(), position_.data(), sizeof(Position) * static_cast<std::size_t>(n),
                          cudaMemcpyDeviceToDevice, stream_),
          "keeping reference positions");
  }
  stale_ = false;
}

template <class Format, class Position>
void PairListDevice<Format, Position>::compute(const double *strength, double equal_strength, bool tallies) {
  results_.reserve(n_, tallies, stream_);
  if constexpr (std::is_same<Position, DoublePosition>::value) {
    if (setup_.range == PairRange::Pairs) {
      // In fp32 the extension of a bond would lose digits.
      using Real = std::conditional_t<std::is_same<Format, PairSingle>::value, float, double>;
      return launch(ListedLaw<Real>(ListedSettings()), ListedSettings(), nullptr, 0, tallies);
    }
  }
  if constexpr (std::is_same<Position, WrappedPosition>::value || std::is_same<Format, PairDouble>::value) {
    using Real = typename Format::Real;
    if (const auto *formula = std::get_if<FormulaSettings>(&setup_.law))
      return launch(FormulaOnDevice<Real>(), *formula, strength, equal_strength, tallies);
    with_list_law<Real>(setup_.law, equal_strength != 0, [&](const auto &law, const auto &settings) {
      launch(law, settings, strength, equal_strength, tallies);
    });
  }
}

template <class Format, class Position>
template <class Law, class Settings>
void PairListDevice<Format, Position>::launch(const Law &law, const Settings &settings, const double *strength,
                                              double equal_strength, bool tallies) {
  using Real = typename Law::Real;
  const double equal = !Law::by_strength && equal_strength != 0 ? equal_strength * equal_strength : 1;
  results_.set_factors(law.scale(settings) * equal, Law::by_strength);
  PairListJob<Law, Format, Position> job(coefficients_.on_device(law, settings, stream_));
  job.rows = rows_.view();
  job.position = position_.data();
  job.scale = scale_;
  job.strength = strength;
  if constexpr (!std::is_same<Settings, ListedSettings>::value)
    job.coefficients = coefficients_.template get<Law>(settings, stream_);
  job.n_types = setup_.n_types;
  job.cutoff_squared = Real(setup_.cutoff > 0 ? setup_.cutoff * setup_.cutoff : INFINITY);
  for (int k = 0; k < 4; ++k) job.special[k] = Real(setup_.special[k]);
  job.force = results_.forces();
  job.tallies = results_.tallies();
  const unsigned blocks = blocks_for(job.rows.n_rows, tuning::pair_list_block);
  if (blocks == 0) return;
  const auto start = [&](auto both_sides, auto tallied) {
    if constexpr (compiled_at_run_time<Law>) {
      const auto text = [](bool b) { return std::string(b ? "true" : "false"); };
      const std::string position = std::is_same<Position, DoublePosition>::value ? "Double" : "Wrapped";
      formula_kernels_.launch<Real>(*settings.formula, "pair_list_kernel",
                                    text(both_sides) + ", " + text(tallied) + ", ",
                                    ", " + name_of_format<Format>() + ", triad::cuda::" + position + "Position", blocks,
                                    tuning::pair_list_block, stream_, job, both_sides, tallied);
    } else
      pair_list_kernel<<<blocks, tuning::pair_list_block, 0, stream_>>>(job, both_sides, tallied);
  };
  if (rows_.both_sides())
    tallies ? start(std::true_type(), std::true_type()) : start(std::true_type(), std::false_type());
  else
    tallies ? start(std::false_type(), std::true_type()) : start(std::false_type(), std::false_type());
  check(cudaGetLastError(), "computing pair forces");
}

}  // namespace cuda
}  // namespace triad

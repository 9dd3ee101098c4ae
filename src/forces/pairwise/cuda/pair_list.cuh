// Pair forces from lists in device memory, one thread per row. Half lists: the force of the row is summed in registers,
// and reactions are added with atomics. Full lists need no atomics.
#pragma once

#include "core/tuning.h"
#include "forces/pairwise/cuda/pair_results.cuh"
#include "forces/pairwise/cuda/pair_rows.cuh"
#include "forces/pairwise/pairwise_backend.h"
#include "forces/pairwise/tile_order.h"

namespace triad {
namespace cuda {

/// Attributes stored with a position: type, from 0, and side.
struct TypeAndSide {
  static constexpr int side_shift = 28;
  __host__ __device__ static int pack(int type, int side) { return type | side << side_shift; }
  __device__ static int type(long long packed) { return static_cast<int>(packed) & ((1 << side_shift) - 1); }
  __device__ static int side(long long packed) { return static_cast<int>(packed) >> side_shift & 3; }
};

template <class Law, class Format, class Position>
struct PairListJob {
  explicit PairListJob(const Law &l) : law(l) {}

  Law law;
  SlicedRows rows = {};
  const Position *__restrict__ position = nullptr;  ///< [n]
  PositionScale scale = {};
  const double *__restrict__ strength = nullptr;                          ///< [n], for laws by strength
  const typename Law::Coefficients *__restrict__ coefficients = nullptr;  ///< [n_types^2]
  int n_types = 1;
  typename Law::Real cutoff_squared = 0, special[4] = {};
  PairForces<Format> force = {};
  PairTallies tallies = {};
};

template <bool both_sides, bool tallied, class Law, class Format, class Position>
__global__ void __launch_bounds__(tuning::pair_list_block)
    pair_list_kernel(const PairListJob<Law, Format, Position> job, std::bool_constant<both_sides>,
                     std::bool_constant<tallied>) {
  using Real = typename Law::Real;
  using Sum = typename Format::Sum;
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= job.rows.n_rows) return;
  const int i = job.rows.centre ? job.rows.centre[row] : row, length = job.rows.length[row];
  const long long first = job.rows.slice[row / 32] + row % 32;
  const Position pi = load(job.position + i);
  Vec3<Real> own = {0, 0, 0};
  PairTally<double> own_tally;
  for (int k = 0; k < length; ++k) {
    const unsigned entry = __ldg(job.rows.entry + first + 32ll * k);
    const int j = entry & PairListCsr::index_bits;
    const Position pj = load(job.position + j);
    const auto between = difference(pi, pj, job.scale);
    const Vec3<Real> d = {Real(between.x), Real(between.y), Real(between.z)};
    const Real distance_squared = dot(d, d);
    constexpr bool listed = std::is_same<Law, ListedLaw<Real>>::value;
    const Real factor = listed ? Real(1) : job.special[entry >> 30];
    const bool fixed = listed && (entry & PairListCsr::fixed_bit);
    const bool act = (fixed || distance_squared < job.cutoff_squared) && factor != 0 &&
                     acts(TypeAndSide::side(pi.element), TypeAndSide::side(pj.element));
    if (!act) continue;
    typename Law::Coefficients c;
    if constexpr (listed) {
      c = typename Law::Coefficients(job.rows.constants.at(first + 32ll * k));
    } else if constexpr (!std::is_empty<typename Law::Coefficients>::value) {
      c = job.coefficients[TypeAndSide::type(pi.element) * job.n_types + TypeAndSide::type(pj.element)];
    }
    PairTerm<Real> term = job.law(squared(job.law, d), c);
    term.energy *= factor;
    term.pull *= factor;
    Real pull = term.pull;
    if constexpr (Law::by_strength) pull *= Real(job.strength[j]);
    add_scaled(own, pull, d);
    if constexpr (!both_sides) {
      Real back = term.pull;
      if constexpr (Law::by_strength) back *= Real(job.strength[i]);
      job.force.add(j, {Sum(-back * d.x), Sum(-back * d.y), Sum(-back * d.z)});
    }
    if constexpr (tallied) {
      // The tally of each atom is multiplied by its own strength when the tallies are collected.
      const auto tally_for = [&](int other) {
        double half = 0.5;
        if constexpr (Law::by_strength) half *= job.strength[other];
        PairTally<double> tally;
        tally.add(PairTerm<double>{half * term.energy, half * term.pull}, Vec3<double>{d.x, d.y, d.z});
        return tally;
      };
      const PairTally<double> tally = tally_for(j);
      for (int v = 0; v < PairTallies::width; ++v) own_tally.v[v] += tally.v[v];
      if constexpr (!both_sides) job.tallies.add(j, tally_for(i));
    }
  }
  job.force.add(i, {Sum(own.x), Sum(own.y), Sum(own.z)});
  if constexpr (tallied) job.tallies.add(i, own_tally);
}

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
    store_list_positions_kernel<<<blocks_for(n, 256), 256, 0, stream_>>>(
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
  if constexpr (std::is_same<Position, WrappedPosition>::value || std::is_same<Format, PairDouble>::value)
    with_list_law<typename Format::Real>(setup_.law, equal_strength != 0, [&](const auto &law, const auto &settings) {
      launch(law, settings, strength, equal_strength, tallies);
    });
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

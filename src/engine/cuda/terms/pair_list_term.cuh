// A pair force of an engine on the device: its list, coefficients, and tallies.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <algorithm>
#include <cub/device/device_select.cuh>
#include <vector>

#include "core/cuda/work_space.cuh"
#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/state/engine_tallies.cuh"
#include "engine/cuda/terms/pair_list_term_kernel.cuh"
#include "engine/pair_force.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {

/// Adds the tallies of an atom to those of an engine.
struct AddPairTalliesOp {
  PairTallies from;
  double *energy, *virial, *centroid;  ///< [n], [n][6], [n][9], or null
  __device__ void operator()(std::size_t i) const {
    const auto value = [&](int v) { return from.base[v * from.stride + i]; };
    if (energy) energy[i] += value(0);
    for (int k = 0; k < 6 && virial; ++k) virial[6 * i + k] += value(1 + k);
    for (int k = 0; k < 9 && centroid; ++k) centroid[9 * i + k] += value(k < 6 ? 1 + k : k - 2);
  }
};

/// True for rows with entries.
struct HasEntries {
  const long long *offset;
  __device__ bool operator()(int row) const { return offset[row + 1] > offset[row]; }
};

/// `tersoff` holds positions and forces. All functions throw LoopError.
template <class Format>
class PairListTerm {
 public:
  using Real = typename Format::Real;
  using Law = LennardJonesCutLaw<Real>;

  PairListTerm(const PairwiseSetup &setup, DeviceContext &device, TersoffDevice<Format> &tersoff)
      : device_(device), tersoff_(tersoff), n_types_(setup.n_types) {
    const auto *settings = std::get_if<LennardJonesCutSettings>(&setup.law);
    if (!settings) throw LoopError("an engine on a GPU has only Lennard-Jones forces beside those of Tersoff");
    const auto table = coefficient_table<Law>(*settings);
    coefficients_.reserve(table.size());
    copy_to_device(coefficients_.data(), table.data(), table.size(), device_.stream(), "copying coefficients");
    device_.wait("copying coefficients");
  }

  /// Copies LAMMPS's full list to the device. Waits for the device.
  void upload(const NeighborListView &rows, const GhostLayout &ghosts, int n_threads) {
    if (rows.half && rows.n_rows) throw std::logic_error("an engine on a GPU needs full lists");
    uploaded_.upload(rows, ghosts, false, n_threads, device_.stream());
    take_rows(uploaded_.view());
  }
  /// Makes the list of the n atoms at x [n][3] on the device. Waits for the device.
  void make_list(const CellGrid &grid, int n, const double *x, const ListedTypes &types) {
    cells_.build(grid, n, n, x, false, device_.stream(), types);
    take_rows(cells_.rows());
  }

  /// Adds the forces at the present positions to the accumulators of `tersoff`, for atoms with types `type` [n_all],
  /// and sets *sum, in device memory, if `request` asks for tallies and the list has entries. Asynchronous.
  void launch(const TallyRequest &request, const std::uint16_t *type, int n_owned, const StepGuard *guard,
              BlockTotals *sum) {
    PairListTermJob<Format> job;
    if (request.any_per_atom()) {
      const std::size_t n = PairTallies::width * static_cast<std::size_t>(n_owned);
      tally_.reserve(n);
      check(cudaMemsetAsync(tally_.data(), 0, n * sizeof(double), device_.stream()), "clearing energies and virials");
      job.tallies = {tally_.data(), static_cast<std::size_t>(n_owned)};
      n_tallied_ = n_owned;
    }
    if (n_rows_ == 0) return;
    job.position = tersoff_.positions();
    job.scale = tersoff_.scale();
    job.images = tersoff_.images();
    job.type = type;
    job.n_types = n_types_;
    job.coefficients = coefficients_.data();
    job.n_rows = n_rows_;
    job.row = row_.data();
    job.centre = rows_.centre;
    job.offset = rows_.offset;
    job.neighbour = rows_.neighbour;
    job.force = tersoff_.forces();
    job.guard = guard;
    job.bad = &device_.reports().bad_pair_force;
    const unsigned blocks =
        blocks_for(static_cast<std::size_t>(n_rows_) * tuning::pair_term_lanes, tuning::pair_term_block);
    if (request.any()) {
      const unsigned most = std::min(blocks, unsigned(tuning::group_sum_blocks));
      block_sums_.reserve(most);
      reserve_cleared(arrived_, 1, device_.stream(), "clearing counts of blocks");
      job.block_sums = block_sums_.data();
      job.sum = sum;
      job.arrived = arrived_.data();
      pair_list_term_kernel<Format, true><<<most, tuning::pair_term_block, 0, device_.stream()>>>(job);
    } else {
      cuda::launch(guard && dependent_, blocks, tuning::pair_term_block, device_.stream(), "computing pair forces",
                   pair_list_term_kernel<Format, false>, job);
    }
    check(cudaGetLastError(), "computing pair forces");
  }

  /// Adds the tallies of the last launch() with per-atom tallies to the arrays of owned atoms in `results`. Waits for
  /// the device.
  void add_per_atom(const TallyRequest &request, ResultsView &results) {
    if (!results.atom_energy && !results.atom_virial && !results.atom_centroid) return;
    const std::size_t n = n_tallied_;
    std::vector<double> values(PairTallies::width * n);
    copy_to_host(values.data(), tally_.data(), values.size(), device_.stream(), "copying per-atom tallies");
    device_.wait("copying per-atom tallies");
    static constexpr int of_centroid[9] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
    for (std::size_t i = 0; i < n; ++i) {
      const auto value = [&](int v) { return values[v * n + i]; };
      if (request.atom_energy && results.atom_energy) results.atom_energy[i] += value(0);
      for (int k = 0; k < 6 && request.atom_virial && results.atom_virial; ++k)
        results.atom_virial[6 * i + k] += value(1 + k);
      for (int k = 0; k < 9 && request.atom_centroid && results.atom_centroid; ++k)
        results.atom_centroid[9 * i + k] += value(1 + of_centroid[k]);
    }
  }

  /// Adds these tallies to those of `sum` on the device. Asynchronous.
  void add_to(const EngineTallies<Format> &sum) const {
    const std::size_t n = n_tallied_;
    const PairTallies tallies = {tally_.data(), n};
    device_.for_each(n, AddPairTalliesOp{tallies, sum.energies(), sum.virials(), sum.centroids()}, "adding tallies");
  }

  std::size_t host_bytes() const { return uploaded_.host_bytes(); }
  std::size_t device_bytes() const {
    return uploaded_.device_bytes() + cells_.bytes() + coefficients_.bytes() + row_.bytes() + count_.bytes() +
           space_.bytes() + tally_.bytes() + block_sums_.bytes() + arrived_.bytes();
  }

 private:
  /// Takes a list and finds its rows with entries.
  void take_rows(const DeviceNeighborList &rows) {
    rows_ = rows;
    row_.reserve(rows.n_rows);
    const char *const what = "finding the rows of a pair list";
    const thrust::counting_iterator<int> all(0);
    count_.reserve(1);
    with_work_space(space_, [&](void *space, std::size_t &bytes) {
      check(cub::DeviceSelect::If(space, bytes, all, row_.data(), count_.data(), rows.n_rows, HasEntries{rows.offset},
                                  device_.stream()),
            what);
    });
    copy_to_host(&n_rows_, count_.data(), 1, device_.stream(), what);
    device_.wait(what);
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  const int n_types_;
  const bool dependent_ = supports_dependent_launch();
  UploadedNeighborList uploaded_;
  CellNeighborList cells_;
  DeviceNeighborList rows_ = {};
  int n_rows_ = 0, n_tallied_ = 0;
  DeviceBuffer<typename Law::Coefficients> coefficients_{"coefficients"};
  DeviceBuffer<int> row_{"pair lists"}, count_{"pair lists"};
  DeviceBuffer<char> space_{"pair lists"};
  DeviceBuffer<double> tally_{"energies and virials"};
  DeviceBuffer<BlockTotals> block_sums_{"energy and virial"};
  DeviceBuffer<unsigned> arrived_{"counts of blocks"};
};

}  // namespace cuda
}  // namespace triad

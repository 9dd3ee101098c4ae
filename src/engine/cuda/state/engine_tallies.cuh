// Copies of energy, virial and per-atom tallies of an engine's forces to the host.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/md_engine.h"
#include "engine/pair_force.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// Per-atom energies and virials in device memory.
struct AtomTallies {
  const double *energy;  ///< [n_all]
  const double *virial;  ///< [n_all][components]
  int components;
};

/// Adds numbers of one array to those of another.
struct AddNumberOp {
  double *to;
  const double *from;
  __device__ void operator()(std::size_t k) const { to[k] += from[k]; }
};

/// Energy and virial, xx yy zz xy xz yz, of the totals of one or all blocks.
inline ForceTotals force_totals(const BlockTotals &from) {
  ForceTotals totals;
  totals.energy = from.v[0];
  std::copy_n(from.v + 1, 6, totals.virial);
  return totals;
}

/// The functions that copy wait for the device. All throw LoopError.
template <class Format>
class EngineTallies {
 public:
  EngineTallies(DeviceContext &device, TersoffDevice<Format> &tersoff) : device_(device), tersoff_(tersoff) {}

  /// Energy and virial of the last launch of forces, which had rows, in two parts, between which the caller waits for
  /// the device.
  void start_totals() { tersoff_.sum_totals(&device_.reports().totals); }
  ForceTotals take_totals() const { return force_totals(device_.reports().totals); }

  /// Adds the per-atom energies and virials of owned atoms and ghosts to the arrays in `results`, which have the order
  /// of LAMMPS's atoms. Ghosts of a plan that the engine has made give theirs to the owned atoms `sent`; that is
  /// collective.
  void add_per_atom(const TallyRequest &request, const GhostLayout &ghosts, const HaloPlan &plan,
                    const std::vector<int> &sent, ResultsView &results) {
    const std::size_t n = tersoff_.atom_count(), owned = ghosts.n_owned;
    const int width[3] = {request.atom_energy ? 1 : 0, request.atom_virial ? 6 : 0, request.atom_centroid ? 9 : 0};
    double *const target[3] = {results.atom_energy, results.atom_virial, results.atom_centroid};
    tally_.reserve(n * (width[0] + width[1] + width[2]));
    double **const part = part_, *next = tally_.data();
    for (int t = 0; t < 3; ++t) {
      part[t] = width[t] ? next : nullptr;
      next += n * width[t];
    }
    tersoff_.collect_tallies(part[0], part[1], part[2]);
    for (int t = 0; t < 3; ++t) {
      if (!width[t] || !target[t]) continue;
      const std::size_t w = width[t];
      std::vector<double> values(n * w);
      copy_to_host(values.data(), part[t], values.size(), device_.stream(), "copying per-atom tallies");
      device_.wait("copying per-atom tallies");
      for (std::size_t k = 0; k < owned * w; ++k) target[t][k] += values[k];
      if (plan.ghost_capacity) {
        add_sent(*plan.exchange, values.data() + owned * w, w, sent, target[t]);
        continue;
      }
      for (std::size_t g = 0; g < ghosts.host_ghost.size(); ++g)
        for (std::size_t k = 0; k < w; ++k)
          target[t][(owned + ghosts.host_ghost[g]) * w + k] += values[(owned + g) * w + k];
    }
  }

  // The tallies of the last add_per_atom() in device memory, ghosts included; those that were not requested are null.
  double *energies() const { return part_[0]; }   ///< [n_all]
  double *virials() const { return part_[1]; }    ///< [n_all][6]
  double *centroids() const { return part_[2]; }  ///< [n_all][9]
  AtomTallies kept(AtomVirial kind) const {
    if (kind == AtomVirial::Centroid) return {part_[0], part_[2], 9};
    return {part_[0], part_[1], 6};
  }
  /// Adds these tallies to those of `sum`, of the same request and atoms. Asynchronous.
  void add_to(const EngineTallies &sum) const {
    static constexpr std::size_t width[3] = {1, 6, 9};
    for (int t = 0; t < 3; ++t)
      if (part_[t] && sum.part_[t])
        device_.for_each(width[t] * tersoff_.atom_count(), AddNumberOp{sum.part_[t], part_[t]}, "adding tallies");
  }

  std::size_t device_bytes() const { return tally_.bytes(); }

 private:
  /// Reverse communication of `width` numbers per ghost, which are added to those of the owned atoms `sent`.
  static void add_sent(HaloExchange &exchange, const double *ghosts, std::size_t width, const std::vector<int> &sent,
                       double *target) {
    std::vector<double> returned(sent.size() * width);
    exchange.reverse(ghosts, returned.data(), width * sizeof(double));
    for (std::size_t k = 0; k < returned.size(); ++k) target[sent[k / width] * width + k % width] += returned[k];
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  DeviceBuffer<double> tally_{"per-atom tallies"};
  double *part_[3] = {nullptr, nullptr, nullptr};  // in tally_
};

}  // namespace cuda
}  // namespace triad

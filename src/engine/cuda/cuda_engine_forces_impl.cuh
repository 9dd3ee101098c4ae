// CudaEngine: ghosts, pruned list, forces, totals, per-atom tallies and the heat current.
#pragma once

#include <algorithm>

#include "engine/cuda/cuda_engine_fields_impl.cuh"

namespace triad {
namespace cuda {

/// Forward communication: gives the ghosts on this device the positions of their owners. Collective.
template <class Format>
void CudaEngine<Format>::forward_halo() {
  Position *const ghosts = tersoff_.positions() + layout_.n_owned;
  for_each(layout_.copied_atom.size(),
           CopyOp<Format>{tersoff_.positions(), copied_.data(), copied_image_.data(), shift_.data(),
                          ghosts + layout_.n_arriving},
           "copying ghosts");
  if (!halo_.exchange) return;
  const std::size_t n_send = halo_.send.size(), n_arriving = layout_.n_arriving;
  sent_positions_.reserve(n_send);
  for_each(
      n_send,
      CopyOp<Format>{tersoff_.positions(), send_.data(), send_image_.data(), shift_.data(), sent_positions_.data()},
      "packing ghosts");
  if (halo_.exchange->takes_device_memory()) {
    stream_.wait("packing ghosts");
    halo_.exchange->forward(sent_positions_.data(), ghosts, sizeof(Position));
    return;
  }
  sent_positions_host_.reserve(n_send);
  arriving_positions_host_.reserve(n_arriving);
  copy_to_host(sent_positions_host_.data(), sent_positions_.data(), n_send, stream_, "copying ghosts");
  stream_.wait("packing ghosts");
  halo_.exchange->forward(sent_positions_host_.data(), arriving_positions_host_.data(), sizeof(Position));
  copy_to_device(ghosts, arriving_positions_host_.data(), n_arriving, stream_, "copying ghosts");
}

/// Reverse communication: adds forces on ghosts to their owners and clears them. Collective.
template <class Format>
void CudaEngine<Format>::reverse_halo() {
  const std::size_t n_ghosts = layout_.host_ghost.size(), n_arriving = layout_.n_arriving;
  const auto add = [&](std::size_t n, const int *atoms, const Sum *source) {
    for_each(n, AddForceOp<Format>{tersoff_.forces(), atoms, source}, "adding forces of ghosts");
  };
  ghost_forces_.reserve(3 * n_ghosts);
  for_each(n_ghosts, PackForceOp<Format>{tersoff_.forces(), std::size_t(layout_.n_owned), ghost_forces_.data()},
           "packing forces of ghosts");
  add(layout_.copied_atom.size(), copied_.data(), ghost_forces_.data() + 3 * n_arriving);
  if (!halo_.exchange) return;
  const std::size_t n_send = halo_.send.size();
  sent_forces_.reserve(3 * n_send);
  if (halo_.exchange->takes_device_memory()) {
    stream_.wait("packing forces of ghosts");
    halo_.exchange->reverse(ghost_forces_.data(), sent_forces_.data(), 3 * sizeof(Sum));
  } else {
    ghost_forces_host_.reserve(3 * n_arriving);
    sent_forces_host_.reserve(3 * n_send);
    copy_to_host(ghost_forces_host_.data(), ghost_forces_.data(), 3 * n_arriving, stream_, "copying forces of ghosts");
    stream_.wait("packing forces of ghosts");
    halo_.exchange->reverse(ghost_forces_host_.data(), sent_forces_host_.data(), 3 * sizeof(Sum));
    copy_to_device(sent_forces_.data(), sent_forces_host_.data(), 3 * n_send, stream_, "copying forces of ghosts");
  }
  add(n_send, send_.data(), sent_forces_.data());
}

/// Renews the pruned list if an atom or ghost has left its limits. Waits for the device.
template <class Format>
void CudaEngine<Format>::keep_pruned_list() {
  if (listed_ && !checked_) {
    for_each(layout_.n_all(),
             LimitOp<Format>{tersoff_.positions(), tersoff_.references(), tersoff_.scale(), &reports_.data()->moved},
             "checking displacements");
    listed_ = !reported(reports_[0].moved);
  }
  if (!listed_) {
    build_pruned_list();
    list_age_ = 0;
  }
  listed_ = checked_ = true;
}

template <class Format>
void CudaEngine<Format>::compute_forces(const TallyRequest &request, ResultsView &results) {
  select();
  flush();
  forward_halo();
  keep_pruned_list();
  tersoff_.clear_forces();
  tersoff_.launch_forces(request, nullptr);
  if (two_lists()) tersoff_.launch_boundary(request, nullptr, stream_);
  tersoff_.complete_forces(nullptr);
  reverse_halo();
  if (request.any_per_atom()) add_tallies(request, results);
  if (request.any_total() || request.any_per_atom()) {
    const ForceTotals totals = read_totals();
    results.energy = totals.energy;
    std::copy_n(totals.virial, 6, results.virial);
    check_forces();
  }
}

template <class Format>
ForceTotals CudaEngine<Format>::read_totals() {
  ForceTotals totals;
  if (rows_.view().n_rows == 0) return totals;
  tersoff_.sum_totals();
  copy_to_host(&reports_.data()->totals, tersoff_.totals(), 1, stream_, "copying energy and virial");
  stream_.wait("copying energy and virial");
  totals.energy = reports_[0].totals.v[0];
  std::copy_n(reports_[0].totals.v + 1, 6, totals.virial);
  return totals;
}

/// Adds the per-atom energies and virials of owned atoms and ghosts to LAMMPS's arrays.
template <class Format>
void CudaEngine<Format>::add_tallies(const TallyRequest &request, ResultsView &results) {
  const std::size_t n = layout_.n_all(), owned = layout_.n_owned;
  const int width[3] = {request.atom_energy ? 1 : 0, request.atom_virial ? 6 : 0, request.atom_centroid ? 9 : 0};
  double *const target[3] = {results.atom_energy, results.atom_virial, results.atom_centroid};
  tally_.reserve(n * (width[0] + width[1] + width[2]));
  double *part[3], *next = tally_.data();
  for (int t = 0; t < 3; ++t) {
    part[t] = width[t] ? next : nullptr;
    next += n * width[t];
  }
  tersoff_.collect_tallies(part[0], part[1], part[2]);
  for (int t = 0; t < 3; ++t) {
    if (!width[t] || !target[t]) continue;
    const std::size_t w = width[t];
    std::vector<double> values(n * w);
    copy_to_host(values.data(), part[t], values.size(), stream_, "copying per-atom tallies");
    stream_.wait("copying per-atom tallies");
    for (std::size_t k = 0; k < owned * w; ++k) target[t][k] += values[k];
    for (std::size_t g = 0; g < layout_.host_ghost.size(); ++g)
      for (std::size_t k = 0; k < w; ++k)
        target[t][(owned + layout_.host_ghost[g]) * w + k] += values[(owned + g) * w + k];
  }
}

template <class Format>
HeatCurrent CudaEngine<Format>::heat_current(int group_bit, double kinetic_factor) {
  HeatCurrent sum;
  select();
  flush();
  if (!checked_) forward_halo();
  keep_pruned_list();
  const int bit = group_bit == 1 ? 0 : group_bit;
  const std::size_t n_ghosts = layout_.host_ghost.size(), n_arriving = layout_.n_arriving;
  ghost_velocities_.reserve(3 * n_ghosts);
  const auto pack = [&](std::size_t count, const int *atoms, double *target) {
    for_each(count, PackVelocityOp<Format>{state(), bit, atoms, target}, "packing velocities of ghosts");
  };
  pack(layout_.copied_atom.size(), copied_.data(), ghost_velocities_.data() + 3 * n_arriving);
  if (halo_.exchange) {
    const std::size_t n_send = halo_.send.size(), item = 3 * sizeof(double);
    sent_velocities_.reserve(3 * n_send);
    pack(n_send, send_.data(), sent_velocities_.data());
    if (halo_.exchange->takes_device_memory()) {
      stream_.wait("packing velocities of ghosts");
      halo_.exchange->forward(sent_velocities_.data(), ghost_velocities_.data(), item);
    } else {
      sent_velocities_host_.reserve(3 * n_send);
      ghost_velocities_host_.reserve(3 * n_arriving);
      copy_to_host(sent_velocities_host_.data(), sent_velocities_.data(), 3 * n_send, stream_, "copying velocities");
      stream_.wait("packing velocities of ghosts");
      halo_.exchange->forward(sent_velocities_host_.data(), ghost_velocities_host_.data(), item);
      copy_to_device(ghost_velocities_.data(), ghost_velocities_host_.data(), 3 * n_arriving, stream_,
                     "copying velocities");
    }
  }
  if (rows_.view().n_rows == 0) return sum;
  const unsigned blocks = unsigned(tersoff_.multiprocessors()) * tuning::general_blocks_per_sm;
  const unsigned all_blocks = two_lists() ? 2 * blocks : blocks;
  heat_current_.reserve(all_blocks);
  heat_current_host_.reserve(all_blocks);
  HeatJob<Format> job = {state(), {}, true, bit, kinetic_factor, ghost_velocities_.data(), heat_current_.data()};
  for (const ForceJob<Format> &bonds : tersoff_.bonds()) {
    job.bonds = bonds;
    tersoff_.with_model([&](const auto &model) {
      launch(false, blocks, tuning::general_block, stream_, "summing the heat current",
             heat_current_kernel<Format, std::decay_t<decltype(model)>>, model, job);
    });
    job.counts_atoms = false;
    job.blocks += blocks;
  }
  copy_to_host(heat_current_host_.data(), heat_current_.data(), all_blocks, stream_, "summing the heat current");
  stream_.wait("summing the heat current");
  for (unsigned b = 0; b < all_blocks; ++b)
    for (int d = 0; d < 3; ++d) {
      sum.total[d] += heat_current_host_[b].total[d];
      sum.convective[d] += heat_current_host_[b].convective[d];
    }
  return sum;
}

}  // namespace cuda
}  // namespace triad

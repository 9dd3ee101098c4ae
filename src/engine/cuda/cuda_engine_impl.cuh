// CudaEngine: construction, atoms from LAMMPS, descriptions and errors. One translation unit per precision includes
// this.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "core/messages.h"
#include "engine/cuda/cuda_engine.cuh"

namespace triad {
namespace cuda {

inline WrappedPosition shift_in_counts(const double *shift, const PositionScale &scale, WrappedPosition) {
  const auto axis = [&](double v) {
    return static_cast<int>(static_cast<unsigned>(std::llrint(v * scale.per_length)));
  };
  return {axis(shift[0]), axis(shift[1]), axis(shift[2]), 0};
}
inline DoublePosition shift_in_counts(const double *shift, const PositionScale &, DoublePosition) {
  return {shift[0], shift[1], shift[2], 0};
}

template <class Format>
CudaEngine<Format>::CudaEngine(const TersoffSetup &setup, int device, int n_threads)
    : setup_(setup),
      device_(select_device(device)),
      n_threads_(std::max(1, n_threads)),
      tersoff_(setup.table, stream_) {
  reports_.reserve(1);
  std::memset(static_cast<void *>(reports_.data()), 0, sizeof(Reports));
  guard_.reserve(1);
  chains_ = chains_kernels();
  records_ = records_chained_kernels();
}

template <class Format>
void CudaEngine<Format>::select() const {
  select_device(device_);
}

template <class Format>
DeviceState<Format> CudaEngine<Format>::state() const {
  State s;
  auto &tersoff = const_cast<TersoffDevice<Format> &>(tersoff_);
  s.at.position = tersoff.positions();
  s.at.lower = lower_.data();
  s.at.stride = atoms_.n_owned;
  s.at.scale = tersoff_.scale();
  s.v = v_.data();
  s.force = tersoff.forces();
  s.mass = uniform_mass_ > 0 ? nullptr : mass_.data();
  s.mask = mask_.data();
  s.uniform_mass = uniform_mass_;
  s.n = atoms_.n_owned;
  return s;
}

template <class Format>
template <class Op>
void CudaEngine<Format>::for_group(int group_bit, const Op &op, const char *what) {
  const int all = 1;  // the bit of LAMMPS's group all
  const int n = atoms_.n_owned;
  if (n == 0) return;
  select();
  for_group_kernel<<<blocks_for(n, 256), 256, 0, stream_>>>(n, mask_.data(), group_bit == all ? 0 : group_bit, op);
  check(cudaGetLastError(), what);
}

template <class Format>
template <class Op>
void CudaEngine<Format>::for_each(std::size_t n, const Op &op, const char *what) {
  if (n == 0) return;
  for_group_kernel<<<blocks_for(n, 256), 256, 0, stream_>>>(static_cast<int>(n), nullptr, 0, op);
  check(cudaGetLastError(), what);
}

/// Waits for the device, throws if an atom has moved much too far, and returns and clears a report.
template <class Format>
bool CudaEngine<Format>::reported(int &report) {
  stream_.wait("waiting for a check of positions");
  check_motion();
  return std::exchange(report, 0) != 0;
}

/// Throws LoopError if an atom has moved much too far in one step. The device must be idle.
template <class Format>
void CudaEngine<Format>::check_motion() {
  if (const int wild = std::exchange(reports_[0].wild_atom, 0)) throw_bad_position(wild - 1);
}

template <class Format>
void CudaEngine<Format>::set_atoms(const AtomArrays &atoms, const NeighborListView &rows, const HaloPlan &halo) {
  select();
  flush();
  stream_.wait("finishing steps");
  reports_[0].progress.stopped = 0;  // an error may have ended the last batch
  atoms_ = atoms;
  halo_ = halo;
  layout_ = GhostLayout::of<Position>(atoms.n_owned, halo);
  tersoff_.set_list_cutoff(rows.cutoff);
  tersoff_.drop_forces();
  tersoff_.set_atom_count(layout_.n_all());
  const std::size_t n = atoms.n_owned;
  v_.reserve(3 * n);
  lower_.reserve(Coordinates<Format>::lower_elements(n));
  anchor_.reserve(3 * n);
  mask_.reserve(n);
  element_.reserve(layout_.n_all());
  list_reference_.reserve(n);
  coarse_reference_.reserve(n);
  with_peers_ =
      halo.exchange && halo.exchange->may_be_bypassed() &&
      peer_halo_.connect(halo, device_, layout_.copied_atom.empty() && n > 0, sizeof(Position), 3 * sizeof(Sum));
  rows_.upload(rows, layout_, with_peers_, n_threads_, stream_);
  set_shifts(halo.shift);

  const auto upload = [&](DeviceBuffer<int> &target, const std::vector<int> &source) {
    target.reserve(source.size());
    copy_to_device(target.data(), source.data(), source.size(), stream_, "copying the plan of ghosts");
  };
  upload(send_, halo.send);
  upload(send_image_, halo.send_image);
  upload(copied_, layout_.copied_atom);
  upload(copied_image_, layout_.copied_image);

  listed_ = counts_crossings_ = crossed_ = false;
  coarse_limit_ = -1;
  type_.clear();
  from_host(field_all);
  copy_on_device(list_reference_.data(), tersoff_.positions(), n, stream_, "keeping positions of the list");
  stream_.wait("copying atoms");
}

template <class Format>
void CudaEngine<Format>::set_shifts(const std::vector<double> &shift) {
  select();
  halo_.shift = shift;
  const std::size_t n_images = shift.size() / 3;
  // the last copy must have left shift_host_: a barostat changes the shifts in each step
  shifts_copied_.wait("copying shifts of ghosts");
  shift_host_.reserve(n_images);
  for (std::size_t k = 0; k < n_images; ++k)
    shift_host_[k] = shift_in_counts(shift.data() + 3 * k, tersoff_.scale(), Position());
  shift_.reserve(n_images);
  copy_to_device(shift_.data(), shift_host_.data(), n_images, stream_, "copying shifts of ghosts");
  shifts_copied_.record(stream_);
  ImageNames<Position> images;
  if (layout_.images) {
    images.shift = shift_.data();
    images.mask = layout_.index_mask;
  }
  tersoff_.set_images(images);
  positions_changed();
}

template <class Format>
std::string CudaEngine<Format>::description() const {
  cudaDeviceProp properties;
  int count = 0;
  check(cudaGetDeviceCount(&count), "counting devices");
  check(cudaGetDeviceProperties(&properties, device_), "reading device properties");
  return "cuda, " + std::string(properties.name) + " (device " + std::to_string(device_) + " of " +
         std::to_string(count) + ")";
}

template <class Format>
std::string CudaEngine<Format>::ghosts_travel() const {
  if (!halo_.exchange) return "";
  if (with_peers_) return "from GPU to GPU";
  return halo_.exchange->takes_device_memory() ? "through MPI, from device memory"
                                               : "through MPI, from page-locked memory of the host";
}

template <class Format>
double CudaEngine<Format>::host_bytes() const {
  return double(rows_.host_bytes() + chunk_.bytes() + reports_.bytes() + kinetic_host_.bytes() +
                sent_positions_host_.bytes() + arriving_positions_host_.bytes() + ghost_forces_host_.bytes() +
                sent_forces_host_.bytes() +
                sizeof(int) * (type_.capacity() + layout_.entry.capacity() + layout_.host_ghost.capacity()));
}

template <class Format>
double CudaEngine<Format>::device_bytes() const {
  return double(tersoff_.bytes() + rows_.device_bytes() + cell_rows_.bytes() + crossings_.bytes() + v_.bytes() +
                lower_.bytes() + anchor_.bytes() + mass_.bytes() + rows_of_three_.bytes() + mask_.bytes() +
                element_.bytes() + type_device_.bytes() + tag_.bytes() + list_reference_.bytes() + shift_.bytes() +
                coarse_reference_.bytes() + langevin_.bytes() + thermostat_.bytes() + kinetic_.bytes() +
                guard_.bytes() + tally_.bytes() + send_.bytes() + send_image_.bytes() + copied_.bytes() +
                copied_image_.bytes() + sent_positions_.bytes() + ghost_forces_.bytes() + sent_forces_.bytes() +
                fused_steps_.bytes());
}

/// Throws LoopError for owned atom i, which moved too far in one step, with its position at the last copy to the host.
template <class Format>
void CudaEngine<Format>::throw_bad_position(int i) {
  double x[3];
  copy_to_host(x, anchor_.data() + 3 * std::size_t(i), 3, stream_, "reading a position");
  stream_.wait("reading a position");
  char text[300];
  std::snprintf(text, sizeof text,
                "an atom, last known at (%.6g, %.6g, %.6g), moved much too far in one step; check for overlapping "
                "atoms and for the time step",
                x[0], x[1], x[2]);
  throw LoopError(text);
}

/// Throws LoopError if a force since the last call was out of the accumulators' range. The device must be idle.
template <class Format>
void CudaEngine<Format>::check_forces() {
  int i = tersoff_.take_bad_centre();
  if (const int bad = std::exchange(reports_[0].bad_pair_force, 0)) i = bad - 1;
  if (i < 0) return;
  double x[3];
  copy_to_host(x, anchor_.data() + 3 * std::size_t(i), 3, stream_, "reading a position");
  stream_.wait("reading a position");
  throw LoopError(force_out_of_range(x));
}

}  // namespace cuda
}  // namespace triad

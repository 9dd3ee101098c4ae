// CudaEngine: copies of fields between LAMMPS's arrays and the device.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/cuda/cuda_engine_impl.cuh"

namespace triad {
namespace cuda {

/// Writes the elements into the positions' fourth word.
template <class Position>
struct ElementOp {
  Position *position;
  const int *element;
  __device__ void operator()(std::size_t i) const { position[i].element = element[i]; }
};

inline void copy_by_threads(double *target, const double *source, std::size_t n, int n_threads) {
#pragma omp parallel for num_threads(n_threads) schedule(static) if (n > tuning::copy_atoms)
  for (std::size_t k = 0; k < n; ++k) target[k] = source[k];
}

/// Calls move(first, count) for chunks of the owned atoms.
template <class Format>
template <class Move>
void CudaEngine<Format>::by_chunks(Move &&move) {
  const std::size_t n = atoms_.n_owned, most = std::min<std::size_t>(n, tuning::copy_atoms);
  chunk_.reserve(3 * most);
  rows_of_three_.reserve(3 * most);
  for (std::size_t first = 0; first < n; first += most) move(first, std::min(most, n - first));
}

template <class Format>
void CudaEngine<Format>::sync_host(unsigned fields) {
  select();
  flush();
  const auto download = [&](double *host, const double *device, std::size_t count) {
    copy_to_host(chunk_.data(), device, 3 * count, stream_, "copying fields to the host");
    stream_.wait("copying fields to the host");
    copy_by_threads(host, chunk_.data(), 3 * count, n_threads_);
  };
  if (fields & field_x) {
    for_each(atoms_.n_owned, DecodeOp<Format>{state(), anchor_.data()}, "converting positions");
    by_chunks([&](std::size_t first, std::size_t count) {
      download(atoms_.x + 3 * first, anchor_.data() + 3 * first, count);
    });
    give_crossings();
  }
  if (fields & field_v)
    by_chunks([&](std::size_t first, std::size_t count) {
      for_each(count, VelocityOp<Format>{state(), rows_of_three_.data(), first, true}, "converting velocities");
      download(atoms_.v + 3 * first, rows_of_three_.data(), count);
    });
  if (fields & field_f)
    by_chunks([&](std::size_t first, std::size_t count) {
      for_each(count, ForceOp<Format>{state(), rows_of_three_.data(), first, true}, "converting forces");
      download(atoms_.f + 3 * first, rows_of_three_.data(), count);
    });
  stream_.wait("copying fields to the host");
  check_motion();
  check_forces();
}

template <class Format>
void CudaEngine<Format>::from_host(unsigned fields) {
  select();
  flush();
  if (fields & (field_v | field_attributes)) summed_bit_ = 0;
  if (fields & field_attributes) read_attributes();
  const auto upload = [&](double *device, const double *host, std::size_t count) {
    stream_.wait("copying fields to the device");  // until then the last chunk is in use
    copy_by_threads(chunk_.data(), host, 3 * count, n_threads_);
    copy_to_device(device, chunk_.data(), 3 * count, stream_, "copying fields to the device");
  };
  if (fields & field_x) {
    by_chunks(
        [&](std::size_t first, std::size_t count) { upload(anchor_.data() + 3 * first, atoms_.x + 3 * first, count); });
    for_each(atoms_.n_owned, EncodeOp<Format>{state(), anchor_.data(), &reports_.data()->bad_position},
             "converting positions");
    positions_changed();
    stream_.wait("converting positions");
    if (const int bad = std::exchange(reports_[0].bad_position, 0))
      throw LoopError(position_not_a_number(atoms_.x + 3 * std::size_t(bad - 1)));
  }
  if (fields & field_v)
    by_chunks([&](std::size_t first, std::size_t count) {
      upload(rows_of_three_.data(), atoms_.v + 3 * first, count);
      for_each(count, VelocityOp<Format>{state(), rows_of_three_.data(), first, false}, "converting velocities");
    });
  if (fields & field_f)
    by_chunks([&](std::size_t first, std::size_t count) {
      upload(rows_of_three_.data(), atoms_.f + 3 * first, count);
      for_each(count, ForceOp<Format>{state(), rows_of_three_.data(), first, false}, "converting forces");
    });
  stream_.wait("copying fields to the device");
}

/// Copies group masks, masses and elements to the device. A changed element invalidates the pruned list.
template <class Format>
void CudaEngine<Format>::read_attributes() {
  const int n = atoms_.n_owned;
  identified_ = false;
  copy_to_device(mask_.data(), atoms_.mask, n, stream_, "copying groups");
  if (!std::equal(type_.begin(), type_.end(), atoms_.type, atoms_.type + n)) {
    type_.assign(atoms_.type, atoms_.type + n);
    std::vector<int> element;
    for (const int type : type_) element.push_back(setup_.type_to_element[type]);
    for (const int g : layout_.host_ghost) element.push_back(setup_.type_to_element[atoms_.type[n + g]]);
    copy_to_device(element_.data(), element.data(), element.size(), stream_, "copying elements");
    for_each(element.size(), ElementOp<Position>{tersoff_.positions(), element_.data()}, "storing elements");
    stream_.wait("copying elements");
    listed_ = false;
  }
  std::vector<double> mass(n);
  for (int i = 0; i < n; ++i) mass[i] = atoms_.rmass ? atoms_.rmass[i] : atoms_.mass[atoms_.type[i]];
  const bool uniform = std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
  uniform_mass_ = uniform && n ? mass[0] : 0;
  if (!uniform) {
    mass_.reserve(n);
    copy_to_device(mass_.data(), mass.data(), n, stream_, "copying masses");
  }
  stream_.wait("copying groups and masses");
}

}  // namespace cuda
}  // namespace triad

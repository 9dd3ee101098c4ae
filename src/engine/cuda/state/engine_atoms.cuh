// The owned atoms of an engine on the device, and copies of their fields to and from LAMMPS's arrays.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "core/messages.h"
#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/field_ops.cuh"
#include "engine/cuda/state/group_members.cuh"
#include "engine/cuda/state/placement_ops.cuh"
#include "engine/cuda/state/tethers.cuh"
#include "engine/md_engine.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"

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

/// Velocities, masses, groups and anchors are here; `tersoff` holds positions and forces. All functions throw
/// LoopError.
template <class Format>
class EngineAtoms {
 public:
  using Position = typename PositionOf<Format>::type;
  using Velocity = typename Coordinates<Format>::Velocity;
  using State = DeviceState<Format>;

  /// `type_to_element`: see TersoffSetup. `n_threads`: host threads that fill and empty the copy buffers.
  EngineAtoms(DeviceContext &device, TersoffDevice<Format> &tersoff, std::vector<int> type_to_element, int n_threads)
      : device_(device),
        tersoff_(tersoff),
        type_to_element_(std::move(type_to_element)),
        n_threads_(std::max(1, n_threads)),
        groups_(device),
        tethers_(device) {}

  /// Takes the addresses of the caller's arrays, see MdEngine::set_arrays().
  void set_arrays(const AtomArrays &arrays) { arrays_ = arrays; }
  const AtomArrays &arrays() const { return arrays_; }
  int n() const { return arrays_.n_owned; }
  int n_threads() const { return n_threads_; }

  /// Reserves memory for the atoms of set_arrays() and n_all - n() ghosts, and forgets their attributes.
  void reserve(int n_all);

  /// Argument of kernels.
  State state() const;
  /// [n_all][3] fp64 positions that are less than half a range away from the atoms; see coordinates.cuh. Those of
  /// ghosts are only set while the engine makes a list.
  double *anchor() const { return anchor_.data(); }
  const PositionScale &scale() const { return tersoff_.scale(); }
  /// Range of wrapped coordinates, length units.
  double range() const { return 4294967296.0 / scale().per_length; }
  /// Displacement in one step, summed over the axes, from which on the step is an error.
  float wild_step() const { return static_cast<float>(range() / 8); }
  /// The mass of all atoms, or 0 if masses differ.
  double uniform_mass() const { return uniform_mass_; }

  template <class Op>
  void for_each(const Op &op, const char *what) const {
    device_.for_each(n(), op, what);
  }
  /// Launches op(i) for the atoms of a group.
  template <class Op>
  void for_group(int group_bit, const Op &op, const char *what) const {
    device_.select();
    device_.for_group(n(), mask_.data(), device_bit(group_bit), op, what);
  }

  /// The atoms of a group. The pointer is valid until attributes or arrays change.
  GroupMembers members(int group_bit) { return groups_.members(device_bit(group_bit), arrays_.mask, n()); }

  // See the functions of MdEngine.
  void place(const LinearMotion &motion);
  void reflect(const ReflectingWalls &walls);
  Tethers &tethers() { return tethers_; }
  const Tethers &tethers() const { return tethers_; }

  /// Number that changes whenever positions have been set from outside of whole steps.
  std::int64_t version() const { return version_; }
  void positions_changed() { ++version_; }

  /// Writes the present positions to anchor(). Asynchronous.
  void decode() const { for_each(DecodeOp<Format>{state(), anchor()}, "converting positions"); }

  /// Copies fields (bits of Field) to the caller's arrays.
  void download(unsigned fields);
  /// Copies fields from the caller's arrays, except attributes.
  void upload(unsigned fields);
  /// Copies group masks, masses and elements to the device. Returns true if an element has changed, which makes the
  /// pruned list invalid.
  bool read_attributes(const GhostLayout &ghosts);

  /// Waits for the device, throws if an atom has moved much too far, and returns and clears a report.
  bool reported(int &report) const {
    device_.wait("waiting for a check of positions");
    check_motion();
    return std::exchange(report, 0) != 0;
  }
  /// Throws LoopError if an atom has moved much too far in one step. The device must be idle.
  void check_motion() const {
    if (const int wild = std::exchange(device_.reports().wild_atom, 0)) throw_bad_position(wild - 1);
  }
  /// Throws LoopError if a force since the last call was out of the accumulators' range. The device must be idle.
  void check_forces() const;
  void forget_errors() {
    tersoff_.take_bad_centre();
    Reports &reports = device_.reports();
    reports.bad_position = reports.wild_atom = reports.bad_pair_force = 0;
  }
  /// Throws LoopError for owned atom i, which moved too far in one step, with its position at the last copy to the
  /// host.
  [[noreturn]] void throw_bad_position(int i) const;

  std::size_t host_bytes() const { return chunk_.bytes() + sizeof(int) * type_.capacity(); }
  std::size_t device_bytes() const {
    return v_.bytes() + lower_.bytes() + anchor_.bytes() + mass_.bytes() + rows_of_three_.bytes() + mask_.bytes() +
           element_.bytes() + groups_.device_bytes() + tethers_.device_bytes();
  }

 private:
  template <class Move>
  void by_chunks(Move &&move);
  void read_anchor(int i, double x[3]) const {
    copy_to_host(x, anchor() + 3 * std::size_t(i), 3, device_.stream(), "reading a position");
    device_.wait("reading a position");
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  const std::vector<int> type_to_element_;
  const int n_threads_;
  AtomArrays arrays_;
  std::int64_t version_ = 0;
  double uniform_mass_ = 0;
  std::vector<int> type_;  // [n] types whose elements are on the device

  DeviceBuffer<Velocity> v_{"velocities"};
  DeviceBuffer<unsigned> lower_{"positions"};
  DeviceBuffer<double> anchor_{"positions"}, mass_{"masses"}, rows_of_three_{"copies of fields"};
  DeviceBuffer<int> mask_{"groups"}, element_{"elements"};
  GroupIndex groups_;
  Tethers tethers_;
  PinnedBuffer<double> chunk_{"copies of fields"};
};

template <class Format>
void EngineAtoms<Format>::reserve(int n_all) {
  const std::size_t n_owned = n();
  v_.reserve(3 * n_owned);
  lower_.reserve(Coordinates<Format>::lower_elements(n_owned));
  anchor_.reserve(3 * std::size_t(n_all));
  mask_.reserve(n_owned);
  element_.reserve(n_all);
  type_.clear();
  tethers_.forget();
}

template <class Format>
DeviceState<Format> EngineAtoms<Format>::state() const {
  State s;
  s.at.position = tersoff_.positions();
  s.at.lower = lower_.data();
  s.at.stride = n();
  s.at.scale = scale();
  s.v = v_.data();
  s.force = tersoff_.forces();
  s.mass = uniform_mass_ > 0 ? nullptr : mass_.data();
  s.mask = mask_.data();
  s.uniform_mass = uniform_mass_;
  s.n = n();
  return s;
}

/// Calls move(first, count) for chunks of the owned atoms.
template <class Format>
template <class Move>
void EngineAtoms<Format>::by_chunks(Move &&move) {
  const std::size_t n_owned = n(), most = std::min<std::size_t>(n_owned, tuning::copy_atoms);
  chunk_.reserve(3 * most);
  rows_of_three_.reserve(3 * most);
  for (std::size_t first = 0; first < n_owned; first += most) move(first, std::min(most, n_owned - first));
}

template <class Format>
void EngineAtoms<Format>::download(unsigned fields) {
  const auto copy = [&](double *host, const double *source, std::size_t count) {
    copy_to_host(chunk_.data(), source, 3 * count, device_.stream(), "copying fields to the host");
    device_.wait("copying fields to the host");
    copy_by_threads(host, chunk_.data(), 3 * count, n_threads_);
  };
  if (fields & field_x) {
    decode();
    by_chunks([&](std::size_t first, std::size_t count) { copy(arrays_.x + 3 * first, anchor() + 3 * first, count); });
  }
  if (fields & field_v)
    by_chunks([&](std::size_t first, std::size_t count) {
      device_.for_each(count, VelocityOp<Format>{state(), rows_of_three_.data(), first, true}, "converting velocities");
      copy(arrays_.v + 3 * first, rows_of_three_.data(), count);
    });
  if (fields & field_f)
    by_chunks([&](std::size_t first, std::size_t count) {
      device_.for_each(count, ForceOp<Format>{state(), rows_of_three_.data(), first, true}, "converting forces");
      copy(arrays_.f + 3 * first, rows_of_three_.data(), count);
    });
  device_.wait("copying fields to the host");
}

template <class Format>
void EngineAtoms<Format>::place(const LinearMotion &motion) {
  TiedPlaceOp<Format> op = {state(), anchor(), motion, &device_.reports().wild_atom};
  op.motion.tether = tethers_[motion.tethers];
  for_group(motion.group_bit, op, "placing atoms");
  positions_changed();
}

template <class Format>
void EngineAtoms<Format>::reflect(const ReflectingWalls &walls) {
  for_group(walls.group_bit, ReflectOp<Format>{state(), anchor(), walls}, "reflecting atoms");
  positions_changed();
}

template <class Format>
void EngineAtoms<Format>::upload(unsigned fields) {
  const auto copy = [&](double *target, const double *host, std::size_t count) {
    device_.wait("copying fields to the device");  // until then the last chunk is in use
    copy_by_threads(chunk_.data(), host, 3 * count, n_threads_);
    copy_to_device(target, chunk_.data(), 3 * count, device_.stream(), "copying fields to the device");
  };
  if (fields & field_x) {
    tethers_.forget();
    by_chunks([&](std::size_t first, std::size_t count) { copy(anchor() + 3 * first, arrays_.x + 3 * first, count); });
    int &bad_position = device_.reports().bad_position;
    for_each(EncodeOp<Format>{state(), anchor(), &bad_position}, "converting positions");
    positions_changed();
    device_.wait("converting positions");
    if (const int bad = std::exchange(bad_position, 0))
      throw LoopError(position_not_a_number(arrays_.x + 3 * std::size_t(bad - 1)));
  }
  if (fields & field_v)
    by_chunks([&](std::size_t first, std::size_t count) {
      copy(rows_of_three_.data(), arrays_.v + 3 * first, count);
      device_.for_each(count, VelocityOp<Format>{state(), rows_of_three_.data(), first, false},
                       "converting velocities");
    });
  if (fields & field_f)
    by_chunks([&](std::size_t first, std::size_t count) {
      copy(rows_of_three_.data(), arrays_.f + 3 * first, count);
      device_.for_each(count, ForceOp<Format>{state(), rows_of_three_.data(), first, false}, "converting forces");
    });
  device_.wait("copying fields to the device");
}

template <class Format>
bool EngineAtoms<Format>::read_attributes(const GhostLayout &ghosts) {
  const int n_owned = n();
  bool new_elements = false;
  groups_.forget();
  copy_to_device(mask_.data(), arrays_.mask, n_owned, device_.stream(), "copying groups");
  if (!std::equal(type_.begin(), type_.end(), arrays_.type, arrays_.type + n_owned)) {
    type_.clear();
    std::vector<int> element;
    for (int i = 0; i < n_owned; ++i) element.push_back(type_to_element_[arrays_.type[i]]);
    for (const int g : ghosts.host_ghost) element.push_back(type_to_element_[arrays_.type[n_owned + g]]);
    copy_to_device(element_.data(), element.data(), element.size(), device_.stream(), "copying elements");
    device_.for_each(element.size(), ElementOp<Position>{tersoff_.positions(), element_.data()}, "storing elements");
    device_.wait("copying elements");
    type_.assign(arrays_.type, arrays_.type + n_owned);
    new_elements = true;
  }
  std::vector<double> mass(n_owned);
  for (int i = 0; i < n_owned; ++i) mass[i] = arrays_.rmass ? arrays_.rmass[i] : arrays_.mass[arrays_.type[i]];
  const bool uniform = std::all_of(mass.begin(), mass.end(), [&](double m) { return m == mass[0]; });
  uniform_mass_ = uniform && n_owned ? mass[0] : 0;
  if (!uniform) {
    mass_.reserve(n_owned);
    copy_to_device(mass_.data(), mass.data(), n_owned, device_.stream(), "copying masses");
  }
  device_.wait("copying groups and masses");
  return new_elements;
}

template <class Format>
void EngineAtoms<Format>::throw_bad_position(int i) const {
  double x[3];
  read_anchor(i, x);
  char text[300];
  std::snprintf(text, sizeof text,
                "an atom, last known at (%.6g, %.6g, %.6g), moved much too far in one step; check for overlapping "
                "atoms and for the time step",
                x[0], x[1], x[2]);
  throw LoopError(text);
}

template <class Format>
void EngineAtoms<Format>::check_forces() const {
  int i = tersoff_.take_bad_centre();
  if (const int bad = std::exchange(device_.reports().bad_pair_force, 0)) i = bad - 1;
  if (i < 0) return;
  double x[3];
  read_anchor(i, x);
  throw LoopError(force_out_of_range(x));
}

}  // namespace cuda
}  // namespace triad

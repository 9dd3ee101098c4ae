// The ghosts of an engine on the device: copies of owned atoms, and atoms of other ranks, with which the host
// exchanges. See peer_exchange.cuh for the exchange without the host.
#pragma once

#include <utility>
#include <vector>

#include "engine/cuda/ghosts/ghost_ops.cuh"
#include "engine/cuda/ghosts/image_shifts.cuh"
#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/exchange/halo.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// Positions and forces of the ghosts follow those of the owned atoms in `tersoff`. All functions throw LoopError.
template <class Format>
class EngineGhosts {
 public:
  using Position = typename PositionOf<Format>::type;
  using Sum = typename Format::Sum;

  EngineGhosts(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms)
      : device_(device), tersoff_(tersoff), atoms_(atoms) {}

  /// Makes room for the atoms to send of a plan that the engine makes, and returns it: [n_sent] atoms and their images.
  std::pair<int *, int *> start_plan(int n_sent) {
    send_.reserve(n_sent);
    send_image_.reserve(n_sent);
    return {send_.data(), send_image_.data()};
  }
  /// Takes the plan, whose HaloPlan::exchange must stay valid. upload_plan() must follow.
  void set_plan(const HaloPlan &plan, int n_owned) {
    plan_ = plan;
    layout_ = GhostLayout::of<Position>(n_owned, plan);
  }
  /// Notes the number of ghosts for which there is memory, see HaloPlan::ghost_capacity.
  void set_ghost_capacity(int ghosts) { plan_.ghost_capacity = ghosts; }
  /// Copies the plan, with its shifts, to the device.
  void upload_plan();
  /// Takes over HaloPlan::shift after a change of the box, [images][3] in length units. Asynchronous.
  void set_shifts(const std::vector<double> &shift);

  const HaloPlan &plan() const { return plan_; }
  HaloExchange *exchange() const { return plan_.exchange; }
  const GhostLayout &layout() const { return layout_; }
  int n() const { return layout_.n_ghosts(); }
  int n_sent() const { return plan_.n_sent(); }
  /// True without ghosts on the device and without other ranks.
  bool none() const { return n() == 0 && !plan_.exchange; }
  /// True on all ranks if `flag` is true on any. Collective.
  bool on_any_rank(bool flag) const { return plan_.exchange ? plan_.exchange->any(flag) : flag; }

  // The plan in device memory, for the kernels of PeerExchange.
  const int *send() const { return send_.data(); }              ///< [n_sent()]
  const int *send_image() const { return send_image_.data(); }  ///< the same size
  const Position *shift() const { return shift_.data(); }       ///< [images]
  const double *shift_lengths();                                ///< [images][3] length units
  /// shift() for a kernel that changes the box; plan().shift remains that of set_shifts().
  Position *changing_shift() { return shift_.data(); }

  /// The atoms to send of a plan that the engine has made (HaloPlan::ghost_capacity), on the host; otherwise empty.
  /// Waits for the device.
  std::vector<int> sent_atoms() const;

  /// Forward communication: gives the ghosts on this device the positions of their owners. Collective.
  void forward();
  /// Reverse communication: adds forces on ghosts to their owners and clears them. Collective.
  void reverse() { reverse(tersoff_.forces()); }
  void reverse(const ForceArray<Format> &force);
  /// Reverse communication of rows [n_owned + n()][width] in device memory: adds those of ghosts to their owners', and
  /// clears them. Collective.
  void reverse_rows(double *rows, int width);
  /// Forward communication of velocities, [n()][3] in device memory; atoms outside the group have zeros. `bit`: see
  /// device_bit(). Collective.
  const double *forward_velocities(int bit);
  /// Forward communication of fp64 positions x [n_owned + n()][3] in device memory. There must be no copies of owned
  /// atoms. Collective.
  void forward_anchors(double *x);

  std::size_t host_bytes() const {
    return sent_positions_host_.bytes() + arriving_positions_host_.bytes() + ghost_forces_host_.bytes() +
           sent_forces_host_.bytes() + sent_rows_host_.bytes() + arriving_rows_host_.bytes() +
           sizeof(int) * (layout_.entry.capacity() + layout_.host_ghost.capacity());
  }
  std::size_t device_bytes() const {
    return shift_.bytes() + send_.bytes() + send_image_.bytes() + copied_.bytes() + copied_image_.bytes() +
           sent_positions_.bytes() + ghost_forces_.bytes() + sent_forces_.bytes() + sent_rows_.bytes() +
           ghost_velocities_.bytes() + shift_lengths_.bytes();
  }

 private:
  /// Exchanges rows of three numbers: those of the sent atoms in sent_rows_ go to arriving [n_arriving][3].
  void exchange_rows(double *arriving);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  HaloPlan plan_;
  GhostLayout layout_;

  DeviceBuffer<int> send_{"ghosts"}, send_image_{"ghosts"}, copied_{"ghosts"}, copied_image_{"ghosts"};
  DeviceBuffer<Position> shift_{"shifts of ghosts"};
  PinnedBuffer<Position> shift_host_{"shifts of ghosts"};
  Event shifts_copied_;
  DeviceBuffer<Position> sent_positions_{"ghosts"};
  PinnedBuffer<Position> sent_positions_host_{"ghosts"}, arriving_positions_host_{"ghosts"};
  DeviceBuffer<Sum> ghost_forces_{"forces on ghosts"}, sent_forces_{"forces on ghosts"};
  PinnedBuffer<Sum> ghost_forces_host_{"forces on ghosts"}, sent_forces_host_{"forces on ghosts"};
  DeviceBuffer<double> sent_rows_{"rows of ghosts"}, ghost_velocities_{"velocities of ghosts"};
  DeviceBuffer<double> shift_lengths_{"shifts of ghosts"};
  PinnedBuffer<double> sent_rows_host_{"rows of ghosts"}, arriving_rows_host_{"rows of ghosts"};
};

template <class Format>
std::vector<int> EngineGhosts<Format>::sent_atoms() const {
  if (!plan_.ghost_capacity) return {};
  std::vector<int> atoms(n_sent());
  copy_to_host(atoms.data(), send_.data(), atoms.size(), device_.stream(), "copying the plan of ghosts");
  device_.wait("copying the plan of ghosts");
  return atoms;
}

template <class Format>
const double *EngineGhosts<Format>::shift_lengths() {
  shift_lengths_.reserve(plan_.shift.size());
  copy_to_device(shift_lengths_.data(), plan_.shift.data(), plan_.shift.size(), device_.stream(), "copying shifts");
  return shift_lengths_.data();
}

template <class Format>
void EngineGhosts<Format>::upload_plan() {
  set_shifts(std::vector<double>(plan_.shift));
  const auto upload = [&](DeviceBuffer<int> &target, const std::vector<int> &source) {
    target.reserve(source.size());
    copy_to_device(target.data(), source.data(), source.size(), device_.stream(), "copying the plan of ghosts");
  };
  upload(send_, plan_.send);
  upload(send_image_, plan_.send_image);
  upload(copied_, layout_.copied_atom);
  upload(copied_image_, layout_.copied_image);
}

template <class Format>
void EngineGhosts<Format>::set_shifts(const std::vector<double> &shift) {
  plan_.shift = shift;
  const std::size_t n_images = shift.size() / 3;
  // the last copy must have left shift_host_: a barostat changes the shifts in each step that is made hook by hook
  shifts_copied_.wait("copying shifts of ghosts");
  shift_host_.reserve(n_images);
  for (std::size_t k = 0; k < n_images; ++k)
    shift_host_[k] = shift_in_counts(shift.data() + 3 * k, tersoff_.scale(), Position());
  shift_.reserve(n_images);
  copy_to_device(shift_.data(), shift_host_.data(), n_images, device_.stream(), "copying shifts of ghosts");
  shifts_copied_.record(device_.stream());
  ImageNames<Position> images;
  if (layout_.images) {
    images.shift = shift_.data();
    images.mask = layout_.index_mask;
  }
  tersoff_.set_images(images);
  atoms_.positions_changed();
}

template <class Format>
void EngineGhosts<Format>::forward() {
  const cudaStream_t stream = device_.stream();
  Position *const ghosts = tersoff_.positions() + layout_.n_owned;
  device_.for_each(layout_.copied_atom.size(),
                   CopyOp<Format>{tersoff_.positions(), copied_.data(), copied_image_.data(), shift_.data(),
                                  ghosts + layout_.n_arriving},
                   "copying ghosts");
  if (!plan_.exchange) return;
  const std::size_t n_send = n_sent(), n_arriving = layout_.n_arriving;
  sent_positions_.reserve(n_send);
  device_.for_each(
      n_send,
      CopyOp<Format>{tersoff_.positions(), send_.data(), send_image_.data(), shift_.data(), sent_positions_.data()},
      "packing ghosts");
  if (plan_.exchange->takes_device_memory()) {
    device_.wait("packing ghosts");
    plan_.exchange->forward(sent_positions_.data(), ghosts, sizeof(Position));
    return;
  }
  sent_positions_host_.reserve(n_send);
  arriving_positions_host_.reserve(n_arriving);
  copy_to_host(sent_positions_host_.data(), sent_positions_.data(), n_send, stream, "copying ghosts");
  device_.wait("packing ghosts");
  plan_.exchange->forward(sent_positions_host_.data(), arriving_positions_host_.data(), sizeof(Position));
  copy_to_device(ghosts, arriving_positions_host_.data(), n_arriving, stream, "copying ghosts");
}

template <class Format>
void EngineGhosts<Format>::reverse(const ForceArray<Format> &force) {
  const cudaStream_t stream = device_.stream();
  const std::size_t n_ghosts = n(), n_arriving = layout_.n_arriving;
  const auto add = [&](std::size_t count, const int *atoms, const Sum *source) {
    device_.for_each(count, AddForceOp<Format>{force, atoms, source}, "adding forces of ghosts");
  };
  ghost_forces_.reserve(3 * n_ghosts);
  device_.for_each(n_ghosts, PackForceOp<Format>{force, std::size_t(layout_.n_owned), ghost_forces_.data()},
                   "packing forces of ghosts");
  add(layout_.copied_atom.size(), copied_.data(), ghost_forces_.data() + 3 * n_arriving);
  if (!plan_.exchange) return;
  const std::size_t n_send = n_sent();
  sent_forces_.reserve(3 * n_send);
  if (plan_.exchange->takes_device_memory()) {
    device_.wait("packing forces of ghosts");
    plan_.exchange->reverse(ghost_forces_.data(), sent_forces_.data(), 3 * sizeof(Sum));
  } else {
    ghost_forces_host_.reserve(3 * n_arriving);
    sent_forces_host_.reserve(3 * n_send);
    copy_to_host(ghost_forces_host_.data(), ghost_forces_.data(), 3 * n_arriving, stream, "copying forces of ghosts");
    device_.wait("packing forces of ghosts");
    plan_.exchange->reverse(ghost_forces_host_.data(), sent_forces_host_.data(), 3 * sizeof(Sum));
    copy_to_device(sent_forces_.data(), sent_forces_host_.data(), 3 * n_send, stream, "copying forces of ghosts");
  }
  add(n_send, send_.data(), sent_forces_.data());
}

template <class Format>
const double *EngineGhosts<Format>::forward_velocities(int bit) {
  const cudaStream_t stream = device_.stream();
  const std::size_t n_ghosts = n(), n_arriving = layout_.n_arriving;
  ghost_velocities_.reserve(3 * n_ghosts);
  const auto pack = [&](std::size_t count, const int *atoms, double *target) {
    device_.for_each(count, PackVelocityOp<Format>{{atoms_.state(), bit}, atoms, target},
                     "packing velocities of ghosts");
  };
  pack(layout_.copied_atom.size(), copied_.data(), ghost_velocities_.data() + 3 * n_arriving);
  if (!plan_.exchange) return ghost_velocities_.data();
  sent_rows_.reserve(3 * std::size_t(n_sent()));
  pack(n_sent(), send_.data(), sent_rows_.data());
  exchange_rows(ghost_velocities_.data());
  return ghost_velocities_.data();
}

template <class Format>
void EngineGhosts<Format>::forward_anchors(double *x) {
  const std::size_t n_send = n_sent();
  sent_rows_.reserve(3 * n_send);
  device_.for_each(n_send, PackAnchorOp{{x, shift_lengths()}, send_.data(), send_image_.data(), sent_rows_.data()},
                   "packing positions of ghosts");
  exchange_rows(x + 3 * std::size_t(layout_.n_owned));
}

template <class Format>
void EngineGhosts<Format>::reverse_rows(double *rows, int width) {
  if (none()) return;
  const std::size_t w = width, n_arriving = layout_.n_arriving, n_send = n_sent(), item = w * sizeof(double);
  double *const ghosts = rows + w * layout_.n_owned;
  const auto add = [&](std::size_t count, const int *atoms, const double *source) {
    device_.for_each(w * count, AddRowOp{rows, width, atoms, source}, "adding rows of ghosts");
  };
  add(layout_.copied_atom.size(), copied_.data(), ghosts + w * n_arriving);
  if (plan_.exchange) {
    sent_rows_.reserve(w * n_send);
    if (plan_.exchange->takes_device_memory()) {
      device_.wait("packing rows of ghosts");
      plan_.exchange->reverse(ghosts, sent_rows_.data(), item);
    } else {
      sent_rows_host_.reserve(w * n_send);
      arriving_rows_host_.reserve(w * n_arriving);
      copy_to_host(arriving_rows_host_.data(), ghosts, w * n_arriving, device_.stream(), "copying rows of ghosts");
      device_.wait("packing rows of ghosts");
      plan_.exchange->reverse(arriving_rows_host_.data(), sent_rows_host_.data(), item);
      copy_to_device(sent_rows_.data(), sent_rows_host_.data(), w * n_send, device_.stream(), "copying rows of ghosts");
    }
    add(n_send, send_.data(), sent_rows_.data());
  }
  check(cudaMemsetAsync(ghosts, 0, n() * item, device_.stream()), "clearing rows of ghosts");
}

template <class Format>
void EngineGhosts<Format>::exchange_rows(double *arriving) {
  const cudaStream_t stream = device_.stream();
  const std::size_t n_send = n_sent(), n_arriving = layout_.n_arriving, item = 3 * sizeof(double);
  if (plan_.exchange->takes_device_memory()) {
    device_.wait("packing rows of ghosts");
    plan_.exchange->forward(sent_rows_.data(), arriving, item);
    return;
  }
  sent_rows_host_.reserve(3 * n_send);
  arriving_rows_host_.reserve(3 * n_arriving);
  copy_to_host(sent_rows_host_.data(), sent_rows_.data(), 3 * n_send, stream, "copying rows of ghosts");
  device_.wait("packing rows of ghosts");
  plan_.exchange->forward(sent_rows_host_.data(), arriving_rows_host_.data(), item);
  copy_to_device(arriving, arriving_rows_host_.data(), 3 * n_arriving, stream, "copying rows of ghosts");
}

}  // namespace cuda
}  // namespace triad

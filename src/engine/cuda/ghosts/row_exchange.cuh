// Exchange of the rows of a pair force between ranks: positions of atoms of other ranks, and forces on them. GPUs of
// one host write into each other's memory, with signals as in peer_kernels.cuh; other ranks use MPI.
#pragma once

#include <algorithm>
#include <vector>

#include "core/cuda/resources.cuh"
#include "engine/cuda/ghosts/ghost_ops.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/exchange/cuda/peer_halo.cuh"
#include "engine/exchange/row_plan.h"

namespace triad {
namespace cuda {

/// Writes n rows, [3], to the ranks that they belong to, and sends the signal of the `step`. Forward: positions of own
/// atoms with the displacement of an image. Back: forces on ghosts, which are then cleared. Starts with the rank after
/// this one, so that the ranks write to different GPUs at the same time.
template <bool back>
__global__ void __launch_bounds__(tuning::peer_block)
    send_rows_kernel(const Peers peers, long long step, double *rows, const int *row, const int *image,
                     const double *shift, int n) {
  const int *const begin = back ? peers.receive_begin : peers.send_begin;
  for (int item = first_item(); item < n; item += items_per_turn()) {
    const int from_own = item + begin[peers.rank], k = from_own < n ? from_own : from_own - n;
    const int r = Peers::rank_of(begin, peers.ranks, k);
    const Window &there = peers.window[r];
    const std::size_t at = (back ? peers.offset_back : peers.offset_there)[r] + k - begin[r];
    double *target = reinterpret_cast<double *>((back ? there.forces : there.positions)[step & 1]) + 3 * at;
    double *source = rows + 3 * static_cast<std::size_t>(row[k]);
    for (int axis = 0; axis < 3; ++axis) {
      target[axis] = back ? source[axis] : source[axis] + shift[3 * image[k] + axis];
      if (back) source[axis] = 0;
    }
  }
  peers.notify(step, 0, back ? &Window::forces_signal : &Window::positions_signal);
}

/// Waits for the rows that other ranks send in `step`. Forward: copies them to the ghosts. Back: adds them to own
/// atoms. `lost`, in host memory, becomes nonzero if a rank does not answer.
template <bool back>
__global__ void __launch_bounds__(tuning::peer_block)
    receive_rows_kernel(const Peers peers, long long step, double *rows, const int *row, int n, int *lost) {
  if (peers.wait_for(step, back ? &Window::forces_signal : &Window::positions_signal)) {
    if (threadIdx.x == 0) *lost = 1;
    return;
  }
  const Window &here = peers.window[peers.rank];
  const volatile double *arrived = reinterpret_cast<const double *>((back ? here.forces : here.positions)[step & 1]);
  for (int k = first_item(); k < n; k += items_per_turn()) {
    double *target = rows + 3 * static_cast<std::size_t>(row[k]);
    for (int axis = 0; axis < 3; ++axis) {
      const double value = arrived[3 * static_cast<std::size_t>(k) + axis];
      if (back)
        atomicAdd(target + axis, value);  // several ranks send forces on the same atom
      else
        target[axis] = value;
    }
  }
}

/// Moves rows to a buffer, and clears them.
struct TakeRowsOp {
  double *rows;
  const int *row;
  double *target;  ///< [k][3]
  __device__ void operator()(std::size_t k) const {
    for (int axis = 0; axis < 3; ++axis) {
      double &source = rows[3 * static_cast<std::size_t>(row[k]) + axis];
      target[3 * k + axis] = source;
      source = 0;
    }
  }
};

/// Copies a buffer to rows, or adds it to rows.
struct PutRowsOp {
  double *rows;
  const int *row;
  const double *source;  ///< [k][3]
  bool adds;
  __device__ void operator()(std::size_t k) const {
    for (int axis = 0; axis < 3; ++axis) {
      double *target = rows + 3 * static_cast<std::size_t>(row[k]) + axis;
      if (adds)
        atomicAdd(target, source[3 * k + axis]);
      else
        *target = source[3 * k + axis];
    }
  }
};

/// All functions throw LoopError. forward() and reverse() are asynchronous between GPUs, and each rank must make the
/// same calls in the same order.
class RowExchange {
 public:
  explicit RowExchange(const DeviceContext &device) : device_(device) {
    lost_.reserve(1);
    lost_[0] = 0;
  }

  /// Takes a plan of row_plan.h. `direct`: the engine's ghosts travel between GPUs, and its kernels read `failure`, see
  /// Peers. Collective.
  void connect(const HaloPlan &plan, bool direct, const volatile unsigned *failure) {
    plan_ = plan;
    upload(send_, plan.send);
    upload(send_image_, plan.send_image);
    upload(receive_, plan.receive);
    device_.wait("copying the plan of rows");
    constexpr std::size_t bytes = 3 * sizeof(double);
    direct_ = direct && windows_.connect(plan_, device_.index(), true, {bytes, bytes, 0, 0});
    if (!direct_) return;
    peers_ = windows_.peers(nullptr);
    peers_.failure = failure;
    forwards_ = reverses_ = 0;
  }

  /// Copies rows [n][3] of own atoms to the ghosts of other ranks, displaced by `shift`, [images][3] in device memory.
  void forward(double *rows, const double *shift) {
    const std::size_t n_send = plan_.send.size(), n_receive = plan_.receive.size();
    if (direct_) {
      ++forwards_;
      send_rows_kernel<false><<<blocks(n_send), tuning::peer_block, 0, device_.stream()>>>(
          peers_, forwards_, rows, send_.data(), send_image_.data(), shift, static_cast<int>(n_send));
      receive_rows_kernel<false><<<blocks(n_receive), tuning::peer_block, 0, device_.stream()>>>(
          peers_, forwards_, rows, receive_.data(), static_cast<int>(n_receive), lost_.data());
      return check(cudaGetLastError(), "exchanging positions of pair forces");
    }
    send_buffer_.reserve(3 * n_send);
    receive_buffer_.reserve(3 * n_receive);
    device_.for_each(n_send, PackAnchorOp{{rows, shift}, send_.data(), send_image_.data(), send_buffer_.data()},
                     "packing positions of pair forces");
    exchange(plan_.send_counts, n_send, plan_.receive_counts, n_receive);
    device_.for_each(n_receive, PutRowsOp{rows, receive_.data(), receive_buffer_.data(), false},
                     "placing positions of pair forces");
  }

  /// Adds the rows [n][3] of ghosts to those of their owners, and clears them.
  void reverse(double *rows) {
    const std::size_t n_send = plan_.send.size(), n_receive = plan_.receive.size();
    if (direct_) {
      ++reverses_;
      send_rows_kernel<true><<<blocks(n_receive), tuning::peer_block, 0, device_.stream()>>>(
          peers_, reverses_, rows, receive_.data(), nullptr, nullptr, static_cast<int>(n_receive));
      receive_rows_kernel<true><<<blocks(n_send), tuning::peer_block, 0, device_.stream()>>>(
          peers_, reverses_, rows, send_.data(), static_cast<int>(n_send), lost_.data());
      return check(cudaGetLastError(), "exchanging pair forces");
    }
    send_buffer_.reserve(3 * n_receive);
    receive_buffer_.reserve(3 * n_send);
    device_.for_each(n_receive, TakeRowsOp{rows, receive_.data(), send_buffer_.data()}, "packing pair forces");
    exchange(plan_.receive_counts, n_receive, plan_.send_counts, n_send);
    device_.for_each(n_send, PutRowsOp{rows, send_.data(), receive_buffer_.data(), true}, "adding pair forces");
  }

  /// True if a rank has not answered in the work that the device has completed.
  bool lost() const { return lost_[0] != 0; }

  std::size_t device_bytes() const {
    return send_.bytes() + send_image_.bytes() + receive_.bytes() + send_buffer_.bytes() + receive_buffer_.bytes();
  }

 private:
  static unsigned blocks(std::size_t n) {
    return std::clamp(blocks_for(n, tuning::peer_block), 1u, static_cast<unsigned>(tuning::row_blocks));
  }

  void upload(DeviceBuffer<int> &target, const std::vector<int> &source) {
    target.reserve(source.size());
    copy_to_device(target.data(), source.data(), source.size(), device_.stream(), "copying the plan of rows");
  }

  /// Exchanges send_buffer_ and receive_buffer_ through MPI. Collective.
  void exchange(const std::vector<int> &out_counts, std::size_t n_out, const std::vector<int> &in_counts,
                std::size_t n_in) {
    constexpr std::size_t item = 3 * sizeof(double);
    if (plan_.exchange->takes_device_memory()) {
      device_.wait("packing rows of pair forces");
      plan_.exchange->alltoallv(send_buffer_.data(), out_counts, receive_buffer_.data(), in_counts, item);
      return;
    }
    send_host_.reserve(3 * n_out);
    receive_host_.reserve(3 * n_in);
    copy_to_host(send_host_.data(), send_buffer_.data(), 3 * n_out, device_.stream(), "copying rows of pair forces");
    device_.wait("packing rows of pair forces");
    plan_.exchange->alltoallv(send_host_.data(), out_counts, receive_host_.data(), in_counts, item);
    copy_to_device(receive_buffer_.data(), receive_host_.data(), 3 * n_in, device_.stream(),
                   "copying rows of pair forces");
  }

  const DeviceContext &device_;
  HaloPlan plan_;
  PeerHalo windows_;
  Peers peers_ = {};
  bool direct_ = false;
  long long forwards_ = 0, reverses_ = 0;  // numbers of the messages
  DeviceBuffer<int> send_{"rows of pair forces"}, send_image_{"rows of pair forces"}, receive_{"rows of pair forces"};
  DeviceBuffer<double> send_buffer_{"rows of pair forces"}, receive_buffer_{"rows of pair forces"};
  PinnedBuffer<double> send_host_{"rows of pair forces"}, receive_host_{"rows of pair forces"};
  PinnedBuffer<int> lost_{"a flag"};
};

}  // namespace cuda
}  // namespace triad

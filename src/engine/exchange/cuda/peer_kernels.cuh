// Kernels that exchange ghosts between the GPUs of one host: each rank writes positions and forces into memory of the
// others, with the number of the step. Kernels that need the data wait on the device.
#pragma once

#include "core/cuda/resources.cuh"
#include "core/cuda/step_guard.cuh"
#include "engine/tuning.h"
#include "neighbor/cuda/pruned_list.cuh"

namespace triad {
namespace cuda {

/// Word that tells another rank that data have arrived: the step to which the data belong, and the sender's reasons to
/// stop. One word, so that both become visible at once.
struct Signal {
  static constexpr int reason_bits = 16;
  unsigned long long word;

  static __device__ __forceinline__ unsigned long long of(long long step, int reasons) {
    return static_cast<unsigned long long>(step) << reason_bits | static_cast<unsigned>(reasons);
  }
  static __device__ __forceinline__ long long step(unsigned long long word) {
    return static_cast<long long>(word >> reason_bits);
  }
  static __device__ __forceinline__ int reasons(unsigned long long word) {
    return static_cast<int>(word & ((1u << reason_bits) - 1));
  }
};
static_assert((stop_pruned_list | stop_list | stop_position | stop_peer | stop_renewal | stop_long_row | stop_box) <
                  1 << Signal::reason_bits,
              "reasons of a signal");

/// Memory of one rank to which the others write. There are two copies of the data of steps, for even and odd steps,
/// since a rank is at most one step ahead of another.
struct Window {
  static constexpr int most_sums = 13;  ///< numbers that a rank contributes to Peers::sum()

  /// Bytes per ghost that arrives, or per atom that was sent.
  struct Sizes {
    std::size_t position, force, driving_force, row;
  };

  Signal *positions_signal, *forces_signal, *driving_signal, *sums_signal, *rows_signal;  ///< [ranks]
  double *sums[2];                                                                        ///< [ranks][most_sums]
  char *positions[2], *forces[2], *driving_forces[2];  ///< ghosts that arrive; forces on atoms that were sent
  char *rows[2];                                       ///< ghosts that arrive, with three numbers each

  static constexpr std::size_t alignment = 256;
  static std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  static std::size_t sums_bytes(int ranks) { return ranks * most_sums * sizeof(double); }

  /// Bytes of the signals and sums, which stand first.
  static std::size_t head_bytes(int ranks) {
    return 5 * rounded(ranks * sizeof(Signal)) + 2 * rounded(sums_bytes(ranks));
  }
  static std::size_t bytes(int ranks, const Sizes &each, std::size_t n_arriving, std::size_t n_sent) {
    return head_bytes(ranks) + 2 * rounded(each.position * n_arriving) + 2 * rounded(each.force * n_sent) +
           2 * rounded(each.driving_force * n_sent) + 2 * rounded(each.row * n_arriving);
  }
  static Window at(char *base, int ranks, const Sizes &each, std::size_t n_arriving, std::size_t n_sent) {
    Window w;
    const auto take = [&](std::size_t n) {
      char *const p = base;
      base += rounded(n);
      return p;
    };
    for (Signal **signal : {&w.positions_signal, &w.forces_signal, &w.driving_signal, &w.sums_signal, &w.rows_signal})
      *signal = reinterpret_cast<Signal *>(take(ranks * sizeof(Signal)));
    for (double *&sums : w.sums) sums = reinterpret_cast<double *>(take(sums_bytes(ranks)));
    for (char *&p : w.positions) p = take(each.position * n_arriving);
    for (char *&p : w.forces) p = take(each.force * n_sent);
    for (char *&p : w.driving_forces) p = take(each.driving_force * n_sent);
    for (char *&p : w.rows) p = take(each.row * n_arriving);
    return w;
  }
};

/// The windows of all ranks, as kernels use them.
struct Peers {
  static constexpr int most = 16;
  using SignalOf = Signal *Window::*;
  int rank, ranks;  ///< ranks is 0 if there are no others
  Window window[most];
  int send_begin[most + 1], receive_begin[most + 1];  ///< first atom of each rank in the order of HaloPlan
  int offset_there[most];       ///< [ranks] first index of this rank's atoms among the ghosts that arrive there
  int offset_back[most];        ///< [ranks] first index of this rank's ghosts among the atoms that were sent from there
  unsigned *finished;           ///< blocks of the running kernel that have written their data
  long long *sums, *exchanges;  ///< numbers of calls of sum() and of exchange_ghosts_kernel(); the same on all ranks
  StepGuard *guard;
  long long base;                    ///< steps before the first one that the guard counts
  const volatile unsigned *failure;  ///< RankStatus::failure_word(), or null

  __device__ __forceinline__ long long step(int after_completed) const {
    return base + guard->completed + after_completed;
  }
  static __device__ __forceinline__ int rank_of(const int *begin, int n, int k) {
    int r = 0;
    while (r + 1 < n && k >= begin[r + 1]) ++r;
    return r;
  }

  /// Called by all threads of a block that has written to other ranks. The last block sends the signal to all ranks.
  __device__ void notify(long long step, int reasons, SignalOf signal_of) const {
    __syncthreads();
    __shared__ bool last;
    if (threadIdx.x == 0) {
      __threadfence_system();
      last = atomicAdd(finished, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last || threadIdx.x >= static_cast<unsigned>(ranks)) return;
    if (threadIdx.x == 0) *finished = 0;
    __threadfence_system();
    set_signal(step, reasons, signal_of);
  }

  /// Called by all threads of a block: waits for the signals of all ranks for `step`. Returns their reasons to stop.
  __device__ int wait_for(long long step, SignalOf signal_of) const {
    __shared__ int reasons;
    if (threadIdx.x == 0) reasons = 0;
    __syncthreads();
    if (threadIdx.x < static_cast<unsigned>(ranks)) {
      const volatile unsigned long long *signal = &(window[rank].*signal_of)[threadIdx.x].word;
      const unsigned long long start = StepGuard::now();
      unsigned long long word;
      for (unsigned polls = 1; Signal::step(word = *signal) < step; ++polls) {
        const bool failed = failure && polls % tuning::peer_polls_per_failure_check == 0 && *failure;
        if (failed || StepGuard::now() - start > static_cast<unsigned long long>(tuning::peer_timeout_ns)) {
          word = Signal::of(step, stop_peer);
          break;
        }
      }
      __threadfence_system();
      if (Signal::reasons(word)) atomicOr(&reasons, Signal::reasons(word));
    }
    __syncthreads();
    return reasons;
  }

  /// Called by all threads of one block, on all ranks in the same order, behind the exchange of forces of a step.
  /// Thread 0 receives the sums over the ranks, in the order of ranks, of the numbers `mine` of thread 0. `Sums`: a
  /// struct of doubles.
  template <class Sums>
  __device__ Sums sum(const Sums &mine) const {
    constexpr int n = sizeof(Sums) / sizeof(double);
    static_assert(sizeof(Sums) == n * sizeof(double) && n <= Window::most_sums, "doubles, with room in the windows");
    __shared__ double shared[n];
    if (threadIdx.x == 0)
      for (int k = 0; k < n; ++k) shared[k] = reinterpret_cast<const double *>(&mine)[k];
    const long long now = *sums + 1;
    __syncthreads();
    if (threadIdx.x < static_cast<unsigned>(ranks)) {
      double *const there = window[threadIdx.x].sums[now & 1] + rank * Window::most_sums;
      for (int k = 0; k < n; ++k) there[k] = shared[k];
      __threadfence_system();
      set_signal(now, 0, &Window::sums_signal);
    }
    const int reasons = wait_for(now, &Window::sums_signal);
    Sums total = {};
    if (threadIdx.x != 0) return total;
    *sums = now;
    if (reasons) atomicOr(guard->stop, reasons);
    for (int r = 0; r < ranks; ++r) {
      volatile const double *const theirs = window[rank].sums[now & 1] + r * Window::most_sums;
      for (int k = 0; k < n; ++k) reinterpret_cast<double *>(&total)[k] += theirs[k];
    }
    return total;
  }

 private:
  /// Writes the signal to rank threadIdx.x. Called by one thread per rank.
  __device__ void set_signal(long long step, int reasons, SignalOf signal_of) const {
    *static_cast<volatile unsigned long long *>(&(window[threadIdx.x].*signal_of)[rank].word) =
        Signal::of(step, reasons);
  }
};

__device__ __forceinline__ int first_item() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ __forceinline__ int items_per_turn() { return gridDim.x * blockDim.x; }

// Each kernel first sends to the other ranks and then waits for what they send. At most tuning::peer_blocks blocks
// wait, which leaves SMs free for all blocks of this kernel and of the forces of the interior, so a rank always sends.
// The launches of the kernels of steps may be programmatic dependent launches.

/// A ghost with three more numbers.
template <class Position>
struct GhostRow {
  Position position;
  double row[3];
};

/// Gives ghosts the positions of their owners, displaced to their images, and the numbers row_of(atom, image),
/// row [n_ghosts][3]. Any number of times per step, on all ranks in the same order.
template <class Position, class RowOf>
__global__ void __launch_bounds__(tuning::peer_block)
    exchange_ghosts_kernel(const Peers peers, Position *position, const RowOf row_of, const int *atom, const int *image,
                           const Position *shift, int n_send, int n_owned, int n_ghosts, double *row) {
  if (peers.guard->stopped) return;
  using Ghost = GhostRow<Position>;
  const long long now = *const_cast<const volatile long long *>(peers.exchanges) + 1;
  for (int k = first_item(); k < n_send; k += items_per_turn()) {
    const int r = Peers::rank_of(peers.send_begin, peers.ranks, k);
    const Vec3<double> numbers = row_of(atom[k], image[k]);
    const Ghost ghost = {displaced(load(position + atom[k]), load(shift + image[k])),
                         {numbers.x, numbers.y, numbers.z}};
    reinterpret_cast<Ghost *>(peers.window[r].rows[now & 1])[peers.offset_there[r] + k - peers.send_begin[r]] = ghost;
  }
  peers.notify(now, 0, &Window::rows_signal);

  const int reasons = peers.wait_for(now, &Window::rows_signal);
  if (reasons && threadIdx.x == 0) atomicOr(peers.guard->stop, reasons);
  // All blocks have read the number: wait_for() has received the signal of this rank too, which the last block sends.
  if (blockIdx.x == 0 && threadIdx.x == 0) *peers.exchanges = now;
  for (int k = first_item(); k < n_ghosts; k += items_per_turn()) {
    const Ghost ghost = reinterpret_cast<const Ghost *>(peers.window[peers.rank].rows[now & 1])[k];
    position[n_owned + k] = ghost.position;
    for (int axis = 0; axis < 3; ++axis) row[3 * std::size_t(k) + axis] = ghost.row[axis];
  }
}

/// Writes positions of `n_send` atoms, displaced to their images, to the ranks that hold the ghosts, with the reasons
/// to stop. Then receives the ghosts of this rank, position [n_owned] to [n_owned + n_ghosts - 1], and the reasons of
/// all ranks. A ghost that has left its limit in the pruned list is also a reason, unless `reference` is null.
template <class Position>
__global__ void __launch_bounds__(tuning::peer_block)
    exchange_positions_kernel(const Peers peers, Position *position, const Position *reference, PositionScale scale,
                              const int *atom, const int *image, const Position *shift, int n_send, int n_owned,
                              int n_ghosts) {
  wait_for_previous_kernel();
  if (peers.guard->stopped) return;
  const long long step = peers.step(1);
  for (int k = first_item(); k < n_send; k += items_per_turn()) {
    const int r = Peers::rank_of(peers.send_begin, peers.ranks, k);
    Position *target = reinterpret_cast<Position *>(peers.window[r].positions[step & 1]);
    target[peers.offset_there[r] + k - peers.send_begin[r]] =
        displaced(load(position + atom[k]), load(shift + image[k]));
  }
  // no block has passed the wait below and changed `stop` yet
  peers.notify(step, peers.guard->stop[0], &Window::positions_signal);

  int reasons = peers.wait_for(step, &Window::positions_signal);
  if (threadIdx.x != 0) reasons = 0;
  for (int k = first_item(); k < n_ghosts; k += items_per_turn()) {
    const Position p = load(reinterpret_cast<const Position *>(peers.window[peers.rank].positions[step & 1]) + k);
    position[n_owned + k] = p;
    if (reference && moved_from(load(reference + n_owned + k), p, scale) == Moved::TooFar) reasons |= stop_pruned_list;
  }
  if (reasons) atomicOr(peers.guard->stop, reasons);
}

/// The forces that a kernel exchanges. A step may have both kinds, each in memory of its own.
enum class GhostForces { Forces, Driving };

/// Reverse communication between GPUs: writes the forces on the ghosts into memory of the ranks that own the atoms, and
/// clears them on this rank. Then adds the forces that the other ranks have written to those of the `n_sent` atoms
/// atom[] whose positions were sent.
template <class Format, GhostForces Kind>
__global__ void __launch_bounds__(tuning::peer_block)
    exchange_forces_kernel(const Peers peers, ForceArray<Format> force, const int *atom, int n_sent, int n_owned,
                           int n_ghosts) {
  using Sum = typename Format::Sum;
  constexpr Peers::SignalOf signal = Kind == GhostForces::Forces ? &Window::forces_signal : &Window::driving_signal;
  const auto buffer = [&](int rank, long long step) {
    const Window &window = peers.window[rank];
    return (Kind == GhostForces::Forces ? window.forces : window.driving_forces)[step & 1];
  };
  wait_for_previous_kernel();
  if (peers.guard->stopped) return;
  const long long step = peers.step(0);  // the force kernel has counted this step already
  for (int k = first_item(); k < n_ghosts; k += items_per_turn()) {
    const int r = Peers::rank_of(peers.receive_begin, peers.ranks, k);
    Sum *target = reinterpret_cast<Sum *>(buffer(r, step)) +
                  3 * (static_cast<std::size_t>(peers.offset_back[r]) + k - peers.receive_begin[r]);
    const Vec3<Sum> f = force.value(n_owned + k);
    target[0] = f.x;
    target[1] = f.y;
    target[2] = f.z;
    force.clear(n_owned + k);
  }
  peers.notify(step, 0, signal);

  const int reasons = peers.wait_for(step, signal);
  if (reasons && threadIdx.x == 0) atomicOr(peers.guard->stop, reasons);
  for (int k = first_item(); k < n_sent; k += items_per_turn()) {
    const volatile Sum *f = reinterpret_cast<const Sum *>(buffer(peers.rank, step)) + 3 * static_cast<std::size_t>(k);
    force.add(atom[k], {f[0], f[1], f[2]});
  }
}

}  // namespace cuda
}  // namespace triad

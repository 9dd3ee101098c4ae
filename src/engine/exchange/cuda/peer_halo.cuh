// Set-up of the memory through which the GPUs of one host exchange ghosts without the host.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "engine/exchange/cuda/peer_kernels.cuh"
#include "engine/exchange/halo.h"
#include "engine/exchange/rank_status.h"

namespace triad {
namespace cuda {

/// Allocates this rank's window, and maps the windows of the other ranks.
class PeerHalo {
 public:
  /// Memory that another rank still maps must not be freed, and after an error some ranks may never call this. A rank
  /// therefore unmaps the memory of the others, calls RankStatus::leave(), and frees its own memory once all others
  /// have left or died. After tuning::peer_leave_timeout the memory stays allocated until the process ends.
  ~PeerHalo() {
    watcher_.stop();
    if (window_ || status_.connected()) {
      cudaSetDevice(device_);
      status_.end_own_waits();  // after an error, kernels may wait for ranks that send nothing any more
      cudaDeviceSynchronize();  // after this, no kernel of this rank writes to other ranks
      for (int r = 0; r < Peers::most; ++r) close(r);
      status_.leave();
      if (window_ && others_let_go()) cudaFree(window_);
      if (registered_) cudaHostUnregister(status_.page());
      cudaGetLastError();
    }
  }

  /// Device memory of this rank: its window, and counts of steps.
  std::size_t device_bytes() const { return (window_ ? capacity_ : 0) + finished_.bytes() + counters_.bytes(); }

  /// Makes the kernels of other ranks that wait for this one stop, with the reason `why`.
  void fail(const char *why) noexcept { status_.fail(why); }
  /// Throws LoopError with the reason of another rank that has failed or ended.
  void check_ranks() const { status_.check(); }

  /// Prepares exchanges for a plan. Returns true if all ranks are on one host and each has its own GPU that can write
  /// to the others; then peers() is valid for this plan. `usable`: false if this rank cannot take part.
  /// Collective. Throws LoopError, on all ranks if the GPU of one fails where memory is mapped.
  bool connect(const HaloPlan &halo, int device, bool usable, const Window::Sizes &each) {
    HaloExchange &exchange = *halo.exchange;
    const int ranks = exchange.ranks(), rank = exchange.rank();
    if (exchange.any(!usable || ranks > Peers::most || ranks < 2)) return false;
    if (!checked_) {
      device_ = device;
      allowed_ = !exchange.any(!neighbours_in_one_host(exchange, device)) && status_.connect(exchange);
      checked_ = true;
      if (allowed_) find_failure_word();
    }
    if (!allowed_) return false;
    status_.end_own_waits();  // kernels may still run, and wait, after an error
    cudaDeviceSynchronize();

    // all ranks close a window that must grow before its owner frees it
    struct Sizes {
      long long send, receive, growing;
      int send_counts[Peers::most], receive_counts[Peers::most];
    } mine = {};
    mine.send = halo.n_sent();
    mine.receive = halo.n_arriving();
    std::copy(halo.send_counts.begin(), halo.send_counts.end(), mine.send_counts);
    std::copy(halo.receive_counts.begin(), halo.receive_counts.end(), mine.receive_counts);
    const std::size_t needed = Window::bytes(ranks, each, mine.receive, mine.send);
    mine.growing = needed > capacity_;
    std::vector<Sizes> all(ranks);
    exchange.allgather(&mine, all.data(), sizeof mine);
    for (int r = 0; r < ranks; ++r)
      if (all[r].growing) close(r);
    exchange.any(false);
    bool failed = false;
    if (mine.growing) {
      cudaFree(window_);
      window_ = nullptr;
      capacity_ = needed + needed / 8;
      failed = outcome(cudaSuccess) != cudaSuccess ||
               cudaMalloc(reinterpret_cast<void **>(&window_), capacity_) != cudaSuccess;
      if (failed) capacity_ = 0;
    }
    status_.start();
    if (!failed) failed = outcome(cudaMemset(window_, 0, Window::head_bytes(ranks))) != cudaSuccess;
    cudaIpcMemHandle_t handle = {};
    if (!failed) failed = outcome(cudaIpcGetMemHandle(&handle, window_)) != cudaSuccess;
    if (!failed) failed = outcome(cudaDeviceSynchronize()) != cudaSuccess;
    std::vector<cudaIpcMemHandle_t> handles(ranks);
    exchange.allgather(&handle, handles.data(), sizeof handle);
    for (int r = 0; r < ranks && !failed; ++r) {
      if (r == rank || mapped_[r]) continue;
      failed = outcome(cudaIpcOpenMemHandle(reinterpret_cast<void **>(&mapped_[r]), handles[r],
                                            cudaIpcMemLazyEnablePeerAccess)) != cudaSuccess;
      if (failed) mapped_[r] = nullptr;
    }
    if (failed) cudaGetLastError();
    if (exchange.any(failed)) {
      allowed_ = false;
      // where mapping is not possible the device still works; where it does not, all ranks end here
      const cudaError_t state = outcome(cudaDeviceSynchronize());
      const bool any_lost = exchange.any(state != cudaSuccess);
      check(state, "preparing ghosts of other ranks");
      if (any_lost) throw LoopError("the GPU of another rank has failed; look for the message of that rank");
      return false;
    }

    peers_ = Peers();
    peers_.rank = rank;
    peers_.ranks = ranks;
    for (int r = 0; r < ranks; ++r) {
      peers_.window[r] = Window::at(r == rank ? window_ : mapped_[r], ranks, each, all[r].receive, all[r].send);
      peers_.send_begin[r + 1] = peers_.send_begin[r] + mine.send_counts[r];
      peers_.receive_begin[r + 1] = peers_.receive_begin[r] + mine.receive_counts[r];
      for (int q = 0; q < rank; ++q) {
        peers_.offset_there[r] += all[r].receive_counts[q];
        peers_.offset_back[r] += all[r].send_counts[q];
      }
    }
    finished_.reserve(1);
    counters_.reserve(2);
    check(cudaMemset(finished_.data(), 0, sizeof(unsigned)), "preparing ghosts of other ranks");
    check(cudaMemset(counters_.data(), 0, 2 * sizeof(long long)), "preparing ghosts of other ranks");
    check(cudaDeviceSynchronize(), "preparing ghosts of other ranks");
    peers_.finished = finished_.data();
    peers_.sums = counters_.data();
    peers_.exchanges = counters_.data() + 1;
    peers_.failure = failure_;
    steps_ = 0;
    watcher_.start(status_);
    exchange.any(false);  // barrier: all windows are ready before a rank writes
    return true;
  }

  /// Argument of the kernels for the steps of `guard`.
  Peers peers(StepGuard *guard) const {
    Peers p = peers_;
    p.guard = guard;
    p.base = steps_;
    return p;
  }
  /// Adds the number of steps that were made, including the one that stopped. The same on all ranks.
  void count_steps(long long n) { steps_ += n; }

 private:
  /// Maps RankStatus::failure_word() into the device. If that fails, kernels wait for a failed rank until their time
  /// limit.
  void find_failure_word() {
    registered_ = cudaHostRegister(status_.page(), RankStatus::page_bytes, cudaHostRegisterMapped) == cudaSuccess;
    void *word = nullptr;
    if (registered_ && cudaHostGetDevicePointer(&word, status_.failure_word(), 0) == cudaSuccess)
      failure_ = static_cast<const volatile unsigned *>(word);
    cudaGetLastError();
  }

  bool others_let_go() const {
    using Clock = std::chrono::steady_clock;
    for (const Clock::time_point start = Clock::now(); !status_.others_left();) {
      if (std::chrono::duration<double>(Clock::now() - start).count() > tuning::peer_leave_timeout) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  }

  void close(int r) {
    if (mapped_[r]) cudaIpcCloseMemHandle(mapped_[r]);
    mapped_[r] = nullptr;
  }

  /// True if TRIAD_SHARED_GPU lets ranks that share a GPU write to each other. Kernels of two processes run in turns of
  /// milliseconds, so each wait takes that long; this is for tests of the exchange on a machine with one GPU.
  static bool may_share() {
    const char *const word = std::getenv("TRIAD_SHARED_GPU");
    return word && !std::strcmp(word, "yes");
  }

  /// True if all ranks are on this host and each has its own GPU, or all may_share() theirs.
  static bool neighbours_in_one_host(HaloExchange &exchange, int device) {
    struct Location {
      char host[64], bus[32];
    } mine = {};
    gethostname(mine.host, sizeof mine.host - 1);
    bool good = cudaDeviceGetPCIBusId(mine.bus, sizeof mine.bus, device) == cudaSuccess;
    std::vector<Location> all(exchange.ranks());
    exchange.allgather(&mine, all.data(), sizeof mine);
    for (int r = 0; r < exchange.ranks(); ++r) {
      if (r == exchange.rank()) continue;
      int other = -1, can_access = 0;
      good = good && !std::strcmp(all[r].host, mine.host);
      if (good && !std::strcmp(all[r].bus, mine.bus) && may_share()) continue;
      good = good && std::strcmp(all[r].bus, mine.bus) && cudaDeviceGetByPCIBusId(&other, all[r].bus) == cudaSuccess &&
             cudaDeviceCanAccessPeer(&can_access, device, other) == cudaSuccess && can_access;
    }
    cudaGetLastError();
    return good;
  }

  RankStatus status_;
  RankWatcher watcher_;
  const volatile unsigned *failure_ = nullptr;
  bool registered_ = false;
  int device_ = 0;
  bool checked_ = false, allowed_ = false;
  char *window_ = nullptr;
  std::size_t capacity_ = 0;
  char *mapped_[Peers::most] = {};
  Peers peers_ = {};
  DeviceBuffer<unsigned> finished_{"ghosts of other ranks"};
  DeviceBuffer<long long> counters_{"ghosts of other ranks"};
  long long steps_ = 0;
};

}  // namespace cuda
}  // namespace triad

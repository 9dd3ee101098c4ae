// CudaEngine: exchange of ghosts between the GPUs of one host, without the host.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/cuda/cuda_engine.cuh"

namespace triad {
namespace cuda {

/// Makes all ranks use the shortest list life of any rank. All ranks then renew their pruned lists in the same steps,
/// which costs least, since each rank waits for the ghosts of the others. Collective.
template <class Format>
void CudaEngine<Format>::agree_on_list_life() {
  struct Life {
    double life;
    long long age;
    bool refilters;
  } mine = {list_life_, list_age_, tersoff_.can_refilter()};
  std::vector<Life> all(halo_.exchange->ranks());
  halo_.exchange->gather(&mine, all.data(), sizeof mine);
  for (const Life &other : all) {
    list_life_ = std::min(list_life_, other.life);
    list_age_ = std::max(list_age_, other.age);
    all_refilter_ = all_refilter_ && other.refilters;
  }
}

inline unsigned peer_blocks(int n, int most) {
  return std::clamp(blocks_for(n, tuning::peer_block), 1u, static_cast<unsigned>(most));
}

/// Launches the kernels that send positions of boundary atoms and receive those of ghosts.
template <class Format>
void CudaEngine<Format>::send_to_peers(const Peers &peers, cudaStream_t stream) {
  const int n_send = static_cast<int>(halo_.send.size()), n_arriving = layout_.n_arriving;
  send_positions_kernel<Position><<<peer_blocks(n_send, tuning::peer_sending_blocks), tuning::peer_block, 0, stream>>>(
      peers, tersoff_.positions(), send_.data(), send_image_.data(), shift_.data(), n_send);
  receive_positions_kernel<Position>
      <<<peer_blocks(n_arriving, tuning::peer_waiting_blocks), tuning::peer_block, 0, stream>>>(
          peers, tersoff_.positions() + layout_.n_owned, tersoff_.references() + layout_.n_owned, tersoff_.scale(),
          n_arriving);
  check(cudaGetLastError(), "exchanging positions of ghosts");
}

/// Launches the kernels that return forces on ghosts and add those that arrive for boundary atoms.
template <class Format>
void CudaEngine<Format>::return_to_peers(const Peers &peers, cudaStream_t stream) {
  const int n_send = static_cast<int>(halo_.send.size()), n_arriving = layout_.n_arriving;
  send_forces_kernel<Format><<<peer_blocks(n_arriving, tuning::peer_sending_blocks), tuning::peer_block, 0, stream>>>(
      peers, tersoff_.forces(), layout_.n_owned, n_arriving);
  receive_forces_kernel<Format><<<peer_blocks(n_send, tuning::peer_waiting_blocks), tuning::peer_block, 0, stream>>>(
      peers, tersoff_.forces(), send_.data(), n_send);
  check(cudaGetLastError(), "exchanging forces of ghosts");
}

/// Number of steps from one timed wait to the next in a batch of n_steps.
template <class Format>
long long CudaEngine<Format>::timed_waits_every(long long n_steps) const {
  return std::max(1ll, n_steps / static_cast<long long>(waits_.size()));
}

/// Makes stream_ wait for the exchange of ghosts. `timed`: also takes a sample of the waiting time.
template <class Format>
void CudaEngine<Format>::wait_for_ghosts(bool timed) {
  timed = timed && n_waits_ < static_cast<int>(waits_.size());
  if (timed) waits_[n_waits_].start(stream_);
  exchanged_.hold(stream_);
  if (timed) waits_[n_waits_++].stop(stream_);
}

/// Median of the sampled waits in seconds, which the long waits of steps that renew lists do not change. Clears the
/// samples. The device must be idle.
template <class Format>
double CudaEngine<Format>::median_wait() {
  std::vector<double> seconds;
  for (int k = 0; k < n_waits_; ++k) seconds.push_back(waits_[k].seconds());
  n_waits_ = 0;
  if (seconds.empty()) return 0;
  std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
  return seconds[seconds.size() / 2];
}

}  // namespace cuda
}  // namespace triad

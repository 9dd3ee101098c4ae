#include "engine/exchange/host_ghosts.h"

namespace triad {

void HostGhosts::take(const HaloPlan &plan, int n_owned, const int *index_map, int threads) {
  threads_ = threads;
  plan_ = plan;
  with_peers_ = peers_.connect(plan);
  send_rows_.resize(3 * plan.send.size());
  receive_rows_.resize(3 * plan.receive.size());
  for (int &owner : plan_.owner)
    if (owner != HaloPlan::remote) owner = index_map[owner];
  for (int &atom : plan_.send) atom = index_map[atom];

  const auto for_all = [&](auto &&work) {  // ghosts of this rank first
    for (int g = 0; g < plan_.n_ghosts(); ++g)
      if (plan_.owner[g] != HaloPlan::remote) work(plan_.owner[g], g);
    for (std::size_t k = 0; k < plan_.send.size(); ++k) work(plan_.send[k], plan_.n_ghosts() + static_cast<int>(k));
  };
  std::vector<int> count(n_owned, 0), begin(n_owned, -1);
  for_all([&](int owner, int) { ++count[owner]; });
  owner_.clear();
  begin_.assign(1, 0);
  for (int i = 0; i < n_owned; ++i)
    if (count[i]) {
      begin[i] = begin_.back();
      owner_.push_back(i);
      begin_.push_back(begin_.back() + count[i]);
    }
  source_.resize(begin_.back());
  for_all([&](int owner, int source) { source_[begin[owner]++] = source; });
}

void HostGhosts::unpack_ghosts(const double *arriving, int first, int n, double *ghosts) const {
  const int *const ghost = plan_.receive.data() + first;
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int k = 0; k < n; ++k) std::copy_n(arriving + 3 * std::size_t(k), 3, ghosts + 3 * std::size_t(ghost[k]));
}

HaloStatus HostGhosts::add_to_owners(const double *ghosts, double *owned) {
  if (plan_.exchange) {
    if (!status_.list_expired) pack_forces(ghosts, with_peers_ ? peers_.forces() : receive_rows_.data());
    if (with_peers_) {
      status_ = peers_.publish_forces();
      peers_.arriving_forces([&](const double *f, int first, int n) {
        std::copy_n(f, 3 * std::size_t(n), send_rows_.data() + 3 * std::size_t(first));
      });
    } else if (!status_.list_expired) {
      plan_.exchange->reverse(receive_rows_.data(), send_rows_.data(), 3 * sizeof(double));
    }
  }
  if (!status_.list_expired) add_received(ghosts, owned);
  return status_;
}

void HostGhosts::reverse(const double *ghosts, double *owned) {
  if (plan_.exchange) {
    pack_forces(ghosts, receive_rows_.data());
    plan_.exchange->reverse(receive_rows_.data(), send_rows_.data(), 3 * sizeof(double));
  }
  add_received(ghosts, owned);
}

/// Copies the numbers of ghosts of other ranks to `leaving`, [receive][3], in the order of HaloPlan::receive.
void HostGhosts::pack_forces(const double *ghosts, double *leaving) const {
  const int n = static_cast<int>(plan_.receive.size());
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int k = 0; k < n; ++k) std::copy_n(ghosts + 3 * std::size_t(plan_.receive[k]), 3, leaving + 3 * std::size_t(k));
}

/// Adds the numbers of ghosts of this rank and, from `send_rows_`, of others to those of their owners.
void HostGhosts::add_received(const double *ghosts, double *owned) const {
  const int n_owners = static_cast<int>(owner_.size()), n_ghosts = plan_.n_ghosts();
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int h = 0; h < n_owners; ++h) {
    double *f = owned + 3 * std::size_t(owner_[h]);
    for (int s = begin_[h]; s < begin_[h + 1]; ++s) {
      const double *from = source_[s] < n_ghosts ? ghosts + 3 * std::size_t(source_[s])
                                                 : send_rows_.data() + 3 * std::size_t(source_[s] - n_ghosts);
      for (int k = 0; k < 3; ++k) f[k] += from[k];
    }
  }
}

/// Combines the status of all ranks in one reduction.
HaloStatus HostGhosts::of_all(const HaloStatus &mine) const {
  if (!plan_.exchange) return mine;
  double most[3] = {mine.moved, double(mine.list_expired), double(mine.pruned_list_ends)};
  plan_.exchange->allreduce_max(most, 3);
  return {most[0], most[1] != 0, most[2] != 0};
}

double HostGhosts::bytes() const {
  return sizeof(int) * double(plan_.owner.capacity() + plan_.image.capacity() + owner_.capacity() + begin_.capacity() +
                              source_.capacity()) +
         sizeof(double) * double(send_rows_.capacity() + receive_rows_.capacity()) + peers_.bytes();
}

}  // namespace triad

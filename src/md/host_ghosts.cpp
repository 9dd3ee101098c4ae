#include "md/host_ghosts.h"

namespace triad {

void HostGhosts::take(const HaloPlan &plan, int n_owned, const int *place_of, int threads) {
  threads_ = threads;
  plan_ = plan;
  for (int &owner : plan_.owner)
    if (owner != HaloPlan::remote) owner = place_of[owner];
  for (int &atom : plan_.send) atom = place_of[atom];
  std::vector<int> count(n_owned, 0), place(n_owned, -1);
  for (const int owner : plan_.owner)
    if (owner != HaloPlan::remote) ++count[owner];
  home_.clear();
  begin_.assign(1, 0);
  for (int i = 0; i < n_owned; ++i)
    if (count[i]) {
      place[i] = begin_.back();
      home_.push_back(i);
      begin_.push_back(begin_.back() + count[i]);
    }
  ghost_.resize(begin_.back());
  for (int g = 0; g < plan_.n_ghosts(); ++g)
    if (plan_.owner[g] != HaloPlan::remote) ghost_[place[plan_.owner[g]]++] = g;
}

void HostGhosts::add_to_owners(const double *ghosts, double *owned) {
  const int n_homes = static_cast<int>(home_.size());
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int h = 0; h < n_homes; ++h) {
    double *f = owned + 3 * std::size_t(home_[h]);
    for (int g = begin_[h]; g < begin_[h + 1]; ++g)
      for (int k = 0; k < 3; ++k) f[k] += ghosts[3 * std::size_t(ghost_[g]) + k];
  }
  if (!plan_.exchange) return;
  for (std::size_t k = 0; k < plan_.receive.size(); ++k)
    std::copy_n(ghosts + 3 * std::size_t(plan_.receive[k]), 3, arriving_.data() + 3 * k);
  plan_.exchange->reverse(arriving_.data(), travelling_.data(), 3 * sizeof(double));
  for (std::size_t s = 0; s < plan_.send.size(); ++s)
    for (int k = 0; k < 3; ++k) owned[3 * std::size_t(plan_.send[s]) + k] += travelling_[3 * s + k];
}

double HostGhosts::bytes() const {
  return sizeof(int) * double(plan_.owner.capacity() + plan_.image.capacity() + home_.capacity() + begin_.capacity() +
                              ghost_.capacity()) +
         sizeof(double) * double(travelling_.capacity() + arriving_.capacity());
}

}  // namespace triad

#include "engine/host/expected_paths.h"

#include <algorithm>

#include "engine/tuning.h"

namespace triad {

const double *ExpectedPaths::to_means() {
  if (known_) return mean_.data();
  mean_.require(3 * (std::size_t(atoms_.n_owned) + atoms_.n_ghosts));
  // While the force stays as it is, velocity Verlet displaces an atom in k steps by k v dt + k (k + 1) / 2 a dt^2;
  // these are the means over k from 0 to n.
  constexpr double n = tuning::expected_steps;
  const double of_velocity = n / 2 * step_.drift, of_force = (n * n / 3 + n / 2) * step_.drift * step_.half_kick;
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int i = 0; i < atoms_.n_owned; ++i)
    for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k)
      mean_[k] = of_velocity * atoms_.v[k] + of_force / atoms_.rmass[i] * atoms_.f[k];
  ghosts_.forward(mean_.data() + 3 * std::size_t(atoms_.n_owned),
                  [&](int i, int, double *target) { std::copy_n(mean_.data() + 3 * std::size_t(i), 3, target); });
  known_ = true;
  return mean_.data();
}

}  // namespace triad

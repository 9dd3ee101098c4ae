#include "lammps/run/atom_motion.h"

#include "atom.h"
#include "comm.h"
#include "core/threads.h"

using namespace LAMMPS_NS;

double AtomMotion::mass(int i) const { return atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]; }

/// Calls work(i, mass) for every owned atom of the group, on the threads of the pair style.
template <class Work>
void AtomMotion::for_group(Work &&work) const {
#pragma omp parallel for num_threads(comm->nthreads) schedule(static)
  for (int i = 0; i < atom->nlocal; ++i)
    if (atom->mask[i] & groupbit_) work(i, mass(i));
}

void AtomMotion::kick(double half_kick) const {
  if (engine_) return engine_->kick(groupbit_, half_kick);
  for_group([&](int i, double mass) {
    const double factor = half_kick / mass;
    for (int d = 0; d < 3; ++d) atom->v[i][d] += factor * atom->f[i][d];
  });
}

void AtomMotion::drift(double dt) const {
  if (engine_) return engine_->drift(groupbit_, dt);
  for_group([&](int i, double) {
    for (int d = 0; d < 3; ++d) atom->x[i][d] += dt * atom->v[i][d];
  });
}

void AtomMotion::scale_velocities(const double (&factor)[3]) const {
  if (engine_) return engine_->scale_velocities(groupbit_, factor);
  for_group([&](int i, double) {
    for (int d = 0; d < 3; ++d) atom->v[i][d] *= factor[d];
  });
}

void AtomMotion::add_velocity(const double (&difference)[3]) const {
  if (engine_) return engine_->add_velocity(groupbit_, difference);
  for_group([&](int i, double) {
    for (int d = 0; d < 3; ++d) atom->v[i][d] += difference[d];
  });
}

void AtomMotion::add_langevin(const std::vector<triad::LangevinTerms> &terms, double root_temperature,
                              std::int64_t step, std::uint32_t seed) const {
  if (engine_) return engine_->add_langevin({groupbit_, terms.data(), root_temperature, step, seed});
  for_group([&](int i, double mass) {
    const double *v = atom->v[i];
    const auto noise = triad::langevin_noise<double>(atom->tag[i], step, seed);
    const auto f =
        triad::langevin_force<double>(terms[atom->type[i]], mass, root_temperature, {v[0], v[1], v[2]}, noise);
    atom->f[i][0] += f.x;
    atom->f[i][1] += f.y;
    atom->f[i][2] += f.z;
  });
}

triad::KineticSums AtomMotion::kinetic() const {
  if (engine_) return engine_->kinetic(groupbit_);
  return triad::sum_over<triad::KineticSums>(atom->nlocal, triad::usable_threads(comm->nthreads),
                                             [&](triad::KineticSums &sums, int i) {
                                               if (atom->mask[i] & groupbit_) add_kinetic(sums, mass(i), atom->v[i]);
                                             });
}

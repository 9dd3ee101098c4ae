// Operations on the atoms of a group in arrays of the host. The host's engine applies these operations to its own
// arrays, and the fixes and computes apply them to LAMMPS's arrays where there is no engine.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/threads.h"
#include "dynamics/force_change.h"
#include "dynamics/heat_current.h"
#include "engine/md_engine.h"

namespace triad {

inline double mass_of(const AtomArrays &atoms, int i) {
  return atoms.rmass ? atoms.rmass[i] : atoms.mass[atoms.type[i]];
}

/// v += half_kick / m f for atom i
inline void kick_atom(const AtomArrays &atoms, int i, double half_kick) {
  const double factor = half_kick / mass_of(atoms, i);
  for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k) atoms.v[k] += factor * atoms.f[k];
}

/// x += dt v for atom i
inline void drift_atom(const AtomArrays &atoms, int i, double dt) {
  for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k) atoms.x[k] += dt * atoms.v[k];
}

/// Values that the heat current needs in addition to the atoms. Ghosts of atoms outside the group have velocity 0.
struct HeatTallies {
  const double *atom_energy;     ///< [n_all]
  const double *atom_virial;     ///< [n_all][components]
  int components;                ///< of a virial: nine, or six of a symmetric one
  const double *ghost_velocity;  ///< [n_ghosts][3]
  double kinetic_factor;         ///< kinetic energy per m v^2
};

/// The owned atoms of a group. The arrays must stay valid. Loops run on `threads` threads.
class GroupMotion {
 public:
  GroupMotion(const AtomArrays &atoms, int group_bit, int threads)
      : atoms_(atoms), group_bit_(group_bit), threads_(threads) {}

  void kick(double half_kick) const {
    for_group([&](int i) { kick_atom(atoms_, i, half_kick); });
  }
  void drift(double dt) const {
    for_group([&](int i) { drift_atom(atoms_, i, dt); });
  }
  /// v_d *= factor_d
  void scale_velocities(const double factor[3]) const {
    for_group([&](int i) {
      for (int d = 0; d < 3; ++d) velocity(i)[d] *= factor[d];
    });
  }
  /// v += difference
  void add_velocity(const double difference[3]) const {
    for_group([&](int i) {
      for (int d = 0; d < 3; ++d) velocity(i)[d] += difference[d];
    });
  }
  /// f += the force of a Langevin thermostat. tag_of(i) returns the ID of atom i. `kept`: receives the force,
  /// [n_owned][3], or null.
  template <class TagOf>
  void add_langevin(const LangevinForce &thermostat, TagOf &&tag_of, double *kept = nullptr) const {
    for_group([&](int i) {
      const double *v = velocity(i);
      const auto noise = langevin_noise<double>(tag_of(i), thermostat.step, thermostat.seed);
      const auto force = langevin_force<double>(thermostat.terms[atoms_.type[i]], mass_of(atoms_, i),
                                                thermostat.root_temperature, {v[0], v[1], v[2]}, noise);
      double *const f = atoms_.f + 3 * std::size_t(i);
      f[0] += force.x;
      f[1] += force.y;
      f[2] += force.z;
      if (!kept) return;
      double *const keep = kept + 3 * std::size_t(i);
      keep[0] = force.x;
      keep[1] = force.y;
      keep[2] = force.z;
    });
  }
  /// Sum of velocity times force[n_owned][3].
  double power(const double *force) const {
    struct Power {
      double total = 0;
      void operator+=(const Power &other) { total += other.total; }
    };
    const auto add = [&](Power &sum, int i) {
      if (!in_group(i)) return;
      for (int d = 0; d < 3; ++d) sum.total += velocity(i)[d] * force[3 * std::size_t(i) + d];
    };
    return sum_over<Power>(atoms_.n_owned, usable_threads(threads_), add).total;
  }
  /// The atoms are summed in a fixed number of parts, so the bits do not depend on the number of threads.
  std::vector<SlabSums> sum_slabs(const Slabs &slabs) const {
    return sum_in_slabs<SlabSums>(slabs, [&](SlabSums &sums, int i) { sums.add(mass_of(atoms_, i), velocity(i)); });
  }
  /// `first`, `second`: [n_owned][3] the components xx yy zz and xy xz yz of virials.
  std::vector<SlabVirials> sum_slab_virials(const Slabs &slabs, double kinetic_factor, const double *first,
                                            const double *second) const {
    return sum_in_slabs<SlabVirials>(slabs, [&](SlabVirials &sums, int i) {
      double virial[6];
      std::copy_n(first + 3 * std::size_t(i), 3, virial);
      std::copy_n(second + 3 * std::size_t(i), 3, virial + 3);
      sums.add(virial, kinetic_factor * mass_of(atoms_, i), velocity(i));
    });
  }
  double longest_step(const StepLimits &limits) const {
    double step = StepLimits::none;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(min : step)
    for (int i = 0; i < atoms_.n_owned; ++i)
      if (in_group(i))
        step = std::min(step, limits.step_of(mass_of(atoms_, i), velocity(i), atoms_.f + 3 * std::size_t(i)));
    return step;
  }
  ExchangeSums sum_exchange(const BlockRegion &block) const {
    return sum_over<ExchangeSums>(atoms_.n_owned, usable_threads(threads_), [&](ExchangeSums &sums, int i) {
      if (in_group(i) && block.contains(position(i)))
        sums.add(mass_of(atoms_, i), velocity(i), atoms_.f + 3 * std::size_t(i));
    });
  }
  void exchange_heat(const BlockRegion &block, const HeatExchange &exchange) const {
    for_group([&](int i) {
      if (!block.contains(position(i))) return;
      const double m = mass_of(atoms_, i), *const f = atoms_.f + 3 * std::size_t(i);
      for (int d = 0; d < 3; ++d) {
        double &v = velocity(i)[d];
        if (exchange.moves) position(i)[d] += exchange.displacement(d, m, v, f[d]);
        v = exchange.velocity(d, v);
      }
    });
  }
  ForceSums sum_forces() const {
    return sum_over<ForceSums>(atoms_.n_owned, usable_threads(threads_), [&](ForceSums &sums, int i) {
      if (!in_group(i)) return;
      for (int d = 0; d < 3; ++d) {
        sums.force[d] += atoms_.f[3 * std::size_t(i) + d];
        sums.position[d] += atoms_.x[3 * std::size_t(i) + d];
      }
      sums.count += 1;
      sums.mass += mass_of(atoms_, i);
    });
  }
  /// `before`: sums of the group, for Average.
  void change_forces(const ForceChange &change, const ForceSums &before = {}) const {
    const bool springs = change.kind == ForceChange::Kind::Spring;
    for_group([&](int i) {
      const double coefficient = springs ? change.stiffness : change.drag ? change.drag[atoms_.type[i]] : 0;
      for (int d = 0; d < 3; ++d) {
        double &f = atoms_.f[3 * std::size_t(i) + d];
        const double measure = springs ? distance(change, i, d) : velocity(i)[d];
        if (change.along[d]) f = change.changed(d, f, before.mean(d), coefficient, measure);
      }
    });
  }
  /// ForceSums::stretch of a Spring.
  ForceSums sum_stretch(const ForceChange &spring) const {
    return sum_over<ForceSums>(atoms_.n_owned, usable_threads(threads_), [&](ForceSums &sums, int i) {
      if (!in_group(i)) return;
      for (int d = 0; d < 3; ++d)
        if (spring.along[d]) sums.stretch += distance(spring, i, d) * distance(spring, i, d);
    });
  }
  /// `points`: [n_owned][3], or null for the origin.
  MomentSums sum_moments(const double *points) const {
    return sum_over<MomentSums>(atoms_.n_owned, usable_threads(threads_), [&](MomentSums &sums, int i) {
      if (!in_group(i)) return;
      double by[3];
      for (int d = 0; d < 3; ++d) by[d] = position(i)[d] - (points ? points[3 * std::size_t(i) + d] : 0);
      sums.add(mass_of(atoms_, i), by, velocity(i));
    });
  }
  /// x = tether + displacement, v = velocity
  void place(const LinearMotion &motion) const {
    for_group([&](int i) {
      for (int d = 0; d < 3; ++d) {
        position(i)[d] = motion.tether[3 * std::size_t(i) + d] + motion.displacement[d];
        velocity(i)[d] = motion.velocity[d];
      }
    });
  }
  /// Returns the longest displacement by a reflection.
  double reflect(const ReflectingWalls &walls) const {
    double most = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(max : most)
    for (int i = 0; i < atoms_.n_owned; ++i)
      if (in_group(i)) most = std::max(most, walls.reflect(position(i), velocity(i)));
    return most;
  }
  KineticSums kinetic() const {
    return sum_over<KineticSums>(atoms_.n_owned, usable_threads(threads_), [&](KineticSums &sums, int i) {
      if (in_group(i)) add_kinetic(sums, mass_of(atoms_, i), velocity(i));
    });
  }
  /// Adds the contribution of atom i in [0, n_all) to the heat current.
  void add_heat_flow_of(int i, const HeatTallies &tallies, HeatFlow &sum) const {
    const bool owned = i < atoms_.n_owned;
    if (owned && !in_group(i)) return;
    const double *const v = owned ? velocity(i) : tallies.ghost_velocity + 3 * std::size_t(i - atoms_.n_owned);
    double energy = tallies.atom_energy[i];
    if (owned) energy += tallies.kinetic_factor * mass_of(atoms_, i) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    add_tallied_flow(sum, v, energy, tallies.atom_virial + tallies.components * std::size_t(i), tallies.components);
  }

  /// Sums of driving[n_owned][3], atoms and mass.
  ForceSums sum_driving_force(const double *driving) const {
    return sum_over<ForceSums>(atoms_.n_owned, usable_threads(threads_), [&](ForceSums &sums, int i) {
      if (!in_group(i)) return;
      for (int d = 0; d < 3; ++d) sums.force[d] += driving[3 * std::size_t(i) + d];
      sums.count += 1;
      sums.mass += mass_of(atoms_, i);
    });
  }
  /// f += driving - mass * acceleration, with driving[n_owned][3]. `sums`: of the driving forces, over all ranks.
  void add_driving_force(const double *driving, const ForceSums &sums) const {
    for_group([&](int i) {
      for (int d = 0; d < 3; ++d)
        atoms_.f[3 * std::size_t(i) + d] += driving[3 * std::size_t(i) + d] - mass_of(atoms_, i) * sums.acceleration(d);
    });
  }

 private:
  template <class Sums, class Add>
  std::vector<Sums> sum_in_slabs(const Slabs &slabs, Add &&add) const {
    constexpr int parts = 32;
    std::vector<Sums> part(std::size_t(parts) * slabs.count), all(slabs.count);
    const std::int64_t n = atoms_.n_owned;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int p = 0; p < parts; ++p)
      for (int i = static_cast<int>(n * p / parts); i < static_cast<int>(n * (p + 1) / parts); ++i)
        if (const int slab = in_group(i) ? slabs.of(position(i)) : -1; slab >= 0)
          add(part[std::size_t(p) * slabs.count + slab], i);
    for (std::size_t k = 0; k < part.size(); ++k)
      for (int s = 0; s < Sums::size; ++s) all[k % slabs.count][s] += part[k][s];
    return all;
  }
  double distance(const ForceChange &spring, int i, int axis) const {
    return position(i)[axis] - spring.tether[3 * std::size_t(i) + axis];
  }
  bool in_group(int i) const { return atoms_.mask[i] & group_bit_; }
  double *velocity(int i) const { return atoms_.v + 3 * std::size_t(i); }
  double *position(int i) const { return atoms_.x + 3 * std::size_t(i); }
  template <class Work>
  void for_group(Work &&work) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      if (in_group(i)) work(i);
  }

  AtomArrays atoms_;
  int group_bit_, threads_;
};

}  // namespace triad

// Argument of the kernels that integrate.
#pragma once

#include "core/cuda/step_guard.cuh"
#include "dynamics/box_path.h"
#include "dynamics/force_change.h"
#include "dynamics/held_barostat.h"
#include "engine/cuda/state/device_langevin.cuh"
#include "engine/cuda/state/device_state.cuh"
#include "engine/cuda/state/expected_path.cuh"
#include "engine/cuda/state/group_members.cuh"
#include "engine/tuning.h"
#include "forces/tersoff/cuda/gradients.cuh"

namespace triad {
namespace cuda {

/// A group of atoms that velocity Verlet integrates.
template <class Velocity>
struct DeviceGroup {
  int bit;  ///< bit of the group; 0 for all atoms
  double half_kick;
  Velocity uniform_kick;  ///< half_kick / uniform_mass
  Velocity step;          ///< Coordinates::step(drift)
};

/// Argument of the kernels that integrate.
template <class Format>
struct StepJob {
  using Position = typename PositionOf<Format>::type;
  DeviceState<Format> state;
  int n_groups;
  DeviceGroup<typename DeviceState<Format>::Velocity> group[tuning::max_groups];
  const Position *reference;       ///< [n] references of the last pruned list, with the limits of displacements
  const unsigned *list_reference;  ///< [n] coarse positions at LAMMPS's last list
  CoarseReference coarse;
  bool check;  ///< this and the next line: of ListRule
  int delay, every;
  float far_step;     ///< displacement in one step above which the list is checked exactly
  float wild_step;    ///< displacement in one step above which the step is an error
  float step_length;  ///< length units per unit of Coordinates::step
  StepGuard *guard;
  int *stop;  ///< word of StepGuard::stop that the kernel sets
  int n_langevin;
  DeviceLangevin langevin[tuning::max_groups];
  /// Atoms that have kernels of their own: those of Langevin thermostats, or of actions at the end of steps.
  GroupMembers listed;
  const int *listed_mask;  ///< [n]
  int listed_bits;         ///< these atoms have one of these bits in listed_mask; 0: all atoms
  /// [n_thermostats][2] or null; scale the velocities of group number k at the end and at the start of a step.
  const double *factors;
  int n_thermostats;         ///< StepBatch::thermostats
  const double *anchor;      ///< [n][3] of Coordinates::decode()
  bool triclinic;            ///< the matrices of a change of the box are not diagonal
  const BoxMotion *box;      ///< what the change of the box by a barostat does to the atoms, or null
  const BoxStep *box_path;   ///< [steps] the path of the box, if there is one and no barostat, or null
  GatherJob<Format> gather;  ///< gathers the forces if the force kernel has stored gradients
  /// Sums of the driving forces that these gradients contain, whose mean acceleration is to be taken away; or null.
  const ForceSums *driving;
  bool clears_forces;  ///< the kernel clears accumulators after it has read them
  /// Output: positions and velocities at the end of the step, before the next one starts, for samples; or v = null.
  DeviceState<Format> at_end;
  ExpectedPath<Format> path;  ///< for a renewal of the pruned list after the step
  /// With `path`, the pruned list counts as expired if an atom will be beyond its limit in this number of steps, at its
  /// velocity.
  float steps_ahead;

  __host__ __device__ bool changes_box() const { return box || box_path; }

  /// Reasons (stop_...) for which the steps must stop after atom i has moved to `position`. `moved`: sum over the axes
  /// of its displacement in units of Coordinates::step. `completed`: steps before this one.
  __device__ __forceinline__ int reasons_to_stop(std::size_t i, float moved, const Position &position,
                                                 const Position &own_reference, unsigned own_list_reference,
                                                 int completed) const {
    moved *= step_length;
    int reasons = 0;
    if (moved_from(own_reference, position, state.at.scale) == Moved::TooFar) reasons |= stop_pruned_list;
    // Every step compares, because coarse positions repeat: an atom that is far away may seem near after a few steps.
    const bool far = moved > far_step || !coarse.surely_within(own_list_reference, coarse.pack(position));
    const int now = completed + 1 - guard->neighbor_step;
    if (!check || (now >= delay && (every == 1 || now % every == 0))) {
      if (far || guard->far) reasons |= stop_list;
    } else if (far) {
      guard->far = 1;
    }
    if (!(moved < wild_step)) {
      reasons |= stop_position;
      guard->bad_atom = static_cast<int>(i) + 1;
    }
    return reasons;
  }
  /// Writes the expected position of atom i, which has moved to `at`, if path.position is set. `by`, `bend`: as of
  /// ExpectedPath::store(). Loads the reference again, so that steps without renewals need no registers for it.
  __device__ __forceinline__ void expect(std::size_t i, const Position &at, const Vec3<float> &by,
                                         const Vec3<float> &bend) const {
    if (steps_ahead > 0) {
      const Position own_reference = load(reference + i);
      const Vec3<float> then =
          as_float(difference(own_reference, at, state.at.scale)) + (steps_ahead * step_length) * by;
      const float limit = limit_of(own_reference);
      if (dot(then, then) > limit * limit) atomicOr(stop, static_cast<int>(stop_pruned_list));
    }
    path.store(i, at, by, bend);
  }
};

}  // namespace cuda
}  // namespace triad

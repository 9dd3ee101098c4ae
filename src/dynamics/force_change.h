// Changes of the forces on the atoms of a group after their computation, as stock fix setforce, addforce, aveforce and
// viscous make them.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// How the forces on the atoms of a group are changed. Forces are in force units.
struct ForceChange {
  enum class Kind {
    Set,      ///< f = value
    Add,      ///< f += value
    Average,  ///< f = value + the mean of f over the group
    Drag      ///< f -= drag[type] * v
  };
  int group_bit = 1;
  Kind kind = Kind::Set;
  bool along[3] = {true, true, true};  ///< axes that are changed; the other components stay
  double value[3] = {0, 0, 0};         ///< not used by Drag
  const double *drag = nullptr;        ///< [n_types + 1] force / velocity, only for Drag; must stay valid

  /// Returns the new force along an axis on an atom with force f and velocity v along that axis. `mean` is used by
  /// Average only, `drag_of_type` and `v` by Drag only.
  TRIAD_HD double changed(int axis, double f, double mean, double drag_of_type, double v) const {
    switch (kind) {
      case Kind::Set:
        return value[axis];
      case Kind::Add:
        return f + value[axis];
      case Kind::Average:
        return value[axis] + mean;
      default:
        return f - drag_of_type * v;
    }
  }
};

/// Sums over the atoms of a group.
struct ForceSums {
  double force[3] = {0, 0, 0};      ///< force units
  double position[3] = {0, 0, 0};   ///< length units; the atoms may be wrapped into the box
  double crossings[3] = {0, 0, 0};  ///< box edges added to positions that LAMMPS's image flags do not count yet
  double count = 0;                 ///< atoms

  static constexpr int size = 10, n_of_forces = 4;  ///< number of all sums, and of those that mean() needs
  /// The sums in the order force, count, position, crossings.
  TRIAD_HD double &operator[](int k) {
    return k < 3 ? force[k] : k == 3 ? count : k < 7 ? position[k - 4] : crossings[k - 7];
  }
  TRIAD_HD void operator+=(ForceSums other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
  /// Mean force along an axis. Requires atoms.
  TRIAD_HD double mean(int axis) const { return force[axis] / count; }
};

enum class ForceSumKind { None, Forces, ForcesAndPositions };

/// A change of forces in all steps of a batch.
struct ForceChangeBatch {
  ForceChange change;
  ForceSumKind sums = ForceSumKind::None;  ///< sums that `before` must have
  ForceSums before;                        ///< output: sums of this rank in the last step, before the change
};

}  // namespace triad

// Changes of the forces on the atoms of a group after their computation, as stock fix setforce, addforce, aveforce and
// viscous and fix hnemd/triad make them.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// How the forces on the atoms of a group are changed. Forces are in force units.
struct ForceChange {
  enum class Kind {
    Set,      ///< f = value
    Add,      ///< f += value
    Average,  ///< f = value + the mean of f over the group
    Drag,     ///< f -= drag[type] * v
    Drive     ///< f += the driving force (heat_current.h) in the field `value`, without its mean acceleration
  };
  int group_bit = 1;
  Kind kind = Kind::Set;
  bool along[3] = {true, true, true};  ///< axes that are changed; the other components stay
  double value[3] = {0, 0, 0};         ///< force units; 1/length for Drive; not used by Drag
  const double *drag = nullptr;        ///< [n_types + 1] force / velocity, only for Drag; must stay valid

  /// Returns the new force along an axis on an atom with force f and velocity v along that axis. `mean` is used by
  /// Average only, `drag_of_type` and `v` by Drag only. Not for Drive.
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
  double mass = 0;                  ///< mass units

  /// Number of all sums, and of those that mean() and acceleration() need.
  static constexpr int size = 11, n_of_forces = 5;
  /// The sums in the order force, count, mass, position, crossings.
  TRIAD_HD double &operator[](int k) {
    return k < 3 ? force[k] : k == 3 ? count : k == 4 ? mass : k < 8 ? position[k - 5] : crossings[k - 8];
  }
  TRIAD_HD void operator+=(ForceSums other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
  /// Mean force along an axis. Requires atoms.
  TRIAD_HD double mean(int axis) const { return force[axis] / count; }
  /// Force / mass along an axis; 0 without atoms.
  TRIAD_HD double acceleration(int axis) const { return mass > 0 ? force[axis] / mass : 0; }
};

enum class ForceSumKind { None, Forces, ForcesAndPositions };

/// A change of forces in all steps of a batch.
struct ForceChangeBatch {
  ForceChange change;
  ForceSumKind sums = ForceSumKind::None;  ///< sums that `before` must have
  /// Output: sums of this rank in the last step, of the forces before the change; for Drive, of the driving forces.
  ForceSums before;
};

}  // namespace triad

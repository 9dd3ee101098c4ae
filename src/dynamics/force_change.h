// Changes of the forces on the atoms of a group after their computation, as stock fix setforce, addforce, aveforce,
// viscous and spring/self and fix hnemd/triad make them.
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
    Spring,   ///< f -= stiffness * (x - tether), with a point of each atom
    Drive     ///< f += the driving force (heat_current.h) in the field `value`, without its mean acceleration
  };
  int group_bit = 1;
  Kind kind = Kind::Set;
  bool along[3] = {true, true, true};  ///< axes that are changed; the other components stay
  double value[3] = {0, 0, 0};         ///< force units; 1/length for Drive; not used by Drag and Spring
  const double *drag = nullptr;        ///< [n_types + 1] force / velocity, only for Drag; must stay valid

  // only for Spring
  double stiffness = 0;            ///< force / length
  int tethers = 0;                 ///< number of MdEngine::set_tethers() under which the engine has the points
  const double *tether = nullptr;  ///< [n_owned][3] the points

  /// Returns the new force along an axis on an atom with force f along that axis. `mean` is used by Average only. Drag
  /// and Spring subtract coefficient * measure, with the drag of the type and the velocity, or with the stiffness and
  /// the distance from the tether. Not for Drive.
  TRIAD_HD double changed(int axis, double f, double mean, double coefficient, double measure) const {
    switch (kind) {
      case Kind::Set:
        return value[axis];
      case Kind::Add:
        return f + value[axis];
      case Kind::Average:
        return value[axis] + mean;
      default:
        return f - coefficient * measure;
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
  double stretch = 0;               ///< squared distances from the tethers of a Spring, along the axes that it changes

  static constexpr int size = 12;  ///< number of the sums
  /// The sums in the order force, count, mass, position, crossings, stretch.
  TRIAD_HD double &operator[](int k) {
    return k < 3    ? force[k]
           : k == 3 ? count
           : k == 4 ? mass
           : k < 8  ? position[k - 5]
           : k < 11 ? crossings[k - 8]
                    : stretch;
  }
  TRIAD_HD double operator[](int k) const { return ForceSums(*this)[k]; }
  TRIAD_HD void operator+=(ForceSums other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
  /// Mean force along an axis. Requires atoms.
  TRIAD_HD double mean(int axis) const { return force[axis] / count; }
  /// Force / mass along an axis; 0 without atoms.
  TRIAD_HD double acceleration(int axis) const { return mass > 0 ? force[axis] / mass : 0; }
};

enum class ForceSumKind { None, Forces, ForcesAndPositions, Stretch };

/// A change of forces in all steps of a batch.
struct ForceChangeBatch {
  ForceChange change;
  ForceSumKind sums = ForceSumKind::None;  ///< sums that `before` must have
  /// Output: sums of this rank in the last step, of the forces before the change; for Drive, of the driving forces.
  ForceSums before;
};

}  // namespace triad

// What run_style verlet/triad asks of a fix that it need not bring atoms to the host for. A fix of ours derives from
// LAMMPS's Fix and from this class; its ordinary hooks serve every other run style.
#pragma once

#include "md/stepper.h"

namespace LAMMPS_NS {

class ResidentFix {
 public:
  /// Velocity Verlet and nothing else, so that whole steps may be fused: fills `group`. The hooks below are then only
  /// called in steps that cannot.
  virtual bool plain_verlet(triad::VerletGroup &group) const = 0;

  // The hooks of Fix on the stepper's atoms. Each is called if setmask() asks for the hook of that name.
  virtual void resident_initial_integrate(triad::Stepper &, int /*vflag*/) {}
  virtual void resident_post_force(triad::Stepper &, int /*vflag*/) {}
  virtual void resident_final_integrate(triad::Stepper &) {}
  virtual void resident_end_of_step(triad::Stepper &) {}

 protected:
  ~ResidentFix() = default;  // LAMMPS deletes fixes as Fix
};

}  // namespace LAMMPS_NS

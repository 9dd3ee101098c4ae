// What run_style verlet/triad asks of a fix that it need not bring atoms to the host for, and what our styles ask of
// it. A fix of ours derives from LAMMPS's Fix and from this class; its ordinary hooks serve every other run style.
#pragma once

#include "engine/md_engine.h"
#include "lammps.h"

namespace LAMMPS_NS {

class Fix;

class ResidentFix {
 public:
  /// Before the setup of a run: whether its atoms will be at a stepper.
  virtual void take_place(bool /*at_stepper*/) {}
  /// Whether the hooks below are to be called; if not, the fix is one like those of others.
  virtual bool resident() const { return true; }

  /// Adds what the fix does in a step to a batch of whole steps, in which its hooks below are not called; false if it
  /// cannot be. What the batch points to stays until it is done.
  virtual bool join(triad::StepBatch &batch) = 0;
  /// After a batch that was joined, whose last step was `whole` or is now before its forces.
  virtual void finish_batch(bool /*whole*/) {}

  /// Fields of LAMMPS's arrays that setup() changes.
  virtual unsigned fields_changed_in_setup() const { return 0; }

  // The hooks of Fix on the stepper's atoms. Each is called if setmask() asks for the hook of that name.
  virtual void resident_initial_integrate(triad::Stepper &, int /*vflag*/) {}
  virtual void resident_post_force(triad::Stepper &, int /*vflag*/) {}
  virtual void resident_final_integrate(triad::Stepper &) {}
  virtual void resident_end_of_step(triad::Stepper &) {}

 protected:
  ~ResidentFix() = default;  // LAMMPS deletes fixes as Fix
};

/// The run style, for styles that need atoms outside of a hook of ResidentFix, or LAMMPS's arrays inside of one.
class ResidentRun {
 public:
  virtual triad::Stepper &stepper() = 0;
  /// The stepper when it has all positions and attributes, also in the setup of a run that it will be used for.
  virtual triad::Stepper &current_stepper() = 0;
  /// Grows when there is another stepper.
  virtual int stepper_revision() const = 0;
  /// Whether the stepper of the next run is on a GPU; of no meaning where there will be none.
  virtual bool on_cuda() const = 0;
  /// The stepper if LAMMPS's arrays of these fields are stale, otherwise null.
  virtual triad::Stepper *stepper_ahead_in(unsigned fields) = 0;
  /// Makes fields of the stepper current; what it has computed from them before stays as it is.
  virtual void bring_to_stepper(unsigned fields) = 0;
  /// Makes LAMMPS's arrays current. Collective.
  virtual void bring_to_host(unsigned fields) = 0;

 protected:
  ~ResidentRun() = default;
};

/// The fix as one that is resident(), or null.
const ResidentFix *as_resident(const Fix *fix);
ResidentFix *as_resident(Fix *fix);

/// Of run_style verlet/triad; null under any other.
ResidentRun *resident_run(LAMMPS *lmp);

}  // namespace LAMMPS_NS

// What run_style verlet/triad asks of a fix that it need not bring atoms to the host for, and what our styles ask of
// it. A fix of ours derives from LAMMPS's Fix and from this class; its ordinary hooks serve every other run style.
#pragma once

#include "engine/md_engine.h"
#include "lammps.h"

namespace LAMMPS_NS {

class Fix;

class EngineFix {
 public:
  /// Before the setup of a run: whether its atoms will be at an engine.
  virtual void set_on_engine(bool /*on_engine*/) {}
  /// Whether the hooks below are to be called; if not, the fix is one like those of others.
  virtual bool on_engine() const { return true; }

  /// Adds what the fix does in a step to a batch of whole steps, in which its hooks below are not called; false if it
  /// cannot be. What the batch points to stays until it is done.
  virtual bool join(triad::StepBatch &batch) = 0;
  /// After a batch that was joined, whose last step was `whole` or is now before its forces.
  virtual void finish_batch(bool /*whole*/) {}

  /// Fields of LAMMPS's arrays that setup() changes.
  virtual unsigned fields_changed_in_setup() const { return 0; }

  // The hooks of Fix on the engine's atoms. Each is called if setmask() asks for the hook of that name.
  virtual void engine_initial_integrate(triad::MdEngine &, int /*vflag*/) {}
  virtual void engine_post_force(triad::MdEngine &, int /*vflag*/) {}
  virtual void engine_final_integrate(triad::MdEngine &) {}
  virtual void engine_end_of_step(triad::MdEngine &) {}

 protected:
  ~EngineFix() = default;  // LAMMPS deletes fixes as Fix
};

/// The run style, for styles that need atoms outside of a hook of EngineFix, or LAMMPS's arrays inside of one.
class EngineRun {
 public:
  virtual triad::MdEngine &engine() = 0;
  /// The engine when it has all positions and attributes, also in the setup of a run that it will be used for.
  virtual triad::MdEngine &current_engine() = 0;
  /// Grows when there is another engine.
  virtual int engine_revision() const = 0;
  /// Whether the engine of the next run is on a GPU; of no meaning where there will be none.
  virtual bool on_cuda() const = 0;
  /// The engine if LAMMPS's arrays of these fields are stale, otherwise null.
  virtual triad::MdEngine *engine_ahead_in(unsigned fields) = 0;
  /// Makes fields of the engine current; what it has computed from them before stays as it is.
  virtual void sync_engine(unsigned fields) = 0;
  /// Makes LAMMPS's arrays current. Collective.
  virtual void sync_host(unsigned fields) = 0;

 protected:
  ~EngineRun() = default;
};

/// The fix as one that is on_engine(), or null.
const EngineFix *as_engine_fix(const Fix *fix);
EngineFix *as_engine_fix(Fix *fix);

/// Of run_style verlet/triad; null under any other.
EngineRun *engine_run(LAMMPS *lmp);

}  // namespace LAMMPS_NS

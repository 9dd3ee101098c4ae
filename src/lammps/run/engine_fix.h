// Interfaces between run_style verlet/triad and our fixes. A fix of ours derives from LAMMPS's Fix, whose hooks serve
// all other run styles, and from EngineFix, whose hooks act on the engine's atoms.
#pragma once

#include "engine/md_engine.h"
#include "lammps.h"

namespace LAMMPS_NS {

class Compute;
class Fix;

class EngineFix {
 public:
  /// Called before the setup of a run. `on_engine`: an engine will have the atoms.
  virtual void set_on_engine(bool /*on_engine*/) {}
  /// True if the hooks below can be called. If false, the run style treats the fix as a fix of LAMMPS, whose hooks need
  /// current LAMMPS arrays.
  virtual bool on_engine() const { return true; }

  /// Adds the action of the fix to a batch of steps, in which the hooks below are not called. Returns false if that is
  /// not possible. Data to which the batch points must stay valid until the batch is done.
  virtual bool join(triad::StepBatch &batch) = 0;
  /// Called after a batch that the fix has joined. `whole`: the last step is complete; otherwise its forces are
  /// missing.
  virtual void finish_batch(bool /*whole*/) {}

  /// True if the hooks of the fix read the virial of each step, and need it after each batch.
  virtual bool reads_virial() const { return false; }
  /// True if the fix takes values from a compute that it has made.
  virtual bool reads(const Compute *) const { return false; }

  /// Called after join() of all fixes, if setmask() has END_OF_STEP and all fixes before this one that have this hook
  /// returned true: adds to a batch what end_of_step() does in its steps. Returns false if that is not possible. Then
  /// the hook is called on multiples of nevery, each of which ends a batch; a fix that has joined allows no batches
  /// unless ends_batches(). During a run, the answer may change from true to false, but not from false to true.
  /// After a whole batch the hook is called in any case.
  virtual bool join_ends_of_steps(triad::StepBatch &) { return false; }
  /// True if a fix that has joined may be called behind batches that end on multiples of nevery.
  virtual bool ends_batches() const { return false; }

  /// Fields of LAMMPS's arrays that the setup() of the fix changes.
  virtual unsigned fields_changed_in_setup() const { return 0; }

  // The hooks of Fix for the engine's atoms. Each is called if setmask() has the flag of the hook of that name.
  virtual void engine_initial_integrate(triad::MdEngine &, int /*vflag*/) {}
  virtual void engine_post_integrate(triad::MdEngine &) {}
  virtual void engine_post_force(triad::MdEngine &, int /*vflag*/) {}
  virtual void engine_final_integrate(triad::MdEngine &) {}
  virtual void engine_end_of_step(triad::MdEngine &) {}

 protected:
  ~EngineFix() = default;  // LAMMPS deletes fixes as Fix
};

/// The run style, for styles that need atoms outside of the hooks of EngineFix, or LAMMPS's arrays inside of one.
class EngineRun {
 public:
  virtual triad::MdEngine &engine() = 0;
  /// Returns the engine with current positions and attributes, also in the setup of a run.
  virtual triad::MdEngine &current_engine() = 0;
  /// Returns the number of the engine, which no other engine of the process has.
  virtual int engine_revision() const = 0;
  /// True if the engine of the next run is on a GPU. Undefined if there will be no engine.
  virtual bool on_cuda() const = 0;
  /// True if batches can contain sums over the atoms of all ranks (StepBatch::ends, Average and Drive of ForceChange).
  virtual bool sums_over_ranks() const = 0;
  /// True if a batch can have StepBatch::ends. To be called when all fixes have joined.
  bool takes_ends_of_steps(const triad::StepBatch &batch) const { return sums_over_ranks() && !batch.changes_box(); }
  /// True if atoms may stay outside of periodic faces for many steps, since engines of several ranks make the lists.
  virtual bool atoms_stay_outside() const = 0;
  /// Returns the engine if LAMMPS's arrays of these fields are stale, otherwise null.
  virtual triad::MdEngine *engine_ahead_in(unsigned fields) = 0;
  /// Makes fields of the engine current. Results that the engine has computed from them are kept.
  virtual void sync_engine(unsigned fields) = 0;
  /// Makes LAMMPS's arrays current. Collective.
  virtual void sync_host(unsigned fields) = 0;

 protected:
  ~EngineRun() = default;
};

/// Returns the EngineFix of a fix that is on_engine(), otherwise null.
const EngineFix *as_engine_fix(const Fix *fix);
EngineFix *as_engine_fix(Fix *fix);

/// Returns the interface of run_style verlet/triad, or null under another run style.
EngineRun *engine_run(LAMMPS *lmp);

}  // namespace LAMMPS_NS

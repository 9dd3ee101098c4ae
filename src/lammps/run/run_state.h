// The state of run_style verlet/triad: the phase of the run, whose neighbor lists are in use, and how steps are made.
//
// Phase. LAMMPS calls init(), setup(), run() and cleanup(); `run ... pre no` calls run() alone, and several runs may
// come before a cleanup.
//
//   Idle           LAMMPS's arrays hold the atoms.
//   SettingUp      begin_setup(): setup() runs; the engine must take the atoms before it computes anything.
//   SetUpOnEngine  engine_started(): the engine has the atoms of this setup; fixes may still change LAMMPS's arrays.
//   Ready          end_setup() after SetUpOnEngine: run() continues with the engine's atoms.
//   Idle           end_setup() after SettingUp: run() begins with the atoms of LAMMPS's arrays.
//   Running        begin_run(): steps are made.
//   Ended          end_run(): the last step is done; LAMMPS's arrays may be stale.
//   Idle           end_cleanup()
//
// An error may leave any phase; begin_setup() and begin_run() start from any phase.
//
// Lists.
//
//   Unknown        lists_changed(): LAMMPS has set up lists, or the engine is new; the engine must take the atoms.
//   OfLammps       took_lammps_list(): the engine has LAMMPS's list, made from the positions that the engine got.
//   OfLammpsLate   took_lammps_list(): atoms have moved since LAMMPS made the list; the next step needs a new list.
//   OfEngine       engine_made_list(): the engine's list and LAMMPS's ghosts are of the same positions.
//   OfEngineAhead  engine_made_list(), engine_renewed_list(): the engine's list is newer than LAMMPS's lists, and
//                  perhaps newer than LAMMPS's ghosts.
#pragma once

namespace LAMMPS_NS {

class RunState {
 public:
  enum class Phase { Idle, SettingUp, SetUpOnEngine, Ready, Running, Ended };
  enum class Lists { Unknown, OfLammps, OfLammpsLate, OfEngine, OfEngineAhead };
  /// How the steps of a run are made: in batches, hook by hook on the engine's atoms, or with hooks in every step that
  /// need current LAMMPS arrays.
  enum class Steps { InBatches, HookByHook, WithHostHooks };

  // ---- phase
  void begin_setup() { phase_ = Phase::SettingUp; }
  void engine_started() {
    if (setting_up()) phase_ = Phase::SetUpOnEngine;
  }
  void end_setup() { phase_ = phase_ == Phase::SetUpOnEngine ? Phase::Ready : Phase::Idle; }
  void begin_run() { phase_ = Phase::Running; }
  void end_run() { phase_ = Phase::Ended; }
  void end_cleanup() { phase_ = Phase::Idle; }

  Phase phase() const { return phase_; }
  bool setting_up() const { return phase_ == Phase::SettingUp || phase_ == Phase::SetUpOnEngine; }
  /// True if the engine has the atoms of the last setup.
  bool engine_has_setup() const { return phase_ == Phase::SetUpOnEngine || phase_ == Phase::Ready; }
  /// True if LAMMPS's arrays may be stale after a run.
  bool needs_cleanup() const { return phase_ == Phase::Ended; }

  // ---- lists
  void lists_changed() { lists_ = Lists::Unknown; }
  /// `late`: the list is older than the positions that the engine was given.
  void took_lammps_list(bool late) { lists_ = late ? Lists::OfLammpsLate : Lists::OfLammps; }
  /// `ahead`: LAMMPS's lists, and perhaps its ghosts, are of earlier positions than the engine's list.
  void engine_made_list(bool ahead) { lists_ = ahead ? Lists::OfEngineAhead : Lists::OfEngine; }
  void engine_renewed_list() { lists_ = Lists::OfEngineAhead; }

  Lists lists() const { return lists_; }
  bool engine_needs_atoms() const { return lists_ == Lists::Unknown; }
  bool engine_makes_lists() const { return lists_ == Lists::OfEngine || lists_ == Lists::OfEngineAhead; }
  bool lammps_lists_are_behind() const { return lists_ == Lists::OfEngineAhead; }
  bool next_step_needs_list() const { return lists_ == Lists::OfLammpsLate; }

  // ---- steps
  void set_steps(Steps steps) { steps_ = steps; }
  bool in_batches() const { return steps_ == Steps::InBatches; }
  bool with_host_hooks() const { return steps_ == Steps::WithHostHooks; }

 private:
  Phase phase_ = Phase::Idle;
  Lists lists_ = Lists::Unknown;
  Steps steps_ = Steps::HookByHook;
};

}  // namespace LAMMPS_NS

// run_style verlet/triad: initialisation, setup and end of a run.
#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "fix.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/run/engine_compute.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/neighbor_readers.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/revision.h"
#include "lammps/util/settings.h"
#include "modify.h"
#include "neighbor.h"
#include "timer.h"
#include "universe.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace FixConst;

namespace {

Halo::Route read_route(LAMMPS *lmp, int narg, char **arg) {
  using Route = Halo::Route;
  Route route = Route::Devices;
  read_settings(lmp, "run_style verlet/triad", narg, arg, [&](triad::SettingReader &words) {
    const auto read_ghosts = [&] {
      route =
          words.choice<Route>({{"auto", Route::Devices}, {"mpi", Route::DeviceMemory}, {"host", Route::HostMemory}});
    };
    words.keywords({{"ghosts", read_ghosts}});
  });
  return route;
}

}  // namespace

VerletTriad::VerletTriad(LAMMPS *lmp, int narg, char **arg)
    : Verlet(lmp, 0, nullptr), pairs_(lmp), fields_(lmp), halo_(lmp, read_route(lmp, narg, arg)) {}

VerletTriad::~VerletTriad() { set_thermo_temperature(lmp, false); }

triad::MdEngine *VerletTriad::engine_ahead_in(unsigned fields) {
  return fields_.need_sync_host(fields) ? engine_.get() : nullptr;
}

EngineRun *LAMMPS_NS::engine_run(LAMMPS *lmp) { return dynamic_cast<EngineRun *>(lmp->update->integrate); }

void VerletTriad::init() {
  set_thermo_temperature(lmp, true);
  swap_in_stock_fixes(lmp);
  in_hook_of_ = nullptr;  // an error may have ended the last run in a hook
  Verlet::init();
  halo_.start();
  after_run_.clear();
  const RunLog::Init writing(log_);
  reporting_errors([&] {
    start_counters();
    external_force_clear = 0;  // package omp clears forces for its own styles
    pairs_ = EnginePairs(lmp);
    skin_ = neighbor->skin;
    state_.lists_changed();
    lammps_lists_unbuilt_ = false;        // the setup builds lists
    if (pairs_.empty()) engine_.reset();  // only a pair style can confirm that an earlier engine is still valid
    fields_.start(engine_.get());         // an error may have ended the last run in the middle
    check_all_ranks();
  });
}

void VerletTriad::setup(int flag) {
  ev_setup();  // take_tally_computes() of an earlier setup has changed the lists
  with_pair_on_engine([&] {
    const bool on_engine = logged_obstacle_.empty();
    reporting_errors([&] {
      if (on_engine && renew_engine()) fields_.start(engine_.get());
      check_all_ranks();
    });
    if (on_engine) {
      const RunLog::Init before_header(log_);
      choose_tally_computes();
      log_.before_thermo(location_line());
    }
    Verlet::setup(flag);
  });
  fixes_of_setup_ = acting_fixes();
}

void VerletTriad::setup_minimal(int flag) {
  ev_setup();
  with_pair_on_engine([&] {
    reporting_errors([&] { check_all_ranks(); });
    Verlet::setup_minimal(flag);
  });
  fixes_of_setup_ = acting_fixes();
}

/// Waits for all ranks, or throws LoopError if one has failed. To be called before LAMMPS communicates, whose waits do
/// not end when a rank fails.
void VerletTriad::check_all_ranks() {
  if (comm->nprocs > 1) halo_.any(false);
}

/// Calls work(), in which the engine does the first compute() of the pair style. The pair style's own backend then
/// needs no device memory.
template <class Work>
void VerletTriad::with_pair_on_engine(Work &&work) {
  state_.lists_changed();
  state_.begin_setup();
  struct Guard {  // a caller of the library may go on after an error
    VerletTriad &run;
    ~Guard() {
      run.pairs_.forget_work();
      run.state_.end_setup();
    }
  } const guard{*this};
  reporting_errors([&] {
    logged_obstacle_ = obstacle();
    const bool on_engine = logged_obstacle_.empty();
    if (!on_engine) log_.before_thermo(obstacle_line(logged_obstacle_));
    set_on_engine(on_engine);
    if (on_engine) pairs_.compute_next_by([this](EnginePair & first) -> auto & { return compute_in_setup(first); });
  });
  notifying_ranks(work);
}

/// Computes the forces and adds them to LAMMPS's array, which holds forces of pre_force hooks and of other sub-styles.
triad::MdEngine &VerletTriad::compute_in_setup(EnginePair &first) {
  reporting_errors([&] {
    const std::vector<double> before = forces_on_host();
    start_in_setup();
    EnginePairs::compute_on(*engine_, first, triad::TallyRequest());
    fields_.modify_engine(triad::field_f);
    fields_.sync_host(triad::field_f);
    add_forces_on_host(before);
  });
  return *engine_;
}

void VerletTriad::start_in_setup() {
  start_on_engine();
  changed_in_setup_ = fields_changed_in_setup();
  if (!has_forces_on_host()) state_.engine_started();
}

triad::MdEngine &VerletTriad::current_engine() {
  if (state_.setting_up()) {
    if (state_.engine_has_setup())
      fields_.modify_host(changed_in_setup_);
    else
      start_in_setup();
  }
  fields_.sync_engine(triad::field_x | triad::field_attributes);
  return *engine_;
}

/// Fields that the setup changes after the forces: those that our fixes name, and all fields if there are other fixes
/// that do not only look.
unsigned VerletTriad::fields_changed_in_setup() const {
  unsigned fields = 0;
  for (const Fix *fix : modify->get_fix_list()) {
    if (is_package_omp(fix)) continue;
    const EngineFix *const ours = as_engine_fix(fix);
    fields |= ours ? ours->fields_changed_in_setup() : only_reads_atoms(fix) ? 0u : unsigned(triad::field_all);
  }
  return fields;
}

std::vector<double> VerletTriad::forces_on_host() const {
  return atom->nlocal ? std::vector<double>(atom->f[0], atom->f[0] + 3 * std::size_t(atom->nlocal))
                      : std::vector<double>();
}

void VerletTriad::add_forces_on_host(const std::vector<double> &forces) {
  for (std::size_t k = 0; k < forces.size(); ++k) atom->f[0][k] += forces[k];
}

double VerletTriad::memory_usage() { return Verlet::memory_usage() + (engine_ ? engine_->host_bytes() : 0.0); }

/// True if there is an engine that is not valid for the pair style any more.
bool VerletTriad::engine_is_outdated() const { return engine_ && pair_revision_ != pairs_.revision(); }

/// Makes an engine if there is none or if it is outdated. Returns true if the engine is new; FieldSync::start() must
/// follow.
bool VerletTriad::renew_engine() {
  if (engine_ && !engine_is_outdated()) return false;
  engine_.reset();  // frees the memory first
  engine_ = pairs_.empty() ? pairwise_fix()->make_engine() : pairs_.make_engine();
  pair_revision_ = pairs_.revision();
  engine_revision_ = new_revision();
  state_.lists_changed();
  return true;
}

void VerletTriad::start_on_engine() {
  const bool continues = state_.engine_has_setup();
  if (continues) {
    fields_.modify_host(changed_in_setup_);
    // compute fep, say, has changed coefficients since the setup, and set them back
    if (engine_is_outdated()) fields_.sync_host_owned(triad::field_state);
  }
  if (renew_engine() || !continues) fields_.start(engine_.get());
  if (state_.engine_needs_atoms() || list_step_ != neighbor->lastcall || list_count_ != neighbor->ncalls) {
    check_all_ranks();
    fields_.sync_host(triad::field_x);  // with ghosts
    take_atoms();
  }
  sums_over_ranks_ = engine_->sums_over_ranks();
  triad::StepBatch any;
  groups_apart_ = true;
  box_limit_.start(skin_);
  if (join_fixes(any).empty() && needs_groups_apart(any)) groups_apart_ = groups_are_apart(any);
  any = triad::StepBatch();
  const bool needs_host = !pairs_.on_host().empty() || a_fix_knows_the_host_only();
  const std::vector<Fix *> &fixes = modify->get_fix_list();
  a_fix_reads_virial_ = std::any_of(fixes.begin(), fixes.end(), [](const Fix *fix) {
    const EngineFix *const ours = as_engine_fix(fix);
    return ours && ours->reads_virial();
  });
  obstacle_to_batches_ = needs_host ? "" : join_fixes(any);
  state_.set_steps(needs_host                     ? RunState::Steps::WithHostHooks
                   : obstacle_to_batches_.empty() ? RunState::Steps::InBatches
                                                  : RunState::Steps::HookByHook);
  choose_tally_computes();
  find_readers();
  take_tally_computes();
  find_sampling_fixes();
}

/// Finds out what in the thermo output and in the samples of this run reads atoms, and whether anything reads more.
void VerletTriad::find_readers() {
  AtomReaders readers(lmp, !state_.setting_up());
  thermo_reader_ = readers.in_thermo();
  reads_neighbors_ = may_read_neighbors(lmp);
  const std::vector<Fix *> fixes = modify->get_fix_list();  // a copy: AtomReaders makes LAMMPS renew its list
  samplers_.clear();
  for (const Fix *fix : fixes)
    if (samples_values(fix)) samplers_[fix] = readers.in_samples(fix);
  sampling_steps_.clear();
  for (const Fix *fix : fixes) {
    const auto *const ours = dynamic_cast<const SamplingFix *>(fix);
    if (ours || only_reads_atoms(fix))
      sampling_steps_.emplace(fix, ours ? ours->sampling_steps() : SamplingSteps(lmp, fix));
  }
}

/// Called after the last step of a run. LAMMPS's arrays become current in cleanup(), which is outside of the loop time,
/// or here for commands that drive several replicas, which read the arrays before.
void VerletTriad::finish_run() {
  if (update->ntimestep != update->laststep) tally_early_end();
  state_.end_run();
  if (universe->nworlds > 1 || update->ntimestep != update->laststep) sync_host_and_lists(triad::field_state);
  log_.after_statistics(summary());
}

void VerletTriad::cleanup() {
  if (state_.needs_cleanup()) {
    state_.end_cleanup();
    // LAMMPS prints the categories of the timer after this, with the time of the loop, which has ended
    constexpr Timer::ttype stamped[] = {Timer::COMM, Timer::NEIGH, Timer::ALL};
    double seconds[3];
    for (int k = 0; k < 3; ++k) seconds[k] = timer->get_wall(stamped[k]);
    reporting_errors([&] { sync_host_and_lists(triad::field_state); });
    for (int k = 0; k < 3; ++k) timer->set_wall(stamped[k], seconds[k]);
    fields_.start(engine_.get());  // scripts may change any array after this
    after_run_ = atoms_and_box();
  }
  Verlet::cleanup();
}

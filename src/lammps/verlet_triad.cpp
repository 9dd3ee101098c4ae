#include "lammps/verlet_triad.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "lammps/compute_heat_flux_triad.h"
#include "lammps/pair_tersoff_triad.h"
#include "lammps/thermo_output.h"
#include "md/tuning.h"
#include "modify.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "output.h"
#include "timer.h"
#include "universe.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace FixConst;

namespace {

constexpr int hooks_of_every_step =
    INITIAL_INTEGRATE | POST_INTEGRATE | PRE_FORCE | PRE_REVERSE | POST_FORCE | FINAL_INTEGRATE;

/// Fixes that read atoms and change none.
bool only_looks(const Fix *fix) {
  static const char *const styles[] = {
      "print",         "ave/time", "ave/chunk", "ave/histo",   "ave/histo/weight",   "ave/atom",
      "ave/correlate", "ave/grid", "vector",    "store/state", "ave/correlate/long", "halt"};
  return std::any_of(std::begin(styles), std::end(styles), [&](const char *s) { return !std::strcmp(s, fix->style); });
}

/// Those of them that know global values only.
bool samples_globals(const Fix *fix) {
  static const char *const styles[] = {"ave/time", "ave/correlate", "ave/correlate/long", "vector"};
  return std::any_of(std::begin(styles), std::end(styles), [&](const char *s) { return !std::strcmp(s, fix->style); });
}

bool is_plain_verlet(const Fix *fix) {
  const auto *resident = dynamic_cast<const ResidentFix *>(fix);
  triad::VerletGroup group;
  return resident && resident->plain_verlet(group);
}

bool is_dynamic_group(const Fix *fix) { return std::strcmp(fix->style, "GROUP") == 0; }

}  // namespace

VerletTriad::VerletTriad(LAMMPS *lmp, int narg, char **arg) : Verlet(lmp, narg, arg), residency_(lmp), halo_(lmp) {
  if (narg) error->all(FLERR, "run_style verlet/triad takes no arguments, but {} were given", narg);
  set_thermo_temperature(lmp, true);
}

VerletTriad::~VerletTriad() { set_thermo_temperature(lmp, false); }

triad::Stepper *VerletTriad::stepper_ahead_in(unsigned fields) {
  return residency_.stale_on_host(fields) ? stepper_.get() : nullptr;
}

ResidentRun *LAMMPS_NS::resident_run(LAMMPS *lmp) { return dynamic_cast<ResidentRun *>(lmp->update->integrate); }

void VerletTriad::init() {
  Verlet::init();
  pair_ = dynamic_cast<PairTersoffTriad *>(force->pair);
  new_list_ = true;
}

void VerletTriad::setup(int flag) {
  with_pair_at_stepper([&] { Verlet::setup(flag); });
}

void VerletTriad::setup_minimal(int flag) {
  with_pair_at_stepper([&] { Verlet::setup_minimal(flag); });
}

/// Calls work(), in which compute() of the pair style is the stepper's: its arrays are then the only ones on the
/// device.
template <class Work>
void VerletTriad::with_pair_at_stepper(Work &&work) {
  new_list_ = true;
  in_step_ = false;
  if (obstacle().empty()) pair_->compute_by([this](int eflag, int vflag) { compute_in_setup(eflag, vflag); });
  work();
  if (pair_) pair_->compute_by(nullptr);
}

/// Forces for LAMMPS's arrays, added to what pre_force hooks have left there.
void VerletTriad::compute_in_setup(int eflag, int vflag) {
  reporting_errors([&] {
    const std::vector<double> before = forces_on_host();
    start();
    pair_->compute_resident(*stepper_, eflag, vflag, false);
    residency_.changed_at_stepper(triad::field_f);
    residency_.to_host(triad::field_f);
    add_forces_on_host(before);
    in_step_ = modify->n_pre_force == 0 && no_setup_changes_atoms();
  });
}

/// Calls work() and turns an error of the loops into one of LAMMPS.
template <class Work>
void VerletTriad::reporting_errors(Work &&work) {
  try {
    work();
  } catch (const triad::LoopError &e) {
    error->one(FLERR, "run_style verlet/triad at step {}: {}", update->ntimestep, e.what());
  }
}

/// True if nothing in a setup after the forces changes atoms: fixes are plain integrators of ours or only look.
bool VerletTriad::no_setup_changes_atoms() const {
  for (int i = 0; i < modify->nfix; ++i)
    if (!is_plain_verlet(modify->fix[i]) && !only_looks(modify->fix[i])) return false;
  return true;
}

std::vector<double> VerletTriad::forces_on_host() const {
  return atom->nlocal ? std::vector<double>(atom->f[0], atom->f[0] + 3 * std::size_t(atom->nlocal))
                      : std::vector<double>();
}

void VerletTriad::add_forces_on_host(const std::vector<double> &forces) {
  for (std::size_t k = 0; k < forces.size(); ++k) atom->f[0][k] += forces[k];
}

double VerletTriad::memory_usage() { return Verlet::memory_usage() + (stepper_ ? stepper_->host_bytes() : 0.0); }

/// Why this run cannot leave the host, or nothing.
std::string VerletTriad::obstacle() const {
  if (!pair_) return std::string("the pair style is ") + (force->pair ? force->pair_style : "none");
  if (!pair_compute_flag) return "pair_modify compute no";
  if (force->kspace) return "there is a kspace style";
  if (force->bond || force->angle || force->dihedral || force->improper) return "there are bonded interactions";
  if (atom->torque_flag) return "atoms have torques";
  if (neighbor->includegroup || atom->firstgroup >= 0) return "atoms are limited to a first or included group";
  if (external_force_clear) return "package omp clears the forces";
  for (int i = 0; i < modify->nfix; ++i)
    if (modify->fmask[i] & PRE_REVERSE)
      return fmt::format("fix {} ({}) changes forces before they are communicated", modify->fix[i]->id,
                         modify->fix[i]->style);
  return "";
}

/// True if nothing but velocity Verlet of ours happens in a step; fills the groups.
bool VerletTriad::every_hook_is_verlet(triad::StepBatch *batch) const {
  if (domain->box_change) return false;
  int groups = 0;
  for (int i = 0; i < modify->nfix; ++i) {
    Fix *const fix = modify->fix[i];
    if (is_dynamic_group(fix)) return false;
    if (!(modify->fmask[i] & hooks_of_every_step)) continue;
    const auto *resident = dynamic_cast<const ResidentFix *>(fix);
    triad::VerletGroup group;
    if (!resident || !resident->plain_verlet(group) || ++groups > triad::tuning::max_groups) return false;
    if (batch) batch->groups.push_back(group);
  }
  return true;
}

void VerletTriad::start() {
  if (!stepper_ || pair_revision_ != pair_->revision()) {
    stepper_.reset();  // its memory first
    stepper_ = pair_->make_stepper();
    pair_revision_ = pair_->revision();
    new_list_ = true;
  }
  if (!in_step_) residency_.start(stepper_.get());  // scripts may have changed any array
  host_calls_.clear();
  short_lists_ = late_short_lists_ = 0;
  if (new_list_ || list_step_ != neighbor->lastcall || list_count_ != neighbor->ncalls) {
    residency_.to_host(triad::field_x);  // ghosts follow
    take_atoms();
  }
  batches_ = every_hook_is_verlet(nullptr);
  thermo_reads_atoms_ = thermo_reads_atoms(lmp);
  samples_read_atoms_ = samples_read_atoms(lmp);
  take_heat_fluxes();
}

/// Keeps computes heat/flux/triad out of LAMMPS's lists of those for which per-atom tallies are to be made on the host.
void VerletTriad::take_heat_fluxes() {
  heat_fluxes_.clear();
  for (Compute *compute : modify->get_compute_list()) {
    auto *flux = dynamic_cast<ComputeHeatFluxTriad *>(compute);
    if (!flux) continue;
    heat_fluxes_.push_back(flux);
    for (auto *list : {&elist_atom, &cvlist_atom})
      list->erase(std::remove(list->begin(), list->end(), compute), list->end());
  }
}

/// Whether a heat current of `step` will be asked for.
bool VerletTriad::heat_flux_is_due(bigint step) {
  bool due = false;
  for (ComputeHeatFluxTriad *flux : heat_fluxes_) due = flux->matchstep(step) || due;
  return due;
}

/// After the last step of a run. LAMMPS's arrays become current in cleanup(), outside of the loop's time, unless a
/// command that drives several replicas looks at them before.
void VerletTriad::finish() {
  running_ = true;
  if (universe->nworlds > 1 || update->ntimestep != update->laststep) bring_to_host(triad::field_state);
  if (comm->me != 0) return;
  if (short_lists_)
    utils::logmesg(lmp, "Triad: short list of rank 0 renewed {} times in this run, {} of them late\n", short_lists_,
                   late_short_lists_);
  if (atom->nlocal && stepper_->device_bytes() > 0)
    utils::logmesg(lmp, "Triad: {:.0f} bytes of device memory per atom of rank 0\n",
                   stepper_->device_bytes() / atom->nlocal);
  for (const auto &[name, calls] : host_calls_)
    utils::logmesg(lmp, "Triad: {} brought atoms to the host {} times in this run\n", name, calls);
}

void VerletTriad::cleanup() {
  if (std::exchange(running_, false)) reporting_errors([&] { bring_to_host(triad::field_state); });
  Verlet::cleanup();
}

/// Hands the atoms of LAMMPS and their new list to the stepper.
void VerletTriad::take_atoms() {
  triad::AtomArrays atoms;
  atoms.n_owned = atom->nlocal;
  atoms.n_ghosts = atom->nghost;
  if (atom->nmax) {
    atoms.x = atom->x[0];
    atoms.v = atom->v[0];
    atoms.f = atom->f[0];
  }
  atoms.type = atom->type;
  atoms.mask = atom->mask;
  atoms.tag = atom->tag;
  atoms.mass = atom->mass;
  atoms.rmass = atom->rmass;
  atoms.n_types = atom->ntypes;
  stepper_->set_atoms(atoms, pair_->rows(), halo_.learn());
  residency_.taken_over();
  new_list_ = false;
  list_step_ = neighbor->lastcall;
  list_count_ = neighbor->ncalls;
  corners_held_ = box_corners();
}

void VerletTriad::run(int n) {
  const std::string why_not = obstacle();
  if (!why_not.empty()) {
    if (comm->me == 0)
      utils::logmesg(lmp, "Triad: run_style verlet/triad runs this as run_style verlet, since {}\n", why_not);
    Verlet::run(n);
    return;
  }
  reporting_errors([&] {
    start();
    in_step_ = false;
    for (int done = 0; done < n;) {
      if (timer->check_timeout(done)) {
        update->nsteps = done;
        break;
      }
      const triad::StepBatch batch = plan(done, n);
      if (batch.n_steps > 0) {
        done += run_batch(batch);
      } else {
        run_step();
        ++done;
      }
    }
    finish();
  });
}

/// The steps that can follow without the host, up to and including the next one after which it is needed; sets eflag
/// and vflag for the last of them.
triad::StepBatch VerletTriad::plan(int done, int wanted) {
  triad::StepBatch batch;
  if (!batches_) return batch;
  const bigint now = update->ntimestep;
  bigint n = std::min(
      {bigint(wanted - done), output->next - now, bigint(triad::tuning::steps_per_batch), steps_to_forced_list() - 1});
  for (int i = 0; i < modify->nfix; ++i)
    if (modify->fmask[i] & END_OF_STEP) n = std::min(n, bigint(modify->fix[i]->nevery - now % modify->fix[i]->nevery));

  for (bigint s = 1; s <= n; ++s) {
    if (s > 1 && timer->check_timeout(done + static_cast<int>(s) - 1)) n = s - 1;
    if (s > n) break;
    ev_set(now + s);
    if ((eflag & ENERGY_ATOM) || (vflag & (VIRIAL_ATOM | VIRIAL_CENTROID)) || heat_flux_is_due(now + s))
      n = s - 1;
    else if (eflag || vflag)
      n = s;
  }
  if (n <= 0) return batch;
  every_hook_is_verlet(&batch);
  batch.n_steps = n;
  batch.last.energy = eflag;
  batch.last.virial = vflag;
  batch.list.check = neighbor->dist_check && !neighbor->build_once;
  batch.list.limit = displacement_limit();
  batch.list.ago = neighbor->ago;
  batch.list.delay = neighbor->delay;
  batch.list.every = neighbor->every;
  return batch;
}

/// Steps until one whose list is renewed whatever the displacements are.
bigint VerletTriad::steps_to_forced_list() const {
  const bigint now = update->ntimestep;
  bigint steps = MAXBIGINT;
  if (output->restart_flag && output->next_restart > now) steps = output->next_restart - now;
  for (int i = 0; i < modify->nfix; ++i) {
    const Fix *fix = modify->fix[i];
    if (fix->force_reneighbor && fix->next_reneighbor > now) steps = std::min(steps, fix->next_reneighbor - now);
  }
  if (!neighbor->dist_check && !neighbor->build_once) {
    const bigint ago = std::max(neighbor->ago + 1, neighbor->delay);
    const bigint due = (ago + neighbor->every - 1) / neighbor->every * neighbor->every;
    steps = std::min(steps, due - neighbor->ago);
  }
  return steps;
}

/// Steps that were made.
int VerletTriad::run_batch(const triad::StepBatch &batch) {
  residency_.to_stepper(triad::field_all);
  timer->stamp();
  const triad::BatchResult result = stepper_->advance(batch);
  stamp_batch(result);
  short_lists_ += result.short_lists + result.late_short_lists;
  late_short_lists_ += result.late_short_lists;
  residency_.changed_at_stepper(triad::field_state);
  update->ntimestep += result.completed;
  neighbor->ago += static_cast<int>(result.completed);
  if (!result.list_expired) {
    pair_->take_totals(result.totals, eflag, vflag);
    end_step();
    return static_cast<int>(result.completed);
  }
  ++update->ntimestep;
  ev_set(update->ntimestep);
  if (++neighbor->ago == std::max(neighbor->every, neighbor->delay)) ++neighbor->ndanger;
  renew_list();
  forces_and_rest();
  return static_cast<int>(result.completed) + 1;
}

/// Shares the wall time of a batch out by what the device measured.
void VerletTriad::stamp_batch(const triad::BatchResult &result) {
  timer->stamp(Timer::MODIFY);
  if (!timer->has_normal()) return;
  const auto move = [&](Timer::ttype to, double seconds) {
    timer->set_wall(to, timer->get_wall(to) + seconds);
    timer->set_wall(Timer::MODIFY, timer->get_wall(Timer::MODIFY) - seconds);
  };
  move(Timer::PAIR, result.force_seconds);
  move(Timer::COMM, result.halo_seconds);
}

/// One step, hook by hook, in the order of run_style verlet.
void VerletTriad::run_step() {
  const bigint step = ++update->ntimestep;
  ev_set(step);
  timer->stamp();
  call_fixes(
      INITIAL_INTEGRATE, [&](ResidentFix &fix) { fix.resident_initial_integrate(*stepper_, vflag); },
      [&](Fix &fix) { fix.initial_integrate(vflag); });
  call_fixes(POST_INTEGRATE, nullptr, [](Fix &fix) { fix.post_integrate(); });
  timer->stamp(Timer::MODIFY);
  if (list_is_due()) renew_list();
  forces_and_rest();
}

/// Neighbor::decide() with the displacements of the stepper's atoms.
bool VerletTriad::list_is_due() {
  const bigint step = update->ntimestep;
  if (output->restart_flag && step == output->next_restart) return true;
  for (int i = 0; i < modify->nfix; ++i)
    if (modify->fix[i]->force_reneighbor && step == modify->fix[i]->next_reneighbor) return true;
  const int ago = ++neighbor->ago;
  if (ago < neighbor->delay || ago % neighbor->every != 0 || neighbor->build_once) return false;
  if (!neighbor->dist_check) return true;
  residency_.to_stepper(triad::field_x);
  const bool due = halo_.any(stepper_->moved(displacement_limit()));
  if (due && ago == std::max(neighbor->every, neighbor->delay)) ++neighbor->ndanger;
  return due;
}

/// The corners of the box that Neighbor watches: two in an orthogonal box, which are enough, otherwise all eight.
std::vector<std::array<double, 3>> VerletTriad::box_corners() const {
  std::vector<std::array<double, 3>> corners;
  if (!triclinic) {
    for (const double *corner : {domain->boxlo, domain->boxhi}) corners.push_back({corner[0], corner[1], corner[2]});
    return corners;
  }
  domain->box_corners();
  for (const auto &corner : domain->corners) corners.push_back({corner[0], corner[1], corner[2]});
  return corners;
}

/// How far an atom may move: half the skin, less what two corners of the box have moved, chosen as LAMMPS chooses them
/// so that lists are renewed in the same steps.
double VerletTriad::displacement_limit() const {
  if (!domain->box_change) return 0.5 * neighbor->skin;
  const auto now = box_corners();
  double first = 0, second = 0;
  for (std::size_t k = 0; k < now.size(); ++k) {
    const auto &held = corners_held_[k];
    const double moved = std::hypot(now[k][0] - held[0], now[k][1] - held[1], now[k][2] - held[2]);
    if (k == 0 || (triclinic && moved > first))
      first = moved;
    else
      second = std::max(second, moved);
  }
  return 0.5 * std::max(0.0, neighbor->skin - (first + second));
}

/// A new list by LAMMPS, as in run_style verlet, from current atoms.
void VerletTriad::renew_list() {
  timer->stamp();
  residency_.to_host(modify->n_pre_exchange ? triad::field_state : triad::field_x | triad::field_v);
  residency_.all_on_host();  // until the stepper takes atoms over again, ghosts included
  timer->stamp(Timer::COMM);
  modify->pre_exchange();
  timer->stamp(Timer::MODIFY);
  if (triclinic) domain->x2lamda(atom->nlocal);
  domain->pbc();
  if (domain->box_change) {
    domain->reset_box();
    comm->setup();
    if (neighbor->style) neighbor->setup_bins();
  }
  timer->stamp();
  comm->exchange();
  if (atom->sortfreq > 0 && update->ntimestep >= atom->nextsort) atom->sort();
  comm->borders();
  if (triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
  timer->stamp(Timer::COMM);
  modify->pre_neighbor();
  timer->stamp(Timer::MODIFY);
  neighbor->build(1);
  timer->stamp(Timer::NEIGH);
  modify->post_neighbor();
  timer->stamp(Timer::MODIFY);
  take_atoms();
  timer->stamp(Timer::NEIGH);
}

/// What follows the positions of a step: forces, second half of the integration, output.
void VerletTriad::forces_and_rest() {
  timer->stamp();
  std::vector<double> before;
  if (modify->n_pre_force) {  // such hooks may leave forces, on ghosts too
    force_clear();
    residency_.changed_on_host(triad::field_f);
    call_fixes(PRE_FORCE, nullptr, [&](Fix &fix) { fix.pre_force(vflag); });
    comm->reverse_comm();
    before = forces_on_host();
    timer->stamp(Timer::MODIFY);
  }
  if (domain->box_change) stepper_->set_shifts(halo_.shifts());
  residency_.to_stepper(triad::field_x | triad::field_attributes);
  const bool heat_flux = heat_flux_is_due(update->ntimestep);
  pair_->compute_resident(*stepper_, eflag, vflag, heat_flux);
  if (heat_flux)
    for (ComputeHeatFluxTriad *flux : heat_fluxes_) flux->set_tallied_at_stepper(update->ntimestep);
  residency_.changed_at_stepper(triad::field_f);
  if (!before.empty()) {
    residency_.to_host(triad::field_f);
    add_forces_on_host(before);
    residency_.changed_on_host(triad::field_f);
  }
  timer->stamp(Timer::PAIR);
  for (int i = 0; i < modify->nfix; ++i)
    if (is_dynamic_group(modify->fix[i])) call_on_host(modify->fix[i], [&](Fix &fix) { fix.post_force(vflag); });
  call_fixes(
      POST_FORCE, [&](ResidentFix &fix) { fix.resident_post_force(*stepper_, vflag); },
      [&](Fix &fix) { fix.post_force(vflag); });
  call_fixes(
      FINAL_INTEGRATE, [&](ResidentFix &fix) { fix.resident_final_integrate(*stepper_); },
      [](Fix &fix) { fix.final_integrate(); });
  timer->stamp(Timer::MODIFY);
  end_step();
}

void VerletTriad::end_step() {
  timer->stamp();
  call_fixes(
      END_OF_STEP, [&](ResidentFix &fix) { fix.resident_end_of_step(*stepper_); }, [](Fix &fix) { fix.end_of_step(); });
  timer->stamp(Timer::MODIFY);
  if (update->ntimestep != output->next) return;
  timer->stamp();
  const bool only_thermo = output->next_dump_any != update->ntimestep && output->next_restart != update->ntimestep;
  if (!only_thermo || thermo_reads_atoms_) residency_.to_host(triad::field_state);
  output->write(update->ntimestep);
  timer->stamp(Timer::OUTPUT);
}

/// Calls a hook of all fixes that have it, in LAMMPS's order: ours at the stepper, others on the host. `resident` is
/// null for hooks that ResidentFix does not have.
template <class Resident, class Foreign>
void VerletTriad::call_fixes(int hook, Resident &&resident, Foreign &&foreign) {
  for (int i = 0; i < modify->nfix; ++i) {
    if (!(modify->fmask[i] & hook)) continue;
    Fix *const fix = modify->fix[i];
    if (hook == END_OF_STEP && update->ntimestep % fix->nevery != 0) continue;
    if constexpr (!std::is_same_v<std::decay_t<Resident>, std::nullptr_t>) {
      if (auto *ours = dynamic_cast<ResidentFix *>(fix)) {
        residency_.to_stepper(triad::field_all);
        residency_.changed_at_stepper(triad::field_state);  // already for what the hook itself asks for
        resident(*ours);
        residency_.changed_at_stepper(triad::field_state);
        continue;
      }
    }
    call_on_host(fix, foreign);
  }
}

/// Calls a hook of a fix that knows LAMMPS's arrays only.
template <class Call>
void VerletTriad::call_on_host(Fix *fix, Call &&call) {
  if (!samples_read_atoms_ && samples_globals(fix)) return call(*fix);
  residency_.to_host(triad::field_state);
  call(*fix);
  ++host_calls_[fmt::format("fix {} ({})", fix->id, fix->style)];
  if (!only_looks(fix)) residency_.changed_on_host(triad::field_all);
}

#include "lammps/fix/pairwise/fix_pairwise_triad.h"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "lammps/compat/undeclared.h"
#include "lammps/util/machine_ranks.h"
#include "lammps/util/thread_choice.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "pair.h"
#include "update.h"

using namespace LAMMPS_NS;
using triad::PairRange;

FixPairwiseTriad::FixPairwiseTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg),
      command_(std::string("fix ") + id + " pairwise/triad"),
      settings_(parse_pairwise_settings(lmp, narg - 3, arg + 3)),
      listed_(settings_.pairs),
      gathered_(world) {
  scalar_flag = 1;
  extscalar = 1;
  global_freq = 1;
  energy_global_flag = energy_peratom_flag = 1;
  virial_global_flag = virial_peratom_flag = 1;
  dynamic_group_allow = 1;
  respa_level_support = 1;
  comm_reverse = most_reversed;
  if (settings_.backend == BackendChoice::Cuda) wants_cuda();  // reports a missing GPU before the first run
}

int FixPairwiseTriad::setmask() {
  return FixConst::POST_FORCE | FixConst::MIN_POST_FORCE | FixConst::PRE_FORCE_RESPA | FixConst::POST_FORCE_RESPA |
         FixConst::POST_RUN;
}

// ---- before a run

void FixPairwiseTriad::init() {
  const RunLog::Init writing(log_);
  triad::PairwiseSetup &setup = settings_.setup;
  check_atoms();
  if (setup.range != PairRange::All) check_range();

  double special[4] = {1, 1, 1, 1};
  if (settings_.special_bonds && setup.range != PairRange::Pairs)
    std::copy_n(settings_.scaled_as_lj() ? force->special_lj : force->special_coul, 4, special);
  special[0] = 1;
  if (!std::equal(special, special + 4, setup.special) || setup.skin != neighbor->skin ||
      backend_threads_ != threads_of(lmp))
    backend_.reset();
  std::copy_n(special, 4, setup.special);
  setup.skin = neighbor->skin;

  choose_atom_location();
  set_on_engine(false);  // the run style sets this to true later if appropriate
  if (!may_be_on_engine() && !backend_) make_backend();
  if (setup.range == PairRange::List) request_list();
  energy_step_ = -1;
}

void FixPairwiseTriad::check_atoms() {
  if (!atom->tag_enable) error->all(FLERR, "{} requires atom IDs; remove atom_modify id no", command_);
  if (settings_.setup.n_types != atom->ntypes)
    error->all(FLERR, "{} was defined for {} atom types, but there are now {}; define the fix again", command_,
               settings_.setup.n_types, atom->ntypes);
  group2_bit_ = groupbit;
  if (!settings_.group2.empty()) {
    const int group2 = group->find(settings_.group2);
    if (group2 < 0) error->all(FLERR, "{} group2: there is no group {}", command_, settings_.group2);
    group2_bit_ = group->bitmask[group2];
  }
  if (settings_.setup.range == PairRange::Pairs && !ids_checked_) check_ids();
  const auto *force_special = settings_.scaled_as_lj() ? force->special_lj : force->special_coul;
  if (settings_.setup.range == PairRange::List && !settings_.special_bonds)
    for (int k = 1; k <= 3; ++k)
      if (atom->molecular != Atom::ATOMIC && force->special_lj[k] == 0 && force->special_coul[k] == 0)
        error->all(FLERR,
                   "{} exclude none: special_bonds removes the 1-{} neighbors from the neighbor list; set a tiny "
                   "factor instead of 0",
                   command_, k + 1);
  if (settings_.setup.range == PairRange::All && settings_.special_bonds && atom->molecular == Atom::TEMPLATE &&
      std::any_of(force_special + 1, force_special + 4, [](double f) { return f != 1; }))
    error->all(FLERR, "{} exclude special does not support molecule templates; use exclude none", command_);
}

/// Checks that all atoms of the pair file exist.
void FixPairwiseTriad::check_ids() {
  int line = 0;
  const tagint missing = listed_.missing_id(lmp, line);
  if (missing)
    error->all(FLERR, "{} at step {}: {}:{}: there is no atom with ID {}; give IDs of atoms that exist", command_,
               update->ntimestep, settings_.pair_file, line, missing);
  ids_checked_ = true;
}

/// Computes the communication range of ghost atoms and checks that the range is sufficient.
void FixPairwiseTriad::check_range() {
  const triad::PairwiseSetup &setup = settings_.setup;
  const bool listed = setup.range == PairRange::Pairs;
  if (listed && comm->nprocs == 1 && !periodic()) {
    ghost_range_ = std::numeric_limits<double>::infinity();
    return;
  }
  if (listed && comm->mode != Comm::SINGLE)
    error->all(FLERR, "{} {} requires comm_modify mode single", command_, settings_.law_name);
  if (listed && comm->style == Comm::TILED && !force->newton)
    error->all(FLERR, "{} {} with comm_style tiled requires newton on", command_, settings_.law_name);
  ghost_range_ = comm->cutghostuser;
  if (force->pair) ghost_range_ = std::max(ghost_range_, force->pair->cutforce + neighbor->skin);
  if (setup.cutoff + neighbor->skin > ghost_range_)
    error->all(FLERR,
               "{}: cutoff {} and the neighbor skin of {} exceed the communication range {}; use comm_modify cutoff {} "
               "or more",
               command_, setup.cutoff, neighbor->skin, ghost_range_, setup.cutoff + neighbor->skin);
}

/// Requests a list that holds all pairs within the cutoff: the pair style's list if its cutoff suffices for all types.
void FixPairwiseTriad::request_list() {
  const double cutoff = settings_.setup.cutoff;
  // With newton off, LAMMPS's half list holds pairs between two ranks on both ranks.
  full_list_ = !force->newton_pair || wants_full_list();
  if (neighbor->find_request(this) || alone_initialised()) return;
  NeighRequest *const request =
      neighbor->add_request(this, full_list_ ? NeighConst::REQ_FULL : NeighConst::REQ_DEFAULT);

  bool list_suffices = force->pair != nullptr;
  for (int i = 1; list_suffices && i <= atom->ntypes; ++i)
    for (int j = 1; j <= atom->ntypes; ++j)
      list_suffices = list_suffices && force->pair->cutsq[i][j] >= cutoff * cutoff;
  if (list_suffices) return;
  if (neighbor->style != Neighbor::BIN && neighbor->style != Neighbor::NSQ)
    error->all(FLERR, "{}: a cutoff beyond that of the pair style requires neighbor style bin or nsq", command_);
  // If the cutoff equals the largest cutoff of the pair style, LAMMPS shares the list of the pair style, which may have
  // smaller cutoffs for other type pairs. A cutoff that is smaller by rounding leads to a separate list.
  const bool equals_largest = force->pair && force->pair->cutforce == cutoff;
  request->set_cutoff(equals_largest ? cutoff * (1 - 1e-12) : cutoff);
}

/// True if only fixes are being initialised, as the command rerun does for every snapshot, and lists are kept;
/// otherwise the pair style is initialised first. A list request at such a time would stay pending until the next run,
/// where it would precede that of the pair style.
bool FixPairwiseTriad::alone_initialised() const {
  const auto of_pair_style = [&](const NeighList *list) {
    return list->requestor == force->pair && list == force->pair->list;  // a list that the pair style still uses
  };
  return list_ && force->pair && neighbor->nrequest == 0 &&
         std::any_of(neighbor->lists, neighbor->lists + neighbor->nlist, of_pair_style);
}

bool FixPairwiseTriad::wants_full_list() const { return triad::wants_full_list(settings_.setup, on_cuda_); }

void FixPairwiseTriad::init_list(int, NeighList *list) {
  list_ = list;
  stamp_ = ListStamp();
}

std::unique_ptr<triad::PairwiseBackend> FixPairwiseTriad::new_backend(std::string &note) {
  on_cuda_ = choose_cuda(lmp, command_, settings_.backend, note);
#if defined(TRIAD_HAS_CUDA)
  if (on_cuda_) return triad::make_pairwise_cuda(settings_.setup, gpu_index_of(lmp), threads_of(lmp));
#endif
  return triad::make_pairwise_host(settings_.setup, threads_of(lmp));
}

/// Creates the backend; the log names the backend each time.
void FixPairwiseTriad::make_backend() {
  std::string note;
  reporting_errors([&] { backend_ = new_backend(note); });
  backend_threads_ = threads_of(lmp);
  if (!on_cuda_) note += note_on_threads(lmp);
  log_backend(log_, command_, backend_->description(), settings_.setup.precision, note);
}

// ---- when forces are due

void FixPairwiseTriad::setup(int vflag) {
  if (!utils::strmatch(update->integrate_style, "^respa")) {
    if (on_engine_)
      evaluate_at(engine_run(lmp)->current_engine(), begin_step(vflag), triad::PairForce::Target::Caller);
    else
      post_force(vflag);
    return;
  }
  const int level = respa_level >= 0 ? std::min(respa_level, respa_levels_ - 1) : respa_levels_ - 1;
  Respa *const respa = reinterpret_cast<Respa *>(update->integrate);
  respa->copy_flevel_f(level);
  post_force_respa(vflag, level, 0);
  respa->copy_f_flevel(level);
}

void FixPairwiseTriad::min_setup(int vflag) { post_force(vflag); }
void FixPairwiseTriad::min_post_force(int vflag) { post_force(vflag); }

/// Called for every level, the outermost last, before the forces of a run are set up.
void FixPairwiseTriad::setup_pre_force_respa(int, int level) { respa_levels_ = level + 1; }

void FixPairwiseTriad::post_force_respa(int vflag, int level, int) {
  const int outermost = respa_levels_ - 1;
  if (level == (respa_level >= 0 ? std::min(respa_level, outermost) : outermost)) post_force(vflag);
}

void FixPairwiseTriad::post_force(int vflag) { evaluate(begin_step(vflag), true); }

/// Fix halt or a time limit may have ended the run in a step whose energy nobody has requested.
void FixPairwiseTriad::post_run() { find_energy(); }

/// Clears tallies and returns the tallies that the present step needs.
triad::TallyRequest FixPairwiseTriad::begin_step(int vflag) {
  const bigint now = update->ntimestep;
  ev_init((update->eflag_global == now ? ENERGY_GLOBAL : 0) | (update->eflag_atom == now ? ENERGY_ATOM : 0), vflag);
  return request_of(now);
}

/// The tallies that ev_init() requested for `step`. The energy of the last step is kept for scripts that read it
/// between runs; in other steps compute_scalar() can still compute it.
triad::TallyRequest FixPairwiseTriad::request_of(bigint step) const {
  triad::TallyRequest request;
  request.energy = eflag_global || update->whichflag == 2 || step == update->laststep;
  request.virial = vflag_global;
  request.atom_energy = eflag_atom;
  request.atom_virial = vflag_atom;
  return request;
}

/// Energy of all pairs, in energy units of the run. Between runs, that of the end of the last run.
double FixPairwiseTriad::compute_scalar() {
  const bool between_runs = update->whichflag == 0;
  if (between_runs && energy_step_ < 0) error->all(FLERR, "{}: there is no energy yet; use 'run 0' first", command_);
  if (!between_runs) find_energy();
  if (!energy_summed_) MPI_Allreduce(MPI_IN_PLACE, &energy_, 1, MPI_DOUBLE, MPI_SUM, world);
  energy_summed_ = true;
  if (!std::isfinite(energy_))
    error->all(FLERR,
               "{}: the energy at step {} is {}; check the coefficients of '{}': the energy of a pair is not a finite "
               "number at a distance that occurs, although the force is",
               command_, update->ntimestep, energy_, settings_.law_name);
  return energy_;
}

/// Computes the energy of this step unless the forces of the step came with it.
void FixPairwiseTriad::find_energy() {
  if (energy_step_ == update->ntimestep) return;
  triad::TallyRequest request;
  request.energy = true;
  if (on_engine_)
    evaluate_at(engine_run(lmp)->current_engine(), request, triad::PairForce::Target::Nobody);
  else
    evaluate(request, false);
}

/// Computes the requested tallies and adds to the virial; with `deliver`, also adds forces and per-atom tallies to
/// LAMMPS's arrays.
void FixPairwiseTriad::evaluate(const triad::TallyRequest &request, bool deliver) {
  if (!backend_) make_backend();  // the run may have been set up for the engine
  const bool all = settings_.setup.range == PairRange::All;
  reporting_errors([&] {
    const triad::PairAtomsView atoms = all ? all_atoms() : near_atoms();
    triad::ResultsView results;
    const bool directly = on_device() || (all && deliver && in_place_ && atoms.n > 0);
    if (directly) {
      const bool any = deliver && atoms.n > 0;
      results.force = any ? forces() : nullptr;
      results.atom_energy = any && request.atom_energy ? eatom : nullptr;
      results.atom_virial = any && request.atom_virial ? vatom[0] : nullptr;
    } else {
      const std::size_t n = atoms.n;
      force_.assign(3 * n, 0.0);
      atom_energy_.assign(request.atom_energy ? n : 0, 0.0);
      atom_virial_.assign(request.atom_virial ? 6 * n : 0, 0.0);
      results.force = force_.data();
      results.atom_energy = request.atom_energy ? atom_energy_.data() : nullptr;
      results.atom_virial = request.atom_virial ? atom_virial_.data() : nullptr;
    }

    triad::RankSlice slice;
    if (all) slice = {comm->me, comm->nprocs};
    backend_->compute(atoms, request, results, slice);

    take_totals(request, triad::totals_of(results));
    if (deliver && !directly) send_to_owners(request);
  });
}

void FixPairwiseTriad::take_totals(const triad::TallyRequest &request, const triad::ForceTotals &totals) {
  energy_step_ = request.energy ? update->ntimestep : -1;
  energy_summed_ = false;
  energy_ = totals.energy;
  if (request.virial)
    for (int k = 0; k < 6; ++k) virial[k] += totals.virial[k];
}

double FixPairwiseTriad::memory_usage() {
  const auto bytes = [](const auto &v) { return double(v.capacity()) * sizeof(v[0]); };
  return (backend_ ? backend_->memory_usage() : 0.0) + (pair_force_ ? pair_force_->host_bytes() : 0.0) +
         listed_.memory_usage() + mine_.memory_usage() + atom_stamp_.memory_usage() + gathered_.memory_usage() +
         bytes(force_) + bytes(atom_energy_) + bytes(atom_virial_) + bytes(strengths_) + bytes(sides_) +
         bytes(selected_) + bytes(summed_) + bytes(special_.partner) + bytes(special_.factor);
}

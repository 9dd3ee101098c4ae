// run_style verlet/triad: when and how neighbour lists are renewed. Pruned lists have their own rule (neighbor/).
#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "engine/tuning.h"
#include "error.h"
#include "fix.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/atom_arrays.h"
#include "lammps/util/domain_box.h"
#include "modify.h"
#include "neighbor.h"
#include "output.h"
#include "platform.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;

constexpr int shrink_wrapped = 2;  // Domain::nonperiodic

/// Number of steps until one in which the list is renewed regardless of displacements.
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

/// True if a fix makes LAMMPS renew the lists in this step.
bool VerletTriad::a_fix_forces_list() const {
  for (int i = 0; i < modify->nfix; ++i)
    if (modify->fix[i]->force_reneighbor && modify->fix[i]->next_reneighbor == update->ntimestep) return true;
  return false;
}

/// True if LAMMPS's neighbour list must be renewed in this step: the rule of Neighbor::decide(), with the displacements
/// of the engine's atoms.
bool VerletTriad::list_is_due() {
  if (state_.next_step_needs_list()) return true;
  const bigint step = update->ntimestep;
  if (output->restart_flag && step == output->next_restart) return true;
  if (a_fix_forces_list()) return true;
  const int ago = ++neighbor->ago;
  if (ago < neighbor->delay || ago % neighbor->every != 0 || neighbor->build_once) return false;
  if (!neighbor->dist_check) return true;
  fields_.sync_engine(triad::field_x);
  const bool due = halo_.any(engine_->moved(displacement_limit()));
  if (due && ago == std::max(neighbor->every, neighbor->delay)) ++neighbor->ndanger;
  return due;
}

/// Counts the atoms of all ranks after LAMMPS has moved atoms between ranks. An atom on two ranks is an error. A
/// missing atom has left the box through an open face, for instance; thermo_modify lost says what LAMMPS's next output
/// does then.
void VerletTriad::count_atoms() {
  bigint counted = atom->nlocal;
  MPI_Allreduce(MPI_IN_PLACE, &counted, 1, MPI_LMP_BIGINT, MPI_SUM, world);
  if (counted > atom->natoms)
    error->all(
        FLERR,
        "run_style verlet/triad: there are {} atoms instead of {} after ranks have exchanged atoms, so some atoms are "
        "on two ranks; use run_style verlet and report the script",
        counted, atom->natoms);
  atoms_lost_ += std::max<bigint>(0, std::min(atoms_counted_, atom->natoms) - counted);
  atoms_counted_ = counted;
}

/// Makes LAMMPS renew its lists from current atoms, as run_style verlet does. Where the engines make the lists and
/// nothing else reads LAMMPS's, LAMMPS only sorts atoms, moves them to other ranks and renews its ghosts: its lists of
/// pair_style hybrid take as long as thousands of steps.
void VerletTriad::renew_list() {
  const double start = platform::walltime();
  timer->stamp();
  fields_.sync_host_owned(modify->n_pre_exchange ? triad::field_state : triad::field_x | triad::field_v);
  fields_.all_on_host();  // until the engine takes the atoms again
  check_all_ranks();
  timer->stamp(Timer::COMM);
  modify->pre_exchange();
  timer->stamp(Timer::MODIFY);
  if (triclinic) domain->x2lamda(atom->nlocal);
  domain->pbc();
  fit_lists_to_box();
  timer->stamp();
  comm->exchange();
  count_atoms();
  if (update->ntimestep >= next_sort()) atom->sort();
  comm->borders();
  if (triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
  timer->stamp(Timer::COMM);
  modify->pre_neighbor();
  timer->stamp(Timer::MODIFY);
  const bool own = only_pair_styles_read_lists() && (comm->nprocs > 1 || !state_.with_host_hooks());
  if (!own || !take_atoms_for_own_list()) {
    neighbor->build(1);
    lammps_lists_unbuilt_ = false;
    timer->stamp(Timer::NEIGH);
    modify->post_neighbor();
    timer->stamp(Timer::MODIFY);
    take_atoms();
  } else {
    neighbor->ago = 0;
    neighbor->lastcall = update->ntimestep;
    ++neighbor->ncalls;
    lammps_lists_unbuilt_ = true;
    note_engine_list(true, true);
  }
  timer->stamp(Timer::NEIGH);
  ++lists_renewed_;
  renewal_seconds_ += platform::walltime() - start;
}

/// An empty list for an engine without a potential. Its cutoff, which limits the displacements until the next list, is
/// much larger than displacements in a step.
triad::TermLists VerletTriad::no_pairs() const {
  triad::NeighborListView rows;
  rows.cutoff = triad::tuning::free_path * std::max({neighbor->skin, domain->xprd, domain->yprd, domain->zprd});
  return rows;
}

triad::AtomArrays VerletTriad::engine_arrays() {
  triad::AtomArrays atoms = atom_arrays(atom);
  atoms.crossings = fields_.crossings();
  return atoms;
}

/// True if a fix must be called whenever lists are renewed.
bool VerletTriad::a_fix_needs_every_list() const {
  if (modify->n_post_neighbor) return true;
  for (int i = 0; i < modify->nfix; ++i)
    if ((modify->fmask[i] & (FixConst::PRE_EXCHANGE | FixConst::PRE_NEIGHBOR)) && !balances_at_times(modify->fix[i]))
      return true;
  return false;
}

bool VerletTriad::only_pair_styles_read_lists() const {
  return neighbor->nlist <= static_cast<int>(neighbor->get_pair_requests().size());
}

/// True if no style depends on LAMMPS's renewal of lists, and the engine can make lists. Collective.
bool VerletTriad::engine_makes_lists() const {
  if (!pairs_.engine_may_make_lists() || domain->nonperiodic == shrink_wrapped) return false;
  if (comm->nprocs > 1 && !pairs_.is_one_tersoff()) return false;  // only TersoffDevice's list can have ghosts
  if (domain->deform_vremap) return false;                         // velocities change when an atom crosses a face
  if (a_fix_needs_every_list()) return false;
  if (atom->ellipsoid_flag || atom->line_flag || atom->tri_flag || atom->body_flag) return false;
  for (const Fix *fix : modify->get_fix_list())
    if (dynamic_cast<const FixPairwiseTriad *>(fix)) return false;  // its pairs refer to LAMMPS's ghosts
  if (comm->nprocs > 1) {
    // LAMMPS's ghosts and lists do not follow, and on the host the engine makes no lists of several ranks
    if (comm->style != Comm::BRICK || !on_cuda() || !only_pair_styles_read_lists()) return false;
  }
  return !halo_.any(!engine_->makes_lists(list_box(), atom->nlocal));
}

bool VerletTriad::atoms_stay_outside() const { return comm->nprocs > 1 && state_.engine_makes_lists(); }

/// Passes LAMMPS's atoms to the engine, with LAMMPS's list unless the engine makes one. Collective.
void VerletTriad::take_atoms() {
  const bool late = neighbor->ago != 0;  // the potential or the run style has changed between two runs
  const bool made_by_engine = take_atoms_for_own_list();
  if (!made_by_engine)
    engine_->set_atoms(engine_arrays(), pairs_.empty() ? no_pairs() : pairs_.lists(), halo_.make_plan());
  note_engine_list(made_by_engine, late);
  check_all_ranks();  // fixes communicate next
}

/// Passes LAMMPS's atoms without ghosts to the engine, which makes a list. Returns false if the engine cannot make the
/// list. Collective.
bool VerletTriad::take_atoms_for_own_list() {
  if (!engine_makes_lists()) return false;
  box_ = list_box();
  triad::HaloPlan plan;
  plan.shift = {0, 0, 0};
  if (comm->nprocs > 1) {
    plan.exchange = &halo_;
    plan.send_counts.assign(comm->nprocs, 0);
    plan.receive_counts = plan.send_counts;
    plan.ghost_capacity = atom->nghost + atom->nghost / 4 + triad::tuning::least_ghost_capacity;
  }
  triad::AtomArrays atoms = engine_arrays();
  atoms.n_ghosts = 0;
  engine_->set_atoms(atoms, pairs_.lists_to_make(skin_), plan);
  return engine_->make_list(box_);
}

/// Notes whose list the engine has. `late`: LAMMPS's lists, and perhaps its ghosts, are of earlier positions than those
/// that the engine was given, from which it measures displacements.
void VerletTriad::note_engine_list(bool made_by_engine, bool late) {
  fields_.both_current();
  // atoms have left the box since LAMMPS's list; all ranks then renew their ghosts together
  const bool crossed = made_by_engine && halo_.any(engine_->crossed());
  if (crossed) {
    fields_.modify_engine(triad::field_x);
    fields_.sync_host_owned(triad::field_x);
  }
  if (made_by_engine)
    state_.engine_made_list(crossed || late);
  else
    state_.took_lammps_list(late);
  note_lammps_list();
  note_new_list();
}

/// Notes that the engine's list is of the present positions and box.
void VerletTriad::note_new_list() { box_limit_.note_list(box_of(domain)); }

/// Notes that the engine has LAMMPS's last list or a newer one.
void VerletTriad::note_lammps_list() {
  list_step_ = neighbor->lastcall;
  list_count_ = neighbor->ncalls;
}

/// Step from which on LAMMPS sorts the atoms when it renews its list. The next list of an engine that makes lists is
/// then LAMMPS's.
bigint VerletTriad::next_sort() const {
  if (atom->sortfreq <= 0) return MAXBIGINT;
  const bool rarely = state_.engine_makes_lists() && atom->sortfreq == triad::tuning::usual_sort_interval;
  return atom->nextsort + (rarely ? bigint(triad::tuning::intervals_per_sort - 1) * atom->sortfreq : 0);
}

/// Makes a list on the engine, unless LAMMPS's atoms are read in every step, or a fix or the sorting of atoms needs
/// LAMMPS's renewal. Returns true if the list was made.
bool VerletTriad::make_list() {
  if (!state_.engine_makes_lists() || state_.with_host_hooks() || a_fix_forces_list() ||
      update->ntimestep >= next_sort())
    return false;
  timer->stamp();
  box_ = list_box();
  fields_.sync_engine(triad::field_x);
  if (!engine_->make_list(box_)) return false;
  fields_.modify_engine(triad::field_x);
  neighbor->ago = 0;
  note_new_list();
  triad::BatchResult one;
  one.lists = 1;
  count_own_lists(one);
  timer->stamp(Timer::NEIGH);
  return true;
}

/// Makes LAMMPS renew its ghosts and lists at the present positions if the engine has made lists after LAMMPS's last
/// lists, or if renew_list() has left LAMMPS's unbuilt. The next list is due according to the displacements since the
/// engine's last list. Atoms keep their order.
/// With several ranks nothing reads LAMMPS's lists, see engine_makes_lists(), and LAMMPS's ghosts are those of the last
/// renew_list(), at current positions.
void VerletTriad::sync_lammps_lists() {
  if (!state_.lammps_lists_are_behind() || comm->nprocs > 1) return;
  if (fields_.positions_on_host() && !lammps_lists_unbuilt_) return;
  timer->stamp();
  fields_.sync_host_owned(triad::field_state);
  timer->stamp(Timer::COMM);
  if (atom->map_style != Atom::MAP_NONE) atom->map_clear();
  atom->nghost = 0;
  if (triclinic) domain->x2lamda(atom->nlocal);
  fit_lists_to_box();
  comm->borders();
  if (triclinic) domain->lamda2x(atom->nlocal + atom->nghost);
  fields_.ghosts_are_new();
  const int ago = neighbor->ago;
  neighbor->build(1);
  lammps_lists_unbuilt_ = false;
  neighbor->ago = ago;  // this renewal does not count
  --neighbor->ncalls;
  engine_->set_arrays(engine_arrays());
  pairs_.forget_pairs();
  note_lammps_list();
  timer->stamp(Timer::NEIGH);
}

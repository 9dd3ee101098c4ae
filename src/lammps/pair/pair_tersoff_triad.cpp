#include "lammps/pair/pair_tersoff_triad.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/util/list_rows.h"
#include "lammps/util/loop_errors.h"
#include "lammps/util/machine_ranks.h"
#include "lammps/util/thread_choice.h"
#include "memory.h"
#include "modify.h"
#include "neighbor.h"
#include "platform.h"
#include "timer.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

const char *style_name(triad::TersoffVariant v) {
  switch (v) {
    case triad::TersoffVariant::Mod:
      return "tersoff/mod/triad";
    case triad::TersoffVariant::ModC:
      return "tersoff/mod/c/triad";
    case triad::TersoffVariant::Zbl:
      return "tersoff/zbl/triad";
    default:
      return "tersoff/triad";
  }
}

}  // namespace

PairTersoffTriad::PairTersoffTriad(LAMMPS *lmp, triad::TersoffVariant variant, const char *suffix)
    : EnginePair(lmp, std::string(style_name(variant)) + suffix), pairs_(lmp) {
  setup_.table.variant = variant;
  single_enable = 0;
  restartinfo = 0;
  one_coeff = 1;
  manybody_flag = 1;
  no_virial_fdotr_compute = 1;          // the backend computes the virial
  comm_forward = 1;                     // owners of ghosts
  centroidstressflag = CENTROID_AVAIL;  // stock has none, since its virial is not that of the heat current
  unit_convert_flag = utils::get_supported_conversions(utils::ENERGY);
}

PairTersoffTriad::~PairTersoffTriad() {
  if (copymode || !allocated) return;
  memory->destroy(setflag);
  memory->destroy(cutsq);
}

void PairTersoffTriad::allocate() {
  allocated = 1;
  const int n = atom->ntypes;
  memory->create(setflag, n + 1, n + 1, "pair:setflag");
  memory->create(cutsq, n + 1, n + 1, "pair:cutsq");
  map = new int[n + 1];
}

void PairTersoffTriad::init_style() {
  const RunLog::Init writing(log_);
  swap_in_stock_fixes(lmp);
  if (atom->tag_enable == 0) error->all(FLERR, "Pair style {} requires atom IDs", style_);
  if (needs_newton() && force->newton_pair == 0) error->all(FLERR, "Pair style {} requires newton pair on", style_);
  list_replaceable_ = all_pairs_count();
  own_list_ = list_replaceable_ && force->pair == this;
  on_engine_ = false;  // the run style may set this in the setup of the run
  initialised_ = true;
  stamp_ = ListStamp();
  pairs_.init();
  if (own_list_)
    list = nullptr;  // from earlier runs
  else
    neighbor->add_request(this, NeighConst::REQ_FULL);
  if (!backend_ || backend_threads_ != threads_of(lmp)) make_backend();
  say_that_atoms_travel();
}

/// Writes a line to the log if the backend is on a GPU and the run style is not ours; once per backend.
void PairTersoffTriad::say_that_atoms_travel() {
  if (!on_cuda_ || lmp->kokkos || update->whichflag != 1 || std::strcmp(update->integrate_style, "verlet") != 0) return;
  if (std::exchange(said_travel_, backend_->description()) == backend_->description()) return;
  log_.before_thermo(
      "Triad: under run_style verlet, positions and forces are copied between host and GPU in every step; to keep "
      "atoms on the GPU, use 'run_style verlet/triad' and 'fix ID group-ID nve/triad' (or nvt/triad, npt/triad)\n");
}

std::unique_ptr<triad::TersoffBackend> PairTersoffTriad::new_backend(BackendChoice choice, std::string &note) {
  on_cuda_ = choose_cuda(lmp, "pair_style " + style_, choice, note);
#if defined(TRIAD_HAS_CUDA)
  if (on_cuda_) return triad::make_tersoff_cuda(setup_, gpu_index_of(lmp), threads_of(lmp));
#endif
  return triad::make_tersoff_host(setup_, threads_of(lmp));
}

/// Makes the backend and logs the choice.
void PairTersoffTriad::make_backend() {
  std::string note;
  const auto command = [this] { return "pair_style " + style_; };
  backend_.reset();
  reporting_loop_errors(lmp, command, [&] { backend_ = new_backend(choice_, note); });
  if (deterministic_ && !repeats_bits())
    error->one(FLERR,
               "pair_style {} deterministic yes: on {} with precision {} sums depend on the order of threads; use "
               "precision mixed, backend host, or deterministic no",
               style_, backend_->description(), name_of(setup_.precision));
  backend_threads_ = threads_of(lmp);
  renew_revision();
  if (!on_cuda_) note += note_on_threads(lmp);
  log_backend(log_, style_, backend_->description(), setup_.precision, note);
}

void PairTersoffTriad::init_list(int id, NeighList *ptr) {
  Pair::init_list(id, ptr);
  stamp_ = ListStamp();
}

double PairTersoffTriad::init_one(int i, int j) {
  if (setflag[i][j] == 0) error->all(FLERR, "All pair coeffs are not set");
  return force_cutoff();
}

double PairTersoffTriad::force_cutoff() const {
  return std::max(setup_.table.cutmax(), setup_.table.cutoff());  // a negative shift makes the second larger
}

triad::AtomsView PairTersoffTriad::atoms_view() const {
  triad::AtomsView atoms;
  atoms.n_owned = atom->nlocal;
  atoms.n_all = atom->nlocal + atom->nghost;
  atoms.x = atoms.n_all ? atom->x[0] : nullptr;
  atoms.type = atom->type;
  if (!owner_.empty()) atoms.owner = owner_.data() + atoms.n_owned;
  return atoms;
}

/// On one rank every ghost is an image of an atom of the same rank, so forces need not go to ghosts. With an engine,
/// fixes call the style when LAMMPS's ghosts may be those of an earlier step.
void PairTersoffTriad::renew_owners() {
  if (!on_cuda_ || on_engine_ || comm->nprocs > 1) {
    owner_.clear();
    owner_stamp_ = ListStamp();
    return;
  }
  const int n_all = atom->nlocal + atom->nghost;
  owner_stamp_.pass(*neighbor, n_all, [&] {
    owner_.resize(n_all);
    std::iota(owner_.begin(), owner_.begin() + atom->nlocal, 0);
    comm->forward_comm(this);
  });
}

int PairTersoffTriad::pack_forward_comm(int n, int *list, double *buf, int, int *) {
  for (int k = 0; k < n; ++k) buf[k] = owner_[list[k]];
  return n;
}

void PairTersoffTriad::unpack_forward_comm(int n, int first, double *buf) {
  for (int k = 0; k < n; ++k) owner_[first + k] = static_cast<int>(buf[k]);
}

double *PairTersoffTriad::forces() const { return atom->nlocal + atom->nghost ? atom->f[0] : nullptr; }

void PairTersoffTriad::add_forces() {
  require_init();
  renew_owners();
  const triad::AtomsView atoms = atoms_view();
  triad::ResultsView results = this->results();
  results.force = forces();
  const auto command = [this] { return "pair_style " + style_; };
  reporting_loop_errors(lmp, command, [&] {
    if (!backend_) {  // `run pre no` after new settings or coefficients
      make_backend();
      stamp_ = ListStamp();
      passed_ = -1;
    }
    pass_neighbours(atoms);
    backend_->compute(atoms, request(), results);
  });

  add_totals(triad::totals_of(results));
}

triad::ForceTerm PairTersoffTriad::term() {
  if (!backend_) make_backend();  // `run pre no` after new settings or coefficients
  return setup_;
}

triad::NeighborListView PairTersoffTriad::rows() const {
  triad::NeighborListView rows = rows_of(*list);
  rows.cutoff = neighbor->cutneighmax;
  return rows;
}

triad::NeighborListView PairTersoffTriad::list_pairs() {
  require_init();
  if (!own_list_) return rows();
  if (neighbor->ago == 0 || !pairs_.is_current()) make_pairs(atoms_view(), OwnList::Positions::OfBuild);
  return pairs_.rows();
}

void PairTersoffTriad::make_pairs(const triad::AtomsView &atoms, OwnList::Positions positions) {
  if (!all_pairs_listed())
    error->all(FLERR,
               "Pair style {}: pairs were excluded from neighbor lists after the run was set up; put 'run 0' before "
               "this run, or 'neigh_modify exclude' in front of it",
               style_);
  const double start = platform::walltime();
  pairs_.make(atoms, positions);
  if (on_engine_ || atom->nlocal == 0) return;
  if (timer->has_normal()) {  // LAMMPS's clock runs for the category Pair
    const double seconds = platform::walltime() - start;
    timer->set_wall(Timer::NEIGH, timer->get_wall(Timer::NEIGH) + seconds);
    timer->set_wall(Timer::PAIR, timer->get_wall(Timer::PAIR) - seconds);
  }
  const triad::NeighborListView rows = pairs_.rows();
  double neighbours = 0;
  for (int row = 0; row < rows.n_rows; ++row) neighbours += rows.length[rows.centre[row]];
  log_.after_statistics(list_line(neighbours, atom->nlocal));
}

/// Passes the list to the backend if LAMMPS has built lists since the last call.
void PairTersoffTriad::pass_neighbours(const triad::AtomsView &atoms) {
  if (!own_list_) {
    stamp_.pass(*neighbor, list->inum, [&] { backend_->set_neighbours(rows(), atoms); });
    return;
  }
  // Without an engine, compute() is called directly after each build. With one, only fixes call it, at any time, and
  // the run style calls list_pairs() after each build. The setup of a run resets LAMMPS's counts of builds.
  const bool called_after_builds = compute_flag && !on_engine_, current = pairs_.is_current(),
             set_up = neighbor->ago == 0 && update->setupflag && !on_engine_;
  if (!current || set_up)
    make_pairs(atoms, called_after_builds && !current ? OwnList::Positions::OfBuild : OwnList::Positions::Later);
  if (passed_ == pairs_.count()) return;
  backend_->set_neighbours(pairs_.rows(), atoms);
  passed_ = pairs_.count();
}

double PairTersoffTriad::memory_usage() {
  return Pair::memory_usage() + pairs_.bytes() + sizeof(int) * double(owner_.capacity()) +
         (backend_ ? backend_->memory_usage() : 0.0);
}

PairTersoffTableTriad::PairTersoffTableTriad(LAMMPS *lmp) : Pair(lmp) {
  error->all(FLERR,
             "There is no pair style tersoff/table/triad: the table only speeds up the stock style; use tersoff/triad, "
             "which is faster and needs no table");
}

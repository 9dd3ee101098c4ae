// pair_style lj/cut/triad: lists, forces, and the term of an engine. Settings and coefficients are in
// pair_lj_cut_triad_coeffs.cpp.
#include "lammps/pair/pair_lj_cut_triad.h"

#include <algorithm>

#include "atom.h"
#include "error.h"
#include "force.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/list_rows.h"
#include "lammps/util/loop_errors.h"
#include "lammps/util/machine_ranks.h"
#include "lammps/util/thread_choice.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;

PairLJCutTriad::PairLJCutTriad(LAMMPS *lmp) : EnginePair(lmp, "lj/cut/triad") {
  setup_.range = triad::PairRange::List;
  no_virial_fdotr_compute = 1;  // the backend computes the virial
  centroidstressflag = CENTROID_AVAIL;
  writedata = 1;
}

void PairLJCutTriad::init_style() {
  const RunLog::Init writing(log_);
  swap_in_stock_fixes(lmp);
  std::string note;
  on_cuda_ = choose_cuda(lmp, "pair_style " + style_, choice_, note);
  setup_.kernel = triad::PairKernel::Auto;
  const std::string line = fmt::format("Triad: pair_style {} on {}, precision {}{}\n", style_,
                                       on_cuda_ ? "cuda" : "the host", name_of(setup_.precision), note);
  if (std::exchange(logged_, line) != line) log_.before_thermo(line);
  on_engine_ = false;
  initialised_ = true;
  list_replaceable_ = all_pairs_count();
  stamp_ = ListStamp();
  if (backend_threads_ != threads_of(lmp)) backend_.reset();
  // With newton off, LAMMPS's half list holds pairs between two ranks on both ranks. Engines on a GPU take full lists.
  const bool engine_on_cuda = on_cuda_ && engine_run(lmp);
  full_list_ = !force->newton_pair || engine_on_cuda || triad::wants_full_list(setup_, on_cuda_);
  neighbor->add_request(this, full_list_ ? NeighConst::REQ_FULL : NeighConst::REQ_DEFAULT);
}

void PairLJCutTriad::init_list(int id, NeighList *ptr) {
  Pair::init_list(id, ptr);
  stamp_ = ListStamp();
}

void PairLJCutTriad::make_backend() {
#if defined(TRIAD_HAS_CUDA)
  if (on_cuda_) {
    backend_ = triad::make_pairwise_cuda(setup_, gpu_index_of(lmp), threads_of(lmp));
  } else
#endif
    backend_ = triad::make_pairwise_host(setup_, threads_of(lmp));
  backend_threads_ = threads_of(lmp);
  stamp_ = ListStamp();
}

void PairLJCutTriad::add_forces() {
  require_init();
  if (!std::equal(setup_.special, setup_.special + 4, force->special_lj)) {  // pair_modify special changes them
    std::copy_n(force->special_lj, 4, setup_.special);
    backend_.reset();
  }
  triad::PairAtomsView atoms;
  atoms.n = atom->nlocal + atom->nghost;
  atoms.n_owned = atom->nlocal;
  atoms.x = atoms.n ? atom->x[0] : nullptr;
  atoms.type = atom->type;
  triad::ResultsView results = this->results();
  results.force = atoms.n ? atom->f[0] : nullptr;
  reporting_loop_errors(
      lmp, [this] { return "pair_style " + style_; }, [this](int i) { return atom->tag[i]; },
      [&] {
        if (!backend_) make_backend();
        stamp_.pass(*neighbor, list->inum, [&] { backend_->set_neighbours({list_pairs(), full_list_}, atoms); });
        backend_->compute(atoms, request(), results);
      });
  add_totals(triad::totals_of(results));
}

std::string PairLJCutTriad::obstacle() const {
  return atom->molecular == Atom::ATOMIC
             ? ""
             : fmt::format(
                   "pair style {} applies special_bonds under run_style verlet only; atom_style atomic has none",
                   style_);
}

triad::ForceTerm PairLJCutTriad::term() {
  triad::PairwiseSetup setup = setup_;
  std::fill_n(setup.special, 4, 1.0);
  return setup;
}

triad::NeighborListView PairLJCutTriad::list_pairs() {
  require_init();
  triad::NeighborListView rows = rows_of(*list);
  rows.cutoff = neighbor->cutneighmax;
  rows.half = !full_list_;
  return rows;
}

std::vector<char> PairLJCutTriad::listed_types() const {
  std::vector<char> listed = EnginePair::listed_types();
  const int n = atom->ntypes + 1;
  if (listed.empty()) listed.assign(n * n, 1);
  for (int i = 1; i < n; ++i)
    for (int j = 1; j < n; ++j)
      if (std::get<triad::LennardJonesCutSettings>(setup_.law).pairs.at(i, j).cutoff == 0) listed[i * n + j] = 0;
  return listed;
}

double PairLJCutTriad::memory_usage() {
  const double n = atom->ntypes + 1;
  return Pair::memory_usage() + 3 * n * n * sizeof(double) + (backend_ ? backend_->memory_usage() : 0.0);
}

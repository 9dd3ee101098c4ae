// fix pairwise/triad under run_style verlet/triad: the engine owns atoms and forces, LAMMPS owns lists and attributes.

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/util/machine_ranks.h"
#include "lammps/util/thread_choice.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;
using triad::PairForce;
using triad::PairRange;

// ---- before a run

const char *FixPairwiseTriad::why_on_host() const {
  const bool all = settings_.setup.range == PairRange::All;
  if (lmp->kokkos) return "has LAMMPS's KOKKOS package on";
  if (all && has_scaled_pairs()) return "scales the pairs of special bonds among all atoms";
  if (all && !settings_.nearest_image && periodic()) return "uses unwrapped coordinates in a periodic box";
  return nullptr;
}

bool FixPairwiseTriad::wants_cuda() const {
  std::string note;
  return choose_cuda(lmp, command_, settings_.backend, note);
}

/// True if the atoms of the next run may be on an engine; on_cuda_ is then the location of the engine.
bool FixPairwiseTriad::may_be_on_engine() {
  EngineRun *const run = engine_run(lmp);
  if (!run || update->whichflag != 1 || why_on_host()) return false;
  on_cuda_ = settings_.backend == BackendChoice::Auto ? run->on_cuda() : wants_cuda();
  return true;
}

void FixPairwiseTriad::set_on_engine(bool on_engine) {
  pair_force_.reset();
  stamp_ = ListStamp();
  atom_stamp_ = AtomStamp();
  on_engine_ = false;
  in_place_ = false;
  if (!on_engine) return;
  const char *why = why_on_host();
  const bool on_cuda = engine_run(lmp)->on_cuda();
  if (!why && settings_.backend == (on_cuda ? BackendChoice::Host : BackendChoice::Cuda))
    why = "uses another backend than the engine";
  on_engine_ = !why;
  if (why)
    log_.before_thermo(
        fmt::format("Triad: {} reads its atoms from the host in every step, because it {}\n", command_, why));
}

std::unique_ptr<triad::MdEngine> FixPairwiseTriad::make_engine() {
  triad::TersoffSetup setup;  // no elements
  setup.precision = triad::Precision::Double;
  setup.type_to_element.assign(atom->ntypes + 1, -1);
#if defined(TRIAD_HAS_CUDA)
  if (wants_cuda()) return triad::make_engine_cuda(setup, gpu_index_of(lmp), threads_of(lmp));
#endif
  return triad::make_engine_host(setup, threads_of(lmp));
}

// ---- when forces are due

/// Returns the pair force of the engine with LAMMPS's present attributes, box and lists.
PairForce &FixPairwiseTriad::at(triad::MdEngine &engine) {
  const triad::PairwiseSetup &setup = settings_.setup;
  const bool all = setup.range == PairRange::All;
  const int revision = engine_run(lmp)->engine_revision();
  if (!pair_force_ || engine_revision_ != revision) {
    pair_force_.reset();  // frees its memory first
    pair_force_ = engine.make_pair_force(setup);
    engine_revision_ = revision;
    stamp_ = ListStamp();
    atom_stamp_ = AtomStamp();
    if (logged_ != pair_force_->description()) {
      logged_ = pair_force_->description();
      log_backend(log_, command_, logged_, setup.precision, ", atoms in place");
    }
  }
  const ListStamp list(*neighbor, setup.range == PairRange::List ? list_->inum : atom->nlocal);
  const bool new_list = !(list == stamp_);
  const int n = all ? atom->nlocal : atom->nlocal + atom->nghost;
  const bool gathers = all && comm->nprocs > 1;
  bool new_atoms = gathers ? atom_stamp_.pass(*atom, n, [this] { take_attributes(true); }) : keep_attributes(n);
  if (gathers)
    new_atoms = gathered_.gather_attributes(mine_, new_atoms);
  else if (comm->nprocs > 1)
    new_atoms = gathered_.layout().any(new_atoms);
  const triad::PairBox box = box_;
  triad::PairAtomsView atoms = gathers ? gathered_attributes() : kept_atoms(n);
  if (gathers && all_atoms_interact()) atoms.side = nullptr;
  atoms.box = all ? periodic_box() : nullptr;
  in_place_ = all && !gathers;
  if (new_atoms || new_list || !(box == box_)) {
    stamp_ = ListStamp();  // so that the next call sets everything again if one of the calls below fails
    pair_force_->set_atoms(atoms);
  }
  if (new_list && setup.range == PairRange::List) pair_force_->set_neighbours(list_rows());
  if (new_list && setup.range == PairRange::Pairs) {
    find_listed_pairs();
    pair_force_->set_pairs(listed_.view());
  }
  stamp_ = list;
  return *pair_force_;
}

void FixPairwiseTriad::evaluate_at(triad::MdEngine &engine, const triad::TallyRequest &request,
                                   PairForce::Target target) {
  reporting_errors([&] {
    triad::ResultsView results;
    if (atom->nlocal) {
      results.force = atom->f[0];
      results.atom_energy = request.atom_energy ? eatom : nullptr;
      results.atom_virial = request.atom_virial ? vatom[0] : nullptr;
    }
    at(engine).compute(request, results, target);
    take_totals(request, triad::totals_of(results));
  });
}

void FixPairwiseTriad::engine_post_force(triad::MdEngine &engine, int vflag) {
  evaluate_at(engine, begin_step(vflag), PairForce::Target::MdEngine);
}

// ---- batches of steps

/// Pair forces come before all changes of forces in a batch, so an earlier fix that changes forces does not allow
/// batches.
bool FixPairwiseTriad::join(triad::StepBatch &batch) {
  if (!batch.force_changes.empty()) return false;
  reporting_errors([&] { batch_.force = &at(engine_run(lmp)->engine()); });
  ev_init(batch.last.energy ? ENERGY_GLOBAL : 0, batch.last.virial ? VIRIAL_PAIR : 0);
  batch_.last = request_of(batch.first_step + batch.n_steps - 1);
  batch.pair_forces.push_back(&batch_);
  return true;
}

void FixPairwiseTriad::finish_batch(bool whole) {
  if (whole) take_totals(batch_.last, batch_.totals);
}

#include "lammps/pair_tersoff_triad.h"

#include <cstring>
#include <vector>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "error.h"
#include "force.h"
#include "io/tersoff_file.h"
#include "memory.h"
#include "neigh_list.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

const char *name_of(triad::Precision p) {
  switch (p) {
    case triad::Precision::Single:
      return "single";
    case triad::Precision::Mixed:
      return "mixed";
    default:
      return "double";
  }
}

}  // namespace

PairTersoffTriad::PairTersoffTriad(LAMMPS *lmp) : Pair(lmp) {
  single_enable = 0;
  restartinfo = 0;
  one_coeff = 1;
  manybody_flag = 1;
  no_virial_fdotr_compute = 1;  // the loops sum the virial themselves, where the pairs are at hand
  centroidstressflag = CENTROID_NOTAVAIL;
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

void PairTersoffTriad::settings(int narg, char **arg) {
  choice_ = BackendChoice::Auto;
  setup_.precision = triad::Precision::Mixed;
  backend_.reset();

  for (int i = 0; i < narg; i += 2) {
    const std::string keyword = arg[i];
    if (keyword != "precision" && keyword != "backend")
      error->all(FLERR, "Unknown pair_style tersoff/triad keyword: {} (known: precision, backend)", keyword);
    if (i + 1 == narg) error->all(FLERR, "Missing value after pair_style tersoff/triad keyword: {}", keyword);
    const std::string value = arg[i + 1];
    if (keyword == "precision") {
      if (value == "single")
        setup_.precision = triad::Precision::Single;
      else if (value == "mixed")
        setup_.precision = triad::Precision::Mixed;
      else if (value == "double")
        setup_.precision = triad::Precision::Double;
      else
        error->all(FLERR, "Unknown pair_style tersoff/triad precision: {} (known: single, mixed, double)", value);
    } else {
      if (value == "auto")
        choice_ = BackendChoice::Auto;
      else if (value == "cuda")
        choice_ = BackendChoice::Cuda;
      else if (value == "host")
        choice_ = BackendChoice::Host;
      else
        error->all(FLERR, "Unknown pair_style tersoff/triad backend: {} (known: auto, cuda, host)", value);
    }
  }
}

void PairTersoffTriad::coeff(int narg, char **arg) {
  if (narg < 3) error->all(FLERR, "pair_coeff for tersoff/triad needs: * * file element1 element2 ...");
  if (!allocated) allocate();

  map_element2type(narg - 3, arg + 3);

  double energy_factor = 1.0;
  const std::string text = read_potential_file(arg[2], energy_factor);
  try {
    setup_.table = triad::read_tersoff_table(text, arg[2], std::vector<std::string>(elements, elements + nelements),
                                             energy_factor);
  } catch (const triad::PotentialFileError &e) {
    error->all(FLERR, "{}", e.what());
  }
  setup_.type_to_element.assign(map, map + atom->ntypes + 1);
  backend_.reset();
}

/// The file's text on every rank, found and announced as stock does it; `energy_factor` converts between metal and
/// real.
std::string PairTersoffTriad::read_potential_file(const char *name, double &energy_factor) {
  std::string text;
  if (comm->me == 0) {
    int convert = unit_convert_flag;
    FILE *file = utils::open_potential(name, lmp, &convert);
    if (!file) error->one(FLERR, "Cannot open tersoff potential file {}: {}", name, utils::getsyserror());
    energy_factor = utils::get_conversion_factor(utils::ENERGY, convert);
    char buffer[65536];
    std::size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, n);
    const bool failed = ferror(file);
    fclose(file);
    if (failed) error->one(FLERR, "Cannot read tersoff potential file {}: {}", name, utils::getsyserror());
  }
  bigint size = text.size();
  MPI_Bcast(&size, 1, MPI_LMP_BIGINT, 0, world);
  if (size > MAXSMALLINT) error->all(FLERR, "Potential file {} is larger than 2 GB", name);
  text.resize(size);
  MPI_Bcast(&text[0], static_cast<int>(size), MPI_CHAR, 0, world);
  MPI_Bcast(&energy_factor, 1, MPI_DOUBLE, 0, world);
  return text;
}

void PairTersoffTriad::init_style() {
  if (atom->tag_enable == 0) error->all(FLERR, "Pair style tersoff/triad requires atom IDs");
  if (force->newton_pair == 0) error->all(FLERR, "Pair style tersoff/triad requires newton pair on");
  neighbor->add_request(this, NeighConst::REQ_FULL);
  if (!backend_ || backend_threads_ != comm->nthreads) make_backend();
}

/// Chooses the backend; the choice is logged each time it is made.
void PairTersoffTriad::make_backend() {
  std::string note;
  backend_.reset();
  try {
#if defined(TRIAD_HAS_CUDA)
    if (choice_ != BackendChoice::Host) {
      std::string reason;
      if (triad::usable_cuda_devices(reason) > 0)
        backend_ = triad::make_tersoff_cuda(setup_, comm->me, comm->nthreads);
      else if (choice_ == BackendChoice::Cuda)
        error->one(FLERR, "pair_style tersoff/triad backend cuda: {}; use backend host or auto to run on the CPU",
                   reason);
      else
        note = " (" + reason + ")";
    }
#else
    if (choice_ == BackendChoice::Cuda)
      error->all(FLERR,
                 "pair_style tersoff/triad backend cuda: this Triad was built without CUDA; use backend host or "
                 "auto, or install a build with CUDA");
#endif
    if (!backend_) backend_ = triad::make_tersoff_host(setup_, comm->nthreads);
  } catch (const triad::LoopError &e) {
    error->one(FLERR, "pair_style tersoff/triad: {}", e.what());
  }
  backend_threads_ = comm->nthreads;
  if (comm->me == 0)
    utils::logmesg(lmp, "Triad: tersoff/triad on {}, precision {}{}\n", backend_->description(),
                   name_of(setup_.precision), note);
}

void PairTersoffTriad::init_list(int id, NeighList *ptr) {
  Pair::init_list(id, ptr);
  stamp_ = ListStamp();
}

double PairTersoffTriad::init_one(int i, int j) {
  if (setflag[i][j] == 0) error->all(FLERR, "All pair coeffs are not set");
  return setup_.table.cutmax();
}

void PairTersoffTriad::compute(int eflag, int vflag) {
  ev_init(eflag, vflag);

  triad::AtomsView atoms;
  atoms.n_owned = atom->nlocal;
  atoms.n_all = atom->nlocal + atom->nghost;
  atoms.x = atoms.n_all ? atom->x[0] : nullptr;
  atoms.type = atom->type;

  triad::TallyRequest request;
  request.energy = eflag_global;
  request.virial = vflag_global;
  request.atom_energy = eflag_atom;
  request.atom_virial = vflag_atom;

  triad::ResultsView results;
  results.force = atoms.n_all ? atom->f[0] : nullptr;
  results.atom_energy = eflag_atom ? eatom : nullptr;
  results.atom_virial = vflag_atom && atoms.n_all ? vatom[0] : nullptr;

  try {
    pass_neighbours(atoms);
    backend_->compute(atoms, request, results);
  } catch (const triad::LoopError &e) {
    error->one(FLERR, "pair_style tersoff/triad at step {}: {}", update->ntimestep, e.what());
  }

  if (eflag_global) eng_vdwl += results.energy;
  if (vflag_global)
    for (int k = 0; k < 6; ++k) virial[k] += results.virial[k];
}

/// Hands the list over when LAMMPS has built it since the last time.
void PairTersoffTriad::pass_neighbours(const triad::AtomsView &atoms) {
  ListStamp now;
  now.step = neighbor->lastcall;
  now.builds = neighbor->ncalls;
  now.rows = list->inum;
  if (neighbor->ago != 0 && now == stamp_) return;

  triad::RowsView rows;
  rows.n_rows = list->inum;
  rows.centre = list->ilist;
  rows.length = list->numneigh;
  rows.neighbour = list->firstneigh;
  rows.mask = NEIGHMASK;
  backend_->set_neighbours(rows, atoms);
  stamp_ = now;
}

double PairTersoffTriad::memory_usage() { return Pair::memory_usage() + (backend_ ? backend_->memory_usage() : 0.0); }

/// compute */tally wants to be called for every pair, which a many-body potential on a GPU has no use for.
void PairTersoffTriad::add_tally_callback(Compute *compute) {
  error->all(FLERR, "Compute {} (style {}) is not supported by pair style tersoff/triad; use pair style tersoff",
             compute->id, compute->style);
}

#include "lammps/compute/compute_heat_flux_triad.h"

#include <algorithm>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "engine/host/group_motion.h"
#include "error.h"
#include "force.h"
#include "lammps/run/box_deformation.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/atom_arrays.h"
#include "lammps/util/centroid_virials.h"
#include "lammps/util/settings.h"
#include "pair.h"
#include "update.h"

using namespace LAMMPS_NS;

ComputeHeatFluxTriad::ComputeHeatFluxTriad(LAMMPS *lmp, int narg, char **arg) : ComputeApi(lmp, narg, arg) {
  read_no_settings(lmp, "compute heat/flux/triad", narg - 3, arg + 3);
  vector_flag = extvector = timeflag = peatomflag = 1;
  pressatomflag = 2;  // centroid virials
  size_vector = 6;
  comm_forward = 3;
  vector = new double[size_vector];
}

ComputeHeatFluxTriad::~ComputeHeatFluxTriad() { delete[] vector; }

void ComputeHeatFluxTriad::init() {
  engine_step_ = -1;
  require_centroid_virials(lmp, "Compute heat/flux/triad");
  if (force->bond || force->angle || force->dihedral || force->improper || force->kspace)
    error->all(FLERR, "Compute heat/flux/triad supports pair styles only; use compute heat/flux");
}

triad::TallyRequest ComputeHeatFluxTriad::tallies(const triad::MdEngine &engine) const {
  triad::TallyRequest request;
  request.atom_energy = request.atom_centroid = heat_current_takes_tallies(lmp, engine);
  return request;
}

bool ComputeHeatFluxTriad::samples_in_batches(const triad::MdEngine &engine) const {
  return on_engine_ && engine.samples_heat_current();
}

void ComputeHeatFluxTriad::add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) {
  samples_.add({{{std::move(steps)}, groupbit}, 0.5 * force->mvv2e, triad::AtomVirial::Centroid, {}},
               batch.heat_samplings);
}

/// Computes the total heat current and its convective part, times volume.
void ComputeHeatFluxTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  const double kinetic_factor = 0.5 * force->mvv2e;
  EngineRun *const run = engine_run(lmp);
  triad::HeatCurrent sum;
  if (const triad::HeatFlow *const sample = samples_.in(update->ntimestep)) {
    sum = current_of(*sample);
  } else if (run && engine_step_ == update->ntimestep) {
    run->sync_engine(triad::field_v);  // a thermostat of LAMMPS may have changed velocities since
    sum = run->engine().heat_current(groupbit, kinetic_factor, triad::AtomVirial::Centroid,
                                     heat_current_takes_tallies(lmp, run->engine()));
  } else {
    sum = current_of(flow_on_host(groupbit, kinetic_factor));
  }
  double mine[6];
  std::copy_n(sum.total, 3, mine);
  std::copy_n(sum.convective, 3, mine + 3);
  MPI_Allreduce(mine, vector, 6, MPI_DOUBLE, MPI_SUM, world);
}

/// Ghosts of atoms outside the group have velocity zero.
triad::HeatFlow ComputeHeatFluxTriad::flow_on_host(int bit, double kinetic_factor) {
  if (update->eflag_atom != update->ntimestep || update->vflag_atom != update->ntimestep)
    error->all(FLERR, "Per-atom energies and virials were not tallied in step {}, in which compute {} is wanted",
               update->ntimestep, id);
  if (EngineRun *const run = engine_run(lmp)) run->sync_host(triad::field_v);
  ghost_velocity_.resize(3 * static_cast<std::size_t>(atom->nghost));
  sent_bit_ = bit;
  comm->forward_comm(this);
  const Pair *pair = force->pair;
  const triad::AtomArrays atoms = atom_arrays(atom);
  const triad::GroupMotion group(atoms, bit, 1);
  const int n_all = atoms.n_owned + atoms.n_ghosts;
  const triad::HeatTallies tallies = {pair->eatom, n_all ? pair->cvatom[0] : nullptr, 9, ghost_velocity_.data(),
                                      kinetic_factor};
  triad::HeatFlow sum;
  for (int i = 0; i < n_all; ++i) group.add_heat_flow_of(i, tallies, sum);
  return sum;
}

/// Sends the velocities of atoms of the group, and zeros for other atoms. An atom of the list may be a ghost, which is
/// then sent as a ghost of another rank.
int ComputeHeatFluxTriad::pack_forward_comm(int n, int *list, double *buffer, int, int *) {
  for (int k = 0; k < n; ++k) {
    const int i = list[k];
    if (i >= atom->nlocal)
      std::copy_n(ghost_velocity_.data() + 3 * static_cast<std::size_t>(i - atom->nlocal), 3, buffer + 3 * k);
    else if (atom->mask[i] & sent_bit_)
      std::copy_n(atom->v[i], 3, buffer + 3 * k);
    else
      std::fill_n(buffer + 3 * k, 3, 0.0);
  }
  return 3 * n;
}

void ComputeHeatFluxTriad::unpack_forward_comm(int n, int first, double *buffer) {
  std::copy_n(buffer, 3 * n, ghost_velocity_.data() + 3 * static_cast<std::size_t>(first - atom->nlocal));
}

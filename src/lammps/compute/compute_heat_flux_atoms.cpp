#include "lammps/compute/compute_heat_flux_atoms.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "atom.h"
#include "dynamics/heat_current.h"
#include "error.h"
#include "force.h"
#include "lammps/run/box_deformation.h"
#include "lammps/run/command_arguments.h"
#include "lammps/run/engine_fix.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

bool has_style(const Compute *compute, const char *style) { return std::strcmp(compute->style, style) == 0; }

/// True if the words behind the first `n` of a compute command are none or name forces of the pair style alone.
bool only_pair_style(const std::vector<std::string> &words, std::size_t n, bool may_be_none) {
  if (words.size() <= n) return may_be_none && words.size() == n;
  return words.size() == n + 1 && (words[n] == "pair" || (n > 3 && words[n] == "virial"));
}

}  // namespace

ComputeHeatFluxAtoms::ComputeHeatFluxAtoms(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg),
      kinetic_(narg > 3 ? arg[3] : ""),
      potential_(narg > 4 ? arg[4] : ""),
      virial_(narg > 5 ? arg[5] : "") {
  const std::string what = unsupported(lmp, narg, arg);
  if (!what.empty()) error->all(FLERR, "Compute heat/flux/triad does not support {}; use compute heat/flux", what);
  vector_flag = extvector = timeflag = peatomflag = 1;
  take_kind(*find().virial);
  size_vector = 6;
  vector = new double[size_vector];
}

ComputeHeatFluxAtoms::~ComputeHeatFluxAtoms() { delete[] vector; }

std::string ComputeHeatFluxAtoms::unsupported(LAMMPS *lmp, int narg, char **arg) {
  if (narg != 6) return "other arguments than three compute IDs";
  return unsupported_sources(lmp, {arg[3], arg[4], arg[5]});
}

/// The same for the computes with the IDs `ids`.
std::string ComputeHeatFluxAtoms::unsupported_sources(LAMMPS *lmp, const std::array<std::string, 3> &ids) {
  const Compute *of[3];
  for (int k = 0; k < 3; ++k)
    if (!(of[k] = lmp->modify->get_compute_by_id(ids[k]))) return "the unknown compute " + ids[k];
  if (!has_style(of[0], "ke/atom")) return "compute " + ids[0] + ", which is not ke/atom";
  if (!has_style(of[1], "pe/atom")) return "compute " + ids[1] + ", which is not pe/atom";
  if (!has_style(of[2], "stress/atom") && !has_style(of[2], "centroid/stress/atom"))
    return "compute " + ids[2] + ", which is neither stress/atom nor centroid/stress/atom";
  return "";
}

ComputeHeatFluxAtoms::Sources ComputeHeatFluxAtoms::find() const {
  Sources sources;
  sources.kinetic = modify->get_compute_by_id(kinetic_);
  sources.potential = modify->get_compute_by_id(potential_);
  sources.virial = modify->get_compute_by_id(virial_);
  for (const Compute *one : {sources.kinetic, sources.potential, sources.virial})
    if (!one) error->all(FLERR, "Could not find a compute of compute {} ({})", id, style);
  return sources;
}

void ComputeHeatFluxAtoms::take_kind(const Compute &virial) {
  kind_ = has_style(&virial, "stress/atom") ? triad::AtomVirial::Thirds : triad::AtomVirial::Centroid;
  pressatomflag = kind_ == triad::AtomVirial::Centroid ? 2 : 1;
}

/// Finds out if the sums of the pair style's tallies are the sums of the computes' values. The computes may have been
/// defined anew.
void ComputeHeatFluxAtoms::init() {
  engine_step_ = -1;
  const std::string what = unsupported_sources(lmp, {kinetic_, potential_, virial_});
  if (!what.empty()) error->all(FLERR, "Compute {} ({}) does not support {}; use compute heat/flux", id, style, what);
  const Sources of = find();
  take_kind(*of.virial);
  of_pair_style_ = true;
  for (const Compute *one : {of.kinetic, of.potential, of.virial})
    of_pair_style_ = of_pair_style_ && (one->igroup == 0 || one->igroup == igroup);
  const std::vector<std::string> stress = compute_arguments(lmp, of.virial);
  of_pair_style_ = of_pair_style_ && only_pair_style(compute_arguments(lmp, of.potential), 3, true) &&
                   only_pair_style(stress, 4, false) && stress[3] == "NULL";
}

triad::TallyRequest ComputeHeatFluxAtoms::tallies(const triad::MdEngine &engine) const {
  triad::TallyRequest request;
  if (!heat_current_takes_tallies(lmp, engine)) return request;
  request.atom_energy = true;
  (kind_ == triad::AtomVirial::Thirds ? request.atom_virial : request.atom_centroid) = true;
  return request;
}

bool ComputeHeatFluxAtoms::samples_in_batches(const triad::MdEngine &engine) const {
  return on_engine_ && engine.samples_heat_current();
}

void ComputeHeatFluxAtoms::add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) {
  samples_.add({{{std::move(steps)}, groupbit}, 0.5 * force->mvv2e, kind_, {}}, batch.heat_samplings);
}

/// Computes the total heat current and its convective part, times volume.
void ComputeHeatFluxAtoms::compute_vector() {
  invoked_vector = update->ntimestep;
  EngineRun *const run = engine_run(lmp);
  triad::HeatCurrent sum;
  if (const triad::HeatFlow *const sample = samples_.in(update->ntimestep)) {
    sum = current_of(*sample);
  } else if (run && engine_step_ == update->ntimestep) {
    run->sync_engine(triad::field_v);  // a thermostat of LAMMPS may have changed velocities since
    sum =
        run->engine().heat_current(groupbit, 0.5 * force->mvv2e, kind_, heat_current_takes_tallies(lmp, run->engine()));
  } else {
    sum = on_host();
  }
  double mine[6];
  std::copy_n(sum.total, 3, mine);
  std::copy_n(sum.convective, 3, mine + 3);
  MPI_Allreduce(mine, vector, 6, MPI_DOUBLE, MPI_SUM, world);
}

/// The sum over the atoms of this rank, from the values of the three computes.
triad::HeatCurrent ComputeHeatFluxAtoms::on_host() {
  if (EngineRun *const run = engine_run(lmp)) run->sync_host(triad::field_x | triad::field_v);
  const Sources of = find();
  for (Compute *one : {of.kinetic, of.potential, of.virial}) {
    if (one->invoked_flag & INVOKED_PERATOM) continue;
    one->compute_peratom();
    one->invoked_flag |= INVOKED_PERATOM;
  }
  const int components = kind_ == triad::AtomVirial::Centroid ? 9 : 6;
  triad::HeatFlow sum;
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    double virial[9];
    for (int k = 0; k < components; ++k) virial[k] = -of.virial->array_atom[i][k] / force->nktv2p;
    triad::add_tallied_flow(sum, atom->v[i], of.kinetic->vector_atom[i] + of.potential->vector_atom[i], virial,
                            components);
  }
  return triad::current_of(sum);
}

#include "lammps/fix/hnemd/fix_hnemd_triad.h"

#include <algorithm>
#include <cmath>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/run/box_deformation.h"
#include "lammps/util/centroid_virials.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "modify.h"
#include "update.h"
#include "utils.h"

using namespace LAMMPS_NS;

FixHnemdTriad::FixHnemdTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg),
      compute_id_(std::string(id) + "_flow"),
      motion_(lmp, groupbit),
      driving_(lmp, this, groupbit),
      log_(lmp) {
  read_settings(lmp, "fix hnemd/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    for (double &component : field_) {
      component = words.number("driving field");
      field_squared_ += component * component;
    }
    if (!(field_squared_ > 0)) words.reject("needs a driving field other than 0 0 0");
    const auto read_part = [&] {
      const std::string name = words.word();
      const int index = group->find(name);
      if (index < 0) words.reject("part: there is no group " + name);
      parts_.push_back({name, group->bitmask[index]});
    };
    nevery = 1;
    words.keywords({{"every", [&] { nevery = words.whole_number_from(1); }},
                    {"skip", [&] { skip_ = words.whole_number_from(0); }},
                    {"volume", [&] { given_volume_ = words.positive(); }},
                    {"part", read_part}});
  });
  now_.resize(of_parts + parts_.size());
  start_new_means();
  global_freq = nevery;
  scalar_flag = vector_flag = ecouple_flag = restart_global = 1;
  size_vector = 17 + static_cast<int>(parts_.size());
  extscalar = 1;
  extvector = -1;
  extlist = new int[size_vector];
  for (int n = 0; n < size_vector; ++n) extlist[n] = n >= 9 && n < 15;  // currents
  comm_reverse = 3;
  batch_.change.group_bit = groupbit;
  batch_.change.kind = triad::ForceChange::Kind::Drive;
  std::copy_n(field_, 3, batch_.change.value);
}

FixHnemdTriad::~FixHnemdTriad() {
  delete[] extlist;
  if (modify && modify->get_compute_by_id(compute_id_)) modify->delete_compute(compute_id_);
}

int FixHnemdTriad::setmask() { return FixConst::POST_FORCE | FixConst::END_OF_STEP | FixConst::POST_RUN; }

/// Creates the compute that requests per-atom energies and virials in every step and sums the heat current.
void FixHnemdTriad::post_constructor() { modify->add_compute(compute_id_ + " all heat/flux/triad"); }

ComputeHeatFluxTriad *FixHnemdTriad::flow_compute() const {
  auto *const compute = dynamic_cast<ComputeHeatFluxTriad *>(modify->get_compute_by_id(compute_id_));
  if (!compute) error->all(FLERR, "Compute {} of fix {} of style {} was deleted", compute_id_, id, style);
  return compute;
}

bool FixHnemdTriad::reads(const Compute *compute) const { return compute->id == compute_id_; }

void FixHnemdTriad::init() {
  const RunLog::Init writing(log_);
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "Fix hnemd/triad does not support run_style respa");
  require_deformation_behind(lmp, this);
  require_centroid_virials(lmp, "Fix hnemd/triad");
  if (!force->newton_pair) error->all(FLERR, "Fix hnemd/triad requires newton pair on");
  if (group->dynamic[igroup])
    error->all(FLERR, "Fix hnemd/triad: group {} is dynamic; use a static group", group->names[igroup]);
  count_atoms();
  for (Part &part : parts_) {
    const int index = group->find(part.name);
    if (index < 0)
      error->all(
          FLERR,
          "Fix hnemd/triad: group {} of keyword part was deleted; define the group again before the run, or the fix "
          "without this part",
          part.name);
    if (group->dynamic[index])
      error->all(FLERR, "Fix hnemd/triad: group {} of keyword part is dynamic; use a static group", part.name);
    if (group->count(index) == 0)
      error->all(FLERR, "Fix hnemd/triad: group {} of keyword part has no atoms", part.name);
    part.groupbit = group->bitmask[index];
  }
  for (const Fix *other : modify->get_fix_list())
    if (other != this && dynamic_cast<const FixHnemdTriad *>(other))
      error->all(FLERR, "There may be one fix hnemd/triad only: the currents of several fields cannot be told apart");
  if (given_volume_ == 0 && domain->nonperiodic && comm->me == 0)
    error->warning(FLERR,
                   "Fix hnemd/triad divides by the volume of a box that is not periodic; the keyword volume gives that "
                   "of the material");
  if (update->whichflag == 1) check_thermostat();
  on_engine_ = true;
  on_device_ = false;  // unless set_on_engine() follows
  compares_target_ = true;
  reset_dt();
  flow_compute()->addstep(update->ntimestep);
}

void FixHnemdTriad::count_atoms() {
  natoms_ = atom->natoms;
  atoms_in_group_ = static_cast<double>(group->count(igroup));
  if (atoms_in_group_ < 2)
    error->all(FLERR, "Fix hnemd/triad: group {} has {} atoms; at least 2 are needed", group->names[igroup],
               atoms_in_group_);
}

/// Target temperature of the first thermostat of atoms of the group, or 0 without one.
double FixHnemdTriad::target() const {
  for (Fix *other : modify->get_fix_list()) {
    int dim = 0;
    const auto *const target = other == this ? nullptr : static_cast<double *>(other->extract("t_target", dim));
    if (target && dim == 0 && (other->groupbit & groupbit)) return *target;
  }
  return 0;
}

/// The means of two temperatures are the conductivity of neither.
void FixHnemdTriad::compare_target() {
  const double now = target();
  if (means_.samples() > 0 && std::abs(now - target_) > 0.01 * target_) {
    start_new_means();
    if (comm->me == 0)
      error->warning(FLERR, "Fix {} of style {} starts new means: the target temperature is {} instead of {}", id,
                     style, now, target_);
  }
  compares_target_ = false;
}

void FixHnemdTriad::start_new_means() { means_ = triad::BlockMeans(now_.size()); }

/// A fix with a target temperature is a thermostat of the atoms of its group.
void FixHnemdTriad::check_thermostat() const {
  int thermostats = 0;
  for (Fix *other : modify->get_fix_list()) {
    int dim = 0;
    if (other != this && other->extract("t_target", dim)) thermostats |= other->groupbit;
  }
  if (!thermostats)
    error->all(
        FLERR,
        "Fix hnemd/triad needs a thermostat, such as fix nvt/triad: the driving force heats the atoms, and without "
        "one the conductivity has no temperature");
  bigint mine = 0, covered = 0;
  for (int i = 0; i < atom->nlocal; ++i)
    if ((atom->mask[i] & groupbit) && (atom->mask[i] & thermostats)) ++mine;
  MPI_Allreduce(&mine, &covered, 1, MPI_LMP_BIGINT, MPI_SUM, world);
  if (covered == 0) error->all(FLERR, "Fix hnemd/triad: no thermostat acts on atoms of group {}", group->names[igroup]);
  if (covered < static_cast<bigint>(atoms_in_group_) && comm->me == 0)
    error->warning(FLERR,
                   "Fix hnemd/triad: thermostats act on {} of the {} atoms of group {}; the others give their heat to "
                   "these atoms, so the temperature is not uniform",
                   covered, static_cast<bigint>(atoms_in_group_), group->names[igroup]);
}

void FixHnemdTriad::reset_dt() { dt_ = update->dt; }

/// An engine on a GPU computes driving forces and currents from positions. All others need per-atom tallies in each
/// step.
void FixHnemdTriad::set_on_engine(bool on_engine) {
  EngineRun *const run = engine_run(lmp);
  on_engine_ = on_engine && run;
  on_device_ = on_engine_ && run->on_cuda();
  flow_compute()->set_tallies_on_host(!on_engine_);
  flow_compute()->addstep(update->ntimestep + 1);
}

/// LAMMPS's arrays are current in the setup.
void FixHnemdTriad::setup(int) {
  sums_ = driving_.add(nullptr, field_);
  flow_compute()->addstep(on_device_ ? next_sample() : update->ntimestep + 1);
}

void FixHnemdTriad::post_force(int) {
  sums_ = driving_.add(nullptr, field_);
  flow_compute()->addstep(update->ntimestep + 1);
}

void FixHnemdTriad::engine_post_force(triad::MdEngine &engine, int) {
  sums_ = driving_.add(&engine, field_);
  if (!on_device_) flow_compute()->addstep(update->ntimestep + 1);
}

/// A Langevin thermostat that stands before this fix makes no batches, since the noise comes after all changes of a
/// batch.
bool FixHnemdTriad::join(triad::StepBatch &batch) {
  if (!on_device_ || !engine_run(lmp)->sums_over_ranks() || !batch.langevin.empty()) return false;
  batch.force_changes.push_back(&batch_);
  return true;
}

void FixHnemdTriad::finish_batch(bool whole) {
  if (whole) sums_ = sum_over_ranks(batch_.before, world);
}

void FixHnemdTriad::engine_end_of_step(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  end_of_step();
}

/// Of all ranks, at the present velocities and the virials of this step.
triad::HeatFlow FixHnemdTriad::flow_of(int bit) const {
  const double kinetic_factor = 0.5 * force->mvv2e;
  triad::MdEngine *const engine = motion_.engine();
  const triad::HeatFlow mine = engine ? engine->heat_flow(bit, kinetic_factor, triad::AtomVirial::Centroid)
                                      : flow_compute()->flow_on_host(bit, kinetic_factor);
  triad::HeatFlow all;
  MPI_Allreduce(mine.flow, all.flow, 9, MPI_DOUBLE, MPI_SUM, world);
  MPI_Allreduce(mine.convective, all.convective, 3, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

void FixHnemdTriad::end_of_step() {
  if (compares_target_) compare_target();
  sample();
  work_ += nevery * dt_ * now_[of_power];
  driven_steps_ += nevery;
  if (driven_steps_ > skip_) means_.add(now_.data());
  if (on_device_) flow_compute()->addstep(next_sample());
}

void FixHnemdTriad::sample() {
  if (atom->natoms != natoms_) count_atoms();
  const triad::HeatFlow all = flow_of(groupbit);
  std::copy_n(all.flow, 9, now_.begin() + of_flow);
  std::copy_n(all.convective, 3, now_.begin() + of_convective);
  const triad::KineticSums kinetic = sum_over_ranks(motion_.kinetic(), world);
  for (int d = 0; d < 3; ++d)
    now_[of_temperature + d] = kinetic.mvv[d] * force->mvv2e / ((atoms_in_group_ - 1) * force->boltz);
  now_[of_volume] = volume();
  double power = along_field(all.flow);
  for (int d = 0; d < 3; ++d)
    if (sums_.mass > 0) power -= sums_.force[d] * kinetic.mv[d] / sums_.mass;
  now_[of_power] = power;
  for (std::size_t p = 0; p < parts_.size(); ++p)
    now_[of_parts + p] = along_field(flow_of(parts_[p].groupbit).flow) / std::sqrt(field_squared_);
}

double FixHnemdTriad::volume() const {
  if (given_volume_ > 0) return given_volume_;
  return domain->xprd * domain->yprd * (domain->dimension == 3 ? domain->zprd : 1);
}

/// Field times current.
double FixHnemdTriad::along_field(const double *flow) const {
  double sum = 0;
  for (int k = 0; k < 9; ++k) sum += field_[triad::HeatFlow::row[k]] * flow[k];
  return sum;
}

double FixHnemdTriad::memory_usage() { return 3.0 * sizeof(double) * (atom->nlocal + atom->nghost); }

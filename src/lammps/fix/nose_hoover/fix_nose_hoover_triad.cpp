#include "lammps/fix/nose_hoover/fix_nose_hoover_triad.h"

#include <algorithm>
#include <cmath>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "group.h"
#include "io/setting_reader.h"
#include "kspace.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/fix/stock_swap.h"
#include "lammps/run/run_span.h"
#include "lammps/util/domain_box.h"
#include "modify.h"
#include "pair.h"
#include "update.h"

using namespace LAMMPS_NS;

FixNoseHooverTriad::FixNoseHooverTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg),
      s_(read_nose_hoover_settings(lmp, style, narg - 3, arg + 3)),
      arguments_(arg, arg + narg),
      t_start_(s_.t_start),
      t_stop_(s_.t_stop),
      motion_(lmp, groupbit),
      thermostats_(s_.t_chain),
      barostat_thermostats_(s_.barostat ? s_.p_chain : 0) {
  if (!s_.unsupported.empty())
    error->all(FLERR, "Fix {} does not support {}; use fix {}", style, s_.unsupported, triad::stock_command(style));
  const bool wants_barostat = utils::strmatch(style, "^npt");
  if (wants_barostat && !s_.barostat) error->all(FLERR, "Fix {} needs one of the keywords iso, aniso, x, y, z", style);
  if (!wants_barostat && s_.barostat) error->all(FLERR, "Fix {} does not control pressure; use fix npt/triad", style);

  restart_global = dynamic_group_allow = time_integrate = ecouple_flag = 1;
  scalar_flag = vector_flag = global_freq = extscalar = 1;
  extvector = 0;
  size_vector = 4 * thermostats_.length();
  if (s_.barostat) {
    const int changes[3] = {BOX_CHANGE_X, BOX_CHANGE_Y, BOX_CHANGE_Z};
    for (int d = 0; d < 3; ++d) {
      barostat_.controls[d] = s_.controls[d];
      p_flag_[d] = s_.controls[d];
      if (!s_.controls[d]) continue;
      box_change |= changes[d];
      barostat_.frequency[d] = 1 / s_.p_period[d];
      max_frequency_ = std::max(max_frequency_, barostat_.frequency[d]);
    }
    barostat_.coupling = s_.couple;
    barostat_.deviatoric = s_.deviatoric;
    barostat_.kinetic_correction = s_.kinetic_correction;
    no_change_box = 1;
    size_vector += 4 * barostat_degrees() + 4 * barostat_thermostats_.length() + (s_.deviatoric ? 1 : 0);
  }

  // with a barostat of all atoms, since the pressure is that of all atoms
  id_temperature_ = std::string(id) + "_temp";
  modify->add_compute(id_temperature_ + " " + (s_.barostat ? "all" : group->names[igroup]) + " temp/triad", 0);
  if (s_.barostat) {
    id_pressure_ = std::string(id) + "_press";
    own_pressure_ = true;
    modify->add_compute(id_pressure_ + " all pressure " + id_temperature_);
  }
}

std::string FixNoseHooverTriad::unsupported(LAMMPS *lmp, int narg, char **arg) {
  const std::string style = arg[2];
  const NoseHooverSettings settings = read_nose_hoover_settings(lmp, style, narg - 3, arg + 3, ForInvalid::Unsupported);
  if (!settings.unsupported.empty()) return settings.unsupported;
  return settings.barostat == (style == "npt") ? "" : NoseHooverSettings::invalid;
}

FixNoseHooverTriad::~FixNoseHooverTriad() {
  // the plugin's compute may have been unloaded before
  if (own_temperature_ && modify->get_compute_by_id(id_temperature_)) modify->delete_compute(id_temperature_);
  if (own_pressure_) modify->delete_compute(id_pressure_);
}

int FixNoseHooverTriad::setmask() { return FixConst::INITIAL_INTEGRATE | FixConst::FINAL_INTEGRATE; }

void FixNoseHooverTriad::init() {
  if (stock_takes_over(lmp, this)) return;
  temperature_ = find_compute(id_temperature_, "Temperature");
  our_temperature_ = dynamic_cast<ComputeTempTriad *>(temperature_);
  if (s_.barostat) pressure_ = find_compute(id_pressure_, "Pressure");
  if (s_.barostat && barostat_.reference_volume == 0) set_reference_box(barostat_, box_of(domain));
}

void FixNoseHooverTriad::setup(int) {
  measure_temperature();
  set_temperature_target();
  const double frequency = 1 / s_.t_period;
  set_chain_masses(thermostats_.view(), degrees_of_freedom_, kT_, frequency);
  start_chain(thermostats_.view(), kT_);
  if (!s_.barostat) return;

  set_pressure_targets();
  measure_pressure();
  set_barostat_masses(barostat_, static_cast<double>(atom->natoms), kT_);
  set_chain_masses(barostat_thermostats_.view(), 1, kT_, max_frequency_);
  start_chain(barostat_thermostats_.view(), kT_);
}

/// fix_modify may have deleted the computes of the setup, and others are not initialised yet.
void FixNoseHooverTriad::check_setup() const {
  if (!temperature_ || (s_.barostat && !pressure_))
    error->all(FLERR, "Fix {}: fix_modify has changed a compute after the run was set up; use 'run' without 'pre no'",
               style);
}

void FixNoseHooverTriad::initial_integrate(int) {
  check_setup();
  if (s_.barostat) advance_barostat_chain();
  set_temperature_target();
  advance_thermostat();
  if (s_.barostat) {
    const double scaled = t_now_;
    measure_temperature();  // velocities have been scaled since the last measurement
    t_now_ = scaled;        // as in stock; matters if the thermostat scales only a part of the atoms
    measure_pressure();
    set_pressure_targets();
    advance_barostat();
    scale_by_barostat();
  }
  motion_.kick(half_kick());
  if (s_.barostat) dilate_box();
  motion_.drift(update->dt);
  if (s_.barostat) {
    dilate_box();
    if (force->kspace) force->kspace->setup();
  }
}

void FixNoseHooverTriad::final_integrate() {
  motion_.kick(half_kick());
  if (s_.barostat) scale_by_barostat();
  measure_temperature();
  if (s_.barostat) {
    measure_pressure();
    advance_barostat();
  }
  advance_thermostat();
  if (s_.barostat) advance_barostat_chain();
}

bool FixNoseHooverTriad::join(triad::StepBatch &batch) {
  check_setup();
  if (thermostats_.length() > triad::HeldChain::longest || !our_temperature_ || !our_temperature_->counts_once())
    return false;
  if (s_.barostat && !may_change_box_in_batches()) return false;
  triad::HeldThermostat &held = batch_.thermostat;
  held.take(thermostats_.view());
  held.settings = thermostat_settings();
  held.target = {t_start_, t_stop_, run_span(update)};
  held.per_degree = our_temperature_->per_degree();
  held.temperature = t_now_;
  held.kT = 0;
  batch_.group_bit = groupbit;
  batch_.measured_bit = group->bitmask[our_temperature_->igroup];
  batch_.barostat.acts = s_.barostat;
  if (s_.barostat && batch.n_steps > 0) hold_barostat(batch.first_step);
  batch.groups.insert(batch.groups.begin() + batch.thermostats.size(), {groupbit, half_kick(), update->dt});
  batch.thermostats.push_back(&batch_);
  return true;
}

/// True on an engine that can change the box, for a barostat of all atoms, if the pressure has the virial of the pair
/// style only.
bool FixNoseHooverTriad::may_change_box_in_batches() const {
  return engine_run(lmp)->engine().takes_changing_box() &&
         barostat_thermostats_.length() <= triad::HeldChain::longest && own_pressure_ && igroup == 0 &&
         our_temperature_->igroup == 0 && domain->dimension == 3 && force->pair && !force->kspace && !force->bond &&
         !force->angle && !force->dihedral && !force->improper;
}

/// Copies barostat, box, and the virial and kinetic energy of the last step to the batch.
void FixNoseHooverTriad::hold_barostat(bigint first_step) {
  triad::HeldBarostat &held = batch_.barostat;
  batch_.thermostat.step = first_step - 1;
  held.take(barostat_thermostats_.view());
  couple_to_atoms(barostat_, static_cast<double>(atom->natoms));
  held.state = barostat_;
  held.targets = pressure_targets();
  held.chain_step = barostat_chain_step();
  held.energy_per_pv = 1 / force->nktv2p;
  held.mvv2e = force->mvv2e;
  held.tail = force->pair->tail_flag ? force->pair->ptail : 0;
  held.kT = kT_;
  std::copy_n(s_.fixed_point, 3, held.fixed);
  held.start(box_of(domain));
  MPI_Allreduce(force->pair->virial, held.virial, 3, MPI_DOUBLE, MPI_SUM, world);
  temperature_->compute_vector();
  std::copy_n(temperature_->vector, 3, held.kinetic);
}

void FixNoseHooverTriad::finish_batch(bool whole) {
  triad::HeldThermostat &held = batch_.thermostat;
  held.give(thermostats_.view());
  set_temperature_target();
  if (whole) our_temperature_->take_sums(batch_.measured, needs_kinetic_tensor());
  t_now_ = held.temperature;
  if (!s_.barostat) return;
  triad::HeldBarostat &barostat = batch_.barostat;
  barostat.give(barostat_thermostats_.view());
  barostat_ = barostat.state;
  set_box_of(domain, barostat.box);
  const AtomMotion::OnEngine guard(motion_, &engine_run(lmp)->engine());
  ask_for_virial();
}

void FixNoseHooverTriad::engine_initial_integrate(triad::MdEngine &engine, int vflag) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  initial_integrate(vflag);
}

void FixNoseHooverTriad::engine_final_integrate(triad::MdEngine &engine) {
  const AtomMotion::OnEngine guard(motion_, &engine);
  final_integrate();
}

double FixNoseHooverTriad::half_kick() const { return 0.5 * update->dt * force->ftm2v; }

void FixNoseHooverTriad::set_temperature_target() {
  set_target(triad::TemperatureRamp{t_start_, t_stop_, run_span(update)}.at(update->ntimestep));
}

void FixNoseHooverTriad::set_target(double temperature) {
  t_target_ = temperature;
  kT_ = force->boltz * temperature;
}

triad::PressureTargets FixNoseHooverTriad::pressure_targets() const {
  triad::PressureTargets targets;
  std::copy_n(s_.p_start, 3, targets.start);
  std::copy_n(s_.p_stop, 3, targets.stop);
  targets.span = run_span(update);
  targets.reset_every = s_.reset_every;
  return targets;
}

void FixNoseHooverTriad::set_pressure_targets() {
  pressure_targets().set(barostat_, update->ntimestep, box_of(domain));
}

void FixNoseHooverTriad::measure_temperature() {
  if (motion_.engine() && !our_temperature_) engine_run(lmp)->sync_host(triad::field_v);
  t_now_ = our_temperature_ ? our_temperature_->measure(needs_kinetic_tensor()) : temperature_->compute_scalar();
  degrees_of_freedom_ = temperature_->dof;
}

/// Measures the pressure along each edge, coupled according to the keywords, with the virial of the last forces.
void FixNoseHooverTriad::measure_pressure() {
  if (motion_.engine() && !own_pressure_) engine_run(lmp)->sync_host(triad::field_v);  // its own temperature
  double *p = pressure_now_;
  if (s_.isotropic()) {
    p[0] = p[1] = p[2] = pressure_->compute_scalar();
  } else {
    if (!our_temperature_) temperature_->compute_vector();  // ours was computed with the scalar
    pressure_->compute_vector();
    std::copy_n(pressure_->vector, 3, p);
    couple(s_.couple, p);
  }
  for (int d = 0; d < 3; ++d)
    if (!std::isfinite(p[d])) error->all(FLERR, "Non-numeric pressure in fix {} - simulation unstable", style);
  ask_for_virial();
}

/// Asks for the virial of the next step, unless that step is made on an engine, where the run style does so
/// because of reads_virial().
void FixNoseHooverTriad::ask_for_virial() {
  if (!motion_.engine() || update->ntimestep == update->laststep) pressure_->addstep(update->ntimestep + 1);
}

triad::ThermostatSettings FixNoseHooverTriad::thermostat_settings() const {
  const double frequency = 1 / s_.t_period, slice = 1.0 / s_.t_loops;
  return {degrees_of_freedom_,
          force->boltz,
          frequency,
          {update->dt, s_.t_loops, 1 - update->dt * frequency * s_.drag * slice}};
}

/// Its drag is also that of the rates of the edges.
triad::ChainStep FixNoseHooverTriad::barostat_chain_step() const {
  return {update->dt, s_.p_loops, 1 - update->dt * max_frequency_ * s_.drag / s_.p_loops};
}

void FixNoseHooverTriad::advance_thermostat() {
  const double factor = triad::advance_thermostat(thermostats_.view(), thermostat_settings(), kT_, t_now_);
  motion_.scale_velocities({factor, factor, factor});
}

void FixNoseHooverTriad::advance_barostat_chain() {
  triad::advance_barostat_chain(barostat_, barostat_thermostats_.view(), barostat_chain_step(), kT_);
}

void FixNoseHooverTriad::advance_barostat() {
  const double thermal = degrees_of_freedom_ * force->boltz * t_now_;
  const double kinetic = driving_kinetic(barostat_, temperature_->vector, thermal);
  couple_to_atoms(barostat_, static_cast<double>(atom->natoms));
  triad::advance_barostat(barostat_, box_of(domain), pressure_now_, kinetic, 1 / force->nktv2p, update->dt,
                          barostat_chain_step().drag);
}

void FixNoseHooverTriad::scale_by_barostat() {
  double factor[3];
  for (int d = 0; d < 3; ++d) factor[d] = barostat_velocity_factor(barostat_, d, update->dt);
  motion_.scale_velocities(factor);
}

/// Half a step of the box, which moves all atoms.
void FixNoseHooverTriad::dilate_box() {
  const triad::Box before = box_of(domain);
  triad::Box after = before;
  triad::dilate_box(barostat_, update->dt, s_.fixed_point, after);
  if (motion_.engine())
    motion_.engine()->queue_box_change(change_of_box(before, after));
  else
    domain->x2lamda(atom->nlocal);
  set_box_of(domain, after);
  if (!motion_.engine()) domain->lamda2x(atom->nlocal);
}

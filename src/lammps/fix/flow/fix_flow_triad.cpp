#include "lammps/fix/flow/fix_flow_triad.h"

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "input.h"
#include "lammps/util/backend_choice.h"
#include "lammps/util/machine_ranks.h"
#include "lammps/util/thread_choice.h"
#include "lammps/util/time_step.h"
#include "memory.h"
#include "modify.h"
#include "update.h"
#include "variable.h"

using namespace LAMMPS_NS;

FixFlowTriad::FixFlowTriad(LAMMPS *lmp, int narg, char **arg)
    : Fix(lmp, narg, arg),
      command_(std::string("fix ") + id + " flow/triad"),
      settings_(parse_flow_settings(lmp, narg - 3, arg + 3)),
      callbacks_(lmp, this) {
  if (!atom->tag_enable) error->all(FLERR, "{} requires atom IDs; remove atom_modify id no", command_);
  time_integrate = 1;
  restart_global = restart_peratom = 1;
  create_attribute = 1;
  scalar_flag = vector_flag = peratom_flag = 1;
  extscalar = 1;
  extvector = 0;
  size_vector = 8;
  size_peratom_cols = width;
  global_freq = peratom_freq = 1;
  comm_forward = maxexchange = width - 1;
  if (settings_.cfl_step) nevery = 1;

  FixFlowTriad::grow_arrays(atom->nmax);
  index_cells();
  set_initial_state();
  callbacks_.add({Atom::GROW, Atom::RESTART});
}

FixFlowTriad::~FixFlowTriad() { memory->destroy(array_atom); }

int FixFlowTriad::setmask() {
  return FixConst::INITIAL_INTEGRATE | FixConst::PRE_NEIGHBOR | (settings_.cfl_step ? FixConst::END_OF_STEP : 0);
}

// ---- before a run

void FixFlowTriad::init() {
  const RunLog::Init writing(log_);
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "{} does not support run_style respa; use run_style verlet", command_);
  if (update->dt < 0 || (settings_.cfl_step && update->dt == 0))
    error->all(FLERR, "{}: the time step is {}; give {} by the command timestep", command_, update->dt,
               settings_.cfl_step ? "a positive number" : "zero or more");
  if (settings_.cfl_step) check_sole_time_step();
  for (const FlowSettings::Field *field : {&settings_.manning, &settings_.rain}) {
    if (field->variable.empty()) continue;
    const int variable = input->variable->find(field->variable.c_str());
    if (variable < 0) error->all(FLERR, "{}: there is no variable {}; define it", command_, field->variable);
    if (!input->variable->equalstyle(variable) && !input->variable->atomstyle(variable))
      error->all(FLERR, "{}: variable {} has the wrong style; use style equal or atom", command_, field->variable);
  }
  if (!backend_ || backend_threads_ != threads_of(lmp)) make_backend();
  connected_ = false;
  if (update->dt != set_step_) user_step_ = update->dt;
  for (int i = 0; i < atom->nlocal; ++i) state_of(i);
}

/// The command timestep calls this function between runs.
void FixFlowTriad::reset_dt() {
  if (update->whichflag == 0) user_step_ = update->dt;
}

/// Creates the backend; the log names it.
void FixFlowTriad::make_backend() {
  take_volumes();
  backend_threads_ = threads_of(lmp);
  std::string note;
  const bool on_cuda = choose_cuda(lmp, command_, settings_.backend, note);
  guarded([&] {
#if defined(TRIAD_HAS_CUDA)
    if (on_cuda) backend_ = triad::make_flow_cuda(settings_.setup, gpu_index_of(lmp), backend_threads_);
#endif
    if (!on_cuda) backend_ = triad::make_flow_host(settings_.setup, backend_threads_);
  });
  if (!on_cuda) note += note_on_threads(lmp);
  log_backend(log_, command_, backend_->description(), settings_.setup.precision, note);
}

/// step cfl: no other fix may set the time step.
void FixFlowTriad::check_sole_time_step() const {
  for (const Fix *other : modify->get_fix_list()) {
    if (other == this) continue;
    if (utils::strmatch(other->style, "^dt/reset"))
      error->all(FLERR, "{} step cfl and fix {} dt/reset both set the time step; remove one of them", command_,
                 other->id);
    const auto *const flow = dynamic_cast<const FixFlowTriad *>(other);
    if (flow && flow->settings_.cfl_step)
      error->all(FLERR, "{} step cfl and {} step cfl both set the time step; give one of them step fixed", command_,
                 flow->command_);
  }
}

void FixFlowTriad::setup(int) {
  connected_ = false;  // LAMMPS has sorted atoms and ghosts anew
  connect_if_needed();
  if (settings_.cfl_step) set_lammps_step();
}

void FixFlowTriad::pre_neighbor() { connected_ = false; }

// ---- a step

/// Returns the time at the beginning of the present step.
double FixFlowTriad::start_of_step() const {
  return update->atime + double(update->ntimestep - 1 - update->atimestep) * update->dt;
}

void FixFlowTriad::initial_integrate(int) {
  connect_if_needed();
  update_fields();
  advance(update->dt);
  take_state();
}

/// Values of a number or variable for the owned cells, in of_cell.
void FixFlowTriad::evaluate_field(const FlowSettings::Field &field, const char *keyword, bool not_negative,
                                  std::vector<double> &of_cell) {
  const std::size_t n = atom_of_cell_.size();
  of_cell.assign(n, field.value);
  if (field.variable.empty()) return;
  const int variable = input->variable->find(field.variable.c_str());
  if (variable < 0) error->all(FLERR, "{}: there is no variable {}; define it", command_, field.variable);
  if (input->variable->equalstyle(variable)) {
    of_cell.assign(n, input->variable->compute_equal(variable));
  } else {
    std::vector<double> of_atom(std::max(1, atom->nlocal));
    input->variable->compute_atom(variable, igroup, of_atom.data(), 1, 0);
    for (std::size_t c = 0; c < n; ++c) of_cell[c] = of_atom[atom_of_cell_[c]];
  }
  for (std::size_t c = 0; c < n; ++c)
    if (!std::isfinite(of_cell[c]) || (not_negative && of_cell[c] < 0))
      error->one(FLERR, "{} at step {}: {} of cell {} is {}; correct variable {}", command_, update->ntimestep, keyword,
                 settings_.mesh.cells[mesh_cell_[c]].id, of_cell[c], field.variable);
}

/// Evaluates the variables for rain and friction, once per step.
void FixFlowTriad::update_fields() {
  if (settings_.rain.variable.empty() && settings_.manning.variable.empty()) return;
  modify->clearstep_compute();
  if (!settings_.rain.variable.empty()) {
    evaluate_field(settings_.rain, "rain", false, of_cell_);
    guarded([&] { backend_->set_rain(of_cell_.data()); });
  }
  if (!settings_.manning.variable.empty()) {
    evaluate_field(settings_.manning, "manning", true, of_cell_);
    guarded([&] { backend_->set_manning(of_cell_.data()); });
  }
  modify->addstep_compute(update->ntimestep + 1);
}

/// Computes the fluxes of the present state and returns the largest stable time step of all ranks.
double FixFlowTriad::rates(double time) {
  if (comm->nprocs > 1) exchange(*backend_);
  double mine = 0;
  guarded([&] { mine = backend_->rates(time); });
  return least(mine);
}

double FixFlowTriad::least(double mine) {
  double all = mine;
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MIN, world);
  return all;
}

/// Advances by `span` in sub-steps that end exactly there.
void FixFlowTriad::advance(double span) {
  triad::SubSteps steps;
  steps.start = start_of_step();
  steps.span = span;
  if (settings_.cfl_step && span == set_step_) {  // set_lammps_step() has chosen this step
    if (!rates_current_) rates(steps.start);
    guarded([&] { backend_->update(span); });
    steps.step = span;
    steps.complete();
  } else {
    bool advanced = true;
    guarded([&] { advanced = backend_->advance(steps, comm->nprocs > 1 ? this : nullptr); });
    if (!advanced) report_stuck(steps);
  }
  rates_current_ = false;
  step_ = steps.step;
  sub_steps_ = steps.count;
  all_sub_steps_ += sub_steps_;
}

void FixFlowTriad::report_stuck(const triad::SubSteps &steps) const {
  error->all(FLERR,
             "{} at step {}: the largest stable time step is {}, which does not advance the time of {} or is less than "
             "{} of a LAMMPS step; timestep is {} and cfl is {}: check both, the mesh for tiny cells, and the state "
             "for infinite speeds",
             command_, update->ntimestep, steps.step, steps.time(), triad::SubSteps::least_share,
             settings_.cfl_step ? user_step_ : update->dt, settings_.setup.cfl);
}

/// step cfl: makes the largest stable time step of the present state, at most that of the script, LAMMPS's time step.
void FixFlowTriad::set_lammps_step() {
  const double time = update->atime + double(update->ntimestep - update->atimestep) * update->dt;
  const double step = std::min(rates(time), user_step_);
  triad::SubSteps steps;
  steps.start = time;
  steps.span = user_step_;
  steps.step = step;
  if (!steps.advances()) report_stuck(steps);
  rates_current_ = true;
  set_step_ = step;
  if (step != update->dt) set_time_step(lmp, step);
}

void FixFlowTriad::end_of_step() {
  connect_if_needed();
  set_lammps_step();
}

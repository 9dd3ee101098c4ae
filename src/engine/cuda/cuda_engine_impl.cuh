// Members of CudaEngine. One translation unit per precision includes this.
#pragma once

#include <algorithm>

#include "engine/cuda/cuda_engine.cuh"
#include "engine/cuda/pair_force.cuh"
#include "engine/cuda/step/steps_ahead_stop_impl.cuh"
#include "engine/cuda/step/steps_with_host.cuh"
#include "engine/cuda/virial_velocity_on_device.cuh"

namespace triad {
namespace cuda {

template <class Format>
void CudaEngine<Format>::set_atoms(const AtomArrays &atoms, const TermLists &lists, const HaloPlan &halo) {
  prepare();
  p_.ends.forget_atoms();
  p_.device.wait("finishing steps");
  p_.device.reports().progress.stopped = 0;  // an error may have ended the last batch
  p_.forget_errors();
  p_.atoms.set_arrays(atoms);
  p_.ghosts.set_plan(halo, atoms.n_owned);
  // more ghosts than in the last list, where the engine finds them itself
  const int capacity =
      halo.ghost_capacity ? std::max(halo.ghost_capacity, p_.lists.ghosts_wanted() + p_.lists.ghosts_wanted() / 4) : 0;
  p_.ghosts.set_ghost_capacity(capacity);
  const int n_known = p_.ghosts.layout().n_all(), n_all = n_known + capacity;
  p_.tersoff.set_list_cutoff(p_.terms.list_cutoff(lists));
  p_.tersoff.drop_forces();
  p_.tersoff.set_atom_count(n_all);
  p_.terms.set_atom_count(n_all, lists);
  if (capacity) p_.tersoff.clear_positions(n_known);
  p_.atoms.reserve(n_all);
  if (!capacity && !p_.terms.has_tersoff())
    p_.peers.connect(atoms.n_owned);  // with a capacity for ghosts, make_list() does
  p_.lists.upload(lists, p_.peers.connected());
  p_.ghosts.upload_plan();
  sync_engine(field_all);
  p_.lists.keep_positions();
  p_.device.wait("copying atoms");
}

template <class Format>
bool CudaEngine<Format>::make_list(const ListBox &box) {
  prepare();
  p_.ends.forget_atoms();
  return p_.lists.make_list(box);
}

template <class Format>
void CudaEngine<Format>::set_box(const ListBox &box) {
  p_.device.select();
  p_.ends.forget_atoms();
  p_.lists.set_box(box);
  p_.lists.note_box_change();
}

template <class Format>
void CudaEngine<Format>::set_shifts(const std::vector<double> &shift) {
  p_.device.select();
  p_.ghosts.set_shifts(shift);
  p_.lists.note_box_change();
}

template <class Format>
void CudaEngine<Format>::sync_host(unsigned fields) {
  prepare();
  p_.device.wait("finishing steps");
  p_.atoms.check_motion();
  p_.check_forces();
  p_.atoms.download(fields);
  if (fields & field_x) p_.lists.give_crossings();
}

template <class Format>
void CudaEngine<Format>::sync_engine(unsigned fields) {
  prepare();
  if (fields & (field_v | field_attributes)) p_.motion.forget_sums();
  if (fields & field_attributes) {
    p_.langevin.forget_atoms();
    p_.ends.forget_atoms();
    p_.terms.read_types(p_.atoms.arrays(), p_.ghosts.layout());
    if (p_.atoms.read_attributes(p_.ghosts.layout())) p_.lists.drop_pruned_list();
  }
  p_.atoms.upload(fields);
  if (fields & field_x) p_.lists.note_far(true);
}

template <class Format>
void CudaEngine<Format>::add_langevin(const LangevinForce &force) {
  prepare();
  const DeviceLangevin langevin = p_.langevin.on_device({force}, p_.atoms.arrays())[0];
  p_.atoms.for_group(force.group_bit,
                     LangevinOp<Format>{p_.atoms.state(), langevin, force.step, force.root_temperature,
                                        p_.sums.langevin_force(force.tally)},
                     "adding the thermostat's force");
}

template <class Format>
bool CudaEngine<Format>::moved(double limit) {
  prepare();
  return p_.lists.moved(limit);
}

template <class Format>
void CudaEngine<Format>::compute_forces(const TallyRequest &request, ResultsView &results) {
  prepare();
  const bool direct = p_.peers.connected();
  if (direct)
    p_.peers.forward();
  else
    p_.ghosts.forward();
  p_.lists.keep_pruned_list();
  if (direct) p_.peers.check_answers();
  p_.tersoff.clear_forces();
  p_.terms.take_positions(nullptr, &p_.device.reports().moved);
  p_.tersoff.launch_forces(request, nullptr);
  if (p_.lists.two_lists()) p_.tersoff.launch_boundary(request, nullptr);
  p_.tersoff.complete_forces(nullptr);
  p_.terms.launch(request, nullptr);
  if (direct)
    p_.peers.reverse();
  else
    p_.ghosts.reverse();
  if (request.any_per_atom()) {
    const std::vector<int> sent = p_.ghosts.sent_atoms();
    tallies_.add_per_atom(request, p_.ghosts.layout(), p_.ghosts.plan(), sent, results);
    p_.terms.add_per_atom(request, p_.ghosts.layout(), p_.ghosts.plan(), sent, results);
    p_.terms.add_to(tallies_);
  }
  if (request.any()) {
    const ForceTotals sums = read_totals();
    results.energy = sums.energy;
    std::copy_n(sums.virial, 6, results.virial);
    if (direct) p_.peers.check_answers();
    p_.check_forces();
  }
}

template <class Format>
std::unique_ptr<PairForce> CudaEngine<Format>::make_pair_force(const PairwiseSetup &setup) {
  return std::make_unique<PairForceOnDevice<Format>>(setup, p_.device, p_.atoms, p_.motion, p_.ghosts, p_.peers);
}

template <class Format>
HeatFlow CudaEngine<Format>::heat_flow(int group_bit, double kinetic_factor, AtomVirial kind) {
  prepare();
  if (!p_.lists.checked()) p_.ghosts.forward();
  p_.lists.keep_pruned_list();
  const double *const ghost_velocity = p_.ghosts.forward_velocities(device_bit(group_bit));
  if (p_.lists.rows().n_rows == 0) return HeatFlow();
  return p_.heat.compute(p_.atoms.state(), group_bit, kinetic_factor, kind, ghost_velocity);
}

template <class Format>
HeatCurrent CudaEngine<Format>::tallied_heat_current(int group_bit, double kinetic_factor, AtomVirial kind) {
  prepare();
  const double *const ghost_velocity = p_.ghosts.forward_velocities(device_bit(group_bit));
  return current_of(
      p_.sums.sum_tallied_flow(group_bit, kinetic_factor, tallies_.kept(kind), ghost_velocity, p_.ghosts.n()));
}

template <class Format>
std::vector<SlabVirials> CudaEngine<Format>::sum_slab_virials(int group_bit, const Slabs &slabs,
                                                              double kinetic_factor) {
  prepare();
  double *const virial = tallies_.virials();
  p_.ghosts.reverse_rows(virial, SlabVirials::size);
  return p_.sums.sum_slab_virials(group_bit, slabs, kinetic_factor, virial);
}

template <class Format>
std::unique_ptr<VirialVelocity> CudaEngine<Format>::make_virial_velocity(int group_bit, int axis, int lags) {
  return std::make_unique<VirialVelocityOnDevice<Format>>(p_, group_bit, axis, lags);
}

/// True with a Tersoff potential, and without copies of atoms, whose positions would not follow the box. Ghosts of
/// other ranks must travel between GPUs; with further terms, there must be none.
template <class Format>
bool CudaEngine<Format>::takes_changing_box() const {
  return p_.runs_ahead() && takes_terms() && p_.atoms.n() > 0;
}

template <class Format>
BatchResult CudaEngine<Format>::run_steps(const StepBatch &batch) {
  prepare();
  const WaitingGrids waiting_grids(p_.device.index(), p_.device.stream(),
                                   p_.ghosts.none() && !p_.device.shared_by_mps());
  p_.motion.forget_sums();
  for (const LinearMotion &motion : batch.motions) p_.atoms.place(motion);
  p_.tersoff.drop_forces();
  BatchResult result;
  double time_step = 0;
  for (const VerletGroup &group : batch.groups) time_step = std::max(time_step, group.drift);
  p_.lists.expected_paths().set_time_step(time_step);
  if (batch.changes_box()) p_.lists.note_box_change();
  if (p_.tersoff.inner_skin_choice().outlives_liquid(double(p_.lists.life().age))) p_.lists.drop_pruned_list();
  if (!p_.lists.checked()) p_.ghosts.forward();
  p_.lists.keep_pruned_list();
  p_.steps.start_work(batch);
  StepJob<Format> job = p_.steps.job(batch, p_.lists);
  ListLife &life = p_.lists.life();
  life.all_refilter = true;
  if (p_.peers.connected()) life.agree(*p_.ghosts.exchange(), p_.tersoff.can_refilter());
  StepGuard start = {};
  start.list_step = static_cast<int>(-life.age);  // the same on all ranks
  start.neighbor_step = static_cast<int>(-batch.list.ago);
  start.dangerous_age = std::max(batch.list.every, batch.list.delay);
  start.far = p_.lists.may_be_far();
  start.lists_to_choice = p_.tersoff.inner_skin_choice().lists_until_choice();
  p_.steps.start_guard(start);
  p_.force_changes.start(batch);
  p_.ends.start(batch, p_.tersoff.multiprocessors(), waiting_grids.allowed());
  p_.samples.start(batch);
  p_.box.start(batch, job);
  p_.thermostat.start(batch, p_.runs_ahead() ? Advances::Device : Advances::Host, job);
  if (!p_.runs_ahead()) {
    make_steps_with_host(p_, batch, job, result);
  } else {
    result.completed = batch.n_steps;
    if (p_.atoms.n()) StepsAhead<Format>(p_, step_ns_, waiting_grids.allowed(), batch, job, result).run();
  }
  p_.lists.set_checked(!result.list_expired);
  if (!result.list_expired) {
    const bool launched = p_.runs_ahead() && p_.atoms.n();  // by StepsAhead
    if (!launched) p_.steps.launch_end(batch, job, batch.n_steps, p_.ends, p_.samples);
    if (batch.last.any_total()) {
      start_totals();
      p_.motion.start_kinetic(1);  // a line of output has the temperature too
    }
  }
  p_.steps.work().copy();
  p_.ends.copy(batch);
  p_.samples.copy();
  p_.thermostat.copy(batch, p_.atoms.n());
  const StepGuard guard = p_.steps.read_guard();
  if (!result.list_expired && batch.last.any_total()) {
    result.totals = take_totals();
    p_.motion.take_kinetic();
  }
  p_.peers.check_answers(guard.reasons());  // of the last exchange of forces, behind which no step looks at them
  result.pruned_lists += guard.renewals;
  result.lists += guard.neighbor_lists;
  result.dangerous_lists += guard.dangerous_lists;
  result.last_list = std::max(0, guard.neighbor_step);
  p_.lists.note_far(guard.far != 0);
  if (p_.runs_ahead()) p_.tersoff.note_lists(guard);
  if (guard.neighbor_lists && !p_.ends.concern_few()) p_.ends.forget_atoms();  // these lists were made without a check
  p_.device.reports().progress.stopped = 0;  // pair forces outside of batches must not see the stop
  p_.check_forces();
  p_.force_changes.finish(batch, !result.list_expired);
  p_.steps.work().finish(batch);
  p_.ends.finish(batch);
  p_.samples.finish(batch, result.completed);
  p_.thermostat.finish(batch, p_.atoms.n(), result);
  p_.box.finish(batch);
  const double wait = p_.peers.median_wait() * result.completed;
  result.halo_seconds += wait;
  result.force_seconds +=
      1e-9 * guard.spent[phase_forces] - wait - result.list_seconds;  // the phase's clock includes both
  result.integrate_seconds += 1e-9 * guard.spent[phase_moving];
  result.list_seconds += 1e-9 * guard.spent[phase_lists];
  if (p_.peers.connected()) life.note_used(guard.used);
  if (guard.completed) step_ns_ = double(guard.spent[phase_forces] + guard.spent[phase_moving]) / guard.completed;
  return result;
}

template <class Format>
std::string CudaEngine<Format>::ghost_transport() const {
  const HaloExchange *const exchange = p_.ghosts.exchange();
  if (!exchange) return "";
  if (p_.peers.connected()) return "from GPU to GPU";
  return exchange->takes_device_memory() ? "through MPI, from device memory"
                                         : "through MPI, from page-locked memory of the host";
}

template <class Format>
std::unique_ptr<MdEngine> make_engine_cuda_format(const ForceTerms &terms, int device, int n_threads) {
  return std::make_unique<CudaEngine<Format>>(terms, device, n_threads);
}

}  // namespace cuda
}  // namespace triad

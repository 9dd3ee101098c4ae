// HostEngine: forces, heat current, and batches of steps.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/host/host_engine.h"
#include "engine/tuning.h"

namespace triad {

std::vector<SlabVirials> HostEngine::sum_slab_virials(int group_bit, const Slabs &slabs, double kinetic_factor) {
  const std::size_t n_all = std::size_t(atoms_.n_owned) + atoms_.n_ghosts;
  for (int half = 0; half < 2; ++half) {
    AlignedArray<double> &rows = virial_rows_[half];
    rows.require(3 * n_all);
    fill(3 * n_all, rows.data(), [&](std::size_t k) { return atom_virial_[6 * (k / 3) + 3 * half + k % 3]; });
    ghosts_.reverse(ghost(rows), rows.data());
  }
  return group(group_bit).sum_slab_virials(slabs, kinetic_factor, virial_rows_[0].data(), virial_rows_[1].data());
}

HeatFlow HostEngine::tallied_flow(int group_bit, double kinetic_factor, const double *virial, int components) {
  // ghosts of atoms outside the group count as at rest, and so add nothing
  ghost_velocity_.require(3 * std::size_t(atoms_.n_ghosts));
  ghosts_.forward(ghost_velocity_.data(), [&](int i, int, double *target) {
    if (mask_[i] & group_bit)
      std::copy_n(v_.data() + 3 * std::size_t(i), 3, target);
    else
      std::fill_n(target, 3, 0.0);
  });
  const HeatTallies tallies = {atom_energy_.data(), virial, components, ghost_velocity_.data(), kinetic_factor};
  const GroupMotion atoms = group(group_bit);
  return sum_over<HeatFlow>(atoms_.n_owned + atoms_.n_ghosts, threads_,
                            [&](HeatFlow &sum, int i) { atoms.add_heat_flow_of(i, tallies, sum); });
}

ForceSums HostEngine::compute_driving_force(int group_bit, const double *field) {
  const int n_all = atoms_.n_owned + atoms_.n_ghosts;
  driving_force_.require(3 * std::size_t(n_all));
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int i = 0; i < n_all; ++i)
    driving_force(field, atom_centroid_.data() + 9 * std::size_t(i), driving_force_.data() + 3 * std::size_t(i));
  ghosts_.reverse(ghost(driving_force_), driving_force_.data());
  return group(group_bit).sum_driving_force(driving_force_.data());
}

void HostEngine::add_driving_force(int group_bit, const ForceSums &sums) {
  group(group_bit).add_driving_force(driving_force_.data(), sums);
}

BatchResult HostEngine::run_steps(const StepBatch &batch) {
  BatchResult result;
  long long ago = batch.list.ago;
  const auto scale = [&](const ThermostatBatch &one, double factor) {
    if (factor == 1) return;
    const double factors[3] = {factor, factor, factor};
    group(one.group_bit).scale_velocities(factors);
  };
  const bool plain = batch.thermostats.empty() && batch.langevin.empty() && batch.ends.empty() &&
                     !batch.samples_ends();  // one pass ends a step and starts the next
  for (SlabSampling *sampling : batch.samplings) sampling->sums.clear();
  for (KineticSampling *sampling : batch.kinetic_samplings) sampling->sums.clear();
  if (batch.totals_sampling) batch.totals_sampling->sums.clear();
  for (const LangevinThermostat &langevin : batch.langevin)
    if (langevin.work) *langevin.work = LangevinWork();
  for (const LinearMotion &motion : batch.motions) place(motion);
  for (long long s = 1; s <= batch.n_steps; ++s) {
    const std::int64_t step = batch.first_step + s - 1;
    for (ThermostatBatch *one : batch.thermostats) scale(*one, one->thermostat.start_step(step));
    if (!batch.groups.empty()) step_ = batch.groups[0];
    moved_by(start_step(owned(), span_, batch.groups, plain && s > 1, threads_));
    for (const ReflectingWalls &walls : batch.walls) reflect(walls);
    const bool expired = batch.list.looks_at(++ago) && moved(batch.list.limit), last = s == batch.n_steps;
    ResultsView results;
    const Clock::time_point start = Clock::now();
    halo_seconds_ = 0;
    if (!forces_unless_expired(batch.tallies_of(s), results, expired)) {
      result.list_expired = true;
      return result;
    }
    for (PairForceBatch *pair : batch.pair_forces) {
      ResultsView of_pair;
      pair->force->compute(last ? pair->last : TallyRequest(), of_pair, PairForce::Target::MdEngine);
      pair->totals = totals_of(of_pair);
    }
    result.halo_seconds += halo_seconds_;
    result.force_seconds += seconds_since(start) - halo_seconds_;
    for (ForceChangeBatch *one : batch.force_changes) {
      const GroupMotion atoms = group(one->change.group_bit);
      const ForceChange change = with_tethers(one->change);
      if (last && one->sums == ForceSumKind::Stretch)
        one->before = atoms.sum_stretch(change);
      else if ((last && one->sums != ForceSumKind::None) || change.kind == ForceChange::Kind::Average)
        one->before = atoms.sum_forces();
      atoms.change_forces(change, one->before);
    }
    for (const LangevinThermostat &langevin : batch.langevin) add_langevin(langevin.at(step));
    if (!plain) end_step(batch.groups);
    for (const LangevinThermostat &langevin : batch.langevin) {
      if (!langevin.work) continue;
      langevin.work->last = langevin_power(langevin.force.group_bit, langevin.force.tally);
      langevin.work->sum += langevin.work->last;
    }
    for (ThermostatBatch *one : batch.thermostats) {
      one->measured = ghosts_.of_all_ranks(kinetic(one->measured_bit));
      one->thermostat.see(one->measured.mvv);
      scale(*one, one->thermostat.end_step());
    }
    for (EndOfStep *end : batch.ends)
      if (end->acts(step))
        exchange_heat(end->group_bit, end->block, end->decide(sum_exchange(end->measured_bit, end->block), step));
    for (SlabSampling *sampling : batch.samplings)
      if (sampling->index_of(step) >= 0)
        sampling->sums.push_back(group(sampling->group_bit).sum_slabs(sampling->slabs));
    for (KineticSampling *sampling : batch.kinetic_samplings)
      if (sampling->index_of(step) >= 0) sampling->sums.push_back(kinetic(sampling->group_bit));
    if (batch.samples_totals_of(step)) batch.totals_sampling->sums.push_back(term_totals_);
    result.completed = s;
    result.totals = totals_of(results);
  }
  if (plain) end_step(batch.groups);
  return result;
}

std::unique_ptr<PairForce> HostEngine::make_pair_force(const PairwiseSetup &setup) {
  HostAtoms &atoms = *this;
  return std::make_unique<HostPairForce>(setup, most_threads_, atoms);
}

/// Returns how the atoms will move after the next forces, or null if that is not known: if this engine has not made the
/// `step`, and on several ranks, which must communicate for this purpose, unless all ranks make a pruned list now.
ExpectedMotion *HostEngine::expected_motion(VerletGroup step) {
  const bool several = ghosts_.on_several_ranks();
  if (step.drift == 0 || (several && !renew_pruned_list_ && !new_atoms_)) return nullptr;
  if (new_atoms_) step.half_kick = 0;  // the caller's forces may be older than its positions
  expected_paths_.take(owned(), step, threads_);
  if (several) {
    const Clock::time_point start = Clock::now();
    expected_paths_.to_means();
    halo_seconds_ += seconds_since(start);
  }
  return &expected_paths_;
}

bool HostEngine::forces_unless_expired(const TallyRequest &request, ResultsView &results, bool expired) {
  const VerletGroup step = std::exchange(step_, VerletGroup());  // so that ranks agree about it after an error
  ExpectedMotion *const expected = expected_motion(step);
  const HaloStatus near = timed_exchange([&] { return send_positions({since_forces_, expired, pruned_list_ends()}); });
  const std::size_t n_all = std::size_t(atoms_.n_owned) + atoms_.n_ghosts;
  ResultsView kept;
  kept.force = f_.data();
  kept.replace_force = true;
  const auto keep = [&](bool wanted, int width, AlignedArray<double> &array) -> double * {
    if (!wanted) return nullptr;
    array.require(width * n_all);
    fill(width * n_all, array.data(), [](std::size_t) { return 0.0; });
    return array.data();
  };
  kept.atom_energy = keep(request.atom_energy, 1, atom_energy_);
  kept.atom_virial = keep(request.atom_virial, 6, atom_virial_);
  kept.atom_centroid = keep(request.atom_centroid, 9, atom_centroid_);
  if (terms_.empty()) {
    fill(3 * n_all, f_.data(), [](std::size_t) { return 0.0; });
  } else if (!near.list_expired) {
    AtomsView atoms = view();
    atoms.moved_at_most = near.moved;
    atoms.expected = expected;
    if (ghosts_.on_several_ranks()) {  // ranks wait for each other, so renewals in different steps would each cost all
                                       // ranks time
      atoms.renew_pruned_list = renew_pruned_list_;
      if (std::isfinite(near.moved)) atoms.moves_ahead = tuning::host_steps_ahead * near.moved;
    }
    for (std::size_t k = 0; k < terms_.size(); ++k) {
      kept.replace_force = k == 0;
      try {
        terms_[k]->compute(atoms, request, kept);
      } catch (const CoincidentAtoms &e) {
        throw CoincidentAtoms(order_[e.i], order_[e.j], e.what());
      }
      term_totals_[k] = totals_of(kept);
    }
  }
  const HaloStatus all = timed_exchange([&] { return ghosts_.add_to_owners(ghost(f_), f_.data()); });
  renew_pruned_list_ = all.pruned_list_ends && !renew_pruned_list_;
  if (all.list_expired) {
    step_ = step;  // the forces of this step are computed after a new list
    return false;
  }
  since_forces_ = 0;
  new_atoms_ = false;
  const ForceTotals sum = sum_of(term_totals_);
  results.energy = sum.energy;
  std::copy_n(sum.virial, 6, results.virial);
  const auto add = [&](const double *array, int width, double *target) {
    if (array && target) order_.add_to_caller(array, width, target);
  };
  add(kept.atom_energy, 1, results.atom_energy);
  add(kept.atom_virial, 6, results.atom_virial);
  add(kept.atom_centroid, 9, results.atom_centroid);
  return true;
}

void HostEngine::give_positions(bool with_ghosts, double *x) {
  const int n = atoms_.n_owned + (with_ghosts ? atoms_.n_ghosts : 0);
  if (with_ghosts) ghosts_.forward(ghost(x_), [&](int i, int image, double *target) { put_ghost(i, image, target); });
  const int *index_map = order_.index_map();
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int i = 0; i < n; ++i) std::copy_n(x_.data() + 3 * std::size_t(index_map[i]), 3, x + 3 * std::size_t(i));
}

void HostEngine::add_forces(const double *force) {
  const int *index_map = order_.index_map();
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int i = 0; i < atoms_.n_owned; ++i)
    for (int k = 0; k < 3; ++k) f_[3 * std::size_t(index_map[i]) + k] += force[3 * std::size_t(i) + k];
}

}  // namespace triad

// Changes of the forces on groups of atoms: in batches behind the force kernels of each step, or outside of batches.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/cuda/ghosts/peer_exchange.cuh"
#include "engine/cuda/lists/engine_lists.cuh"
#include "engine/cuda/state/driving_force.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/langevin_tables.cuh"
#include "engine/cuda/step/driven_step_kernels.cuh"
#include "engine/cuda/step/force_change_kernels.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class ForceChanges {
 public:
  ForceChanges(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms,
               PeerExchange<Format> &peers, EngineLists<Format> &lists, LangevinTables &tables,
               DrivingForce<Format> &driving)
      : device_(device),
        tersoff_(tersoff),
        atoms_(atoms),
        peers_(peers),
        lists_(lists),
        tables_(tables),
        driving_(driving) {}

  // See the functions of MdEngine. The forces must be complete.
  ForceSums sum_forces(int group_bit, bool positions);
  ForceSums sum_stretch(const ForceChange &spring);
  void change_forces(const ForceChange &change);
  ForceSums compute_driving_force(int group_bit, const double *field);
  void add_driving_force(int group_bit, const ForceSums &sums);

  /// Copies what the changes of a batch need to the device.
  void start(const StepBatch &batch);
  /// Launches the forces of a step with the driving forces of the batch in one pass over the bonds, if its only change
  /// is a driving force on all atoms and if the forces are gathered; returns null otherwise. `again`: the forces of the
  /// step were launched before, for their tallies. The gradients then contain the driving forces, from which the caller
  /// must subtract the mean acceleration. Returns the sums of the driving forces, in device memory. Requires no ghosts,
  /// no other forces, and a list that the device can renew.
  const ForceSums *launch_with_forces(const StepBatch &batch, bool again, bool dependent, StepGuard *guard);
  /// Gathers these forces.
  void gather_driven(const ForceSums *sums, const StepGuard *guard) {
    atoms_.for_each(GatherDrivenOp<Format>{atoms_.state(), tersoff_.take_gather(), sums, guard},
                    "gathering driving forces");
  }
  /// Launches the changes of a step behind its forces. `last`: of the last step of the batch.
  void launch(const StepBatch &batch, bool last, StepGuard *guard);
  /// Reads the sums of the last step. `whole`: the batch is complete.
  void finish(const StepBatch &batch, bool whole);

  std::size_t host_bytes() const { return total_host_.bytes(); }
  std::size_t device_bytes() const {
    return drag_.bytes() + blocks_.bytes() + total_.bytes() + of_all_ranks_.bytes() + driving_values_.bytes() +
           driving_ended_.bytes();
  }

 private:
  void copy_drags(const std::vector<ForceChange> &changes);
  /// Launches the sums of the forces on a group into total_[k], and those over the ranks of `peers` into
  /// of_all_ranks_[k].
  void launch_sums(int group_bit, bool positions, const StepGuard *guard, std::size_t k, const Peers &peers = {});
  void launch_stretch(const ForceChange &spring, const StepGuard *guard, std::size_t k);
  void launch_sums(const ForceSumJob<Format> &job, std::size_t k, const Peers &peers = {});
  void launch_change(const ForceChange &change, const StepGuard *guard, std::size_t k);
  /// Launches the sums of the driving forces on a group into total_[k], and those over the ranks of `peers` into
  /// of_all_ranks_[k]. Must follow DrivingForce::launch().
  void launch_driving_sums(int group_bit, const StepGuard *guard, std::size_t k, const Peers &peers = {}) {
    launch_sums({driving_.state(), device_bit(group_bit), nullptr, nullptr, guard, driving_.gather()}, k, peers);
  }
  /// Adds the driving forces whose sums are sums_of_change(guard, k).
  void launch_drive(int group_bit, const StepGuard *guard, std::size_t k) {
    atoms_.for_group(group_bit,
                     DriveOp<Format>{atoms_.state(), driving_.state().force, sums_of_change(guard, k), guard,
                                     &device_.reports().bad_pair_force},
                     "adding driving forces");
  }
  /// The sums that change k needs, over all ranks.
  const ForceSums *sums_of_change(const StepGuard *guard, std::size_t k) const {
    return (guard && peers_.connected() ? of_all_ranks_.data() : total_.data()) + k;
  }
  /// Copies total_[0] to the host.
  ForceSums read_total();
  ForceSums *totals(std::size_t count);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  PeerExchange<Format> &peers_;
  EngineLists<Format> &lists_;
  LangevinTables &tables_;
  DrivingForce<Format> &driving_;
  std::size_t n_types_ = 0;         // of the last copy_drags()
  const int *type_ = nullptr;       // [n] types on the device, if a change is Drag
  std::vector<double> drags_host_;  // [changes][types + 1] host copy of drag_; zeros for other changes
  DeviceBuffer<double> drag_{"drag of types"};
  DeviceBuffer<double> driving_values_{"sums of driving forces"};
  DeviceBuffer<unsigned> driving_ended_{"sums of driving forces"};
  DeviceBuffer<ForceSums> blocks_{"sums of forces"}, total_{"sums of forces"}, of_all_ranks_{"sums of forces"};
  PinnedBuffer<ForceSums> total_host_{"sums of forces"};
};

template <class Format>
void ForceChanges<Format>::copy_drags(const std::vector<ForceChange> &changes) {
  type_ = nullptr;
  n_types_ = atoms_.arrays().n_types;
  std::vector<double> drags;
  for (const ForceChange &change : changes) {
    if (change.drag) type_ = tables_.types(atoms_.arrays());
    for (std::size_t type = 0; type <= n_types_; ++type) drags.push_back(change.drag ? change.drag[type] : 0);
  }
  if (!type_ || drags == drags_host_) return;
  drags_host_.clear();
  drag_.reserve(drags.size());
  copy_to_device(drag_.data(), drags.data(), drags.size(), device_.stream(), "copying the drag of types");
  device_.wait("copying the drag of types");
  drags_host_ = std::move(drags);
}

template <class Format>
void ForceChanges<Format>::launch_sums(int group_bit, bool positions, const StepGuard *guard, std::size_t k,
                                       const Peers &peers) {
  const int *const crossings = positions ? lists_.crossings() : nullptr;
  launch_sums({atoms_.state(), device_bit(group_bit), positions ? atoms_.anchor() : nullptr, crossings, guard}, k,
              peers);
}

template <class Format>
void ForceChanges<Format>::launch_stretch(const ForceChange &spring, const StepGuard *guard, std::size_t k) {
  ForceSumJob<Format> job = {atoms_.state(), device_bit(spring.group_bit), atoms_.anchor(), nullptr, guard};
  job.tether = atoms_.tethers()[spring.tethers];
  std::copy_n(spring.along, 3, job.along);
  launch_sums(job, k);
}

template <class Format>
void ForceChanges<Format>::launch_sums(const ForceSumJob<Format> &job, std::size_t k, const Peers &peers) {
  const unsigned blocks = std::min(blocks_for(atoms_.n(), tuning::kinetic_block), unsigned(tuning::force_sum_blocks));
  force_sums_kernel<Format><<<blocks, tuning::kinetic_block, 0, device_.stream()>>>(job, blocks_.data());
  total_force_sums_kernel<<<1, tuning::kinetic_block, 0, device_.stream()>>>(
      blocks_.data(), static_cast<int>(blocks), job.guard, total_.data() + k, peers, of_all_ranks_.data() + k);
  check(cudaGetLastError(), "summing forces");
}

template <class Format>
void ForceChanges<Format>::launch_change(const ForceChange &change, const StepGuard *guard, std::size_t k) {
  ChangeForceOp<Format> op = {atoms_.state(),
                              change,
                              atoms_.anchor(),
                              type_,
                              sums_of_change(guard, k),
                              guard,
                              &device_.reports().bad_pair_force};
  if (change.kind == ForceChange::Kind::Spring) op.change.tether = atoms_.tethers()[change.tethers];
  if (change.drag) op.change.drag = drag_.data() + (n_types_ + 1) * k;
  atoms_.for_group(change.group_bit, op, "changing forces");
}

/// Reserves `count` totals. A batch copies all of them to the host, also those that it does not need.
template <class Format>
ForceSums *ForceChanges<Format>::totals(std::size_t count) {
  blocks_.reserve(tuning::force_sum_blocks);
  reserve_cleared(total_, count, device_.stream(), "summing forces");
  of_all_ranks_.reserve(count);
  total_host_.reserve(count);
  return total_host_.data();
}

template <class Format>
ForceSums ForceChanges<Format>::sum_forces(int group_bit, bool positions) {
  if (atoms_.n() == 0) return ForceSums();
  device_.select();
  totals(1);
  launch_sums(group_bit, positions, nullptr, 0);
  return read_total();
}

template <class Format>
ForceSums ForceChanges<Format>::sum_stretch(const ForceChange &spring) {
  if (atoms_.n() == 0) return ForceSums();
  device_.select();
  totals(1);
  launch_stretch(spring, nullptr, 0);
  return read_total();
}

template <class Format>
ForceSums ForceChanges<Format>::read_total() {
  copy_to_host(total_host_.data(), total_.data(), 1, device_.stream(), "summing forces");
  device_.wait("summing forces");
  return total_host_[0];
}

template <class Format>
ForceSums ForceChanges<Format>::compute_driving_force(int group_bit, const double *field) {
  device_.select();
  driving_.launch(field, nullptr);
  totals(1);
  if (atoms_.n() == 0) return ForceSums();
  launch_driving_sums(group_bit, nullptr, 0);
  return read_total();
}

template <class Format>
void ForceChanges<Format>::add_driving_force(int group_bit, const ForceSums &sums) {
  device_.select();
  totals(1)[0] = sums;
  copy_to_device(total_.data(), total_host_.data(), 1, device_.stream(), "adding driving forces");
  launch_drive(group_bit, nullptr, 0);
}

template <class Format>
void ForceChanges<Format>::change_forces(const ForceChange &change) {
  device_.select();
  copy_drags({change});
  launch_change(change, nullptr, 0);
}

template <class Format>
void ForceChanges<Format>::start(const StepBatch &batch) {
  if (batch.force_changes.empty()) return;
  std::vector<ForceChange> changes;
  for (const ForceChangeBatch *one : batch.force_changes) changes.push_back(one->change);
  copy_drags(changes);
  totals(changes.size());
}

template <class Format>
const ForceSums *ForceChanges<Format>::launch_with_forces(const StepBatch &batch, bool again, bool dependent,
                                                          StepGuard *guard) {
  if (batch.force_changes.size() != 1 || !tersoff_.gathers() || !tersoff_.every_row_has_element()) return nullptr;
  const ForceChange &change = batch.force_changes[0]->change;
  if (change.kind != ForceChange::Kind::Drive || device_bit(change.group_bit) != 0) return nullptr;
  using Real = typename Format::Real;
  DrivingJob<Format> job = {
      tersoff_.take_step_forces(guard), {Real(change.value[0]), Real(change.value[1]), Real(change.value[2])}, guard};
  if (again) job.bonds.first = job.bonds.decides = false;
  const int n_rows = job.bonds.list.n_rows;
  const unsigned four_blocks = blocks_for(n_rows, tuning::four_block);
  const unsigned general_blocks = job.bonds.list.length ? tersoff_.general_blocks(n_rows, tuning::general_lanes) : 0;
  const unsigned n_blocks = four_blocks + general_blocks;
  const int n_groups = DrivingSums::groups_of(static_cast<int>(n_blocks));
  driving_values_.reserve(DrivingSums::n_sums * (n_blocks + n_groups));
  reserve_cleared(driving_ended_, n_groups + 1, device_.stream(), "summing driving forces");
  DrivingSums sums = {driving_values_.data(),       driving_ended_.data(), total_.data(), static_cast<int>(n_blocks), 0,
                      static_cast<int>(atoms_.n()), atoms_.uniform_mass()};
  tersoff_.with_model([&](const auto &model) {
    using Model = std::decay_t<decltype(model)>;
    cuda::launch(dependent, four_blocks, tuning::four_block, device_.stream(), "computing driving forces",
                 four_forces_and_driving_kernel<Format, Model>, model, job, atoms_.state(), sums);
    if (!general_blocks) return;
    job.bonds.first = job.bonds.decides = false;
    sums.first = static_cast<int>(four_blocks);
    cuda::launch(dependent, general_blocks, tuning::general_block, device_.stream(), "computing driving forces",
                 general_forces_and_driving_kernel<Format, Model>, model, job, sums);
  });
  return total_.data();
}

template <class Format>
void ForceChanges<Format>::launch(const StepBatch &batch, bool last, StepGuard *guard) {
  if (batch.force_changes.empty() || atoms_.n() == 0) return;
  tersoff_.complete_forces(guard);
  for (std::size_t k = 0; k < batch.force_changes.size(); ++k) {
    const ForceChangeBatch &one = *batch.force_changes[k];
    if (one.change.kind == ForceChange::Kind::Drive) {
      driving_.launch(one.change.value, guard);
      launch_driving_sums(one.change.group_bit, guard, k, peers_.peers(guard));
      launch_drive(one.change.group_bit, guard, k);
      continue;
    }
    const bool wanted = last && one.sums != ForceSumKind::None;
    const bool averages = one.change.kind == ForceChange::Kind::Average;
    if (wanted && one.sums == ForceSumKind::Stretch)
      launch_stretch(one.change, guard, k);
    else if (wanted || averages)
      launch_sums(one.change.group_bit, wanted && one.sums == ForceSumKind::ForcesAndPositions, guard, k,
                  averages ? peers_.peers(guard) : Peers());
    launch_change(one.change, guard, k);
  }
}

template <class Format>
void ForceChanges<Format>::finish(const StepBatch &batch, bool whole) {
  const std::size_t n = batch.force_changes.size();
  if (n == 0 || !whole) return;
  if (atoms_.n()) {
    copy_to_host(total_host_.data(), total_.data(), n, device_.stream(), "summing forces");
    device_.wait("summing forces");
  }
  for (std::size_t k = 0; k < n; ++k) batch.force_changes[k]->before = atoms_.n() ? total_host_[k] : ForceSums();
}

}  // namespace cuda
}  // namespace triad

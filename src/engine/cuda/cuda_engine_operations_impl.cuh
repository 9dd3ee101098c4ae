// CudaEngine: operations on atoms outside of whole steps.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/cuda/cuda_engine_impl.cuh"

namespace triad {
namespace cuda {

// kick(), drift(), dilate() and scale_velocities() are queued in motion_. Operations on one group that follow in the
// order of struct Motion become one kernel. flush() launches that kernel; all functions that read atoms call flush().

/// The queued motion of a group. Flushes the queue first if the queue is of another group, or if it is `too_late` for
/// the operation to be added, since the queue holds operations that come after it in struct Motion.
template <class Format>
Motion &CudaEngine<Format>::motion_of(int group_bit, bool too_late) {
  const int all = 1, bit = group_bit == all ? 0 : group_bit;
  if (motion_.any() && (motion_.bit != bit || too_late)) flush();
  motion_.bit = bit;
  return motion_;
}

template <class Format>
void CudaEngine<Format>::queue_kick(int group_bit, double half_kick) {
  summed_bit_ = 0;
  Motion &motion = motion_of(group_bit, motion_.scales_after || motion_.moves());
  motion.kicks = true;
  motion.half_kick += half_kick;
}

template <class Format>
void CudaEngine<Format>::queue_drift(int group_bit, double drift) {
  Motion &motion = motion_of(group_bit, motion_.drifts || motion_.after.any);
  motion.drifts = true;
  motion.drift = drift;
}

template <class Format>
void CudaEngine<Format>::queue_dilate(const double fixed[3], const double factor[3]) {
  const int all = 1;
  Motion &motion = motion_of(all, motion_.after.any || (motion_.before.any && !motion_.drifts));
  (motion.drifts ? motion.after : motion.before) = {
      true, {fixed[0], fixed[1], fixed[2]}, {factor[0], factor[1], factor[2]}};
}

template <class Format>
void CudaEngine<Format>::queue_scale_velocities(int group_bit, const double factor[3]) {
  if (group_bit == summed_bit_)
    scale(sums_, factor);
  else
    summed_bit_ = 0;
  Motion &motion = motion_of(group_bit, motion_.moves());
  (motion.kicks ? motion.scales_after : motion.scales) = true;
  Vec3<double> &all = motion.kicks ? motion.factor_after : motion.factor;
  all = {all.x * factor[0], all.y * factor[1], all.z * factor[2]};
}

/// Empties the queue into the argument of a kernel.
template <class Format>
MotionOp<Format> CudaEngine<Format>::take_motion() {
  const double range = 4294967296.0 / tersoff_.scale().per_length;
  return {state(), std::exchange(motion_, Motion()), anchor_.data(), static_cast<float>(range / 8),
          &reports_.data()->wild_atom};
}

template <class Format>
void CudaEngine<Format>::flush() {
  if (!motion_.any()) return;
  const MotionOp<Format> op = take_motion();
  const int all = 1;
  for_group(op.motion.bit == 0 ? all : op.motion.bit, op, "moving atoms");
  if (op.motion.moves()) positions_changed();
}

template <class Format>
void CudaEngine<Format>::add_velocity(int group_bit, const double difference[3]) {
  flush();
  summed_bit_ = 0;
  for_group(group_bit, AddVelocityOp<Format>{state(), {difference[0], difference[1], difference[2]}},
            "changing velocities");
}

/// Copies per-type terms, types and atom IDs to the device where these have changed, and returns the thermostats with
/// pointers to device memory. The pointers are valid until the next call.
template <class Format>
std::vector<DeviceLangevin> CudaEngine<Format>::langevin_on_device(const std::vector<LangevinForce> &forces) {
  const std::size_t n = atoms_.n_owned, n_terms = std::size_t(atoms_.n_types) + 1;
  if (!identified_) {
    std::vector<std::int64_t> tags(n);
    for (std::size_t i = 0; i < n; ++i) tags[i] = atoms_.tag[i];
    type_device_.reserve(n);
    copy_to_device(type_device_.data(), atoms_.type, n, stream_, "copying types");
    if (tags != tags_) {
      tags_ = std::move(tags);
      tag_.reserve(n);
      copy_to_device(tag_.data(), tags_.data(), n, stream_, "copying atom IDs");
    }
    stream_.wait("copying atom IDs");
    identified_ = true;
  }
  std::vector<LangevinTerms> terms;
  for (const LangevinForce &force : forces) terms.insert(terms.end(), force.terms, force.terms + n_terms);
  const auto same = [](const LangevinTerms &a, const LangevinTerms &b) {
    return a.friction == b.friction && a.noise == b.noise;
  };
  if (!std::equal(langevin_host_.begin(), langevin_host_.end(), terms.begin(), terms.end(), same)) {
    langevin_host_ = terms;
    langevin_.reserve(terms.size());
    copy_to_device(langevin_.data(), terms.data(), terms.size(), stream_, "copying the thermostat");
    stream_.wait("copying the thermostat");
  }
  std::vector<DeviceLangevin> on_device;
  for (const LangevinForce &force : forces) {
    const int all = 1, bit = force.group_bit == all ? 0 : force.group_bit;
    const LangevinTerms *const own = langevin_.data() + n_terms * on_device.size();
    on_device.push_back({bit, type_device_.data(), tag_.data(), own, force.seed, {}, 0});
  }
  return on_device;
}

template <class Format>
void CudaEngine<Format>::add_langevin(const LangevinForce &force) {
  select();
  flush();
  const DeviceLangevin langevin = langevin_on_device({force})[0];
  for_group(force.group_bit, LangevinOp<Format>{state(), langevin, force.step, force.root_temperature},
            "adding the thermostat's force");
}

template <class Format>
KineticSums CudaEngine<Format>::kinetic(int group_bit) {
  if (group_bit == summed_bit_) return sums_;
  KineticSums sums;
  if (atoms_.n_owned == 0) return sums;
  select();
  if (motion_.moves()) flush();
  const unsigned blocks = std::min(blocks_for(atoms_.n_owned, tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
  kinetic_.reserve(tuning::kinetic_blocks);
  kinetic_host_.reserve(tuning::kinetic_blocks);
  kinetic_kernel<Format>
      <<<blocks, tuning::kinetic_block, 0, stream_>>>(take_motion(), group_bit == 1 ? 0 : group_bit, kinetic_.data());
  check(cudaGetLastError(), "summing kinetic energies");
  copy_to_host(kinetic_host_.data(), kinetic_.data(), blocks, stream_, "summing kinetic energies");
  stream_.wait("summing kinetic energies");
  for (unsigned b = 0; b < blocks; ++b)
    for (int k = 0; k < KineticSums::size; ++k) sums[k] += kinetic_host_[b][k];
  sums_ = sums;
  summed_bit_ = group_bit;
  return sums;
}

/// Without ghosts, also checks the limits of the pruned list in the same kernel, which saves compute_forces() a second
/// wait for the device.
template <class Format>
bool CudaEngine<Format>::moved(double limit) {
  select();
  flush();
  Reports *const reports = reports_.data();
  const MovedOp<Format> list = {tersoff_.positions(), list_reference_.data(), tersoff_.scale(), limit * limit,
                                &reports->moved};
  const char *const what = "checking displacements";
  if (!listed_ || checked_ || halo_.exchange || !layout_.host_ghost.empty()) {
    for_each(atoms_.n_owned, list, what);
    return reported(reports->moved);
  }
  const LimitOp<Format> pruned_list = {tersoff_.positions(), tersoff_.references(), tersoff_.scale(),
                                       &reports->beyond_limit};
  for_each(atoms_.n_owned, MovedAndLimitOp<Format>{list, pruned_list}, what);
  const bool moved = reported(reports->moved);
  listed_ = std::exchange(reports->beyond_limit, 0) == 0;
  checked_ = listed_;
  return moved;
}

}  // namespace cuda
}  // namespace triad

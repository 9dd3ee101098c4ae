// Queue of the operations that fixes make on velocities and positions outside of whole steps, and kinetic sums.
#pragma once

#include <algorithm>
#include <utility>

#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/sum_kernels.cuh"

namespace triad {
namespace cuda {

/// Operations on one group that follow in the order of struct Motion become one kernel, which flush() launches. All
/// other functions that read atoms must be called after flush(). All functions throw LoopError.
template <class Format>
class QueuedMotion {
 public:
  QueuedMotion(DeviceContext &device, EngineAtoms<Format> &atoms) : device_(device), atoms_(atoms) {}

  // See the functions of MdEngine.
  void queue_kick(int group_bit, double half_kick);
  void queue_drift(int group_bit, double drift);
  void queue_scale_velocities(int group_bit, const double factor[3]);
  void queue_box_change(const BoxChange &change);
  void add_velocity(int group_bit, const double difference[3]);
  KineticSums kinetic(int group_bit);
  /// The same in two parts, between which the caller waits for the device and changes no velocities.
  void start_kinetic(int group_bit);
  KineticSums take_kinetic();

  /// Launches the queued operations.
  void flush();
  /// To be called when velocities, masses or groups have changed otherwise: kinetic() sums again.
  void forget_sums() { summed_bit_ = 0; }

  std::size_t host_bytes() const { return kinetic_host_.bytes(); }
  std::size_t device_bytes() const { return kinetic_.bytes() + arrived_.bytes(); }

 private:
  Motion &motion_of(int group_bit, bool too_late);
  MotionOp<Format> take_motion();

  DeviceContext &device_;
  EngineAtoms<Format> &atoms_;
  Motion motion_;        // the queue
  KineticSums sums_;     // kinetic sums of the group summed_bit_
  int summed_bit_ = 0;   // bit of that group; 0 once velocities have changed by more than a scaling
  int started_bit_ = 0;  // of start_kinetic()
  DeviceBuffer<KineticSums> kinetic_{"kinetic energies"};       // of blocks
  PinnedBuffer<KineticSums> kinetic_host_{"kinetic energies"};  // of start_kinetic(), written by a kernel
  DeviceBuffer<unsigned> arrived_{"counts of blocks"};
};

/// The queued motion of a group. Flushes the queue first if the queue is of another group, or if it is `too_late` for
/// the operation to be added, since the queue holds operations that come after it in struct Motion.
template <class Format>
Motion &QueuedMotion<Format>::motion_of(int group_bit, bool too_late) {
  const int bit = device_bit(group_bit);
  if (motion_.any() && (motion_.bit != bit || too_late)) flush();
  motion_.bit = bit;
  return motion_;
}

template <class Format>
void QueuedMotion<Format>::queue_kick(int group_bit, double half_kick) {
  forget_sums();
  Motion &motion = motion_of(group_bit, motion_.scales_after || motion_.moves());
  motion.kicks = true;
  motion.half_kick += half_kick;
}

template <class Format>
void QueuedMotion<Format>::queue_drift(int group_bit, double drift) {
  Motion &motion = motion_of(group_bit, motion_.drifts || motion_.after.any);
  motion.drifts = true;
  motion.drift = drift;
}

template <class Format>
void QueuedMotion<Format>::queue_box_change(const BoxChange &change) {
  const int all = 1;
  Motion &motion = motion_of(all, motion_.after.any || (motion_.before.any && !motion_.drifts));
  (motion.drifts ? motion.after : motion.before) = {true, change};
}

template <class Format>
void QueuedMotion<Format>::queue_scale_velocities(int group_bit, const double factor[3]) {
  if (group_bit == summed_bit_)
    scale(sums_, factor);
  else
    forget_sums();
  Motion &motion = motion_of(group_bit, motion_.moves());
  (motion.kicks ? motion.scales_after : motion.scales) = true;
  Vec3<double> &all = motion.kicks ? motion.factor_after : motion.factor;
  all = {all.x * factor[0], all.y * factor[1], all.z * factor[2]};
}

/// Empties the queue into the argument of a kernel.
template <class Format>
MotionOp<Format> QueuedMotion<Format>::take_motion() {
  return {atoms_.state(), std::exchange(motion_, Motion()), atoms_.anchor(), atoms_.wild_step(),
          &device_.reports().wild_atom};
}

template <class Format>
void QueuedMotion<Format>::flush() {
  if (!motion_.any()) return;
  const MotionOp<Format> op = take_motion();
  const int all = 1;
  atoms_.for_group(op.motion.bit == 0 ? all : op.motion.bit, op, "moving atoms");
  if (op.motion.moves()) atoms_.positions_changed();
}

template <class Format>
void QueuedMotion<Format>::add_velocity(int group_bit, const double difference[3]) {
  flush();
  forget_sums();
  atoms_.for_group(group_bit, AddVelocityOp<Format>{atoms_.state(), {difference[0], difference[1], difference[2]}},
                   "changing velocities");
}

template <class Format>
KineticSums QueuedMotion<Format>::kinetic(int group_bit) {
  if (group_bit == summed_bit_) return sums_;
  start_kinetic(group_bit);
  device_.wait("summing kinetic energies");
  return take_kinetic();
}

template <class Format>
void QueuedMotion<Format>::start_kinetic(int group_bit) {
  const char *const what = "summing kinetic energies";
  device_.select();
  started_bit_ = group_bit;
  kinetic_host_.reserve(1);
  kinetic_host_[0] = KineticSums();
  if (atoms_.n() == 0) return;
  if (motion_.moves()) flush();
  const unsigned blocks = std::min(blocks_for(atoms_.n(), tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
  kinetic_.reserve(tuning::kinetic_blocks);
  reserve_cleared(arrived_, 1, device_.stream(), what);
  kinetic_kernel<Format><<<blocks, tuning::kinetic_block, 0, device_.stream()>>>(
      take_motion(), device_bit(group_bit), kinetic_.data(), kinetic_host_.data(), arrived_.data(), nullptr);
  check(cudaGetLastError(), what);
}

template <class Format>
KineticSums QueuedMotion<Format>::take_kinetic() {
  sums_ = kinetic_host_[0];
  summed_bit_ = started_bit_;
  return sums_;
}

}  // namespace cuda
}  // namespace triad

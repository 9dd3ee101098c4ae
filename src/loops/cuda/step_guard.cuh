// Steps that are launched ahead of the host's knowledge: kernels of later steps find out on the device that an earlier
// one has called for the host, and leave the atoms as that step left them.
#pragma once

namespace triad {
namespace cuda {

/// Why steps have stopped; bits of a set.
enum StopReason : int {
  stop_short_list = 1,  ///< an atom has reached its limit of the short list
  stop_list = 2,        ///< an atom may have moved as far as LAMMPS's list allows
  stop_position = 4,    ///< a position is not a number, or moved too far in one step
  stop_peer = 8,        ///< another rank has not answered
};

/// What the host reads while steps run, in page-locked memory.
struct StepProgress {
  int completed;  ///< force computations since the guard was set
  int stopped;    ///< 1: no further step will be made
};

/// State of a sequence of steps in device memory. The kernel that moves atoms may set `stop`, which no kernel goes by
/// while it may be written: the force kernel that follows turns it into `stopped`, which the next moving kernel reads.
/// Forces of the interior are computed before the reasons of other ranks are known; the host clears those of a step
/// that has stopped.
struct StepGuard {
  int stop;      ///< reasons, set by the moving kernel of the current step
  int stopped;   ///< set by the force kernel of that step
  int bad_atom;  ///< 1 + index of an atom that is the reason for stop_position
  int completed;
  float used;  ///< largest square of the share of its limit that an atom had used when a list was renewed in time
  unsigned long long mark, moving, forces;  ///< ns: last change between the kernels, and the time spent in either
  StepProgress *progress;                   ///< the host's

  __device__ __forceinline__ static unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
  }

  /// By one thread of the moving kernel.
  __device__ void start_moving() {
    const unsigned long long t = now();
    if (completed) forces += t - mark;
    mark = t;
  }

  /// By one thread of the first force kernel of a step.
  __device__ void start_forces() {
    const unsigned long long t = now();
    moving += t - mark;
    mark = t;
  }

  /// By one thread of the force kernel that is the first to know all reasons.
  __device__ void decide() {
    if (stop) {
      stopped = 1;
      *const_cast<volatile int *>(&progress->stopped) = 1;
    } else {
      *const_cast<volatile int *>(&progress->completed) = ++completed;
    }
  }
};

}  // namespace cuda
}  // namespace triad

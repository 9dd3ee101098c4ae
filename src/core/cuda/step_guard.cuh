// Steps that are launched ahead of the host's knowledge: kernels of later steps find out on the device that an earlier
// one has called for the host, and leave the atoms as that step left them.
#pragma once

namespace triad {
namespace cuda {

/// Why steps have stopped; bits of a set.
enum StopReason : int {
  stop_pruned_list = 1,  ///< an atom has reached its limit of the pruned list
  stop_list = 2,         ///< an atom may have moved as far as LAMMPS's list allows
  stop_position = 4,     ///< a position is not a number, or moved too far in one step
  stop_peer = 8,         ///< another rank has not answered
};

/// What the host reads while steps run, in page-locked memory.
struct StepProgress {
  int completed;  ///< force computations since the guard was set
  int stopped;    ///< 1: no further step will be made
};

/// What the device is at.
enum Phase : int { phase_none, phase_moving, phase_forces, n_phases };

/// State of a sequence of steps in device memory. The kernel that moves atoms may set `stop`, which no kernel goes by
/// while it may be written: the force kernel that follows turns it into `stopped`, which the next moving kernel reads.
/// Forces of the interior are computed before the reasons of other ranks are known; the host clears those of a step
/// that has stopped.
struct StepGuard {
  int stop;      ///< reasons, set by the moving kernel of the current step
  int stopped;   ///< set by the force kernel of that step
  int bad_atom;  ///< 1 + index of an atom that is the reason for stop_position
  int completed;
  int raised[2];  ///< reasons set by whole steps of even and of odd turn, each of which reads those of the turn before
  float used;     ///< largest square of the share of its limit that an atom had used when a list was renewed in time
  Phase phase;
  unsigned long long mark, spent[n_phases];  ///< ns: when the phase began, and the time spent in each before
  StepProgress *progress;                    ///< the host's

  __device__ __forceinline__ static unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
  }

  /// By one thread of a kernel.
  __device__ void enter(Phase next) {
    const unsigned long long t = now();
    spent[phase] += t - mark;
    mark = t;
    phase = next;
  }

  /// By one thread of the force kernel that is the first to know all reasons.
  __device__ void decide() {
    if (stop)
      report_stop();
    else
      report(completed + 1);
  }

  /// By one thread of a whole step, which `reasons` of the step before stop.
  __device__ void start_fused_step(int step_number, int reasons) {
    enter(phase_forces);
    end_fused_steps(step_number - 1, reasons);
  }

  /// By one thread when whole steps have been made: up to this one, or up to that before if it has `reasons`.
  __device__ void end_fused_steps(int step_number, int reasons) {
    if (stopped) return;
    if (reasons) {
      stop = raised[0] = raised[1] = reasons;
      report(step_number - 1);
      report_stop();
    } else {
      report(step_number);
    }
  }

 private:
  __device__ void report_stop() {
    stopped = 1;
    *const_cast<volatile int *>(&progress->stopped) = 1;
  }
  __device__ void report(int steps) {
    completed = steps;
    *const_cast<volatile int *>(&progress->completed) = steps;
  }
};

/// Where a kernel between two steps finds that these have stopped, and stops them.
struct StopFlags {
  const int *stopped;
  int *stop;
};

}  // namespace cuda
}  // namespace triad

// Guard of steps that the host launches ahead. If a step needs the host, a flag on the device stops the kernels of all
// later steps, so the atoms remain as that step left them.
#pragma once

namespace triad {
namespace cuda {

/// Reasons for a stop; bits of a set.
enum StopReason : int {
  stop_pruned_list = 1,  ///< an atom has reached its displacement limit of the pruned list
  stop_list = 2,         ///< an atom may have moved as far as LAMMPS's list allows
  stop_position = 4,     ///< a position is NaN, or an atom moved too far in one step
  stop_peer = 8,         ///< another rank has not answered
  stop_row = 16,         ///< a row of the renewed pruned list has more entries than there are slots
  stop_skin = 32,        ///< the renewed pruned list has many more or fewer longer rows than its skin was chosen for
  stop_path = 64,  ///< an atom is beyond its limit in the renewed pruned list, since it is not where it was expected
  stop_long_row = 128,  ///< a row of a neighbour list that the device made in this step does not fit its table
  stop_box = 256,       ///< the box has changed more than the displacement limit of the steps allows
};
constexpr int stop_renewal =
    stop_row | stop_skin | stop_path;  ///< the reasons that the renewal of a pruned list can give

/// Progress that the host reads while steps run, in page-locked memory.
struct StepProgress {
  int completed;      ///< StepGuard::completed
  int stopped;        ///< 1: no further step runs
  int list_step;      ///< StepGuard::list_step
  int neighbor_step;  ///< StepGuard::neighbor_step
};

/// The activity of the device, for timing.
enum Phase : int { phase_none, phase_moving, phase_lists, phase_forces, n_phases };

/// State of a sequence of steps in device memory. The kernel that moves atoms may set `stop`. No kernel reads `stop`
/// while the moving kernel may write it: the force kernel that follows copies `stop` to `stopped`, which the next
/// moving kernel reads. Interior forces are computed before the reasons of other ranks are known; the host clears the
/// forces of a step that has stopped.
struct StepGuard {
  /// Reasons, set by the moving kernel of the current step in one of two words. Kernels that compute forces and move
  /// atoms read one word and set the other, in turn. Kernels that only move atoms set the word that the next combined
  /// kernel reads, or the first word if there is none (CombinedSteps::stop_word()). Kernels between motion and forces
  /// set the same word as the kernel that has moved the atoms.
  int stop[2];
  int stopped;    ///< set by the force kernel of that step
  int bad_atom;   ///< 1 + index of an atom that is the reason for stop_position
  int completed;  ///< force computations of the batch
  float used;     ///< maximum of the squared fraction of displacement limits, if a list was renewed in time
  int list_step;  ///< step with the last pruned list, in the count of `completed`: made by the host or on demand
  int list_age;   ///< steps for which the list before that one was in use, if it was renewed on demand; otherwise 0
  int renewals;   ///< pruned lists that were renewed on demand
  // Neighbour lists that the device makes on demand; steps are in the count of `completed`.
  int neighbor_step;    ///< step with the last neighbour list, made by the host or on demand
  int neighbor_lists;   ///< lists that were made on demand
  int dangerous_lists;  ///< those that were made `dangerous_age` steps after the list before
  int dangerous_age;
  int far;  ///< 1: in a step between those at which ListRule looks, an atom may have been too far from its position at
            ///< the last neighbour list; the next of these steps looks exactly
  int lists_to_choice;           ///< lists that may be made on demand before the host chooses an inner skin
  int moved_step, outside_step;  ///< last steps in which an atom was too far from its position at the last list, and
                                 ///< beyond an open face or without the mark of a region that it may reach
  int made_step;                 ///< last step in which a list was made on demand, since the guard was set
  Phase phase;
  unsigned long long mark, spent[n_phases];  ///< ns: start of the current phase, and time spent in each phase before
  StepProgress *progress;                    ///< host memory

  __device__ __forceinline__ static unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
  }

  /// To be called by one thread of a kernel.
  __device__ void enter(Phase next) {
    const unsigned long long t = now();
    spent[phase] += t - mark;
    mark = t;
    phase = next;
  }

  static constexpr int both_words = 3;  ///< set of the words of `stop`
  /// The reasons in some words of `stop`; bit w of `words` stands for stop[w].
  __host__ __device__ __forceinline__ int reasons(int words = both_words) const {
    return (words & 1 ? stop[0] : 0) | (words & 2 ? stop[1] : 0);
  }

  /// To be called by one thread of the force kernel that first knows all reasons, in some words of `stop`. `met`:
  /// reasons for which the steps need not stop, since the pruned list was renewed for them in this step.
  __device__ void decide(int words, int met) {
    if (stopped) return;  // a later step, whose renewal would meet the reason for the stop
    const int found = reasons(words);
    const bool listed = made_step == completed + 1 && !(found & stop_long_row);
    if (listed) count_list();
    if (found & ~met) {
      report_stop();
      return;
    }
    if (found) note_renewal(words, listed);
    report(completed + 1);
  }

 private:
  __device__ void count_list() {
    ++neighbor_lists;
    --lists_to_choice;
    if (completed + 1 - neighbor_step == dangerous_age) ++dangerous_lists;
    neighbor_step = completed + 1;
    far = 0;
  }
  /// `listed`: a new neighbour list, and not its age, ended the pruned list.
  __device__ void note_renewal(int words, bool listed) {
    for (int word = 0; word < 2; ++word)
      if (words >> word & 1) stop[word] = 0;
    if (!listed) {
      list_age = completed + 1 - list_step;
      ++renewals;
    }
    list_step = completed + 1;
    *const_cast<volatile int *>(listed ? &progress->neighbor_step : &progress->list_step) = list_step;
    __threadfence_system();
  }
  __device__ void report_stop() {
    stopped = 1;
    *const_cast<volatile int *>(&progress->stopped) = 1;
  }
  __device__ void report(int steps) {
    completed = steps;
    *const_cast<volatile int *>(&progress->completed) = steps;
  }
};

/// Flags that a kernel between two steps reads to learn that steps have stopped, and sets to stop them.
struct StopFlags {
  const int *stopped;
  int *stop;
  bool on_demand = false;  ///< a pruned list is renewed only if an atom has reached its displacement limit in this step

  /// True if a kernel that renews a pruned list has nothing to do. The answer is the same for all threads of a step,
  /// whatever reasons the renewal itself gives. One thread of a block should ask: loads of one word by all warps queue.
  __device__ __forceinline__ bool rests() const {
    if (!stopped) return false;
    const int over = *stopped, reasons = *const_cast<const volatile int *>(stop);
    return over || (on_demand && (reasons & ~stop_renewal) != stop_pruned_list);
  }
};

}  // namespace cuda
}  // namespace triad

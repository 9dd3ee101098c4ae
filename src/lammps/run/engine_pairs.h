// The pair styles of a run that an engine computes: the pair style itself, or sub-styles of pair_style hybrid and
// hybrid/overlay.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/md_engine.h"
#include "lammps/pair/engine_pair.h"

namespace LAMMPS_NS {

class EnginePairs {
 public:
  /// Finds the styles of the present pair style.
  explicit EnginePairs(LAMMPS *lmp);

  bool empty() const { return ours_.empty(); }
  std::size_t count() const { return ours_.size(); }
  /// True if the engine computes a single term, and this is a Tersoff potential. Other sub-styles may be on_host().
  bool is_one_tersoff() const { return ours_.size() == 1 && ours_[0]->manybody_flag; }
  bool has(const Pair *pair) const;
  /// True if LAMMPS still has the pair style of the constructor.
  bool are_of_present_style() const;
  /// Names of the sub-styles whose forces LAMMPS computes on the host.
  const std::vector<std::string> &on_host() const { return on_host_; }
  /// Returns the reason why the styles cannot share an engine, or an empty string.
  std::string obstacle() const;

  /// True if the backends are on a GPU. Without styles: false.
  bool on_cuda() const { return !empty() && ours_[0]->on_cuda(); }
  /// See EnginePair::take_run_style().
  void take_run_style() const;
  /// Changes whenever existing engines become invalid.
  int revision() const;
  /// Makes an engine with the forces of all styles. Throws LoopError.
  std::unique_ptr<triad::MdEngine> make_engine() const;
  void set_on_engine(bool on_engine) const;
  /// True if set_on_engine(true) was called after the last LAMMPS::init().
  bool on_engine() const;

  /// LAMMPS's present lists, or those that the styles make in their place.
  triad::TermLists lists() const;
  /// True if no style depends on LAMMPS's lists.
  bool engine_may_make_lists() const;
  /// The cutoffs of lists that the engine is to make; there are no rows. `skin`: that of the run.
  triad::TermLists lists_to_make(double skin) const;
  void forget_pairs() const;

  /// Makes the next compute() of the pair style take energy and virial of our styles from an engine: the first of our
  /// styles calls `work` with itself, and each adds the totals of its term in the engine that `work` has returned.
  using Work = std::function<triad::MdEngine &(EnginePair &first)>;
  void compute_next_by(const Work &work);
  /// Makes compute() LAMMPS's again.
  void forget_work() const;

  /// Calls engine.compute_forces() with the tallies of the present compute() of `first`, and per-atom tallies that the
  /// engine keeps. Throws LoopError.
  static void compute_on(triad::MdEngine &engine, EnginePair &first, const triad::TallyRequest &kept);
  /// Takes energy and virial of a step of a batch: MdEngine::term_totals(), or a sample of them.
  void take_totals(const std::vector<triad::ForceTotals> &totals, int eflag, int vflag);

 private:
  LAMMPS *lmp_;
  Pair *style_;  // LAMMPS's pair style, which may have been deleted
  std::vector<EnginePair *> ours_;
  std::vector<std::string> on_host_;
  triad::MdEngine *engine_ = nullptr;  // whose totals the present compute() takes; null before the first of ours
};

}  // namespace LAMMPS_NS

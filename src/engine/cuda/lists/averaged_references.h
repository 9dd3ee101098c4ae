// Whether the references of pruned lists are averages over several lists. Plain decisions of the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// Each pruned list measures displacements from a reference of each atom. In a crystal, atoms vibrate about sites that
/// averages over expected positions approach, so that lists with such references last longer. In a liquid, or where
/// atoms drift, averages stay behind. Averages are therefore tried where lists last for some time, and kept while lists
/// last longer with them.
class AveragedReferences {
 public:
  /// Weight of the expected position of an atom in its next reference; the last reference has the rest. 1: no average.
  /// In an average over few lists, all lists have the same weight.
  double weight() const { return averages_ ? 1.0 / std::min(lists_ + 2, tuning::lists_of_average) : 1; }

  /// True if weight() stays the same until averages begin or end.
  bool is_settled() const { return !averages_ || lists_ + 2 >= tuning::lists_of_average; }

  /// The next list has no averages, as after each list of the host. Ends averages that have not become complete, and
  /// with which lists have lasted for fewer steps than without.
  void restart() {
    const bool seen = few_.lists >= tuning::lists_per_decision;
    if (averages_ && seen && few_.steps < few_.lists * without_) end();
    lists_ = 0;
  }

  /// A list was in use for `steps` steps until an atom reached its displacement limit.
  void note_life(double steps) {
    ++lists_;
    if (averages_ && lists_ <= tuning::lists_of_average) {
      ++few_.lists;
      few_.steps += steps;
      return;
    }
    lives_.push_back(steps);
    if (lives_.size() < std::size_t(tuning::lists_per_decision)) return;
    std::nth_element(lives_.begin(), lives_.begin() + lives_.size() / 2, lives_.end());
    const double usual = lives_[lives_.size() / 2];
    lives_.clear();
    if (averages_)
      decide_to_keep(usual);
    else
      decide_to_try(usual);
  }

 private:
  struct Lists {
    int lists = 0;
    double steps = 0;  // for which they were in use
  };

  /// `life`: the median of those of the last lists, since a list that begins with a perfect lattice may last very long.
  void decide_to_keep(double life) {
    few_ = {};
    if (life < tuning::least_gain_of_averages * without_) end();
  }
  void end() {
    averages_ = false;
    lists_to_trial_ = lists_between_trials_;
    lists_between_trials_ = std::min(2 * lists_between_trials_, tuning::most_lists_between_trials);
    lives_.clear();
  }
  void decide_to_try(double life) {
    without_ = life;
    lists_to_trial_ -= tuning::lists_per_decision;
    if (lists_to_trial_ > 0 || life < tuning::short_list_life) return;
    averages_ = true;
    lists_ = 0;
    few_ = {};
  }

  bool averages_ = false;
  int lists_ = 0;  // in the average before the last list
  Lists few_;      // with averages over few lists, since the last decision
  int lists_to_trial_ = 0, lists_between_trials_ = tuning::lists_between_trials;
  std::vector<double> lives_;  // since the last decision
  double without_ = 0;         // life of lists without averages
};

}  // namespace cuda
}  // namespace triad

// The rules by which InnerSkinChoice (inner_skin_choice.h) chooses the inner skin of the device's pruned list: the cost
// of rows with more than four entries, and the cost of renewing the list.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/tuning.h"

namespace triad {

/// Cutoff of a pruned list of the usual inner skin, in the units of the potential's `cutoff`. The scale of positions
/// allows for this cutoff, whatever skin a rank or a potential has chosen.
inline double usual_pruned_cutoff(double cutoff) { return (1 + tuning::inner_skin) * cutoff; }

/// The narrowest inner skin that can be chosen, as a fraction of the cutoff.
inline double narrowest_inner_skin() {
  return *std::min_element(std::begin(tuning::narrower_inner_skins), std::end(tuning::narrower_inner_skins));
}

/// Largest number of rows with more than four entries, among `rows`, with which a choice of the skin leads to gathered
/// forces. A list with more ends the choice, whether the host or a step makes that list. A choice with more leads to
/// atomic reductions, until a list has less than half of this number or another choice is due.
inline double few_longer_rows(double rows) { return std::max(tuning::few_longer_fraction * rows, tuning::few_rows); }

/// Numbers of rows with more than four entries for which a choice holds.
struct LongerRows {
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  bool contain(double longer) const { return least <= longer && longer <= most; }
};

/// How long pruned lists last, from the last one whose end was seen.
class LifePerSkin {
 public:
  /// A list of inner skin `skin`, a fraction of the cutoff or on the host a length, was in use for `steps` steps.
  void note(double steps, double skin) { per_skin_ = std::max(1.0, steps) / skin; }
  /// Estimated number of steps for which a list of another skin lasts: in proportion to the skin, as in a liquid.
  double of(double skin) const { return std::max(1.0, per_skin_ * skin); }

 private:
  double per_skin_ = tuning::list_life_at_first / tuning::inner_skin;
};

/// Estimated time per atom and step, in the unit of the costs in core/tuning.h, by which a list that has more than four
/// entries in `longer` of its `rows` is slower than one that has none and lasts forever. `few_matter`: the reduction of
/// forces depends on whether longer rows are few; otherwise it is the same with each skin, and costs nothing more.
/// The first longer row costs a kernel of its own.
inline double cost_of_skin(double skin, double longer, double rows, bool few_matter, const LifePerSkin &life) {
  const double reduction = few_matter && longer > few_longer_rows(rows) ? tuning::atomic_reduction_cost : 0;
  const double kernel = longer > 0 ? tuning::longer_kernel_cost + tuning::longer_launch_cost / rows : 0;
  return tuning::longer_row_cost * longer / rows + kernel + reduction + tuning::renewal_cost / life.of(skin);
}

/// True in a liquid of few atoms, for which the wide inner skin is taken. `longer`: fraction of rows with more than
/// four entries.
inline bool wide_skin_pays(double longer, double rows_per_sm, const LifePerSkin &life) {
  return longer > tuning::mostly_longer && rows_per_sm <= tuning::wide_skin_rows_per_sm &&
         life.of(tuning::inner_skin) < tuning::short_list_life;
}

/// True while a list of the wide inner skin is not older than such lists become in a liquid. `age`: steps.
inline bool wide_skin_suits(double age) {
  return age < tuning::short_list_life * tuning::wide_inner_skin / tuning::inner_skin;
}

/// Numbers of longer rows among `rows` for which a choice that was made with `longer` of them holds. `few_matter`: as
/// for cost_of_skin(); then a choice that was made without longer rows ends with the first one.
inline LongerRows suitable_longer_rows(double longer, double rows, bool few_matter) {
  const double few = few_longer_rows(rows);
  LongerRows suitable = {0.5 * longer - 2 * few, 2 * longer + 2 * few};
  if (few_matter && longer <= few)
    suitable.most = longer > 0 ? few : 0;
  else if (few_matter)
    suitable.least = std::max(suitable.least, 0.5 * few);
  return suitable;
}

}  // namespace triad

// The choice of the inner skin of the device's pruned list, and with it of the reduction of forces. A choice holds for
// several lists, which the host or steps make.
#pragma once

#include <functional>

#include "core/tuning.h"
#include "neighbor/inner_skin.h"

namespace triad {

class InnerSkinChoice {
 public:
  /// What a choice depends on, besides the lists themselves. Another reduction calls for a new choice.
  struct Conditions {
    double rows;                  ///< at least 1; of two lists, those of the list of interior atoms
    double rows_per_sm;           ///< these rows per multiprocessor
    tuning::Reduction reduction;  ///< Atomic also where Auto would lose by gathering
  };
  /// What the choice must know about a list. Of two lists, both count.
  struct List {
    double longer;   ///< number of rows with more than four entries
    bool refilters;  ///< steps can renew the list without the host
  };
  /// Builds the list with skin() in place of the list before, and with reverse entries if most_longer_rows() allows.
  using Build = std::function<List()>;

  /// Builds the list with the inner skin in use. If the choice does not hold any more, builds the list with each
  /// candidate that may cost less, and then with the best one. Passes on what `build` throws; if that ends a choice,
  /// the next list makes it.
  void build_list(const Conditions &now, const Build &build) {
    const bool holds = lists_until_choice_-- > 0 && now.reduction == reduction_;
    if (!holds || !suitable_.contain(build_with(skin_, build).longer)) choose(now, build);
  }

  /// Inner skin of the list that is being built or was built last, as a fraction of the cutoff.
  double skin() const { return skin_; }
  /// Largest number of rows with more than four entries, among the `rows` of a list, with which that list gets reverse
  /// entries, so that forces are gathered; negative: it gets none. A choice that was made with more than few longer
  /// rows is one for atomic operations, also if later lists have fewer.
  double most_longer_rows(int rows) const {
    if (reduction_ == tuning::Reduction::Gather) return rows;
    return gathers_ ? few_longer_rows(rows) : -1;
  }
  /// Numbers of rows with more than four entries for which the choice holds.
  const LongerRows &suitable() const { return suitable_; }
  /// Number of lists until a choice is made.
  int lists_until_choice() const { return lists_until_choice_; }

  /// Tells for how many steps the list was in use until an atom reached its displacement limit.
  void note_life(double steps) { life_.note(steps, skin_); }
  /// Takes over what steps have noted: how many lists they or the host may make until the next choice, and for how many
  /// steps the last list was in use; 0: not known.
  void note_lists(int lists_until_choice, int steps) {
    lists_until_choice_ = lists_until_choice;
    if (steps > 0) note_life(steps);
  }
  /// The next build_list() does not count as a list of lists_per_skin_choice. For lists whose number depends on timing,
  /// so that the choice of the skin does not.
  void keep_skin() { ++lists_until_choice_; }
  /// `age`: steps for which the list has been in use. If it has the wide inner skin and lasts longer than in a liquid,
  /// the next build_list() makes a choice. Returns true if so.
  bool outlives_liquid(double age) {
    if (skin_ != tuning::wide_inner_skin || wide_skin_suits(age)) return false;
    note_life(age);
    lists_until_choice_ = 0;
    return true;
  }

 private:
  List build_with(double skin, const Build &build) {
    skin_ = skin;
    return build();
  }

  void choose(const Conditions &now, const Build &build) {
    lists_until_choice_ = 0;  // and stays so if a list cannot be built
    reduction_ = now.reduction;
    gathers_ = now.reduction != tuning::Reduction::Atomic;  // for the candidates
    const bool few_matter = now.reduction == tuning::Reduction::Auto;
    double longer = build_cheapest(now.rows, few_matter, build);
    if (wide_skin_pays(longer / now.rows, now.rows_per_sm, life_)) {
      const double cheapest = skin_;
      const List wide = build_with(tuning::wide_inner_skin, build);
      longer = wide.refilters ? wide.longer : build_with(cheapest, build).longer;
    }
    if (few_matter) gathers_ = longer <= few_longer_rows(now.rows);
    suitable_ = suitable_longer_rows(longer, now.rows, few_matter);
    lists_until_choice_ = tuning::lists_per_skin_choice;
  }

  /// Builds the list with the usual or a narrower skin, whichever costs least, and returns its number of longer rows.
  double build_cheapest(double rows, bool few_matter, const Build &build) {
    double best = tuning::inner_skin, longer = build_with(best, build).longer;
    if (longer == 0) return longer;
    double least_cost = cost_of_skin(best, longer, rows, few_matter, life_);
    for (const double skin : tuning::narrower_inner_skins) {
      const double its_longer = build_with(skin, build).longer;
      const double cost = cost_of_skin(skin, its_longer, rows, few_matter, life_);
      if (cost >= least_cost) continue;
      best = skin;
      longer = its_longer;
      least_cost = cost;
    }
    if (skin_ != best) build_with(best, build);
    return longer;
  }

  double skin_ = tuning::inner_skin;
  int lists_until_choice_ = 0;
  tuning::Reduction reduction_ = tuning::Reduction::Auto;  // for which the choice was made
  bool gathers_ = false;                                   // lists with few longer rows get reverse entries
  LongerRows suitable_;
  LifePerSkin life_;
};

}  // namespace triad

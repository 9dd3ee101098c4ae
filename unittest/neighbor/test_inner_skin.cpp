// The choice of the inner skin of the device's pruned list.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <vector>

#include "neighbor/inner_skin_choice.h"

namespace triad {
namespace {

constexpr double wide = tuning::inner_skin, narrow = 0.065, rows = 1e6;
static_assert(narrow < wide, "the tests compare a narrow with a wide skin");

TEST(InnerSkin, LifeIsProportionalToTheSkin) {
  LifePerSkin life;
  EXPECT_DOUBLE_EQ(life.of(wide), tuning::list_life_at_first);
  life.note(6, wide);
  EXPECT_DOUBLE_EQ(life.of(wide), 6);
  EXPECT_DOUBLE_EQ(life.of(wide / 2), 3);
  EXPECT_DOUBLE_EQ(life.of(wide / 60), 1) << "no list lasts less than a step";
  life.note(0, wide);
  EXPECT_DOUBLE_EQ(life.of(wide), 1);
}

/// Silicon with Si.tersoff at 300 K: a third of the rows has a fifth entry within the wide skin, which no row has
/// within the narrow one.
TEST(InnerSkin, IsNarrowWhereAShellLiesBetweenTheSkins) {
  LifePerSkin life;
  life.note(20, wide);
  EXPECT_LT(cost_of_skin(narrow, 0.002 * rows, rows, true, life), cost_of_skin(wide, 0.31 * rows, rows, true, life));
}

/// Cubic BN with carbon: lists last six steps, and no row is longer within either skin.
TEST(InnerSkin, IsWideWhereRenewalsCostMore) {
  LifePerSkin life;
  life.note(6, wide);
  EXPECT_LT(cost_of_skin(wide, 0, rows, true, life), cost_of_skin(narrow, 0, rows, true, life));
}

/// A hot crystal: a few rows have a fifth entry within the wide skin, and none within the narrow one. The fewer the
/// atoms, the more the kernel of the longer rows costs.
TEST(InnerSkin, IsNarrowWhereThatSparesTheKernelOfLongerRows) {
  LifePerSkin life;
  life.note(20, wide);
  for (const double n : {4096.0, rows})
    EXPECT_LT(cost_of_skin(narrow, 0, n, true, life), cost_of_skin(wide, 5, n, true, life)) << n;
  EXPECT_GT(cost_of_skin(wide, 5, 4096, true, life) - cost_of_skin(wide, 0, 4096, true, life), 0.5);
  EXPECT_LT(cost_of_skin(wide, 5, rows, true, life) - cost_of_skin(wide, 0, rows, true, life), 0.02);
}

/// A melt: most rows are long within both skins, and lists are short-lived.
TEST(InnerSkin, IsWideInAMelt) {
  LifePerSkin life;
  life.note(4, wide);
  EXPECT_LT(cost_of_skin(wide, 0.65 * rows, rows, true, life), cost_of_skin(narrow, 0.45 * rows, rows, true, life));
}

/// Liquids of few atoms, and not crystals, short rows, or many atoms.
TEST(InnerSkin, WidestIsForLiquidsOfFewAtoms) {
  LifePerSkin liquid, crystal;
  liquid.note(4, tuning::inner_skin);
  crystal.note(50, tuning::inner_skin);
  EXPECT_TRUE(wide_skin_pays(0.95, 60, liquid));
  EXPECT_FALSE(wide_skin_pays(0.95, 60, crystal));
  EXPECT_FALSE(wide_skin_pays(0.3, 60, liquid));
  EXPECT_FALSE(wide_skin_pays(0.95, 1000, liquid));
  // a list that has become so old gives a life with which the wide skin is not taken again
  double age = 1;
  while (wide_skin_suits(age)) ++age;
  LifePerSkin solid;
  solid.note(age, tuning::wide_inner_skin);
  EXPECT_FALSE(wide_skin_pays(0.95, 60, solid));
}

/// The cost of atomic reductions counts from the number of longer rows on with which a list is made without reverse
/// entries, also in a small system.
TEST(InnerSkin, AtomicReductionsCostFromTheSameNumberOfRowsOn) {
  EXPECT_DOUBLE_EQ(few_longer_rows(rows), tuning::few_longer_fraction * rows);
  EXPECT_DOUBLE_EQ(few_longer_rows(1000), tuning::few_rows);
  for (const double n : {1000.0, rows}) {
    const LifePerSkin life;
    const double few = few_longer_rows(n), row = tuning::longer_row_cost / n;
    const double one_more = cost_of_skin(wide, few + 1, n, true, life) - cost_of_skin(wide, few, n, true, life);
    EXPECT_NEAR(one_more, row + tuning::atomic_reduction_cost, 1e-9);
    const double elsewhere = cost_of_skin(wide, few + 1, n, false, life) - cost_of_skin(wide, few, n, false, life);
    EXPECT_NEAR(elsewhere, row, 1e-9) << "the reduction is the same with each skin";
    EXPECT_TRUE(suitable_longer_rows(few, n, true).contain(few));
    EXPECT_FALSE(suitable_longer_rows(few, n, true).contain(few + 1));
  }
}

/// A choice holds for the list that it was made with, and not for lists with many more or fewer longer rows.
TEST(InnerSkin, ChoiceHoldsForSimilarLists) {
  const double few = few_longer_rows(rows);
  for (const bool few_matter : {false, true})
    for (const double longer : {0.0, 1.0, few, few + 1, 0.1 * rows, rows}) {
      const LongerRows suitable = suitable_longer_rows(longer, rows, few_matter);
      EXPECT_TRUE(suitable.contain(longer)) << longer << ' ' << few_matter;
      EXPECT_FALSE(suitable.contain(3 * longer + 3 * few)) << longer << ' ' << few_matter;
      EXPECT_EQ(suitable.contain(0), longer <= (few_matter ? few : 4 * few)) << longer << ' ' << few_matter;
    }
  // in a small system the number fluctuates
  for (const double longer : {1.0, 64.0}) {
    EXPECT_TRUE(suitable_longer_rows(longer, 64, true).contain(64 - longer));
  }
  // a narrower skin may spare the kernel of the first longer row
  for (const double n : {64.0, rows}) EXPECT_FALSE(suitable_longer_rows(0, n, true).contain(1));
  // forces were gathered, and with so many longer rows atomic reductions cost less
  EXPECT_FALSE(suitable_longer_rows(0, rows, true).contain(1.1 * few));
  EXPECT_TRUE(suitable_longer_rows(0, rows, false).contain(1.1 * few));
}

using tuning::Reduction;
using Skins = std::vector<double>;

/// Lists whose numbers of longer rows depend on the inner skin, and what is built of them.
class Lists {
 public:
  InnerSkinChoice choice;
  std::map<double, double> longer;  ///< per inner skin
  double rows = 1e6, sms = 132;
  Reduction reduction = Reduction::Auto;
  bool wide_refilters = true, fail = false;
  bool reversed = false;  ///< the last list has reverse entries

  explicit Lists(std::map<double, double> longer) : longer(std::move(longer)) {}

  /// Inner skins of the lists that are built when the host needs one.
  Skins build() {
    Skins skins;
    choice.build_list({rows, rows / sms, reduction}, [&]() -> InnerSkinChoice::List {
      const double skin = choice.skin();
      if (fail && skin == 0.10) throw std::runtime_error("no memory");
      skins.push_back(skin);
      reversed = longer.at(skin) <= choice.most_longer_rows(int(rows));
      return {longer.at(skin), wide_refilters || skin < 0.2};
    });
    return skins;
  }
  /// The same for lists with this number of longer rows, with any skin.
  Skins build(double with_longer) {
    longer = {{0.13, with_longer}, {0.10, with_longer}, {0.065, with_longer}, {0.3, with_longer}};
    return build();
  }
};

/// Silicon with Si.tersoff at 300 K: few rows are longer with the narrowest skin only.
Lists shell_between() { return Lists({{0.13, 310000}, {0.10, 150000}, {0.065, 2000}}); }

/// A melt of few atoms, for which the wide skin is taken.
Lists melt() {
  Lists lists({{0.13, 7600}, {0.10, 6800}, {0.065, 5600}, {0.3, 8000}});
  lists.rows = 8000;
  lists.choice.note_life(4);
  return lists;
}

TEST(InnerSkinChoice, TakesTheUsualSkinWhereNoRowIsLonger) {
  Lists lists({{0.13, 0}});
  EXPECT_EQ(lists.build(), Skins({0.13}));
  EXPECT_TRUE(lists.reversed);
}

TEST(InnerSkinChoice, TakesANarrowSkinWhereAShellLiesBetween) {
  Lists lists = shell_between();
  EXPECT_EQ(lists.build(), Skins({0.13, 0.10, 0.065}));
  EXPECT_EQ(lists.choice.skin(), 0.065);
  EXPECT_TRUE(lists.reversed);
  Lists between({{0.13, 310000}, {0.10, 2000}, {0.065, 1900}});
  EXPECT_EQ(between.build(), Skins({0.13, 0.10, 0.065, 0.10}));
  EXPECT_EQ(between.choice.skin(), 0.10);
}

TEST(InnerSkinChoice, TakesTheWideSkinInLiquidsOfFewAtoms) {
  Lists lists = melt();
  EXPECT_EQ(lists.build(), Skins({0.13, 0.10, 0.065, 0.13, 0.3}));
  EXPECT_EQ(lists.choice.skin(), 0.3);
  EXPECT_FALSE(lists.reversed);

  Lists too_long = melt();  // for steps
  too_long.wide_refilters = false;
  EXPECT_EQ(too_long.build(), Skins({0.13, 0.10, 0.065, 0.13, 0.3, 0.13}));
  EXPECT_EQ(too_long.choice.skin(), 0.13);

  Lists small_device = melt();
  small_device.sms = 16;
  EXPECT_EQ(small_device.build(), Skins({0.13, 0.10, 0.065, 0.13}));
}

TEST(InnerSkinChoice, HoldsForANumberOfLists) {
  Lists lists = shell_between();
  lists.build();
  for (int left = 64; left > 0; --left) {
    ASSERT_EQ(lists.choice.lists_until_choice(), left);
    ASSERT_EQ(lists.build(), Skins({0.065}));
    ASSERT_TRUE(lists.reversed);
  }
  EXPECT_EQ(lists.build(), Skins({0.13, 0.10, 0.065}));
  EXPECT_EQ(lists.choice.lists_until_choice(), 64);
}

TEST(InnerSkinChoice, EndsWithTheFirstLongerRow) {
  Lists lists({{0.13, 0}});
  lists.build();
  lists.longer = {{0.13, 1}, {0.10, 0}, {0.065, 0}};
  EXPECT_EQ(lists.build(), Skins({0.13, 0.13, 0.10, 0.065, 0.10}));
  lists.longer = {{0.10, 0}};
  EXPECT_EQ(lists.build(), Skins({0.10}));
  // no skin avoids longer rows: then one more is no reason for a choice
  lists.longer = {{0.13, 9}, {0.10, 8}, {0.065, 7}};
  EXPECT_EQ(lists.build(), Skins({0.10, 0.13, 0.10, 0.065, 0.13}));
  lists.longer = {{0.13, 10}};
  EXPECT_EQ(lists.build(), Skins({0.13}));
}

TEST(InnerSkinChoice, EndsWithAnUnsuitableList) {
  Lists lists({{0.13, 1}, {0.10, 1}, {0.065, 1}});
  EXPECT_EQ(lists.build(), Skins({0.13, 0.10, 0.065, 0.13}));
  lists.longer = {{0.13, 30000}};
  EXPECT_EQ(lists.build(), Skins({0.13}));
  EXPECT_TRUE(lists.reversed);
  lists.longer = {{0.13, 30001}, {0.10, 20000}, {0.065, 1}};
  EXPECT_EQ(lists.build(), Skins({0.13, 0.13, 0.10, 0.065, 0.10}));
  EXPECT_TRUE(lists.reversed);
  EXPECT_EQ(lists.choice.lists_until_choice(), 64);
  EXPECT_EQ(lists.choice.suitable().most, 30000);
}

/// Atomic operations are kept down to the number at which steps stop.
TEST(InnerSkinChoice, KeepsTheReductionUntilTheNextChoice) {
  Lists lists({});
  EXPECT_EQ(lists.build(60000), Skins({0.13, 0.10, 0.065, 0.13}));
  EXPECT_FALSE(lists.reversed);
  EXPECT_EQ(lists.choice.suitable().least, 15000);
  for (const double longer : {30001.0, 30000.0, 20000.0, 15000.0, 30000.0}) {
    EXPECT_EQ(lists.build(longer), Skins({0.13}));
    EXPECT_FALSE(lists.reversed) << longer;
  }
  EXPECT_EQ(lists.build(14999), Skins({0.13, 0.13, 0.10, 0.065, 0.13}));
  EXPECT_TRUE(lists.reversed);
  EXPECT_EQ(lists.build(30000), Skins({0.13}));
  EXPECT_TRUE(lists.reversed);
  EXPECT_EQ(lists.build(30001).size(), 5u);
  EXPECT_FALSE(lists.reversed);

  // a choice that is made with few longer rows, because it is due, is one for gathering
  lists.choice.note_lists(0, 0);
  EXPECT_EQ(lists.build(20000), Skins({0.13, 0.10, 0.065, 0.13}));
  EXPECT_TRUE(lists.reversed);
}

/// Where forces are always reduced in the same way, the reduction does not tell the skins apart, and no number of
/// longer rows ends a choice because of it.
TEST(InnerSkinChoice, DependsOnTheReduction) {
  for (const Reduction reduction : {Reduction::Auto, Reduction::Gather, Reduction::Atomic}) {
    SCOPED_TRACE(int(reduction));
    Lists lists({{0.13, 40000}, {0.10, 20000}, {0.065, 20000}});
    lists.reduction = reduction;
    lists.build();
    EXPECT_EQ(lists.choice.skin(), reduction == Reduction::Auto ? 0.10 : 0.13);
    EXPECT_EQ(lists.reversed, reduction != Reduction::Atomic);
    EXPECT_EQ(lists.choice.most_longer_rows(2000000), reduction == Reduction::Auto     ? 60000
                                                      : reduction == Reduction::Gather ? 2000000
                                                                                       : -1);
    EXPECT_EQ(lists.choice.suitable().contain(50000), reduction != Reduction::Auto);
    EXPECT_TRUE(lists.choice.suitable().contain(0));
    EXPECT_EQ(lists.build().size(), 1u);
    lists.reduction = reduction == Reduction::Atomic ? Reduction::Auto : Reduction::Atomic;
    EXPECT_GT(lists.build().size(), 2u) << "another reduction calls for a choice";
    EXPECT_EQ(lists.reversed, reduction == Reduction::Atomic);
    EXPECT_EQ(lists.build().size(), 1u);
  }
}

TEST(InnerSkinChoice, DoesNotCountListsThatKeepTheSkin) {
  Lists lists = shell_between();
  lists.build();
  lists.choice.note_lists(1, 0);
  lists.choice.keep_skin();
  EXPECT_EQ(lists.build(), Skins({0.065}));
  EXPECT_EQ(lists.choice.lists_until_choice(), 1);
  EXPECT_EQ(lists.build(), Skins({0.065}));
  EXPECT_EQ(lists.build().size(), 3u);
}

TEST(InnerSkinChoice, TakesOverTheLifeThatStepsHaveNoted) {
  for (const int life : {0, 4, 50}) {  // 0: not known, so that the life of a melt holds
    Lists lists = melt();
    lists.choice.note_lists(0, life);
    lists.build();
    EXPECT_EQ(lists.choice.skin() == 0.3, life < 50) << life;
  }
}

/// A wide skin is given up when a list has lasted longer than in a liquid: 15 steps with the usual skin, 34.6 with it.
TEST(InnerSkinChoice, GivesUpTheWideSkinOfAListThatOutlivesLiquids) {
  Lists lists = melt();
  EXPECT_FALSE(lists.choice.outlives_liquid(1000)) << "not the wide skin";
  lists.build();
  ASSERT_EQ(lists.choice.skin(), 0.3);
  EXPECT_FALSE(lists.choice.outlives_liquid(34));
  EXPECT_EQ(lists.build(), Skins({0.3}));
  EXPECT_TRUE(lists.choice.outlives_liquid(35));
  EXPECT_EQ(lists.choice.lists_until_choice(), 0);
  lists.build();
  EXPECT_LT(lists.choice.skin(), 0.3);
  EXPECT_FALSE(lists.choice.outlives_liquid(35));
}

TEST(InnerSkinChoice, IsMadeAgainAfterAnError) {
  Lists lists = shell_between();
  lists.build();
  lists.longer[0.065] = 40000;  // which ends the choice
  lists.fail = true;
  EXPECT_THROW(lists.build(), std::runtime_error);
  lists.fail = false;
  lists.longer[0.065] = 2000;
  EXPECT_EQ(lists.build(), Skins({0.13, 0.10, 0.065}));
  EXPECT_EQ(lists.choice.lists_until_choice(), 64);
}

}  // namespace
}  // namespace triad

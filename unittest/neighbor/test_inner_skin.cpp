// The choice of the inner skin of the device's pruned list.
#include <gtest/gtest.h>

#include "neighbor/inner_skin.h"

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
  EXPECT_LT(cost_of_skin(narrow, 0.002 * rows, rows, life), cost_of_skin(wide, 0.31 * rows, rows, life));
}

/// Cubic BN with carbon: lists last six steps, and no row is longer within either skin.
TEST(InnerSkin, IsWideWhereRenewalsCostMore) {
  LifePerSkin life;
  life.note(6, wide);
  EXPECT_LT(cost_of_skin(wide, 0, rows, life), cost_of_skin(narrow, 0, rows, life));
}

/// A melt: most rows are long within both skins, and lists are short-lived.
TEST(InnerSkin, IsWideInAMelt) {
  LifePerSkin life;
  life.note(4, wide);
  EXPECT_LT(cost_of_skin(wide, 0.65 * rows, rows, life), cost_of_skin(narrow, 0.45 * rows, rows, life));
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
    const double one_more = cost_of_skin(wide, few + 1, n, life) - cost_of_skin(wide, few, n, life);
    EXPECT_NEAR(one_more, row + tuning::atomic_reduction_cost, 1e-9);
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
  for (const double longer : {0.0, 64.0}) {
    EXPECT_TRUE(suitable_longer_rows(longer, 64, true).contain(64 - longer));
  }
  // forces were gathered, and with so many longer rows atomic reductions cost less
  EXPECT_FALSE(suitable_longer_rows(0, rows, true).contain(1.1 * few));
  EXPECT_TRUE(suitable_longer_rows(0, rows, false).contain(1.1 * few));
}

}  // namespace
}  // namespace triad

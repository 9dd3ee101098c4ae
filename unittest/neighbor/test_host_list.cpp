// Lifetime of the host's pruned list: the choice of its skin, and the prediction of its expiry.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "core/isa.h"
#include "core/tuning.h"
#include "neighbor/host/expected_motion.h"
#include "neighbor/host/pruned_list.h"
#include "testing/systems.h"

namespace triad {
namespace {

/// A silicon crystal with its second shell at a given distance, and the host's pruned list.
struct Crystal {
  static constexpr double lattice = 5.432, cutoff = 3.0;

  explicit Crystal(double second_shell) : system(diamond(silicon_t3(), 5, 0)) {
    for (double &x : system.x) x *= second_shell / (lattice * std::sqrt(0.5));
    rows = std::make_unique<NeighbourList>(system);
    list.announce(rows->rows());
    list.update(system.atoms(), 1);
  }

  int varying_rows() const {
    int n = 0;
    for (const Chunk &chunk : list.chunks())
      n += static_cast<int>(chunk.varying.rows().size() + chunk.watched.rows.rows().size());
    return n;
  }
  /// True if the list may expire within motions of `distance`, given that no atom has moved yet.
  bool ends_within(double distance) {
    AtomsView atoms = system.atoms();
    atoms.moved_at_most = 0;
    atoms.moves_ahead = distance;
    list.update(atoms, 1);
    return list.ends();
  }

  System system;
  std::unique_ptr<NeighbourList> rows;
  PrunedList list{{system.table, system.type_to_element, Precision::Mixed}, chosen_isa()};
};

constexpr double narrow = tuning::host_inner_skin * Crystal::cutoff,
                 wide = tuning::host_wide_inner_skin * Crystal::cutoff;

TEST(HostList, UsesTheWideSkinIfNoOtherShellIsNear) {
  Crystal crystal(3.84);
  EXPECT_EQ(crystal.varying_rows(), 0);
  EXPECT_FALSE(crystal.ends_within(0.49 * wide));
  EXPECT_TRUE(crystal.ends_within(0.51 * wide));
}

TEST(HostList, UsesTheNarrowSkinIfOnlyTheWideOneIncludesAnotherShell) {
  Crystal crystal(Crystal::cutoff + 0.5 * (narrow + wide));
  EXPECT_EQ(crystal.varying_rows(), 0);
  EXPECT_FALSE(crystal.ends_within(0.49 * narrow));
  EXPECT_TRUE(crystal.ends_within(0.51 * narrow));
}

TEST(HostList, UsesTheWideSkinIfBothIncludeAnotherShell) {
  Crystal crystal(Crystal::cutoff + 0.5 * narrow);
  EXPECT_GT(crystal.varying_rows(), crystal.system.n_owned / 2);
  EXPECT_FALSE(crystal.ends_within(0.49 * wide));
}

TEST(HostList, IsRenewedWhenAsked) {
  Crystal crystal(3.84);
  ASSERT_TRUE(crystal.ends_within(0.51 * wide));
  AtomsView atoms = crystal.system.atoms();
  atoms.renew_pruned_list = true;
  crystal.list.update(atoms, 1);
  EXPECT_FALSE(crystal.list.ends());
}

/// A crystal that moves as a whole, with the mean of its path in the next `steps` steps expected.
class RigidMotion : public ExpectedMotion {
 public:
  RigidMotion(double speed, double steps) : speed_(speed), steps_(steps) {}
  void move(System &system) {
    for (double &x : system.x) x += speed_ / std::sqrt(3.0);
    by_.assign(system.x.size(), steps_ / 2 * speed_ / std::sqrt(3.0));
  }
  const double *to_means() override {
    ++lists;
    return by_.data();
  }
  int lists = 0;

 private:
  double speed_, steps_;
  std::vector<double> by_;
};

/// Number of lists in 200 steps, if an atom travels half of the inner skin in ten and a half steps and the mean of the
/// next `steps` steps is expected.
int lists_in_rigid_motion(double steps) {
  Crystal crystal(3.84);
  RigidMotion motion(0.5 * wide / 10.5, steps);
  for (int step = 0; step < 200; ++step) {
    motion.move(crystal.system);
    AtomsView atoms = crystal.system.atoms();
    atoms.expected = &motion;
    crystal.list.update(atoms, 1);
  }
  return motion.lists;
}

TEST(HostList, LastsNearlyTwiceAsLongAroundExpectedPositions) {
  EXPECT_EQ(lists_in_rigid_motion(0), 18);    // in each eleventh step
  EXPECT_EQ(lists_in_rigid_motion(10), 12);   // after the first one, in each sixteenth
  EXPECT_EQ(lists_in_rigid_motion(18), 10);   // in each twentieth
  EXPECT_EQ(lists_in_rigid_motion(100), 10);  // the means are at most host_expected_reach away
}

TEST(HostList, CountsTheWayToTheReferenceWhereOnlyABoundOfTheMotionIsKnown) {
  Crystal crystal(3.84);
  RigidMotion motion(0.06 * wide, 100);  // expected at host_expected_reach ahead
  AtomsView atoms = crystal.system.atoms();
  motion.move(crystal.system);
  atoms.renew_pruned_list = true;
  atoms.expected = &motion;
  crystal.list.update(atoms, 1);
  ASSERT_EQ(motion.lists, 1);
  for (double &x : crystal.system.x) x -= 0.06 * wide / std::sqrt(3.0);
  atoms = crystal.system.atoms();
  atoms.expected = &motion;
  atoms.moved_at_most = 0.06 * wide;
  crystal.list.update(atoms, 1);
  EXPECT_EQ(motion.lists, 2);
}

TEST(HostList, DoesNotEndWhenItIsMade) {
  Crystal crystal(3.84);
  RigidMotion motion(0.1 * wide, 100);
  motion.move(crystal.system);
  AtomsView atoms = crystal.system.atoms();
  atoms.renew_pruned_list = true;
  atoms.expected = &motion;
  atoms.moves_ahead = 0.2 * wide;
  crystal.list.update(atoms, 1);
  motion.move(crystal.system);
  atoms = crystal.system.atoms();
  atoms.moved_at_most = 0.1 * wide;
  atoms.moves_ahead = 0.32 * wide;  // the atoms have become faster
  crystal.list.update(atoms, 1);
  EXPECT_FALSE(crystal.list.ends());
}

TEST(HostList, DoesNotEndAfterANewListOfLammps) {
  Crystal crystal(3.84);
  ASSERT_TRUE(crystal.ends_within(0.51 * wide));
  crystal.list.announce(crystal.rows->rows());
  EXPECT_FALSE(crystal.list.ends());
}

}  // namespace
}  // namespace triad

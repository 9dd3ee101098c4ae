// The parts of CudaEngine, each without the engine: fields, queued motion, ghosts, lists and tables of thermostats.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "core/device_test.h"
#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/lists/engine_lists.cuh"
#include "engine/cuda/state/langevin_tables.cuh"
#include "engine/cuda/state/queued_motion.cuh"
#include "forces/tersoff/cuda/combined_kernel.cuh"
#include "testing/periodic_box.h"

namespace triad {
namespace cuda {
namespace {

constexpr double spacing = 5.432;  // of the lattice, Angstrom

/// A box of silicon with atoms of different masses, and forces that no potential gave.
struct Box : PeriodicBox {
  explicit Box(int cells, double skin = 0.8, Ghosts ghosts = Ghosts::AllOwn, double displacement = 0.1)
      : PeriodicBox(diamond(silicon_t3(), cells, displacement), std::vector<double>(3, cells * spacing).data(), 8,
                    ghosts, skin) {
    Random random(2);
    for (double &component : f) component = random(-5, 5);
    for (int i = 0; i < n_owned(); ++i) rmass.push_back(20 + i % 7);
  }
};

/// The parts that all others use, with the atoms of a box.
template <class Format>
struct Parts {
  DeviceContext device{0};
  TersoffDevice<Format> tersoff;
  EngineAtoms<Format> atoms;
  EngineGhosts<Format> ghosts;

  explicit Parts(Box &box)
      : tersoff(box.system.table, device.stream()),
        atoms(device, tersoff, box.system.type_to_element, 1),
        ghosts(device, tersoff, atoms) {
    atoms.set_arrays(box.arrays());
    ghosts.set_plan(box.halo, box.n_owned());
    tersoff.set_list_cutoff(box.list.rows().cutoff);
    tersoff.set_atom_count(ghosts.layout().n_all());
    atoms.reserve(ghosts.layout().n_all());
    ghosts.upload_plan();
    atoms.read_attributes(ghosts.layout());
    atoms.upload(field_state);
  }
};

/// Parts with the neighbour list of the box, and without a pruned list.
template <class Format>
struct PartsWithLists : Parts<Format> {
  const ForceTerms tersoff_alone;
  PeerExchange<Format> peers{this->device, this->tersoff, this->ghosts};
  EngineTerms<Format> terms{tersoff_alone, 0, this->device, this->tersoff};
  EngineLists<Format> lists{this->device, this->tersoff, terms, this->atoms, this->ghosts, peers};

  explicit PartsWithLists(Box &box)
      : Parts<Format>(box),
        tersoff_alone(TersoffSetup{box.system.table, box.system.type_to_element, Precision::Double}) {
    lists.upload(box.list.rows(), false);
    lists.keep_positions();
  }
};

/// Errors of fields that were copied to the device and back.
template <class Format>
struct Errors {
  static constexpr bool single = std::is_same<Format, SingleFormat>::value;
  static constexpr bool wrapped = !std::is_same<Format, DoubleFormat>::value;

  /// Half a count in single, otherwise the rounding of fp64 at some ten length units.
  static double position(const PositionScale &scale) { return single ? 0.5 / scale.per_length + 1e-14 : 1e-14; }
  /// Relative error of velocities, and of forces in single: the rounding of fp32.
  static double rounding() { return single ? 6e-8 : 0; }
  /// Absolute error of forces in mixed: half of the quantum of fixed point.
  static double force() { return wrapped && !single ? 0.5 * fixed_point::quantum : 0; }
};

void expect_near(const std::vector<double> &values, const std::vector<double> &expected, std::size_t n, double absolute,
                 double relative, const char *what) {
  for (std::size_t k = 0; k < n; ++k)
    ASSERT_NEAR(values[k], expected[k], absolute + relative * std::abs(expected[k])) << what << " " << k;
}

template <class Format>
class EngineParts : public DeviceTest {};
using Formats = testing::Types<SingleFormat, MixedFormat, DoubleFormat>;
TYPED_TEST_SUITE(EngineParts, Formats);

struct MarkOp {
  int *mark, *word;
  __device__ void operator()(std::size_t i) const {
    mark[i] = 1;
    *word = 7;
  }
};

class Context : public DeviceTest {};

__global__ void decide_kernel(StepGuard *guard, int reasons, int met) {
  guard->stop[0] |= reasons;
  guard->decide(StepGuard::both_words, met);
}

/// Steps that are queued behind a stop are not counted, also if they renew the list whose end was the reason.
TEST_F(Context, StepsBehindAStopAreNotCounted) {
  const DeviceContext device(0);
  DeviceBuffer<StepGuard> guard("guard");
  guard.reserve(1);
  StepGuard start = {};
  start.progress = &device.reports().progress;
  copy_to_device(guard.data(), &start, 1, device.stream(), "setting the guard");
  const auto decide = [&](int reasons, int met) {
    decide_kernel<<<1, 1, 0, device.stream()>>>(guard.data(), reasons, met);
    device.wait("deciding");
    return sync_host(guard.data(), 1)[0];
  };
  device.wait("setting the guard");
  EXPECT_EQ(decide(0, 0).completed, 1);
  StepGuard now = decide(stop_pruned_list, stop_pruned_list);
  EXPECT_EQ(now.completed, 2);
  EXPECT_EQ(now.renewals, 1);
  EXPECT_FALSE(now.stopped);
  now = decide(stop_pruned_list, 0);
  EXPECT_TRUE(now.stopped);
  now = decide(0, stop_pruned_list);
  EXPECT_TRUE(now.stopped);
  EXPECT_EQ(now.completed, 2);
  EXPECT_EQ(now.renewals, 1);
  EXPECT_EQ(now.reasons(), stop_pruned_list);
}

TEST_F(Context, KernelsSeeGroupsAndReportToTheHost) {
  const DeviceContext device(0);
  const std::vector<int> mask = {1, 3, 5, 2};
  DeviceVector<int> mask_device(mask), mark(std::vector<int>(4, 0));
  device.for_group(4, mask_device.data(), device_bit(2), MarkOp{mark.data(), &device.reports().moved}, "marking");
  device.wait("marking");
  EXPECT_EQ(sync_host(mark.data(), 4), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(device.reports().moved, 7);
  device.for_each(3, MarkOp{mark.data(), &device.reports().crossed}, "marking");
  device.wait("marking");
  EXPECT_EQ(sync_host(mark.data(), 4), (std::vector<int>{1, 1, 1, 1}));
}

TYPED_TEST(EngineParts, FieldsComeBackAsTheyWere) {
  Box box(2);
  Parts<TypeParam> parts(box);
  const auto x = box.system.x, v = box.v, f = box.f;
  std::fill(box.system.x.begin(), box.system.x.end(), 0);
  std::fill(box.v.begin(), box.v.end(), 0);
  std::fill(box.f.begin(), box.f.end(), 0);
  parts.atoms.download(field_state);
  using Error = Errors<TypeParam>;
  const std::size_t n = 3 * std::size_t(box.n_owned());
  expect_near(box.system.x, x, n, Error::position(parts.atoms.scale()), 0, "position");
  expect_near(box.v, v, n, 0, Error::rounding(), "velocity");
  expect_near(box.f, f, n, Error::force(), Error::rounding(), "force");
}

TYPED_TEST(EngineParts, APositionThatIsNoNumberIsAnError) {
  Box box(2);
  Parts<TypeParam> parts(box);
  box.system.x[7] = NAN;
  EXPECT_THROW(parts.atoms.upload(field_x), LoopError);
}

TYPED_TEST(EngineParts, QueuedMotionIsThatOfTheHost) {
  Box box(2);
  Parts<TypeParam> parts(box);
  QueuedMotion<TypeParam> motion(parts.device, parts.atoms);
  const VerletGroup group = {2, 0.3, 0.002};
  const double factor[3] = {1.1, 0.9, 1};
  const auto version = parts.atoms.version();
  motion.queue_scale_velocities(group.group_bit, factor);
  motion.queue_kick(group.group_bit, group.half_kick);
  motion.flush();
  EXPECT_EQ(parts.atoms.version(), version) << "no atom has moved";
  motion.queue_drift(group.group_bit, group.drift);
  KineticSums sums = motion.kinetic(1);
  EXPECT_NE(parts.atoms.version(), version);

  for (int i = 0; i < box.n_owned(); ++i)
    for (int k = 0; k < 3; ++k)
      if (box.mask[i] & group.group_bit) box.v[3 * i + k] *= factor[k];
  box.kick(group);
  box.drift(group);
  KineticSums expected;
  for (int i = 0; i < box.n_owned(); ++i) add_kinetic(expected, box.mass_of(i), &box.v[3 * i]);
  const auto x = box.system.x, v = box.v;
  parts.atoms.download(field_x | field_v);
  using Error = Errors<TypeParam>;
  const std::size_t n = 3 * std::size_t(box.n_owned());
  const double rounding = Error::single ? 2e-6 : 1e-11;  // of some operations on velocities of up to 9 and forces
  expect_near(box.v, v, n, rounding, 0, "velocity");
  expect_near(box.system.x, x, n, 2 * Error::position(parts.atoms.scale()) + group.drift * rounding, 0, "position");
  for (int k = 0; k < KineticSums::size; ++k)
    EXPECT_NEAR(sums[k], expected[k], (Error::single ? 1e-6 : 1e-11) * expected.mvv[0]) << k;
}

/// The position of each ghost on the device is that of LAMMPS's ghost.
template <class Format>
void expect_ghosts(const Box &box, Parts<Format> &parts) {
  const GhostLayout &layout = parts.ghosts.layout();
  const PositionScale &scale = parts.atoms.scale();
  const auto position = sync_host(parts.tersoff.positions(), layout.n_all());
  constexpr bool wrapped = Errors<Format>::wrapped;
  const double length = wrapped ? 1 / scale.per_length : 1;
  for (int g = 0; g < parts.ghosts.n(); ++g) {
    const auto &p = position[layout.n_owned + g];
    const double found[3] = {p.x * length, p.y * length, p.z * length};
    const double *const expected = &box.system.x[3 * std::size_t(layout.n_owned + layout.host_ghost[g])];
    for (int k = 0; k < 3; ++k) {
      double d = found[k] - expected[k];
      if (wrapped) d = std::remainder(d, parts.atoms.range());
      ASSERT_NEAR(d, 0, wrapped ? 2 * length : 1e-13) << "ghost " << g << " axis " << k;
    }
  }
}

template <class Format>
struct NumberForcesOp {
  ForceArray<Format> force;
  __device__ void operator()(std::size_t i) const {
    for (int axis = 0; axis < 3; ++axis)
      force.component(i, axis) = to_accumulator<typename Format::Sum>(double(i + 1 + axis));
  }
};

/// Atoms whose ghosts go through the exchange of the host, and a box so narrow that images are copies.
TYPED_TEST(EngineParts, GhostsFollowTheirOwnersAndReturnForces) {
  bool copies = false;
  for (const bool narrow : {false, true}) {
    Box box(narrow ? 1 : 2, narrow ? 3 : 0.8, Ghosts::SomeRemote);
    Parts<TypeParam> parts(box);
    EngineGhosts<TypeParam> &ghosts = parts.ghosts;
    const GhostLayout &layout = ghosts.layout();
    copies = copies || !layout.copied_atom.empty();
    ASSERT_GT(layout.n_arriving, 0);
    ghosts.forward();
    parts.device.wait("copying ghosts");
    expect_ghosts(box, parts);

    parts.device.for_each(layout.n_all(), NumberForcesOp<TypeParam>{parts.tersoff.forces()}, "setting forces");
    ghosts.reverse();
    parts.atoms.download(field_f);
    std::vector<double> expected;
    for (int i = 0; i < box.n_owned(); ++i)
      for (int axis = 0; axis < 3; ++axis) expected.push_back(i + 1 + axis);
    for (int g = 0; g < ghosts.n(); ++g) {
      const int owner = g < layout.n_arriving ? box.halo.send[g] : layout.copied_atom[g - layout.n_arriving];
      for (int axis = 0; axis < 3; ++axis) expected[3 * owner + axis] += layout.n_owned + g + 1 + axis;
    }
    for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(box.f[k], expected[k]) << "force " << k;
    ghosts.reverse();  // the forces on ghosts were cleared
    parts.atoms.download(field_f);
    for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_EQ(box.f[k], expected[k]) << "force " << k;
  }
  EXPECT_TRUE(copies);
}

TYPED_TEST(EngineParts, ListsKnowHowFarAtomsHaveMoved) {
  Box box(2);
  PartsWithLists<TypeParam> parts(box);
  EngineLists<TypeParam> &lists = parts.lists;
  EXPECT_FALSE(lists.moved(0.01));
  EXPECT_FALSE(lists.checked()) << "there is no pruned list yet";
  lists.keep_pruned_list();
  EXPECT_TRUE(lists.checked());
  box.system.x[5] += 0.2;
  parts.atoms.upload(field_x);
  EXPECT_FALSE(lists.checked()) << "positions have changed";
  EXPECT_TRUE(lists.moved(0.19));
  EXPECT_FALSE(lists.moved(0.21));
  ListRule rule;
  rule.check = true;
  rule.limit = 0.19;
  EXPECT_FALSE(lists.expired(rule, stop_pruned_list)) << "the steps have stopped for another reason";
  EXPECT_TRUE(lists.expired(rule, stop_list));
}

TEST_F(Context, ThermostatsAreCopiedWhenTheyChange) {
  Box box(1);
  DeviceContext device(0);
  LangevinTables tables(device);
  std::vector<LangevinTerms> terms(box.mass.size());
  for (std::size_t t = 0; t < terms.size(); ++t) terms[t] = {-0.1 * t, 0.2 * t};
  const LangevinForce all = {1, terms.data(), 1, 0, 5}, some = {2, terms.data(), 1, 0, 6};
  auto on_device = tables.on_device({all, some}, box.arrays());
  ASSERT_EQ(on_device.size(), 2u);
  EXPECT_EQ(on_device[0].bit, 0);
  EXPECT_EQ(on_device[1].bit, 2);
  const auto friction = [&](int k, int type) { return sync_host(on_device[k].terms, terms.size())[type].friction; };
  EXPECT_EQ(friction(0, 2), terms[2].friction);
  EXPECT_EQ(friction(1, 3), terms[3].friction);
  terms[3].friction = -4;
  std::reverse(box.tag.begin(), box.tag.end());
  on_device = tables.on_device({all, some}, box.arrays());
  EXPECT_EQ(friction(1, 3), -4);
  EXPECT_EQ(sync_host(on_device[0].tag, 1)[0], 1) << "the order of atoms counts as unchanged";
  tables.forget_atoms();
  on_device = tables.on_device({all, some}, box.arrays());
  EXPECT_EQ(sync_host(on_device[0].tag, 1)[0], box.tag[0]);
}

/// Makes the n-th CUDA call fail whose outcome is looked at, while an object exists.
struct FailingCall {
  static inline int calls = 0, failing = 0;

  explicit FailingCall(int n) {
    calls = 0;
    failing = n;
    fault_hook = [](cudaError_t status) { return ++calls == failing ? cudaErrorMemoryAllocation : status; };
  }
  ~FailingCall() { fault_hook = nullptr; }
};

TEST_F(Context, MemoryThatCouldNotBeClearedIsReleased) {
  const DeviceContext device(0);
  DeviceBuffer<int> buffer("a test");
  {
    const FailingCall clearing(2);  // after the allocation
    EXPECT_THROW(reserve_cleared(buffer, 4, device.stream(), "clearing"), LoopError);
  }
  EXPECT_EQ(buffer.bytes(), 0u);
  reserve_cleared(buffer, 4, device.stream(), "clearing");
  device.wait("clearing");
  EXPECT_EQ(sync_host(buffer.data(), 4), std::vector<int>(4));
}

TEST_F(Context, TablesThatCouldNotBeCopiedAreCopiedAgain) {
  Box box(2);
  const std::size_t n = box.n_owned();
  const std::vector<LangevinTerms> terms(box.mass.size(), {-0.1, 0.2});
  const LangevinForce all = {1, terms.data(), 1, 0, 5};
  int call = 0;
  for (bool failed = true; failed;) {
    DeviceContext device(0);
    LangevinTables tables(device);
    {
      const FailingCall failing(++call);
      try {
        tables.on_device({all}, box.arrays());
        failed = false;
      } catch (const LoopError &) {
      }
    }
    const DeviceLangevin found = tables.on_device({all}, box.arrays())[0];
    EXPECT_EQ(sync_host(found.type, n), std::vector<int>(box.arrays().type, box.arrays().type + n)) << call;
    EXPECT_EQ(sync_host(found.tag, n), std::vector<std::int64_t>(box.tag.begin(), box.tag.begin() + n)) << call;
    EXPECT_EQ(sync_host(found.terms, terms.size()).back().friction, -0.1) << call;
  }
  EXPECT_EQ(call, 9) << "three allocations, three copies and two waits, and then none fails";
}

/// Atoms at opposite faces of the box are neighbours by their periodic images. With the larger displacement, a few rows
/// have more than four entries.
TYPED_TEST(EngineParts, TheReachOfRowsIncludesPeriodicImages) {
  for (const double displacement : {0.1, 0.5}) {
    Box box(5, 1.2, Ghosts::AllOwn, displacement);
    PartsWithLists<TypeParam> parts(box);
    parts.lists.keep_pruned_list();
    const bool longer = displacement > 0.2;
    ASSERT_TRUE(parts.tersoff.gathers());
    EXPECT_EQ(parts.tersoff.rows_of_four(), !longer);
    const NeighborListView rows = box.list.rows();
    const int n = box.n_owned();
    int expected = 0, direct = 0;
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < rows.length[i]; ++k) {
        const int j = rows.neighbour[i][k] & rows.mask;
        const int distance = index_distance(i, j < n ? j : box.halo.owner[j - n], n);
        expected = std::max(expected, distance);
        if (j < n) direct = std::max(direct, distance);
      }
    EXPECT_EQ(parts.tersoff.reach(), expected);
    EXPECT_GT(expected, direct) << "images decide";
  }
}

/// Kernels whose blocks wait for each other must not run beside those of another engine.
TEST(WaitingGrids, AreThoseOfOneEngineAtATime) {
  {
    const WaitingGrids first(1, nullptr, true), second(1, nullptr, true), elsewhere(2, nullptr, true);
    EXPECT_TRUE(first.allowed());
    EXPECT_FALSE(second.allowed());
    EXPECT_TRUE(elsewhere.allowed());
  }
  {
    const WaitingGrids none(1, nullptr, false), now(1, nullptr, true);
    EXPECT_FALSE(none.allowed());
    EXPECT_TRUE(now.allowed());
  }
  EXPECT_FALSE(WaitingGrids(1000, nullptr, true).allowed());
  cudaGetLastError();
}

TEST(IndexDistance, IsThatModuloTheNumberOfAtoms) {
  EXPECT_EQ(index_distance(3, 3, 10), 0);
  EXPECT_EQ(index_distance(2, 6, 10), 4);
  EXPECT_EQ(index_distance(6, 2, 10), 4);
  EXPECT_EQ(index_distance(0, 9, 10), 1);
  EXPECT_EQ(index_distance(9, 1, 10), 2);
  EXPECT_EQ(index_distance(0, 5, 10), 5);
  EXPECT_EQ(index_distance(0, 0, 1), 0);
}

/// Each block computes forces once and gathers once, and the forces on which a block waits have started before it:
/// those of all blocks of the groups in which its neighbours are.
TEST(CombinedOrder, StartsForcesBeforeTheBlocksThatGatherThem) {
  for (const CombinedOrder order :
       {CombinedOrder::of(7813, 162, 0), CombinedOrder::of(7813, 162, 20), CombinedOrder::of(7813, 162, 924),
        CombinedOrder::of(7809, 3, 1), CombinedOrder::of(500, 90, 660), CombinedOrder::at_once(32, 1),
        CombinedOrder::at_once(1, 1), CombinedOrder::at_once(32, 4), CombinedOrder::at_once(1, 4)}) {
    const unsigned per_group = CombinedOrder::blocks_per_group(order.blocks);
    unsigned parts = 0;
    std::vector<int> gathered(order.blocks, 0);
    ASSERT_EQ(order.count(), (order.parts() + 1) * order.blocks);
    for (unsigned x = 0; x < order.count(); ++x) {
      const CombinedOrder::Turn turn = order.turn(x);
      ASSERT_LT(turn.block, order.blocks);
      if (!turn.gathers) {
        ASSERT_EQ(turn.block * order.parts() + turn.part, parts++);
        continue;
      }
      const unsigned computed = parts / order.parts();
      ++gathered[turn.block];
      const unsigned neighbours = std::min(2 * order.reach + 1, order.blocks);
      for (unsigned k = 0; k < neighbours; ++k) {
        const unsigned group = (turn.block + order.blocks - order.reach + k) % order.blocks / per_group;
        ASSERT_LE(std::min(order.blocks, (group + 1) * per_group), computed) << order.blocks << " blocks, number " << x;
      }
    }
    EXPECT_EQ(parts, order.parts() * order.blocks);
    EXPECT_EQ(gathered, std::vector<int>(order.blocks, 1));
  }
}

}  // namespace
}  // namespace cuda
}  // namespace triad

// Compares the pruned list with a brute-force filter: both tables, their order, their offsets and reverse entries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <vector>

#include "core/device_test.h"
#include "neighbor/cuda/pruned_list.cuh"
#include "testing/systems.h"

namespace triad {
namespace cuda {
namespace {

constexpr float inner_skin = 0.2f;

/// Atoms at random positions, and rows with skin as LAMMPS provides them.
struct Input {
  int nelements = 1;
  std::vector<double> x;
  std::vector<float> cutoff;
  std::vector<int> element, centre, neighbour;
  std::vector<long long> offset = {0};
  // Expected positions of the first atoms are those of x, where the list measures distances. These atoms are elsewhere,
  // and the other ones at x.
  std::vector<float> path;       // largest distance of each path from there
  std::vector<double> off_path;  // [][3] where the atom is instead
  bool other_elements = false;   // the expected positions are those of another potential
  bool identity = true;          // centre[row] = row is passed as a null pointer

  int n_all() const { return int(element.size()); }
  /// Distance of a pair minus its cutoff; none for atoms that the potential ignores.
  std::optional<double> beyond(int i, int j) const {
    if (element[i] < 0 || element[j] < 0) return {};
    double square = 0;
    for (int axis = 0; axis < 3; ++axis)
      square += (x[3 * j + axis] - x[3 * i + axis]) * (x[3 * j + axis] - x[3 * i + axis]);
    return std::sqrt(square) - cutoff[element[i] * nelements + element[j]];
  }
  double share(int i) const {
    const float least = inner_skin / 2, most = tuning::most_share_of_skin * inner_skin;
    return i < int(path.size()) ? std::clamp(rounded_up(path[i]), least, most) : least;
  }
  /// The smallest float of at least this value, not negative, whose lower 16 bits are zero.
  static float rounded_up(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (bits & 0xffffu) bits = (bits | 0xffffu) + 1;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  }
  std::vector<double> positions() const {
    std::vector<double> at = x;
    for (std::size_t k = 0; k < off_path.size(); ++k) at[k] += off_path[k];
    return at;
  }
  bool keeps(int i, int j) const {
    const auto distance = beyond(i, j);
    return distance && *distance < share(i) + share(j);
  }
  /// The entries of a row that the list keeps, in the order of the row.
  std::vector<int> kept(std::size_t row) const {
    std::vector<int> entries;
    for (long long s = offset[row]; s < offset[row + 1]; ++s)
      if (keeps(centre[row], neighbour[s])) entries.push_back(neighbour[s]);
    return entries;
  }
};

Input random_input(int n_all, int n_rows, int nelements, double edge, bool permuted, Random &random) {
  Input in;
  in.nelements = nelements;
  for (int i = 0; i < 3 * n_all; ++i) in.x.push_back(random(0, edge));
  for (int i = 0; i < n_all; ++i) in.element.push_back(nelements > 1 ? random.below(nelements + 1) - 1 : 0);
  for (int pair = 0; pair < nelements * nelements; ++pair) in.cutoff.push_back(float(random(0.8, 1.2)));
  in.identity = !permuted;
  for (int row = 0; row < n_rows; ++row) in.centre.push_back(permuted ? n_rows - 1 - row : row);
  for (const int i : in.centre) {
    for (int j = 0; j < n_all; ++j)
      if (j != i && random.below(10) != 0) in.neighbour.push_back(j);
    if (i % 2 != 0) std::reverse(in.neighbour.begin() + in.offset.back(), in.neighbour.end());
    in.offset.push_back((long long)in.neighbour.size());
  }
  return in;
}

/// The same with expected positions of n atoms, some of which have paths that exceed the largest share.
Input with_paths(Input in, int n, Random &random) {
  for (int i = 0; i < n; ++i) in.path.push_back(float(random(0, 1.2) * random(0, 0.5)));
  for (int i = 0; i < 3 * n; ++i) in.off_path.push_back(random(-0.3, 0.3));
  return in;
}

/// The expected list.
struct Expected {
  std::vector<int> general_centre, general_neighbour;
  std::vector<std::vector<int>> four_neighbour = std::vector<std::vector<int>>(4);
  std::vector<long long> general_offset = {0};
  int longest = 0;
  static constexpr int unused = -2;  // slots that are never read

  explicit Expected(const Input &in) {
    for (std::size_t row = 0; row < in.centre.size(); ++row) {
      std::vector<int> kept = in.kept(row);
      longest = std::max(longest, int(kept.size()));
      std::sort(kept.begin(), kept.end());
      if (kept.size() <= 4 && in.element[in.centre[row]] >= 0) {
        longest = std::max(longest, 4);
        kept.resize(4, in.centre[row]);
        for (int slot = 0; slot < 4; ++slot) four_neighbour[slot].push_back(kept[slot]);
      } else {
        four_neighbour[0].push_back(PrunedListView::no_row);
        for (int slot = 1; slot < 4; ++slot) four_neighbour[slot].push_back(unused);
        general_centre.push_back(in.centre[row]);
        general_neighbour.insert(general_neighbour.end(), kept.begin(), kept.end());
        general_offset.push_back((long long)general_neighbour.size());
      }
    }
  }
};

template <class Position>
__global__ void store_kernel(int n, const double *x, const int *element, PositionScale scale, Position *position) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) store(position[i], x + 3 * i, element[i], scale);
}

template <class Position>
__global__ void expect_kernel(int n, const float *path, Position *expected) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) expected[i] = expected_at(expected[i], path[i]);
}

/// Expected positions of an input in device memory.
template <class Position>
struct DeviceExpected {
  DeviceBuffer<Position> position{"expected positions"};

  ExpectedPositions<Position> store(const Input &in, const PositionScale &scale, cudaStream_t stream) {
    const int n = int(in.path.size());
    if (n == 0) return {};
    const DeviceVector<double> x(in.x);
    const DeviceVector<float> path(in.path);
    const DeviceVector<int> element(in.other_elements ? std::vector<int>(n, 0) : in.element);
    position.reserve(n);
    store_kernel<<<blocks_for(n, 128), 128, 0, stream>>>(n, x.data(), element.data(), scale, position.data());
    expect_kernel<<<blocks_for(n, 128), 128, 0, stream>>>(n, path.data(), position.data());
    check(cudaStreamSynchronize(stream), "storing expected positions");
    return {position.data(), n, in.other_elements};
  }
};

class PrunedLists : public DeviceTest {
 protected:
  void expect_filtered(const Input &in) {
    expect_filtered_as<WrappedPosition>(in);
    expect_filtered_as<DoublePosition>(in);
  }

  template <class Position>
  void expect_filtered_as(const Input &in) {
    const DeviceVector<double> x(in.positions()), expected_x(in.x);
    const DeviceVector<float> cutoff(in.cutoff);
    const DeviceVector<int> element(in.element), centre(in.centre), neighbour(in.neighbour);
    const DeviceVector<long long> offset(in.offset);
    const Stream stream;
    const double list_cutoff = 40;  // larger than any box of these tests
    const PositionScale scale = PositionScale::for_cutoff(list_cutoff);
    DeviceBuffer<Position> position("positions"), reference("references"), centres("positions");
    position.reserve(in.n_all() + 1);
    reference.reserve(in.n_all() + 1);
    centres.reserve(in.n_all() + 1);
    const auto store = [&](const DeviceVector<double> &from, Position *to) {
      store_kernel<<<blocks_for(in.n_all() + 1, 128), 128, 0, stream>>>(in.n_all(), from.data(), element.data(), scale,
                                                                        to);
    };
    store(x, position.data());
    store(expected_x, centres.data());
    DeviceExpected<Position> paths;
    list.build(
        {int(in.centre.size()), in.identity ? nullptr : centre.data(), offset.data(), neighbour.data(), list_cutoff},
        DeviceAtoms<Position>{in.n_all(),
                              position.data(),
                              scale,
                              cutoff.data(),
                              inner_skin,
                              in.nelements,
                              reference.data(),
                              {},
                              paths.store(in, scale, stream)},
        -1, stream);
    stream.wait("building");
    expect_limits(in, sync_host(reference.data(), in.n_all()), sync_host(centres.data(), in.n_all()));

    const Expected expected(in);
    const PrunedListView view = list.view();
    ASSERT_EQ(view.n_rows, int(in.centre.size()));
    EXPECT_EQ(list.summary().longest, expected.longest);
    EXPECT_EQ(list.summary().general_entries, expected.general_offset.back());
    EXPECT_EQ(view.length != nullptr, view.width > 0);
    if (in.centre.empty()) return;

    EXPECT_EQ(view.centre, in.identity ? nullptr : centre.data());
    if (expected.longest <= PrunedListView::most_slots && expected.longest > 4) {
      EXPECT_TRUE(view.length);
    }
    if (view.length) return expect_table(in, view);
    ASSERT_EQ(view.n_general, int(expected.general_centre.size()));
    for (int slot = 0; slot < 4; ++slot) {
      std::vector<int> found = sync_host(view.neighbour + std::size_t(slot) * view.n_rows, view.n_rows);
      for (std::size_t row = 0; row < found.size(); ++row)
        if (expected.four_neighbour[slot][row] == Expected::unused) found[row] = Expected::unused;
      EXPECT_EQ(found, expected.four_neighbour[slot]) << "slot " << slot;
    }
    if (view.n_general == 0) return;
    EXPECT_EQ(sync_host(view.general_centre, view.n_general), expected.general_centre);
    EXPECT_EQ(sync_host(view.general_offset, view.n_general + 1), expected.general_offset);
    EXPECT_EQ(sync_host(view.general_neighbour, list.summary().general_entries), expected.general_neighbour);
  }

  /// Rows of up to four entries are in one table, all others in the other.
  static void expect_table(const Input &in, const PrunedListView &view) {
    EXPECT_EQ(view.n_general, 0);
    EXPECT_EQ(view.width % 4, 0);
    const std::vector<int> entry = sync_host(view.neighbour, view.entries());
    const std::vector<int> length = sync_host(view.length, view.n_rows);
    std::vector<int> order = sync_host(view.order, view.n_rows);
    for (int row = 0; row < view.n_rows; ++row) {
      std::vector<int> kept = in.kept(row);
      std::sort(kept.begin(), kept.end());
      EXPECT_EQ(length[row], in.element[in.centre[row]] < 0 ? PrunedListView::no_element : int(kept.size()));
      const bool longer = kept.size() > 4;
      if (!longer) kept.resize(4, in.centre[row]);
      for (int k = 0; k < int(kept.size()); ++k)
        EXPECT_EQ(entry[longer ? long_entry(view.width, view.n_rows, row, k) : short_entry(view.n_rows, row, k)],
                  kept[k])
            << "entry " << k << " of row " << row;
    }
    std::sort(order.begin(), order.end());
    for (int row = 0; row < view.n_rows; ++row) EXPECT_EQ(order[row], row);
  }

  /// A pair that is not listed must stay beyond the cutoff while both atoms stay within their limits, and no limit is
  /// smaller than the closest such pair requires.
  template <class Position>
  static void expect_limits(const Input &in, const std::vector<Position> &reference,
                            const std::vector<Position> &centre) {
    std::vector<double> longest(in.n_all(), 1e9);
    for (std::size_t row = 0; row < in.centre.size(); ++row)
      for (long long s = in.offset[row]; s < in.offset[row + 1]; ++s) {
        const int i = in.centre[row], j = in.neighbour[s];
        const auto beyond = in.beyond(i, j);
        if (!beyond || in.keeps(i, j)) continue;
        const double half_excess = (*beyond - in.share(i) - in.share(j)) / 2;
        longest[i] = std::min(longest[i], in.share(i) + half_excess);
        // The row of j may not contain i, because the lists of these tests have gaps.
        if (!in.identity || j >= int(in.centre.size())) longest[j] = std::min(longest[j], in.share(j) + half_excess);
      }
    for (int i = 0; i < in.n_all(); ++i) {
      const int bits = static_cast<int>(reference[i].element);
      float limit;
      std::memcpy(&limit, &bits, sizeof limit);
      if (longest[i] < 1e9) {
        EXPECT_NEAR(limit, longest[i], 3e-5) << "atom " << i;
      } else {
        EXPECT_GT(limit, 1e9f) << "atom " << i;
      }
      EXPECT_EQ(reference[i].x, centre[i].x);
      EXPECT_EQ(reference[i].y, centre[i].y);
      EXPECT_EQ(reference[i].z, centre[i].z);
    }
  }

  PrunedList list;
};

TEST_F(PrunedLists, HoldPairsWithinCutoff) {
  Random random(70);
  for (const int n : {5, 40, 300})
    for (const double neighbours : {0.5, 4.0, 12.0, 60.0}) {  // on average, within 1.2
      SCOPED_TRACE(std::to_string(n) + " atoms, " + std::to_string(neighbours) + " neighbours");
      expect_filtered(random_input(n, n, 1, std::cbrt(n * 7.2 / neighbours), false, random));
    }
}

TEST_F(PrunedLists, DistinguishElements) {
  Random random(71);
  for (const int nelements : {2, 3, 5}) expect_filtered(random_input(200, 200, nelements, 7, false, random));
}

TEST_F(PrunedLists, SurroundExpectedPositions) {
  Random random(76);
  for (const double edge : {3.5, 5.0, 8.0}) {
    SCOPED_TRACE(edge);
    expect_filtered(with_paths(random_input(200, 200, 1, edge, false, random), 200, random));
    expect_filtered(with_paths(random_input(200, 150, 2, edge, true, random), 120, random));
    Input of_another = with_paths(random_input(200, 150, 3, edge, false, random), 150, random);
    of_another.other_elements = true;
    expect_filtered(of_another);
  }
}

TEST_F(PrunedLists, KeepTheOrderOfRows) {
  Random random(72);
  expect_filtered(random_input(200, 150, 3, 6, true, random));
  expect_filtered(random_input(200, 1, 1, 6, true, random));
}

/// The last row may be inside, at the end of, or after a block of the filter.
TEST_F(PrunedLists, HoldAnyNumberOfRows) {
  Random random(73);
  for (const int rows : {1, 7, 31, 32, 33, 255, 256, 257}) {
    SCOPED_TRACE(rows);
    expect_filtered(random_input(260, rows, 1, 8, false, random));
  }
}

/// Every row has up to four neighbours, as in a crystal or a sheet: the general table stays empty.
TEST_F(PrunedLists, HoldACrystalInOneTable) {
  Random random(74);
  for (const auto &[permuted, sheet] : {std::pair(false, false), {true, false}, {false, true}, {true, true}}) {
    Input in = random_input(100, 100, 1, 1, permuted, random);  // all within the cutoff of each other
    in.neighbour.clear();
    in.offset = {0};
    in.cutoff = {1.8f};
    for (const int i : in.centre) {
      for (int k = 1; k <= (sheet ? i % 5 : 4); ++k) in.neighbour.push_back((i + 7 * k) % 100);
      in.offset.push_back((long long)in.neighbour.size());
    }
    expect_filtered(in);
    EXPECT_EQ(list.view().n_general, 0);
  }
}

TEST_F(PrunedLists, HoldNothingWithoutRows) {
  Random random(75);
  expect_filtered(random_input(10, 0, 1, 3, false, random));
  expect_filtered(random_input(0, 0, 1, 3, false, random));
}

TEST_F(PrunedLists, HoldEmptyRows) {
  Random random(76);
  Input in = random_input(50, 50, 1, 3, false, random);
  in.neighbour.clear();
  in.offset.assign(51, 0);
  expect_filtered(in);
  in = random_input(50, 50, 2, 3, false, random);
  in.element.assign(50, -1);
  expect_filtered(in);
}

/// A single list object for systems of changing size, as in a run.
TEST_F(PrunedLists, AreBuiltAgain) {
  Random random(77);
  for (const int n : {100, 10, 0, 300, 50}) {
    SCOPED_TRACE(n);
    expect_filtered(random_input(n, n, 2, 5, n == 50, random));
  }
}

/// A list that is renewed in steps whose guard has reasons to stop.
template <class Position>
class RenewedList {
 public:
  PrunedList list;

  explicit RenewedList(const Input &in)
      : n_(in.n_all()), nelements_(in.nelements), cutoff_(in.cutoff), entries_(in.neighbour), offset_(in.offset) {
    position_.reserve(n_);
    reference_.reserve(n_);
    guard_.reserve(1);
    place(in);
    list.build(rows(), atoms(), -1, stream_);
  }

  /// Renews the list for atoms at other places and returns the reasons to stop after that.
  int renew(const Input &in, int reasons, bool stopped = false) {
    place(in);
    StepGuard guard = {};
    guard.stop[0] = reasons;
    guard.stopped = stopped;
    copy_to_device(guard_.data(), &guard, 1, stream_, "setting the guard");
    const StopFlags flags = {&guard_.data()->stopped, guard_.data()->stop, true};
    list.refilter(rows(), atoms(), guard_.data(), flags, false, stream_);
    copy_to_host(&guard, guard_.data(), 1, stream_, "reading the guard");
    stream_.wait("renewing");
    return guard.reasons();
  }
  std::vector<int> lengths() const { return sync_host(list.view().length, n_); }

 private:
  void place(const Input &in) {
    const DeviceVector<double> x(in.positions());
    const DeviceVector<int> element(in.element);
    store_kernel<<<blocks_for(n_, 128), 128, 0, stream_>>>(n_, x.data(), element.data(), scale_, position_.data());
    stream_.wait("placing atoms");
    expected_ = paths_.store(in, scale_, stream_);
  }
  DeviceNeighborList rows() const { return {n_, nullptr, offset_.data(), entries_.data(), list_cutoff}; }
  DeviceAtoms<Position> atoms() const {
    return {n_, position_.data(), scale_, cutoff_.data(), inner_skin, nelements_, reference_.data(), {}, expected_};
  }

  static constexpr double list_cutoff = 40;
  const int n_, nelements_;
  const DeviceVector<float> cutoff_;
  const DeviceVector<int> entries_;
  const DeviceVector<long long> offset_;
  const PositionScale scale_ = PositionScale::for_cutoff(list_cutoff);
  Stream stream_;
  DeviceBuffer<Position> position_{"positions"}, reference_{"references"};
  DeviceBuffer<StepGuard> guard_{"guard"};
  DeviceExpected<Position> paths_;
  ExpectedPositions<Position> expected_;
};

Input scaled(Input in, double factor) {
  for (double &x : in.x) x *= factor;
  return in;
}

template <class Position>
void expect_renewed_on_demand() {
  Random random(78);
  const Input first = random_input(200, 200, 1, 5, false, random), wider = scaled(first, 1.1);
  const auto lengths_of = [](const Input &in) {
    std::vector<int> lengths;
    for (int i = 0; i < in.n_all(); ++i) lengths.push_back(int(in.kept(i).size()));
    return lengths;
  };
  ASSERT_NE(lengths_of(first), lengths_of(wider));
  RenewedList<Position> renewed(first);
  ASSERT_TRUE(renewed.list.view().length);
  ASSERT_EQ(renewed.lengths(), lengths_of(first));

  // no atom has left its limit, the steps stop for another reason, or have stopped before
  for (const int reasons : {0, int(stop_list), stop_list | stop_pruned_list})
    EXPECT_EQ(renewed.renew(wider, reasons), reasons);
  EXPECT_EQ(renewed.renew(wider, stop_pruned_list, true), stop_pruned_list);
  EXPECT_EQ(renewed.lengths(), lengths_of(first));

  EXPECT_EQ(renewed.renew(wider, stop_pruned_list), stop_pruned_list);
  EXPECT_EQ(renewed.lengths(), lengths_of(wider));

  const long long longer = std::count_if(first.element.begin(), first.element.end(),
                                         [&, i = 0](int) mutable { return first.kept(i++).size() > 4; });
  LongerRows expected;
  expected.most = double(longer);
  renewed.list.expect_longer_rows(expected);
  EXPECT_EQ(renewed.renew(first, stop_pruned_list), stop_pruned_list);
  expected.most = double(longer - 1);
  renewed.list.expect_longer_rows(expected);
  EXPECT_EQ(renewed.renew(first, stop_pruned_list), stop_pruned_list | stop_skin);
  renewed.list.expect_longer_rows(LongerRows());
  EXPECT_EQ(renewed.renew(scaled(first, 0.3), stop_pruned_list), stop_pruned_list | stop_row);
}

TEST_F(PrunedLists, AreRenewedOnDemand) {
  expect_renewed_on_demand<WrappedPosition>();
  expect_renewed_on_demand<DoublePosition>();
}

/// A renewed list around expected positions is valid if no atom is farther from its own than its limit.
template <class Position>
void expect_stop_beside_path(bool longer) {
  Random random(84);
  Input in = random_input(200, 200, longer ? 2 : 1, 6, false, random);
  if (!longer) in.cutoff = {0.1f};
  in.path.assign(200, 0.05f);  // all shares are half the inner skin
  in.off_path.assign(600, 0.05);
  RenewedList<Position> renewed(in);
  ASSERT_EQ(renewed.list.rows_of_four(), !longer);
  EXPECT_EQ(renewed.renew(in, stop_pruned_list), stop_pruned_list);
  for (int i = 0; i < 40; ++i) {
    if (in.element[i] < 0) continue;
    Input apart = in;
    apart.off_path[3 * i + 1] = -5;  // beyond any limit that other atoms give
    EXPECT_EQ(renewed.renew(apart, stop_pruned_list), stop_pruned_list | stop_path) << "atom " << i;
  }
}

TEST_F(PrunedLists, StopWhereAnAtomIsNotExpected) {
  for (const bool longer : {false, true}) {
    expect_stop_beside_path<WrappedPosition>(longer);
    expect_stop_beside_path<DoublePosition>(longer);
  }
}

/// The kernel that renews a list also orders its rows, window by window, as often as it is launched.
template <class Position>
void expect_ordered_on_demand() {
  for (const unsigned seed : {80u, 81u, 82u}) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const int n = 1000 + 800 * int(seed % 5);
    Input in = random_input(n, n, 1, 5 * std::cbrt(n / 200.0), false, random);
    RenewedList<Position> renewed(in);
    ASSERT_TRUE(renewed.list.view().length);
    for (const double factor : {1.02, 0.99, 1.03}) {
      in = scaled(in, factor);
      ASSERT_EQ(renewed.renew(in, stop_pruned_list), stop_pruned_list);
      const PrunedListView view = renewed.list.view();
      std::vector<int> order = sync_host(view.order, n);
      constexpr int window = tuning::order_rows_per_thread * tuning::pruned_list_block;
      std::vector<int> within;  // entries within the cutoff, of rows of more than four entries
      for (int i = 0; i < n; ++i) {
        const std::vector<int> kept = in.kept(i);
        const auto near = std::count_if(kept.begin(), kept.end(), [&](int j) { return *in.beyond(i, j) < 0; });
        within.push_back(kept.size() <= 4 ? 0 : std::min(static_cast<int>(near) + 1, 31));
      }
      for (int first = 0; first < n; first += window) {
        const int end = std::min(n, first + window);
        for (int k = first + 1; k < end; ++k) ASSERT_GE(within[order[k - 1]], within[order[k]]) << "place " << k;
        std::sort(order.begin() + first, order.begin() + end);
        for (int k = first; k < end; ++k) ASSERT_EQ(order[k], k);
      }
    }
  }
}

TEST_F(PrunedLists, AreOrderedOnDemand) {
  expect_ordered_on_demand<WrappedPosition>();
  expect_ordered_on_demand<DoublePosition>();
}

/// Random atoms whose rows name each other, with a cutoff that is the same from both ends.
Input symmetric_input(int n, int nelements, double edge, Random &random) {
  Input in = random_input(n, n, nelements, edge, false, random);
  for (int a = 0; a < nelements; ++a)
    for (int b = 0; b < a; ++b) in.cutoff[a * nelements + b] = in.cutoff[b * nelements + a];
  in.neighbour.clear();
  in.offset = {0};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (j != i && (i * j + i + j) % 10 != 0) in.neighbour.push_back(j);
    in.offset.push_back((long long)in.neighbour.size());
  }
  return in;
}

/// A list with the reverse of its entries, in the format of one kind of position, if at most `most_longer` rows have
/// more than four entries.
template <class Position>
class ReversedList {
 public:
  PrunedList list;
  PrunedListView view;
  std::vector<int> neighbour, reverse, length, order;

  explicit ReversedList(const Input &in, const ImageNames<Position> &images = {}, const ListedGhosts &ghosts = {},
                        double most_longer = std::numeric_limits<double>::infinity()) {
    const DeviceVector<double> x(in.x);
    const DeviceVector<float> cutoff(in.cutoff);
    const DeviceVector<int> element(in.element), entries(in.neighbour);
    const DeviceVector<long long> offset(in.offset);
    const Stream stream;
    const double list_cutoff = 40;
    const PositionScale scale = PositionScale::for_cutoff(list_cutoff);
    DeviceBuffer<Position> position("positions"), reference("references");
    position.reserve(in.n_all());
    reference.reserve(in.n_all());
    store_kernel<<<blocks_for(in.n_all(), 128), 128, 0, stream>>>(in.n_all(), x.data(), element.data(), scale,
                                                                  position.data());
    DeviceAtoms<Position> atoms = {in.n_all(),   position.data(),  scale, cutoff.data(), inner_skin,
                                   in.nelements, reference.data(), images};
    atoms.ghosts = ghosts;
    const int n_rows = int(in.offset.size()) - 1;
    list.build({n_rows, nullptr, offset.data(), entries.data(), list_cutoff}, atoms, most_longer, stream);
    stream.wait("building");
    view = list.view();
    if (!list.reversed()) return;
    neighbour = sync_host(view.neighbour, list.entries());
    reverse = sync_host(view.reverse, list.entries());
    if (view.length) {
      length = sync_host(view.length, view.n_rows);
      order = sync_host(view.order, view.n_rows);
    }
  }

  std::size_t number(int row, int k) const {
    return !length.empty() && length[row] > 4 ? long_entry(view.width, view.n_rows, row, k)
                                              : short_entry(view.n_rows, row, k);
  }
  int row_of(int number) const {
    const int of_short = 4 * view.n_rows;
    return number < of_short ? number % view.n_rows : (number - of_short) / view.width;
  }
};

template <class Position>
void expect_reversed(const Input &in) {
  const ReversedList<Position> reversed(in);
  ASSERT_TRUE(reversed.list.reversed());
  for (int i = 0; i < in.n_all(); ++i) {
    std::vector<int> kept = in.kept(i);
    std::sort(kept.begin(), kept.end());
    const int n = int(kept.size());
    if (!reversed.length.empty()) {
      EXPECT_EQ(reversed.length[i], in.element[i] < 0 ? PrunedListView::no_element : n);
    }
    for (int k = 0; k < std::max(n, 4); ++k) {
      const std::size_t number = reversed.number(i, k);
      if (k >= n) {
        EXPECT_EQ(reversed.neighbour[number], i);
        EXPECT_EQ(reversed.reverse[number], PrunedListView::no_entry);
        continue;
      }
      EXPECT_EQ(reversed.neighbour[number], kept[k]);
      const int back = reversed.reverse[number];
      ASSERT_GE(back, 0);
      ASSERT_LT(back, int(reversed.list.entries()));
      EXPECT_EQ(reversed.row_of(back), kept[k]);
      EXPECT_EQ(reversed.neighbour[back], i);
    }
  }
  std::vector<int> order = reversed.order;
  std::sort(order.begin(), order.end());
  for (int row = 0; row < int(order.size()); ++row) ASSERT_EQ(order[row], row);
}

TEST_F(PrunedLists, FindReverseEntries) {
  Random random(78);
  for (const int n : {1, 5, 40, 300, 2500})
    for (const int nelements : {1, 3})
      for (const double neighbours : {0.3, 2.0, 6.0}) {
        SCOPED_TRACE(std::to_string(n) + " atoms, " + std::to_string(neighbours) + " neighbours");
        const Input in = symmetric_input(n, nelements, std::cbrt(n * 7.2 / neighbours), random);
        expect_reversed<WrappedPosition>(in);
        expect_reversed<DoublePosition>(in);
      }
}

/// Lists with more longer rows than the caller names have no reverse entries.
TEST_F(PrunedLists, FindReverseEntriesUpToANumberOfLongerRows) {
  Random random(83);
  for (const int n : {5, 300}) {  // no row of five atoms is longer
    const Input in = symmetric_input(n, 1, std::cbrt(n * 1.2), random);
    int longer = 0;
    for (int i = 0; i < n; ++i) longer += in.kept(i).size() > 4;
    ASSERT_EQ(longer > 1, n == 300);
    const ReversedList<WrappedPosition> most(in, {}, {}, longer), fewer(in, {}, {}, longer - 1);
    EXPECT_EQ(most.list.summary().longer_rows, longer);
    EXPECT_TRUE(most.list.reversed());
    EXPECT_EQ(fewer.list.summary().longer_rows, longer);
    EXPECT_FALSE(fewer.list.reversed());
  }
}

/// A list has the slots that rows of its inner skin need, also after a list of a wider one.
TEST_F(PrunedLists, HaveTheSlotsOfTheirInnerSkin) {
  Random random(85);
  const Input in = symmetric_input(300, 1, 8.5, random);
  const DeviceVector<double> x(in.x);
  const DeviceVector<float> cutoff(in.cutoff);
  const DeviceVector<int> element(in.element), neighbour(in.neighbour);
  const DeviceVector<long long> offset(in.offset);
  const Stream stream;
  const double list_cutoff = 40;
  const PositionScale scale = PositionScale::for_cutoff(list_cutoff);
  DeviceBuffer<WrappedPosition> position("positions"), reference("references");
  position.reserve(in.n_all());
  reference.reserve(in.n_all());
  store_kernel<<<blocks_for(in.n_all(), 128), 128, 0, stream>>>(in.n_all(), x.data(), element.data(), scale,
                                                                position.data());
  PrunedList list;
  std::vector<int> slots;
  for (const float skin : {0.0f, 0.8f, 0.0f, 0.8f}) {
    std::size_t longest = 0;
    for (int i = 0; i < in.n_all(); ++i) {
      const auto first = in.neighbour.begin() + in.offset[i], last = in.neighbour.begin() + in.offset[i + 1];
      longest =
          std::max<std::size_t>(longest, std::count_if(first, last, [&](int j) { return *in.beyond(i, j) < skin; }));
    }
    list.build({in.n_all(), nullptr, offset.data(), neighbour.data(), list_cutoff},
               DeviceAtoms<WrappedPosition>{in.n_all(), position.data(), scale, cutoff.data(), skin, in.nelements,
                                            reference.data()},
               -1, stream);
    stream.wait("building");
    slots.push_back(list.view().width);
    EXPECT_EQ(list.view().width, std::max(8, (int(longest) + 3) / 4 * 4)) << skin;
  }
  EXPECT_EQ(slots[0], 8);
  EXPECT_GT(slots[1], 8);
}

/// Two atoms in a periodic chain so short that each names two images of the other and two of its own.
TEST_F(PrunedLists, TellImagesApartInReverse) {
  Input in;
  in.x = {0, 0, 0, 0.5, 0, 0};
  in.cutoff = {1.05f};
  in.element = {0, 0};
  const int bits = ImageNames<DoublePosition>::index_bits, forth = 1 << bits, back = 2 << bits;  // by an edge of 1
  in.neighbour = {forth | 0, 1, back | 1, back | 0, 0, forth | 0, back | 1, forth | 1};
  in.offset = {0, 4, 8};
  const DeviceVector<DoublePosition> shift(std::vector<DoublePosition>{{0, 0, 0, 0}, {1, 0, 0, 0}, {-1, 0, 0, 0}});
  ImageNames<DoublePosition> images;
  images.shift = shift.data();
  images.mask = (1 << bits) - 1;
  const ReversedList<DoublePosition> reversed(in, images);
  ASSERT_TRUE(reversed.list.reversed());
  ASSERT_EQ(reversed.view.width, 0);
  const auto displacement = [&](int number) {
    const int entry = reversed.neighbour[number], image = entry >> bits;
    return in.x[3 * (entry & images.mask)] - in.x[3 * reversed.row_of(number)] + (image == 1) - (image == 2);
  };
  for (int number = 0; number < 8; ++number) {
    const int reverse = reversed.reverse[number];
    ASSERT_GE(reverse, 0);
    EXPECT_EQ(reversed.reverse[reverse], number);
    EXPECT_EQ(displacement(reverse), -displacement(number));
  }
}

/// The same chain with ghosts in place of images. Ghosts are off by what may be rounded.
template <class Position>
void expect_reverse_of_ghosts(bool owners_known) {
  Input in;
  in.x = {0, 0, 0, 0.5, 0, 0, 1 + 1e-8, 0, 0, 1.5, 0, 0, -1, 0, 0, -0.5 - 1e-8, 0, 0};
  in.cutoff = {1.05f};
  in.element.assign(6, 0);
  in.neighbour = {2, 1, 5, 4, 0, 2, 5, 3};
  in.offset = {0, 4, 8};
  const DeviceVector<int> owner(std::vector<int>{0, 1, 0, 1});
  const ReversedList<Position> reversed(in, {}, {2, owners_known ? owner.data() : nullptr});
  ASSERT_EQ(reversed.list.reversed(), owners_known);
  if (!owners_known) return;
  ASSERT_EQ(reversed.view.width, 0);
  const auto displacement = [&](int number) {
    return in.x[3 * reversed.neighbour[number]] - in.x[3 * reversed.row_of(number)];
  };
  for (int number = 0; number < 8; ++number) {
    const int reverse = reversed.reverse[number];
    ASSERT_GE(reverse, 0);
    EXPECT_EQ(reversed.reverse[reverse], number);
    EXPECT_NEAR(displacement(reverse), -displacement(number), 1e-6);
  }
}

TEST_F(PrunedLists, FindReverseEntriesOfGhosts) {
  for (const bool owners_known : {true, false}) {
    expect_reverse_of_ghosts<WrappedPosition>(owners_known);
    expect_reverse_of_ghosts<DoublePosition>(owners_known);
  }
}

/// The owner of a ghost has no row that names an image of the centre.
TEST_F(PrunedLists, HoldNoReverseWithWrongOwners) {
  Input in;
  in.x = {0, 0, 0, 0.5, 0, 0, 1, 0, 0};
  in.cutoff = {1.05f};
  in.element.assign(3, 0);
  in.neighbour = {1, 2, 0, 2};
  in.offset = {0, 2, 4};
  const DeviceVector<int> owner(std::vector<int>{1});
  EXPECT_FALSE(ReversedList<DoublePosition>(in, {}, {2, owner.data()}).list.reversed());
}

TEST_F(PrunedLists, HoldNoReverseWhereEntriesAreOneWay) {
  Random random(79);
  Input in = symmetric_input(60, 1, 4, random);
  long long kept = 0;  // of the first row
  while (!in.keeps(0, in.neighbour[kept])) ASSERT_LT(++kept, in.offset[1]);
  in.neighbour.erase(in.neighbour.begin() + kept);
  for (int row = 1; row <= 60; ++row) --in.offset[row];
  EXPECT_FALSE(ReversedList<WrappedPosition>(in).list.reversed());
  expect_filtered(in);
}

/// The row of each entry of a list and its slot there; -1 for entries that the row does not use.
std::vector<std::pair<int, int>> places_of_entries(const PrunedList &list) {
  const PrunedListView view = list.view();
  std::vector<std::pair<int, int>> places(list.entries(), {-1, 0});
  const std::vector<int> length = view.length ? sync_host(view.length, view.n_rows) : std::vector<int>(view.n_rows, 4);
  for (int row = 0; row < view.n_rows; ++row)
    for (int k = 0; k < std::max(length[row], 4); ++k)
      places.at(length[row] > 4 ? long_entry(view.width, view.n_rows, row, k) : short_entry(view.n_rows, row, k)) = {
          row, k};
  return places;
}

/// Rows of the first n_rows atoms in two lists: those that name an atom without a row, and the others. `longer`: the
/// lists that have rows of more than four entries.
template <class Position>
void expect_linked(const Input &in, int n_rows, bool again, int longer) {
  std::vector<unsigned char> elsewhere(n_rows, 0);
  std::vector<int> boundary;
  for (int i = 0; i < n_rows; ++i) {
    for (long long s = in.offset[i]; s < in.offset[i + 1]; ++s)
      if (in.neighbour[s] >= n_rows && in.keeps(i, in.neighbour[s])) elsewhere[i] = 1;
    if (elsewhere[i]) boundary.push_back(i);
  }
  const int n_second = int(boundary.size());
  const DeviceVector<double> x(in.x);
  const DeviceVector<float> cutoff(in.cutoff);
  const DeviceVector<int> element(in.element), entries(in.neighbour), centre(boundary);
  const DeviceVector<long long> offset(in.offset);
  const DeviceVector<unsigned char> flags(elsewhere);
  const Stream stream;
  const double list_cutoff = 40;
  const PositionScale scale = PositionScale::for_cutoff(list_cutoff);
  DeviceBuffer<Position> position("positions"), reference("references");
  position.reserve(in.n_all());
  reference.reserve(in.n_all());
  store_kernel<<<blocks_for(in.n_all(), 128), 128, 0, stream>>>(in.n_all(), x.data(), element.data(), scale,
                                                                position.data());
  const DeviceAtoms<Position> atoms = {in.n_all(), position.data(), scale,           cutoff.data(),
                                       inner_skin, in.nelements,    reference.data()};
  DeviceNeighborList rows = {n_rows, nullptr, offset.data(), entries.data(), list_cutoff}, second_rows = rows;
  rows.elsewhere = flags.data();
  second_rows.n_rows = n_second;
  second_rows.centre = centre.data();
  second_rows.second_to = n_rows;
  PrunedList first, second;
  first.build(rows, atoms, rows.n_rows, stream);
  second.build(second_rows, atoms, second_rows.n_rows, stream);
  ASSERT_EQ(int(!first.rows_of_four()) + int(!second.rows_of_four()), longer);
  ASSERT_TRUE(PrunedList::link(first, second, atoms, stream));
  if (again) PrunedList::renew_links(first, second, atoms, StopFlags(), stream);
  stream.wait("linking");

  // entries of both lists, those of the second after those of the first
  std::vector<int> neighbour = sync_host(first.view().neighbour, first.entries());
  std::vector<int> reverse = sync_host(first.view().reverse, first.entries());
  std::vector<std::pair<int, int>> places = places_of_entries(first);  // atom and slot
  if (n_second) {
    const std::vector<int> more = sync_host(second.view().neighbour, second.entries());
    const std::vector<int> more_reverse = sync_host(second.view().reverse, second.entries());
    neighbour.insert(neighbour.end(), more.begin(), more.end());
    reverse.insert(reverse.end(), more_reverse.begin(), more_reverse.end());
    for (const auto &[row, slot] : places_of_entries(second)) places.push_back({row < 0 ? row : boundary[row], slot});
  }
  std::vector<unsigned> in_short_rows(n_rows, 0);
  if (longer) in_short_rows = sync_host(first.view().in_short_rows, n_rows);
  int one_way = 0;
  for (std::size_t number = 0; number < neighbour.size(); ++number) {
    const auto [i, slot] = places[number];
    if (i < 0) continue;
    const int j = neighbour[number], back = reverse[number];
    if (number < first.entries() && elsewhere[i]) {
      if (number < std::size_t(n_rows)) {
        EXPECT_EQ(boundary.at(PrunedListView::in_second - back), i);
      }
    } else if (j == i) {
      EXPECT_EQ(back, PrunedListView::no_entry);
    } else if (j >= n_rows) {
      EXPECT_EQ(back, PrunedListView::one_way);
      ++one_way;
    } else {
      ASSERT_GE(back, 0);
      EXPECT_EQ(neighbour.at(back), i);
      EXPECT_EQ(places.at(back).first, j);
      EXPECT_EQ(reverse.at(back), int(number));
      if (in.kept(i).size() > 4) {
        EXPECT_EQ(in_short_rows[i] >> slot & 1u, 1u);
      }
    }
  }
  EXPECT_GE(one_way, n_second);
}

TEST_F(PrunedLists, LinkTwoLists) {
  struct Case {
    int n, n_rows;
    std::vector<int> longer;  // these atoms and those five behind them have five entries instead of four
    int longer_lists;
  };
  Random random(80);
  // atoms without a row are the last ones, and neighbours are up to eleven atoms before and behind
  for (const auto &[n, n_rows, longer, longer_lists] : {Case{2, 1, {}, 0},
                                                        {40, 40, {}, 0},
                                                        {40, 25, {}, 0},
                                                        {3000, 2500, {}, 0},
                                                        {40, 40, {3, 20}, 1},
                                                        {3000, 2500, {700, 701, 1500}, 1},
                                                        {3000, 2500, {2, 2490}, 1},
                                                        {3000, 2500, {2, 700, 1500, 2490}, 2}}) {
    SCOPED_TRACE(n);
    Input in = random_input(n, n, 1, 1, false, random);  // all within the cutoff of each other
    in.cutoff = {1.8f};
    in.neighbour.clear();
    in.offset = {0};
    const auto is_longer = [&rows = longer](int i) { return std::find(rows.begin(), rows.end(), i) != rows.end(); };
    for (int i = 0; i < n; ++i) {
      for (const int k : n > 30 ? std::vector<int>{-11, -3, 3, 11} : std::vector<int>{1})
        in.neighbour.push_back((i + k + n) % n);
      if (is_longer(i)) in.neighbour.push_back(i + 5);
      if (is_longer(i - 5)) in.neighbour.push_back(i - 5);
      in.offset.push_back((long long)in.neighbour.size());
    }
    for (const bool again : {false, true}) {
      expect_linked<WrappedPosition>(in, n_rows, again, longer_lists);
      expect_linked<DoublePosition>(in, n_rows, again, longer_lists);
    }
  }
}

TEST_F(PrunedLists, AreNotLinkedWhereEntriesAreOneWay) {
  Random random(81);
  Input in = random_input(4, 4, 1, 1, false, random);
  in.cutoff = {1.8f};
  in.neighbour = {1, 1, 3};  // the row of atom 1 lacks atom 0, that of atom 2 names an atom without a row
  in.offset = {0, 1, 1, 3};
  const DeviceVector<double> x(in.x);
  const DeviceVector<float> cutoff(in.cutoff);
  const DeviceVector<int> element(in.element), entries(in.neighbour), centre(std::vector<int>{2});
  const DeviceVector<long long> offset(in.offset);
  const DeviceVector<unsigned char> flags(std::vector<unsigned char>{0, 0, 1});
  const Stream stream;
  const PositionScale scale = PositionScale::for_cutoff(40);
  DeviceBuffer<WrappedPosition> position("positions"), reference("references");
  position.reserve(4);
  reference.reserve(4);
  store_kernel<<<1, 128, 0, stream>>>(4, x.data(), element.data(), scale, position.data());
  const DeviceAtoms<WrappedPosition> atoms = {4, position.data(), scale, cutoff.data(), inner_skin,
                                              1, reference.data()};
  DeviceNeighborList rows = {3, nullptr, offset.data(), entries.data(), 40.0}, second_rows = rows;
  rows.elsewhere = flags.data();
  second_rows.n_rows = 1;
  second_rows.centre = centre.data();
  second_rows.second_to = 3;
  PrunedList first, second;
  first.build(rows, atoms, rows.n_rows, stream);
  second.build(second_rows, atoms, second_rows.n_rows, stream);
  EXPECT_FALSE(PrunedList::link(first, second, atoms, stream));
  EXPECT_FALSE(first.reversed());
}

}  // namespace
}  // namespace cuda
}  // namespace triad

// Shallow water on CUDA against the host: states, sub-steps and volumes, for all fluxes, precisions and reductions;
// bits that do not depend on batches and ranks; bad states.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "forces/flow/flow_backend.h"
#include "testing/flow_meshes.h"

namespace triad {
namespace {

constexpr int nx = 45, ny = 37;  // no multiples of a slice or a block
constexpr double spacing = 0.5;

/// Squares beside a reservoir: the last cell, which has an edge with every square of the first column. The bed rises
/// above the water, and the boundary has all kinds of conditions.
RankMesh coast() {
  RankMesh mesh = squares(nx, ny, spacing);
  for (int c = 0; c < mesh.n_owned; ++c) mesh.bed[c] = -1 + 1.5 * (c % nx) / nx + 0.2 * std::sin(0.7 * (c / nx));
  const int reservoir = mesh.n_owned;
  const double width = 2, height = ny * spacing;
  mesh.n_all = ++mesh.n_owned;
  mesh.area.push_back(width * height);
  mesh.bed.push_back(-1.1);
  mesh.series = {{"tide", {0, 1, 2}, {0.2, 0.5, 0.1}}, {"river", {0.5, 1.5}, {0.1, 0.3}}};
  std::vector<RankMesh::BoundaryEdge> boundary;
  for (RankMesh::BoundaryEdge e : mesh.boundary) {
    if (e.nx == -1) {
      mesh.edges.push_back({reservoir, e.cell, 1, 0, spacing});
      continue;
    }
    const int x = e.cell % nx;
    if (e.ny == -1 && x < 10) e.kind = FlowBoundaryKind::Open;
    if (e.ny == -1 && x >= 10 && x < 20) e.kind = FlowBoundaryKind::Discharge, e.series = 1;
    if (e.ny == 1 && x < 10) e.kind = FlowBoundaryKind::Stage, e.value = 0.3;
    boundary.push_back(e);
  }
  boundary.push_back({reservoir, -1, 0, height, FlowBoundaryKind::Stage, 0});
  boundary.push_back({reservoir, 0, -1, width, FlowBoundaryKind::Wall});
  boundary.push_back({reservoir, 0, 1, width, FlowBoundaryKind::Wall});
  mesh.boundary = boundary;
  return mesh;
}

std::vector<double> initial(const RankMesh &mesh) {
  return at_rest(mesh, [](int c) { return c % nx < 12 && c / nx < 12 ? 0.4 : 0.0; });
}

double volume_of(const RankMesh &mesh, const std::vector<double> &rows) {
  double volume = 0;
  for (int c = 0; c < mesh.n_owned; ++c) volume += mesh.area[c] * rows[4 * std::size_t(c)];
  return volume;
}

struct Outcome {
  std::vector<double> rows;
  SubSteps steps;
  FlowVolumes volumes;
};

void prepare(FlowBackend &loops, const RankMesh &mesh, const std::vector<double> &rows) {
  loops.set_mesh(mesh);
  loops.set_state(rows.data());
  loops.set_manning(std::vector<double>(mesh.n_owned, 0.02).data());
  loops.set_rain(std::vector<double>(mesh.n_owned, 1e-3).data());
}

constexpr double spans[] = {0.02, 2.0, 0.3};

/// Three intervals with the sub-steps of `advance`, which takes a backend and SubSteps.
template <class Advance>
Outcome run(FlowBackend &loops, const RankMesh &mesh, Advance &&advance) {
  prepare(loops, mesh, initial(mesh));
  Outcome out;
  long long count = 0;
  for (const double span : spans) {
    out.steps.start += out.steps.span;
    out.steps.span = span;
    out.steps.done = 0;
    out.steps.count = 0;
    EXPECT_TRUE(advance(loops, out.steps));
    EXPECT_EQ(out.steps.done, span);
    count += out.steps.count;
  }
  out.steps.count = count;
  out.rows.resize(4 * std::size_t(mesh.n_owned));
  loops.get_state(out.rows.data());
  out.volumes = loops.take_volumes();
  return out;
}
Outcome run(FlowBackend &loops, const RankMesh &mesh) {
  return run(loops, mesh, [](FlowBackend &l, SubSteps &steps) { return l.advance(steps, nullptr); });
}

double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) largest = std::max(largest, std::fabs(a[k] - b[k]));
  return largest;
}

class FlowCuda : public testing::TestWithParam<std::tuple<FlowFlux, Precision, FlowReduction>> {
 protected:
  void SetUp() override {
    std::string reason;
    if (usable_cuda_devices(reason) == 0) GTEST_SKIP() << reason;
    setup.flux = std::get<0>(GetParam());
    setup.precision = std::get<1>(GetParam());
    setup.reduction = std::get<2>(GetParam());
  }
  std::unique_ptr<FlowBackend> make() const { return make_flow_cuda(setup, 0, 2); }
  bool has_equal_bits() const { return setup.reduction != FlowReduction::Atomic; }

  FlowSetup setup;
};

TEST_P(FlowCuda, AgreesWithTheHost) {
  const RankMesh mesh = coast();
  const Outcome cuda = run(*make(), mesh), host = run(*make_flow_host(setup, 2), mesh);
  EXPECT_GT(host.steps.count, 40);
  const bool is_double = setup.precision == Precision::Double;
  EXPECT_NEAR(double(cuda.steps.count), double(host.steps.count), is_double ? 0 : 1);
  // H200, at most: single 1.2e-6, mixed 2.6e-7, double 2.0e-15.
  const double bound_of_state = is_double ? 6e-15 : setup.precision == Precision::Mixed ? 7e-7 : 3.5e-6;
  EXPECT_LT(largest_difference(cuda.rows, host.rows), bound_of_state);
  const double scale = volume_of(mesh, host.rows), bound = is_double ? 1e-13 : 1e-6;
  EXPECT_NEAR(cuda.volumes.open, host.volumes.open, bound * scale);
  EXPECT_NEAR(cuda.volumes.stage, host.volumes.stage, bound * scale);
  EXPECT_NEAR(cuda.volumes.discharge, host.volumes.discharge, bound * scale);
  EXPECT_NEAR(cuda.volumes.rain, host.volumes.rain, bound * scale);
  EXPECT_GT(std::fabs(host.volumes.open), 1e-3);
  EXPECT_GT(host.volumes.stage, 1e-3);
  EXPECT_GT(host.volumes.discharge, 1e-3);
}

TEST_P(FlowCuda, KeepsVolume) {
  const RankMesh mesh = coast();
  const auto loops = make();
  const Outcome out = run(*loops, mesh);
  const double before = volume_of(mesh, initial(mesh)), after = volume_of(mesh, out.rows);
  const double entered = out.volumes.open + out.volumes.stage + out.volumes.discharge + out.volumes.rain;
  EXPECT_NEAR((after - before - entered) / before, 0, setup.precision == Precision::Single ? 1e-5 : 1e-13);
  EXPECT_EQ(loops->take_volumes().rain, 0) << "volumes are taken once";
}

TEST_P(FlowCuda, HasTheBitsOfSubStepsThatTheHostChooses) {
  if (!has_equal_bits()) GTEST_SKIP() << "atomic operations add in any order";
  const RankMesh mesh = coast();
  const Outcome batched = run(*make(), mesh), again = run(*make(), mesh);
  const Outcome stepped = run(
      *make(), mesh, [](FlowBackend &loops, SubSteps &steps) { return loops.FlowBackend::advance(steps, nullptr); });
  EXPECT_EQ(batched.rows, again.rows);
  EXPECT_EQ(batched.rows, stepped.rows);
  EXPECT_EQ(batched.steps.count, stepped.steps.count);
  EXPECT_EQ(batched.steps.step, stepped.steps.step);
}

TEST_P(FlowCuda, KeepsWaterAtRest) {
  RankMesh mesh = coast();
  for (auto &e : mesh.boundary) e.kind = FlowBoundaryKind::Wall;
  const auto loops = make();
  loops->set_mesh(mesh);
  auto rows = at_rest(mesh, [](int) { return 0.0; });
  loops->set_state(rows.data());
  SubSteps steps;
  steps.span = 2;
  ASSERT_TRUE(loops->advance(steps, nullptr));
  loops->get_state(rows.data());
  const double bound = setup.precision == Precision::Single ? 1e-5 : 1e-12;
  for (std::size_t k = 0; k < rows.size(); k += 4) EXPECT_LT(std::fabs(rows[k + 1]) + std::fabs(rows[k + 2]), bound);
}

/// Two ranks in one process: each half owns its cells and has the cells beside them as ghosts.
class TwoRanks : public FlowRanks {
 public:
  struct Half {
    std::unique_ptr<FlowBackend> loops;
    std::vector<int> cells, ghosts, sent;  // indices of the whole mesh; sent: own indices
  };

  /// Divides `mesh` into the cells for which owner(cell) is 0 or 1.
  template <class Owner, class Make>
  TwoRanks(const RankMesh &mesh, const std::vector<double> &rows, Owner &&owner, Make &&make) {
    for (int r = 0; r < 2; ++r) {
      Half &half = halves_[r];
      std::vector<int> local(mesh.n_owned, -1);
      RankMesh part;
      std::vector<double> state;
      for (int c = 0; c < mesh.n_owned; ++c) {
        if (owner(c) != r) continue;
        local[c] = int(half.cells.size());
        half.cells.push_back(c);
        part.area.push_back(mesh.area[c]);
        part.bed.push_back(mesh.bed[c]);
        state.insert(state.end(), rows.begin() + 4 * c, rows.begin() + 4 * c + 4);
      }
      part.n_owned = int(half.cells.size());
      for (const auto &e : mesh.edges) {
        if (owner(e.left) != r && owner(e.right) != r) continue;
        for (const int c : {e.left, e.right}) {
          if (local[c] >= 0) continue;
          local[c] = part.n_owned + int(half.ghosts.size());
          half.ghosts.push_back(c);
          part.bed.push_back(mesh.bed[c]);
        }
        part.edges.push_back({local[e.left], local[e.right], e.nx, e.ny, e.length});
      }
      part.n_all = part.n_owned + int(half.ghosts.size());
      part.series = mesh.series;
      for (auto e : mesh.boundary) {
        if (owner(e.cell) != r) continue;
        e.cell = local[e.cell];
        part.boundary.push_back(e);
      }
      half.loops = make();
      prepare(*half.loops, part, state);
    }
    for (int r = 0; r < 2; ++r) {
      std::vector<int> sent;
      for (const int c : halves_[1 - r].ghosts)
        sent.push_back(
            int(std::lower_bound(halves_[r].cells.begin(), halves_[r].cells.end(), c) - halves_[r].cells.begin()));
      halves_[r].loops->set_sent(sent);
    }
  }

  void exchange(FlowBackend &) override {
    std::vector<double> values[2];
    for (int r = 0; r < 2; ++r) {
      values[r].resize(3 * halves_[1 - r].ghosts.size());
      halves_[r].loops->get_sent(values[r].data());
    }
    for (int r = 0; r < 2; ++r) halves_[r].loops->set_ghosts(values[1 - r].data());
  }
  double least(double mine) override { return mine; }

  void advance(SubSteps steps) {
    while (!steps.finished()) {
      exchange(*halves_[0].loops);
      const double first = halves_[0].loops->rates(steps.time()), second = halves_[1].loops->rates(steps.time());
      ASSERT_TRUE(steps.choose(std::min(first, second)));
      for (Half &half : halves_) half.loops->update(steps.step);
      steps.complete();
    }
  }

  std::vector<double> rows(int n) {
    std::vector<double> all(4 * std::size_t(n));
    for (Half &half : halves_) {
      std::vector<double> mine(4 * half.cells.size());
      half.loops->get_state(mine.data());
      for (std::size_t k = 0; k < mine.size(); ++k) all[4 * half.cells[k / 4] + k % 4] = mine[k];
    }
    return all;
  }

 private:
  Half halves_[2];
};

TEST_P(FlowCuda, HasTheSameBitsOnSeveralRanks) {
  if (!has_equal_bits()) GTEST_SKIP() << "atomic operations add in any order";
  const RankMesh mesh = coast();
  const auto loops = make();
  prepare(*loops, mesh, initial(mesh));
  SubSteps steps;
  steps.span = 0.5;
  ASSERT_TRUE(loops->advance(steps, nullptr));
  std::vector<double> one(4 * std::size_t(mesh.n_owned));
  loops->get_state(one.data());
  TwoRanks ranks(
      mesh, initial(mesh), [](int c) { return (c % nx) / 7 % 2; }, [this] { return make(); });
  ranks.advance({0, 0.5});
  EXPECT_EQ(one, ranks.rows(mesh.n_owned));
}

TEST_P(FlowCuda, TellsOfBadStates) {
  const RankMesh mesh = coast();
  const auto loops = make();
  SubSteps steps;
  steps.span = 1;
  auto rows = initial(mesh);
  rows[4 * 77] = std::numeric_limits<double>::quiet_NaN();
  prepare(*loops, mesh, rows);
  EXPECT_THROW(loops->rates(0), LoopError);
  EXPECT_THROW(loops->advance(steps, nullptr), LoopError);

  RankMesh tiny = coast();
  tiny.area[5] = 1e-30;
  prepare(*loops, tiny, initial(tiny));
  SubSteps stuck;
  stuck.span = 1;
  EXPECT_FALSE(loops->advance(stuck, nullptr));
  EXPECT_EQ(stuck.count, 0);
  EXPECT_LT(stuck.step, 1e-20);

  prepare(*loops, mesh, initial(mesh));  // works again afterwards
  EXPECT_TRUE(loops->advance(steps, nullptr));

  RankMesh closed = coast();
  for (auto &e : closed.boundary) e.kind = FlowBoundaryKind::Wall;
  loops->set_mesh(closed);
  loops->set_state(std::vector<double>(4 * std::size_t(closed.n_owned), 0.0).data());
  EXPECT_EQ(loops->rates(0), std::numeric_limits<double>::infinity()) << "dry cells limit no step";
}

INSTANTIATE_TEST_SUITE_P(
    All, FlowCuda,
    testing::Combine(testing::Values(FlowFlux::Roe, FlowFlux::Hll), testing::ValuesIn(all_precisions),
                     testing::Values(FlowReduction::Gather, FlowReduction::Atomic, FlowReduction::Colored)),
    [](const auto &info) {
      return std::string(std::get<0>(info.param) == FlowFlux::Roe ? "roe_" : "hll_") +
             name_of(std::get<1>(info.param)) + "_" + name_of(std::get<2>(info.param));
    });

}  // namespace
}  // namespace triad

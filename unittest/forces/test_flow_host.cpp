// The loops of shallow water on the host: bits do not depend on threads, precisions and instruction sets agree, water
// at rest stays, volume is kept, bad states are errors.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "forces/flow/flow_backend.h"
#include "testing/flow_meshes.h"

namespace triad {
namespace {

constexpr int side = 40;

/// A pool of squares between walls; the bed rises from -1 to 0.5.
RankMesh pool() {
  RankMesh mesh = squares(side, side, 0.5);
  for (int c = 0; c < mesh.n_owned; ++c) mesh.bed[c] = -1 + 1.5 * (c % side) / side + 0.2 * std::sin(0.7 * (c / side));
  return mesh;
}

/// Rows of the state: surface 0, and `more` near a corner.
std::vector<double> filled(const RankMesh &mesh, double more) {
  return at_rest(mesh, [more](int c) { return std::hypot(c % side, c / side) < 12 ? more : 0; });
}

struct Outcome {
  std::vector<double> rows;
  double volume_before = 0, volume = 0, time = 0;
};

Outcome run(FlowFlux flux, Precision precision, int threads, Isa isa, double more, int steps = 150) {
  FlowSetup setup;
  setup.flux = flux;
  setup.precision = precision;
  const auto loops = make_flow_host(setup, threads, isa);
  const RankMesh mesh = pool();
  loops->set_mesh(mesh);
  Outcome out;
  out.rows = filled(mesh, more);
  for (std::size_t k = 0; k < out.rows.size(); k += 4) out.volume_before += 0.25 * out.rows[k];
  loops->set_state(out.rows.data());
  loops->set_manning(std::vector<double>(mesh.n_owned, 0.02).data());
  for (int k = 0; k < steps; ++k) {
    const double dt = std::min(loops->rates(0), 0.02);
    loops->update(dt);
    out.time += dt;
  }
  loops->get_state(out.rows.data());
  for (std::size_t k = 0; k < out.rows.size(); k += 4) out.volume += 0.25 * out.rows[k];
  return out;
}

double largest_difference(const Outcome &a, const Outcome &b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.rows.size(); ++k) largest = std::max(largest, std::fabs(a.rows[k] - b.rows[k]));
  return largest;
}

class FlowHost : public testing::TestWithParam<FlowFlux> {};

TEST_P(FlowHost, HasTheSameBitsWithAnyNumberOfThreads) {
  for (const Precision precision : {Precision::Single, Precision::Mixed, Precision::Double}) {
    const auto one = run(GetParam(), precision, 1, usable_isas().back(), 0.4);
    for (const int threads : {2, 3})
      EXPECT_EQ(one.rows, run(GetParam(), precision, threads, usable_isas().back(), 0.4).rows) << threads;
  }
}

TEST_P(FlowHost, AgreesOverInstructionSetsAndPrecisions) {
  const auto one = run(GetParam(), Precision::Double, 1, Isa::Baseline, 0.4);
  EXPECT_GT(one.time, 1.0);
  for (const Isa isa : usable_isas()) {
    EXPECT_LT(largest_difference(one, run(GetParam(), Precision::Double, 1, isa, 0.4)), 1e-12) << name_of(isa);
    EXPECT_LT(largest_difference(one, run(GetParam(), Precision::Mixed, 1, isa, 0.4)), 1e-5) << name_of(isa);
    EXPECT_LT(largest_difference(one, run(GetParam(), Precision::Single, 1, isa, 0.4)), 1e-4) << name_of(isa);
  }
}

TEST_P(FlowHost, KeepsWaterAtRestAndVolume) {
  const auto rest = run(GetParam(), Precision::Double, 2, usable_isas().back(), 0);
  for (std::size_t k = 0; k < rest.rows.size(); k += 4)
    EXPECT_LT(std::fabs(rest.rows[k + 1]) + std::fabs(rest.rows[k + 2]), 1e-13);
  for (const Precision precision : {Precision::Mixed, Precision::Double}) {
    const auto moved = run(GetParam(), precision, 2, usable_isas().back(), 0.4);
    EXPECT_NEAR(moved.volume / moved.volume_before, 1, 1e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Fluxes, FlowHost, testing::Values(FlowFlux::Roe, FlowFlux::Hll),
                         [](const auto &info) { return info.param == FlowFlux::Roe ? "roe" : "hll"; });

TEST(FlowHostErrors, NameStatesThatAreNoNumbers) {
  const auto loops = make_flow_host({}, 1);
  const RankMesh mesh = pool();
  loops->set_mesh(mesh);
  auto rows = filled(mesh, 0);
  rows[4 * 77] = std::numeric_limits<double>::quiet_NaN();
  loops->set_state(rows.data());
  EXPECT_THROW(loops->rates(0), LoopError);
}

TEST(FlowHostErrors, DryCellsLimitNoStep) {
  const auto loops = make_flow_host({}, 1);
  const RankMesh mesh = pool();
  loops->set_mesh(mesh);
  EXPECT_EQ(loops->rates(0), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace triad

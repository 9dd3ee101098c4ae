// The results of a GPU do not depend on the order in which it runs the blocks of a kernel.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {
namespace {

/// A crystal at some 300 K whose lists outlast the steps of these tests.
struct Crystal {
  static constexpr double a = 5.432;
  explicit Crystal(int cells)
      : edge{cells * a, cells * a, cells * a}, box(diamond(silicon_t3(), cells, 0.18), edge, 3, Ghosts::AllOwn, 2) {}
  std::unique_ptr<MdEngine> engine_of(const Backend &backend) {
    std::unique_ptr<MdEngine> engine = make_engine(backend, box.system);
    box.send_to(*engine);
    ResultsView results;
    engine->compute_forces({}, results);
    return engine;
  }
  double edge[3];
  PeriodicBox box;
};

/// Steps of other atoms on the same GPU, one after the other, until they are stopped.
class OtherSteps {
 public:
  explicit OtherSteps(const Backend &backend) : engine_(other_.engine_of(backend)) {
    steps_ = std::async(std::launch::async, [this] {
      long long steps = 0;
      while (!stop_) {
        steps += engine_->run_steps(batch_of(20)).completed;
        started_ = true;
      }
      return steps;
    });
    while (!started_ && steps_.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) continue;
  }
  ~OtherSteps() { stop_ = true; }
  /// Returns the number of steps.
  long long stop() {
    stop_ = true;
    return steps_.get();
  }

 private:
  Crystal other_{7};
  std::unique_ptr<MdEngine> engine_;
  std::atomic<bool> started_ = {false}, stop_ = {false};
  std::future<long long> steps_;
};

/// Blocks of other kernels occupy multiprocessors, so that blocks start at other times, on other multiprocessors, and
/// in another order. Sizes: all forces start before the first motion; forces and motion are separate kernels.
TEST_P(Engines, ComputeTheSameBitsBesideOtherKernels) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host runs no blocks";
  for (const int cells : {5, 9}) {
    const auto course = [&](bool alone) {
      Crystal crystal(cells);
      const auto engine = crystal.engine_of(backend);
      std::unique_ptr<OtherSteps> others;
      if (!alone) others = std::make_unique<OtherSteps>(backend);
      EXPECT_EQ(engine->run_steps(batch_of(300)).completed, 300);
      if (others) EXPECT_GT(others->stop(), 20) << "nothing ran beside the steps";
      engine->sync_host(field_state);
      return std::make_pair(crystal.box.system.x, crystal.box.v);
    };
    const auto expected = course(true);
    for (int run = 0; run < 3; ++run) EXPECT_EQ(course(false), expected) << cells << " cells, run " << run;
  }
}

}  // namespace
}  // namespace triad

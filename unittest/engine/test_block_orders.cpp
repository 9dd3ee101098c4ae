// The results of a GPU do not depend on the order in which it runs the blocks of a kernel.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
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

/// Steps of other atoms on the same GPU, one after the other, in a thread of their own.
class OtherSteps {
 public:
  /// Returns after the first steps.
  explicit OtherSteps(const Backend &backend) : engine_(other_.engine_of(backend)) {
    thread_ = std::async(std::launch::async, [this] {
      while (!stop_) made_ += engine_->run_steps(batch_of(20)).completed;
    });
    while (made_ == 0 && thread_.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) continue;
  }
  ~OtherSteps() { stop_ = true; }
  /// Number of steps so far.
  long long made() const { return made_; }
  /// Ends the steps, and throws what has ended them before.
  void stop() {
    stop_ = true;
    thread_.get();
  }

 private:
  Crystal other_{7};
  std::unique_ptr<MdEngine> engine_;
  std::atomic<bool> stop_ = {false};
  std::atomic<long long> made_ = {0};
  std::future<void> thread_;
};

/// Blocks of other kernels occupy multiprocessors, so that blocks start at other times, on other multiprocessors, and
/// in another order. The numbers of atoms are on either side of tuning::combined_rows_per_sm for a GPU with 132
/// multiprocessors.
TEST_P(Engines, ComputeTheSameBitsBesideOtherKernels) {
  if (backend.location != Backend::Cuda) GTEST_SKIP() << "the host runs no blocks";
  if (std::getenv("TRIAD_REDUCTION")) GTEST_SKIP() << "the environment chooses the reduction";
  for (const int cells : {5, 9}) {
    const auto course = [&] {
      Crystal crystal(cells);
      const auto engine = crystal.engine_of(backend);
      EXPECT_EQ(engine->run_steps(batch_of(300)).completed, 300);
      engine->sync_host(field_state);
      return std::make_pair(crystal.box.system.x, crystal.box.v);
    };
    const auto alone = course();
    OtherSteps others(backend);
    const long long before = others.made();
    for (int run = 0; run < 3; ++run) EXPECT_EQ(course(), alone) << cells << " cells, run " << run;
    EXPECT_GT(others.made(), before) << "no steps were made beside these";
    others.stop();
  }
}

}  // namespace
}  // namespace triad

// Google Benchmark of the host loops: forces alone, as a pair style calls them, for three systems in every precision
// and with 1, 2, 4, ... threads up to the number of cores.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "host/host_benchmark.h"
#include "host/systems.h"
#include "testing/mixed_tables.h"

namespace triad {
namespace bench {
namespace {

constexpr double skin = 1.0;  // Angstrom

/// A system that is created at its first use.
class LazySystem {
 public:
  LazySystem(const char *name, Structure (*make)(), TersoffTable (*table)())
      : name_(name), make_(make), table_(table) {}
  const std::string &name() const { return name_; }
  const HostSystem &get() {
    if (!system_) system_ = std::make_unique<HostSystem>(make_(), table_(), skin);
    return *system_;
  }

 private:
  std::string name_;
  Structure (*make_)();
  TersoffTable (*table_)();
  std::unique_ptr<HostSystem> system_;
};

void compute_forces(benchmark::State &state, LazySystem &lazy, Precision precision, int threads) {
  const HostSystem &system = lazy.get();
  const AtomsView atoms = system.atoms();
  const auto backend = make_tersoff_host(system.setup(precision), threads);
  std::vector<double> force(3 * std::size_t(atoms.n_all), 0.0);
  ResultsView results;
  results.force = force.data();
  backend->set_neighbours(system.rows(), atoms);
  for (auto _ : state) backend->compute(atoms, TallyRequest(), results);
  benchmark::DoNotOptimize(force.data());
  state.counters["atom-steps/s"] =
      benchmark::Counter(double(atoms.n_owned) * double(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["neighbours"] = system.mean_neighbours();
}

void register_all(std::vector<LazySystem> &systems) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  for (LazySystem &system : systems)
    for (const Precision precision : all_precisions)
      for (int threads = 1; threads <= cores; threads *= 2) {
        const std::string name =
            "tersoff/" + system.name() + "/" + name_of(precision) + "/threads:" + std::to_string(threads);
        benchmark::RegisterBenchmark(name.c_str(),
                                     [&system, precision, threads](benchmark::State &state) {
                                       compute_forces(state, system, precision, threads);
                                     })
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      }
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  using namespace triad::bench;
  std::vector<LazySystem> systems;
  systems.emplace_back("Si_crystal", warm_silicon, triad::silicon_table);
  systems.emplace_back("Si_liquid", liquid_silicon, triad::silicon_table);
  systems.emplace_back("SiC_crystal", warm_silicon_carbide, triad::silicon_carbide_table);
  return run_benchmarks("bench_tersoff", argc, argv, [&systems] { register_all(systems); });
}

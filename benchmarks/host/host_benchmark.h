// What the programs with Google Benchmark share: the names of their measurements, and main().
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <thread>

#include "bench_commit.h"
#include "common/run_guarded.h"
#include "core/isa.h"
#include "core/precision.h"

namespace triad {
namespace bench {

/// Registers backend(state, isa, precision, threads) for all instruction sets and precisions, under names that begin
/// with `prefix`: one thread, and with the best instruction set also 2, 4, ... threads up to the number of cores.
template <class Backend>
void register_backends(const std::string &prefix, Backend backend) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const Isa best = usable_isas().back();
  for (const Isa isa : usable_isas())
    for (const Precision precision : all_precisions)
      for (int threads = 1; threads <= (isa == best ? cores : 1); threads *= 2) {
        const std::string name =
            prefix + name_of(isa) + "/" + name_of(precision) + "/threads:" + std::to_string(threads);
        auto *const timed = benchmark::RegisterBenchmark(name.c_str(), backend, isa, precision, threads);
        timed->Unit(benchmark::kMillisecond);
        if (threads > 1)
          timed->UseRealTime();  // one thread is measured by CPU time, which other processes do not affect
      }
}

/// Registers benchmarks by register_all(), runs those that the command line selects, and stores the commit with the
/// results. Returns the exit status of the program `name`.
template <class Register>
int run_benchmarks(const char *name, int argc, char **argv, Register &&register_all) {
  bool understood = true;
  const int status = run_guarded(name, [&] {
    register_all();
    benchmark::AddCustomContext("commit", TRIAD_COMMIT);
    benchmark::Initialize(&argc, argv);
    understood = !benchmark::ReportUnrecognizedArguments(argc, argv);
    if (understood) benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
  });
  return understood ? status : 1;
}

}  // namespace bench
}  // namespace triad

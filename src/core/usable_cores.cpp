#include "core/usable_cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

namespace triad {
namespace {

int cores_of_affinity() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());  // 0 if unknown
}

/// Number of cores whose CPU time the control group allows, rounded up; 0 if there is no limit. Inside a container the
/// group of the process is the root of the file system. Source: Linux kernel documentation, cgroup-v2, cpu.max, and
/// sched-bwc, cpu.cfs_quota_us.
int cores_of_control_group() {
  const std::string folder = "/sys/fs/cgroup/";
  double quota = 0, period = 0;
  std::ifstream second(folder + "cpu.max");  // "200000 100000", or "max 100000"
  if (!(second >> quota >> period)) {
    std::ifstream first(folder + "cpu/cpu.cfs_quota_us"), first_period(folder + "cpu/cpu.cfs_period_us");
    if (!(first >> quota) || !(first_period >> period)) return 0;
  }
  return quota > 0 && period > 0 ? static_cast<int>(std::ceil(quota / period)) : 0;
}

}  // namespace

int usable_cores() {
  static const int cores = [] {
    const int limit = cores_of_control_group(), all = std::max(1, cores_of_affinity());
    return limit > 0 ? std::min(all, limit) : all;
  }();
  return cores;
}

}  // namespace triad

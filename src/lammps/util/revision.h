// Numbers that tell objects and their versions apart.
#pragma once

#include <atomic>

namespace LAMMPS_NS {

/// Returns a positive number that no earlier call in this process has returned, also for other LAMMPS objects.
inline int new_revision() {
  static std::atomic<int> last{0};
  return ++last;
}

}  // namespace LAMMPS_NS

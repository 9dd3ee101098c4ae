// Values that are kept for each LAMMPS instance.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "lammps.h"

namespace LAMMPS_NS {

/// A value for each LAMMPS instance of the process; instances may run in several threads. A new instance can have the
/// address of an earlier one, so forget() is to be called for it.
template <class Value>
class PerInstance {
 public:
  /// Returns work(value of `lmp`), which is Value() at first. No other thread has access meanwhile.
  template <class Work>
  auto with(const LAMMPS *lmp, Work &&work) {
    const std::lock_guard<std::mutex> guard(mutex_);
    return std::forward<Work>(work)(of_[lmp]);
  }
  void forget(const LAMMPS *lmp) {
    const std::lock_guard<std::mutex> guard(mutex_);
    of_.erase(lmp);
  }

 private:
  std::mutex mutex_;
  std::map<const LAMMPS *, Value> of_;
};

}  // namespace LAMMPS_NS

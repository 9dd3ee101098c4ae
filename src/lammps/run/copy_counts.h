// How often atoms were copied from the engine to LAMMPS's arrays, what for, and how long that took.
#pragma once

#include <map>
#include <string>

#include "lmptype.h"

namespace LAMMPS_NS {

class CopyCounts {
 public:
  void clear() { causes_.clear(); }
  /// One copy, or one step in which `cause` had LAMMPS's arrays brought up to date.
  void add(const std::string &cause, double seconds);
  /// A line for each cause, the most expensive one first. `when` is "in steps 0 to 100".
  std::string lines(const std::string &when) const;

 private:
  struct Cost {
    bigint times = 0;
    double seconds = 0;
  };
  std::map<std::string, Cost> causes_;
};

}  // namespace LAMMPS_NS

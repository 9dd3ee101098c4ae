// Number, cause and time of the copies of atoms from the engine to LAMMPS's arrays.
#pragma once

#include <map>
#include <string>

#include "lmptype.h"

namespace LAMMPS_NS {

class CopyCounts {
 public:
  void clear() { causes_.clear(); }
  /// Counts one copy, or one step in which `cause` needed current LAMMPS arrays.
  void add(const std::string &cause, double seconds);
  /// One line per cause, in the order of cost. `when`: for example "in steps 0 to 100".
  std::string lines(const std::string &when) const;

 private:
  struct Cost {
    bigint times = 0;
    double seconds = 0;
  };
  std::map<std::string, Cost> causes_;
};

}  // namespace LAMMPS_NS

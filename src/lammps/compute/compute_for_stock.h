// Replacement of computes of Triad by LAMMPS's at their creation.
#pragma once

#include <string>
#include <vector>

#include "compute.h"

namespace LAMMPS_NS {

/// A temporary compute for arguments that Triad does not support: post_constructor() replaces it by LAMMPS's compute of
/// the name in the script. The factory cannot return that compute itself, because LAMMPS sets the style name after the
/// factory has returned.
class ComputeForStock final : public Compute {
 public:
  ComputeForStock(LAMMPS *lmp, int narg, char **arg) : Compute(lmp, narg, arg), arguments_(arg, arg + narg) {}
  void init() override {}
  void post_constructor() override;  ///< deletes this compute

 private:
  const std::vector<std::string> arguments_;
};

}  // namespace LAMMPS_NS

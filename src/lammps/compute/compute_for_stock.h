// Replacement of computes of Triad by LAMMPS's at their creation.
#pragma once

#include <string>
#include <vector>

#include "lammps/compat/compute_api.h"

namespace LAMMPS_NS {

/// A temporary compute for arguments that Triad does not support: post_constructor() replaces it by LAMMPS's compute of
/// the name in the script. The factory cannot return that compute itself, because LAMMPS sets the style name after the
/// factory has returned.
class ComputeForStock final : public ComputeApi {
 public:
  ComputeForStock(LAMMPS *lmp, int narg, char **arg);
  void init() override {}
  void post_constructor() override;  ///< deletes this compute

 private:
  const std::vector<std::string> arguments_;
};

}  // namespace LAMMPS_NS

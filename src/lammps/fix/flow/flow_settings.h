// Settings of the command "fix ID group flow/triad ...".
#pragma once

#include <string>

#include "forces/flow/flow_backend.h"
#include "io/flow_mesh_file.h"
#include "lammps/util/backend_choice.h"
#include "pointers.h"

namespace LAMMPS_NS {

struct FlowSettings {
  /// A number, or a variable of style equal or atom.
  struct Field {
    double value = 0;
    std::string variable;  ///< name without v_; empty: a number
    bool given = false;
  };

  triad::FlowSetup setup;
  BackendChoice backend = BackendChoice::Auto;
  std::string mesh_file;
  triad::FlowMesh mesh;
  Field manning;          ///< not given: the coefficients of the mesh file
  Field rain;             ///< length / time
  bool cfl_step = false;  ///< each LAMMPS step is one step of the scheme
};

/// Parses the words after the style name. Collective, because the mesh is read. Error messages quote the wrong word.
FlowSettings parse_flow_settings(LAMMPS *lmp, int narg, char **arg);

}  // namespace LAMMPS_NS

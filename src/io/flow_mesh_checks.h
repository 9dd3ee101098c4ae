// Checks of a mesh whose lines are correct one by one.
#pragma once

#include "io/flow_mesh_file.h"

namespace triad {

/// Throws text::Fault (io/text.h) with the line for an edge that an earlier line gives, a cell without edges, and a
/// cell whose edges do not close. The indices of cells in `mesh` must be valid.
void check_flow_mesh(const FlowMesh &mesh);

}  // namespace triad

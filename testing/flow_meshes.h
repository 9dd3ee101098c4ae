// Meshes of squares for tests and benchmarks of shallow water.
#pragma once

#include <vector>

#include "forces/flow/flow_backend.h"

namespace triad {

/// nx times ny squares of the size `spacing` between walls, on the bed 0. The edges along x come first, then those
/// along y; cell (x, y) has the index y * nx + x.
inline RankMesh squares(int nx, int ny, double spacing) {
  RankMesh mesh;
  mesh.n_owned = mesh.n_all = nx * ny;
  mesh.area.assign(mesh.n_owned, spacing * spacing);
  mesh.bed.assign(mesh.n_owned, 0.0);
  const auto wall = [&](int c, double nx_, double ny_) {
    mesh.boundary.push_back({c, nx_, ny_, spacing, FlowBoundaryKind::Wall});
  };
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const int c = y * nx + x;
      if (x == 0) wall(c, -1, 0);
      if (x + 1 == nx) wall(c, 1, 0);
      if (y == 0) wall(c, 0, -1);
      if (y + 1 == ny) wall(c, 0, 1);
      if (x + 1 < nx) mesh.edges.push_back({c, c + 1, 1, 0, spacing});
    }
  for (int c = 0; c + nx < nx * ny; ++c) mesh.edges.push_back({c, c + nx, 0, 1, spacing});
  return mesh;
}

/// Rows of the state of water at rest with the elevation surface(cell), none where the bed is higher.
template <class Surface>
std::vector<double> at_rest(const RankMesh &mesh, Surface &&surface) {
  std::vector<double> rows;
  for (int c = 0; c < mesh.n_owned; ++c) {
    const double depth = surface(c) - mesh.bed[c];
    rows.insert(rows.end(), {depth > 0 ? depth : 0, 0, 0, 0});
  }
  return rows;
}

}  // namespace triad

#include "io/flow_mesh_checks.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "io/text.h"

namespace triad {
namespace {

using text::reject;

constexpr double closed_within = 1e-4;  // of the perimeter
/// Two edges of the same cells are the same edge if the cosine between their normals exceeds this value.
constexpr double same_direction = 0.999;

/// Rejects the second line that gives the same edge. Two cells may share several edges of different directions.
void check_distinct_edges(const FlowMesh &mesh) {
  std::vector<int> order(mesh.edges.size());
  std::iota(order.begin(), order.end(), 0);
  const auto cells = [&](int e) { return std::minmax(mesh.edges[e].left, mesh.edges[e].right); };
  const auto key = [&](int e) { return std::tuple(cells(e).first, cells(e).second, e); };
  std::sort(order.begin(), order.end(), [&](int a, int b) { return key(a) < key(b); });
  int first = -1, again = -1;
  for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
    for (end = begin + 1; end < order.size() && cells(order[end]) == cells(order[begin]);) ++end;
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t b = a + 1; b < end; ++b) {
        const FlowEdge &p = mesh.edges[order[a]], &q = mesh.edges[order[b]];
        const double cosine = (p.left == q.left ? 1 : -1) * (p.nx * q.nx + p.ny * q.ny);
        if (cosine > same_direction && (again < 0 || q.line < mesh.edges[again].line)) {
          first = order[a];
          again = order[b];
        }
      }
  }
  if (again < 0) return;
  const FlowEdge &e = mesh.edges[again];
  reject(e.line, "the edge between the cells " + std::to_string(mesh.cells[e.left].id) + " and " +
                     std::to_string(mesh.cells[e.right].id) + " was given on line " +
                     std::to_string(mesh.edges[first].line) + " already; remove one of them");
}

void check_distinct_boundary(const FlowMesh &mesh) {
  const auto key = [](const FlowBoundaryEdge &b) { return std::tuple(b.cell, b.nx, b.ny, b.length, b.line); };
  auto sorted = mesh.boundary;
  std::sort(sorted.begin(), sorted.end(), [&](const auto &a, const auto &b) { return key(a) < key(b); });
  for (std::size_t k = 1; k < sorted.size(); ++k) {
    const FlowBoundaryEdge &a = sorted[k - 1], &b = sorted[k];
    if (a.cell == b.cell && a.nx == b.nx && a.ny == b.ny && a.length == b.length)
      reject(b.line, "the boundary edge of cell " + std::to_string(mesh.cells[b.cell].id) + " was given on line " +
                         std::to_string(a.line) + " already; remove one of them");
  }
}

/// Rejects cells without edges and cells whose edges do not form a closed polygon.
void check_closed(const FlowMesh &mesh) {
  struct Sum {
    double x = 0, y = 0, perimeter = 0;
    void add(double sign, const double nx, const double ny, double length) {
      x += sign * nx * length;
      y += sign * ny * length;
      perimeter += length;
    }
  };
  std::vector<Sum> sums(mesh.cells.size());
  for (const FlowEdge &e : mesh.edges) {
    sums[e.left].add(1, e.nx, e.ny, e.length);
    sums[e.right].add(-1, e.nx, e.ny, e.length);
  }
  for (const FlowBoundaryEdge &b : mesh.boundary) sums[b.cell].add(1, b.nx, b.ny, b.length);
  for (std::size_t c = 0; c < sums.size(); ++c) {
    const FlowCell &cell = mesh.cells[c];
    if (sums[c].perimeter == 0 && mesh.cells.size() > 1)
      reject(cell.line, "cell " + std::to_string(cell.id) + " has no edges; connect it or remove it");
    if (!(std::sqrt(sums[c].x * sums[c].x + sums[c].y * sums[c].y) <= closed_within * sums[c].perimeter))
      reject(cell.line, "the edges of cell " + std::to_string(cell.id) +
                            " do not close; every side needs an edge or a boundary edge, with normals outward");
  }
}

}  // namespace

void check_flow_mesh(const FlowMesh &mesh) {
  check_distinct_edges(mesh);
  check_distinct_boundary(mesh);
  check_closed(mesh);
}

}  // namespace triad

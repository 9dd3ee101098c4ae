// Reader of the mesh file of fix flow/triad: polygonal cells, the edges between them, the edges of the boundary, and
// time series for the boundary.
//
// The file is ASCII text of sections. A section starts with a line that holds its name alone; '#' starts a comment, and
// blank lines are ignored. A UTF-8 byte order mark, Windows line ends, tabs and a missing last newline are accepted.
//
//   Cells       ID area bed h qx qy n          one line per cell: atom ID, area (length^2), elevation of the bed
//                                              (length, upward), initial depth (length) and discharge (length^2/time),
//                                              Manning coefficient (time/length^(1/3))
//   Edges       i j nx ny length               an edge between the cells i and j; (nx, ny): normal from i to j
//   Boundary    i nx ny length wall            an edge of cell i alone; (nx, ny): outward normal
//   Boundary    i nx ny length open
//   Boundary    i nx ny length stage value     elevation of the water surface outside (length)
//   Boundary    i nx ny length discharge value inflow per length of the edge (length^2/time), positive into the cell
//   Series      name time value                points of a time series; times of a name ascend
//
// The value of stage and discharge is a number or the name of a series. Sections may come in any order and several
// times; Cells and, if there are two cells or more, Edges are needed.
//
// The reader rejects a number that is not finite; an area or length that is not positive; a negative depth or Manning
// coefficient; a discharge without water; an ID that is given twice or that has no cell; an edge of a cell with itself;
// an edge that an earlier line gives; a normal whose length differs from 1 by more than 1e-3 (normals are then
// normalised); a cell without edges; a cell whose edges do not close, that is, whose sum of length times normal exceeds
// 1e-4 of its perimeter; a series that is unknown, unused or not ascending.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics/shallow_water/settings.h"
#include "dynamics/shallow_water/time_series.h"

namespace triad {

struct FlowCell {
  std::int64_t id;  ///< atom ID
  double area, bed;
  double h, qx, qy;  ///< initial state
  double manning;
  int line;  ///< line of the file, from 1
};

struct FlowEdge {
  int left, right;  ///< indices of cells; the normal points from left to right
  double nx, ny;    ///< unit vector
  double length;
  int line;
};

struct FlowBoundaryEdge {
  int cell;  ///< index of the cell
  double nx, ny, length;
  FlowBoundaryKind kind;
  double value;  ///< stage or discharge, if series < 0
  int series;    ///< index of the time series, or -1
  int line;
};

struct FlowMesh {
  std::vector<FlowCell> cells;  ///< in the order of the file
  std::vector<FlowEdge> edges;
  std::vector<FlowBoundaryEdge> boundary;
  std::vector<FlowSeries> series;
};

/// Thrown for every rejected file. what() reads "file:line: what is wrong; what to do".
class FlowMeshError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Parses the text of a mesh file. `filename` is used in messages only; `largest_id` is the largest possible atom ID of
/// the run. Throws FlowMeshError.
FlowMesh read_flow_mesh(std::string_view text, const std::string &filename, std::int64_t largest_id);

}  // namespace triad

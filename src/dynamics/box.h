// A box of LAMMPS, orthogonal or triclinic, and what atoms do that follow a change of the box.
#pragma once

#include <cmath>

#include "core/portable_math.h"

namespace triad {

/// An upper triangular matrix of three rows.
struct UpperTriangular {
  double xx, yy, zz, yz, xz, xy;

  TRIAD_HD Vec3<double> operator*(const Vec3<double> &v) const { return diagonal_times(v) + tilts_times(v); }
  /// The contributions of the diagonal and of the other elements to this product.
  TRIAD_HD Vec3<double> diagonal_times(const Vec3<double> &v) const { return {xx * v.x, yy * v.y, zz * v.z}; }
  TRIAD_HD Vec3<double> tilts_times(const Vec3<double> &v) const { return {xy * v.y + xz * v.z, yz * v.z, 0}; }
  TRIAD_HD UpperTriangular operator*(const UpperTriangular &b) const {
    return {xx * b.xx,
            yy * b.yy,
            zz * b.zz,
            yy * b.yz + yz * b.zz,
            xx * b.xz + xy * b.yz + xz * b.zz,
            xx * b.xy + xy * b.yy};
  }
  TRIAD_HD UpperTriangular operator-(const UpperTriangular &b) const {
    return {xx - b.xx, yy - b.yy, zz - b.zz, yz - b.yz, xz - b.xz, xy - b.xy};
  }
  TRIAD_HD double &diagonal(int d) { return d == 0 ? xx : d == 1 ? yy : zz; }
};

/// The inverse of a matrix without a 0 on its diagonal.
TRIAD_HD UpperTriangular inverse(const UpperTriangular &a) {
  return {1 / a.xx,
          1 / a.yy,
          1 / a.zz,
          -a.yz / (a.yy * a.zz),
          (a.yz * a.xy - a.yy * a.xz) / (a.xx * a.yy * a.zz),
          -a.xy / (a.xx * a.yy)};
}

/// LAMMPS's boxlo, boxhi and tilts, in length units. The edges are the vectors a = (high_x - low_x, 0, 0), b = (xy,
/// high_y - low_y, 0) and c = (xz, yz, high_z - low_z).
struct Box {
  double low[3], high[3];
  double yz = 0, xz = 0, xy = 0;
  bool triclinic = false;  ///< false: the tilts are 0

  /// The matrix whose columns are the edges.
  TRIAD_HD UpperTriangular edges() const { return {high[0] - low[0], high[1] - low[1], high[2] - low[2], yz, xz, xy}; }
  /// Copies the edges as vectors, [edge][component].
  TRIAD_HD void copy_edges(double (&edge)[3][3]) const {
    const UpperTriangular h = edges();
    const double rows[3][3] = {{h.xx, 0, 0}, {h.xy, h.yy, 0}, {h.xz, h.yz, h.zz}};
    for (int d = 0; d < 3; ++d)
      for (int k = 0; k < 3; ++k) edge[d][k] = rows[d][k];
  }
  TRIAD_HD double volume() const { return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
  /// Multiplies the vector of edge d by a factor, and moves the corners so that the coordinate `fixed` along axis d
  /// stays.
  TRIAD_HD void scale_edge(int d, double factor, double fixed) {
    low[d] = fixed + (low[d] - fixed) * factor;
    high[d] = fixed + (high[d] - fixed) * factor;
    if (d == 1) xy *= factor;
    if (d == 2) xz *= factor;
    if (d == 2) yz *= factor;
  }
};

/// A change of the box that an atom follows: the fractional coordinates stay the same, and the position x changes by
/// offset + growth x.
struct BoxChange {
  double offset[3];
  UpperTriangular growth;  ///< growth of the edges times the inverse of the edges before

  TRIAD_HD Vec3<double> displacement(const Vec3<double> &x) const {
    return Vec3<double>{offset[0], offset[1], offset[2]} + growth * x;
  }
  /// Sets the offset so that the lowest corner of the box moves from `low` to `low_after`. The growth must be set.
  TRIAD_HD void set_offset(const double *low, const double *low_after) {
    const Vec3<double> moved = growth * Vec3<double>{low[0], low[1], low[2]};
    offset[0] = low_after[0] - low[0] - moved.x;
    offset[1] = low_after[1] - low[1] - moved.y;
    offset[2] = low_after[2] - low[2] - moved.z;
  }
};

TRIAD_HD BoxChange change_of_box(const Box &before, const Box &after) {
  BoxChange change;
  change.growth = (after.edges() - before.edges()) * inverse(before.edges());
  change.set_offset(before.low, after.low);
  return change;
}

/// Sets the tilts of a matrix S or S - 1, whose diagonal is set, so that S multiplies each edge vector by a factor.
TRIAD_HD_NOINLINE void complete_scaling(UpperTriangular &scaling, const UpperTriangular &edges) {
  scaling.xy = (scaling.yy - scaling.xx) * edges.xy / edges.yy;
  scaling.yz = (scaling.zz - scaling.yy) * edges.yz / edges.zz;
  scaling.xz = ((scaling.zz - scaling.xx) * edges.xz - scaling.xy * edges.yz) / edges.zz;
}

/// The sum of two displacements of corners of a triclinic box, see displacements_of_corners(): the largest of eight,
/// and the largest of those that were not a new maximum in LAMMPS's order of the corners, which rounding may decide.
TRIAD_HD_NOINLINE double displacements_of_eight_corners(const Box &before, const Box &after) {
  const UpperTriangular from = before.edges(), to = after.edges();
  double first = 0, second = 0;
  for (int k = 0; k < 8; ++k) {
    const double a = k & 1, b = k >> 1 & 1, c = k >> 2;
    const auto corner = [&](const UpperTriangular &h, const double *low) {  // rounds as LAMMPS does
      return Vec3<double>{h.xx * a + h.xy * b + h.xz * c + low[0], h.yy * b + h.yz * c + low[1], h.zz * c + low[2]};
    };
    const Vec3<double> by = corner(to, after.low) + -1.0 * corner(from, before.low);
    const double moved = std::sqrt(dot(by, by));
    if (moved > first)
      first = moved;
    else if (moved > second)
      second = moved;
  }
  return first + second;
}

/// The sum of two displacements of corners of a box, by which LAMMPS shortens the limit of the displacements of atoms
/// (class Neighbor): in an orthogonal box those of the lowest and the highest corner.
TRIAD_HD double displacements_of_corners(const Box &before, const Box &after) {
  if (before.triclinic) return displacements_of_eight_corners(before, after);
  double low = 0, high = 0;
  for (int d = 0; d < 3; ++d) {
    low += (after.low[d] - before.low[d]) * (after.low[d] - before.low[d]);
    high += (after.high[d] - before.high[d]) * (after.high[d] - before.high[d]);
  }
  return std::sqrt(low) + std::sqrt(high);
}

}  // namespace triad

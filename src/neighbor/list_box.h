// The box in which an engine builds neighbour lists, and its division into cells.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/portable_math.h"
#include "dynamics/box.h"

namespace triad {

/// LAMMPS's box, orthogonal or triclinic, in length units of the run.
struct ListBox {
  double low[3] = {0, 0, 0};
  double edge[3][3] = {};  ///< vectors a = (ax, 0, 0), b = (bx, by, 0), c
  bool periodic[3] = {true, true, true};
  double cutoff = 0;  ///< maximum distance of a pair of the list

  // With several ranks, the box is divided along some edges, and the atoms of this rank are near its part of the box.
  bool divided[3] = {false, false, false};
  double part[3][2] = {{0, 1}, {0, 1}, {0, 1}};  ///< begin and end of this rank's part, as fractions of each edge

  /// Tolerance, as a fraction of the edge, within which an atom beyond a face counts as inside. Atoms that LAMMPS has
  /// just wrapped are therefore not wrapped again because of rounding in fraction().
  static constexpr double face = 1e-9;

  /// Sets the lowest corner and the edges.
  TRIAD_HD void set_box(const Box &box) {
    for (int d = 0; d < 3; ++d) low[d] = box.low[d];
    box.copy_edges(edge);
  }

  /// Fractional coordinates of x: 0 to 1 along each edge.
  TRIAD_HD Vec3<double> fraction(const Vec3<double> &x) const {
    const double z = (x.z - low[2]) / edge[2][2];
    const double y = (x.y - low[1] - z * edge[2][1]) / edge[1][1];
    return {(x.x - low[0] - y * edge[1][0] - z * edge[2][0]) / edge[0][0], y, z};
  }

  /// Number of edges to subtract to wrap a fractional coordinate into the box.
  TRIAD_HD static int edges_back(double fraction) {
    return fraction < -face || fraction >= 1 + face ? -static_cast<int>(std::floor(fraction)) : 0;
  }

  /// The part of the box between the fractions `low` and `high` of each edge. It is not periodic along divided edges;
  /// along the other edges the part is the whole box.
  ListBox part_between(const double *from, const double *to) const {
    ListBox part = *this;
    for (int d = 0; d < 3; ++d) {
      if (!divided[d]) continue;
      part.periodic[d] = false;
      for (int k = 0; k < 3; ++k) {
        part.low[k] += from[d] * edge[d][k];
        part.edge[d][k] *= to[d] - from[d];
      }
    }
    return part;
  }

  /// Distances between opposite faces.
  TRIAD_HD Vec3<double> widths() const {
    const double ax = edge[0][0], bx = edge[1][0], by = edge[1][1], cx = edge[2][0], cy = edge[2][1], cz = edge[2][2];
    const double xy = bx / (ax * by), xz = (bx * cy - by * cx) / (ax * by * cz), yz = cy / (by * cz);
    return {1 / std::sqrt(1 / (ax * ax) + xy * xy + xz * xz), 1 / std::sqrt(1 / (by * by) + yz * yz), cz};
  }
};

/// A grid of cells that fills a ListBox. Neighbours of an atom within the cutoff are at most `around` cells away from
/// the cell of the atom, and at most `images` periodic images away.
struct ListCells {
  int n[3];
  int around[3], images[3];

  /// Returns a grid of at most `most` cells; without that limit the cells would be as narrow as the cutoff.
  static ListCells of(const ListBox &box, long long most) {
    const double cutoff = reach(box);
    const Vec3<double> widths = box.widths();
    const double width[3] = {widths.x, widths.y, widths.z};
    double wanted[3];
    for (int d = 0; d < 3; ++d) wanted[d] = std::clamp(std::floor(width[d] / cutoff), 1.0, 1e9);
    while (wanted[0] * wanted[1] * wanted[2] > static_cast<double>(most)) {
      double &longest = *std::max_element(wanted, wanted + 3);
      longest = std::ceil(0.5 * longest);
    }
    ListCells cells;
    for (int d = 0; d < 3; ++d) {
      cells.n[d] = static_cast<int>(wanted[d]);
      // This limit exceeds every realistic value and fits an integer.
      cells.around[d] = static_cast<int>(std::min(std::ceil(cutoff * cells.n[d] / width[d]), 1e6));
      cells.images[d] = box.periodic[d] ? (cells.around[d] + cells.n[d] - 1) / cells.n[d] : 0;
    }
    return cells;
  }

  /// True if the cells, with as many cells and images around each, also serve a box of another shape.
  TRIAD_HD bool fit(const ListBox &box) const {
    const Vec3<double> widths = box.widths();
    const double cutoff = reach(box), width[3] = {widths.x, widths.y, widths.z};
    for (int d = 0; d < 3; ++d)
      if (!(cutoff * n[d] <= around[d] * width[d])) return false;
    return true;
  }

  bool operator==(const ListCells &other) const {
    return std::equal(n, n + 3, other.n) && std::equal(around, around + 3, other.around) &&
           std::equal(images, images + 3, other.images);
  }
  int count() const { return n[0] * n[1] * n[2]; }
  long long n_images() const {
    long long all = 1;
    for (const int i : images) all *= 2ll * i + 1;
    return all;
  }

  /// Number of the periodic image that is shifted by a, b, c edges; image 0 is the box itself.
  TRIAD_HD int image(int a, int b, int c) const {
    const int na = 2 * images[0] + 1, nb = 2 * images[1] + 1, nc = 2 * images[2] + 1;
    const int from_middle = (c * nb + b) * na + a;
    return from_middle < 0 ? from_middle + na * nb * nc : from_middle;
  }

  /// Returns the translations of the images, [n_images()][3].
  std::vector<double> shifts(const ListBox &box) const {
    std::vector<double> shift(3 * n_images());
    for (int c = -images[2]; c <= images[2]; ++c)
      for (int b = -images[1]; b <= images[1]; ++b)
        for (int a = -images[0]; a <= images[0]; ++a)
          for (int d = 0; d < 3; ++d)
            shift[3 * image(a, b, c) + d] = a * box.edge[0][d] + b * box.edge[1][d] + c * box.edge[2][d];
    return shift;
  }

 private:
  /// The cutoff, increased because atoms may be slightly outside of the box.
  TRIAD_HD static double reach(const ListBox &box) { return box.cutoff * (1 + 1e-6); }
};

}  // namespace triad

// The box in which a engine makes lists of its atoms by itself, and the cells into which it sorts them.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/portable_math.h"

namespace triad {

/// LAMMPS's box, orthogonal or triclinic. Length units of the run.
struct ListBox {
  double low[3] = {0, 0, 0};
  double edge[3][3] = {};  ///< vectors a = (ax, 0, 0), b = (bx, by, 0), c
  bool periodic[3] = {true, true, true};
  double cutoff = 0;  ///< largest distance of a pair of the list

  /// How far beyond a face, as a share of the edge, an atom still counts as inside: what LAMMPS has just put into the
  /// box stays where it is, whatever the rounding of fraction().
  static constexpr double face = 1e-9;

  /// Where x is in the box: 0 to 1 along each edge.
  TRIAD_HD Vec3<double> fraction(const Vec3<double> &x) const {
    const double z = (x.z - low[2]) / edge[2][2];
    const double y = (x.y - low[1] - z * edge[2][1]) / edge[1][1];
    return {(x.x - low[0] - y * edge[1][0] - z * edge[2][0]) / edge[0][0], y, z};
  }

  /// Edges that put back what is at such a fraction of one.
  TRIAD_HD static int edges_back(double fraction) {
    return fraction < -face || fraction >= 1 + face ? -static_cast<int>(std::floor(fraction)) : 0;
  }

  /// Distances of opposite faces.
  Vec3<double> widths() const {
    const double ax = edge[0][0], bx = edge[1][0], by = edge[1][1], cx = edge[2][0], cy = edge[2][1], cz = edge[2][2];
    const double xy = bx / (ax * by), xz = (bx * cy - by * cx) / (ax * by * cz), yz = cy / (by * cz);
    return {1 / std::sqrt(1 / (ax * ax) + xy * xy + xz * xz), 1 / std::sqrt(1 / (by * by) + yz * yz), cz};
  }
};

/// A grid of cells that fills a ListBox. What is within the cutoff of an atom is at most `around` cells away from its
/// own, across faces of the box at most `images` boxes away.
struct ListCells {
  int n[3];
  int around[3], images[3];

  /// At most `most` cells, which are as narrow as the cutoff otherwise.
  static ListCells of(const ListBox &box, long long most) {
    const double cutoff = box.cutoff * (1 + 1e-6);  // atoms may be a little outside
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
      // more than any box of atoms needs, and little enough for an integer
      cells.around[d] = static_cast<int>(std::min(std::ceil(cutoff * cells.n[d] / width[d]), 1e6));
      cells.images[d] = box.periodic[d] ? (cells.around[d] + cells.n[d] - 1) / cells.n[d] : 0;
    }
    return cells;
  }

  int count() const { return n[0] * n[1] * n[2]; }
  long long n_images() const {
    long long all = 1;
    for (const int i : images) all *= 2ll * i + 1;
    return all;
  }

  /// Number of the image that is moved by so many edges; that of the box itself is 0.
  TRIAD_HD int image(int a, int b, int c) const {
    const int na = 2 * images[0] + 1, nb = 2 * images[1] + 1, nc = 2 * images[2] + 1;
    const int from_middle = (c * nb + b) * na + a;
    return from_middle < 0 ? from_middle + na * nb * nc : from_middle;
  }

  /// [n_images()][3] how far each image is moved.
  std::vector<double> shifts(const ListBox &box) const {
    std::vector<double> shift(3 * n_images());
    for (int c = -images[2]; c <= images[2]; ++c)
      for (int b = -images[1]; b <= images[1]; ++b)
        for (int a = -images[0]; a <= images[0]; ++a)
          for (int d = 0; d < 3; ++d)
            shift[3 * image(a, b, c) + d] = a * box.edge[0][d] + b * box.edge[1][d] + c * box.edge[2][d];
    return shift;
  }
};

}  // namespace triad

// Which atoms become ghosts of which ranks, where the engines of several ranks make neighbour lists themselves.
//
// Each rank owns the atoms that LAMMPS gave it. Between two migrations by LAMMPS, atoms may leave the part of the box
// of their rank by some cutoffs; BoxExtent has the bounds within which the atoms of a rank really are. An atom is a
// ghost of another rank if an image of the atom is within the cutoff of these bounds.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engine/tuning.h"
#include "neighbor/list_box.h"

namespace triad {

/// Bounds of the atoms of a rank along the divided edges, as fractions of the edges.
struct BoxExtent {
  double low[3] = {0, 0, 0}, high[3] = {1, 1, 1};
};

/// Owned atoms that are ghosts of a rank at one periodic image: those whose fractional coordinates f along each divided
/// edge obey low <= f < high.
struct GhostRegion {
  int rank;
  std::array<int, 3> image;  ///< box edges to add to the position
  bool divided[3];
  double low[3], high[3];

  TRIAD_HD bool holds(const Vec3<double> &f) const {
    return (!divided[0] || (f.x >= low[0] && f.x < high[0])) && (!divided[1] || (f.y >= low[1] && f.y < high[1])) &&
           (!divided[2] || (f.z >= low[2] && f.z < high[2]));
  }
};

/// The cutoff of the list along each edge, as fractions of the edges; slightly more than that because of rounding.
inline std::array<double, 3> cutoff_fractions(const ListBox &box) {
  const Vec3<double> widths = box.widths();
  const double cutoff = box.cutoff * (1 + 1e-6);
  return {cutoff / widths.x, cutoff / widths.y, cutoff / widths.z};
}

/// The number of cutoffs by which atoms may have left the part of this rank when ghost_regions() finds the ghosts of a
/// list, at most tuning::most_cutoffs_outside; 0 if the engine cannot find ghosts. Two conditions limit the number: no
/// atom may be a ghost of its own rank, and an atom that moves on by half a skin must not pass the adjacent part, since
/// LAMMPS moves atoms to adjacent ranks only.
inline int cutoffs_outside(const ListBox &box) {
  const std::array<double, 3> cutoff = cutoff_fractions(box);
  double most = tuning::most_cutoffs_outside;
  for (int d = 0; d < 3; ++d) {
    if (!box.divided[d]) continue;
    const double length = box.part[d][1] - box.part[d][0];
    most = std::min(most, length / cutoff[d] - 0.5);  // half a skin is less than half a cutoff
    if (box.periodic[d]) most = std::min(most, ((1 - length) / cutoff[d] - 1) / 2);
  }
  return std::max(0, static_cast<int>(std::floor(most)));
}

/// The regions of the atoms of `rank` in the order of ranks, given the bounds of the atoms of all ranks, which exceed
/// the parts by at most the cutoffs_outside() of any rank.
inline std::vector<GhostRegion> ghost_regions(const ListBox &box, const std::vector<BoxExtent> &ranks, int rank) {
  const std::array<double, 3> cutoff = cutoff_fractions(box);
  int images[3];
  for (int d = 0; d < 3; ++d) images[d] = box.divided[d] && box.periodic[d] ? 1 : 0;
  std::vector<GhostRegion> regions;
  for (int other = 0; other < static_cast<int>(ranks.size()); ++other) {
    if (other == rank) continue;
    for (int c = -images[2]; c <= images[2]; ++c)
      for (int b = -images[1]; b <= images[1]; ++b)
        for (int a = -images[0]; a <= images[0]; ++a) {
          GhostRegion region = {other, {a, b, c}, {}, {}, {}};
          bool any = true;
          for (int d = 0; d < 3; ++d) {
            region.divided[d] = box.divided[d];
            region.low[d] = ranks[other].low[d] - cutoff[d] - region.image[d];
            region.high[d] = ranks[other].high[d] + cutoff[d] - region.image[d];
            if (box.divided[d])
              any = any && region.low[d] <= ranks[rank].high[d] && region.high[d] >= ranks[rank].low[d];
          }
          if (any) regions.push_back(region);
        }
  }
  return regions;
}

}  // namespace triad

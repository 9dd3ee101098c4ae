// Extent and periodicity of a set of atoms, and the number formats of points that follow from them.
#pragma once

#include "loops/pair_points.h"
#include "loops/pairwise_backend.h"

namespace triad {

/// Of the fractions (PointMaker::fraction) of all atoms.
struct PairExtent {
  double low[3], high[3];
};

class PairGeometry {
 public:
  /// Throws LoopError for a position that is not a number or too far out, and for a box without volume.
  PairGeometry(const PairAtomsView &atoms, Precision precision, int n_threads);

  /// For atoms that are looked at elsewhere, by maker().fraction(), before set_extent(). Throws LoopError for a box
  /// without volume.
  explicit PairGeometry(const PairBox *box) { set_box(box); }
  void set_extent(const PairExtent &extent, Precision precision);

  /// What each of an atom's fractions must be below in size.
  double largest_fraction() const;

  Images images() const { return images_; }
  const PointMaker &maker() const { return maker_; }

  template <class Real>
  PairFrame<Real> frame() const {
    PairFrame<Real> f = {};
    for (int k = 0; k < 6; ++k) f.edges[k] = Real(edges_[k]);
    f.tilt[0] = Real(edges_[3] / edges_[0]);
    f.tilt[1] = Real(edges_[4] / edges_[0]);
    f.tilt[2] = Real(edges_[5] / edges_[1]);
    for (int axis = 0; axis < 3; ++axis) {
      f.per_count[axis] = Real(1 / maker_.counts[axis]);
      f.length[axis] = Real(edges_[axis] / maker_.counts[axis]);
      f.periodic[axis] = periodic_[axis] ? Real(1) : Real(0);
    }
    return f;
  }

  /// Distance of two atoms.
  double distance(const PairAtomsView &atoms, int i, int j) const;

 private:
  void set_box(const PairBox *box);

  Images images_ = Images::None;
  PointMaker maker_;
  double edges_[6] = {1, 1, 1, 0, 0, 0};
  bool periodic_[3] = {false, false, false};
};

}  // namespace triad

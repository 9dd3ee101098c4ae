// Extent and periodicity of a set of atoms, and the number formats of points that follow from them.
#pragma once

#include "forces/pairwise/pair_points.h"
#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// Extent of the fractional coordinates (PointMaker::fraction) of all atoms.
struct PairExtent {
  double low[3], high[3];
};

class PairGeometry {
 public:
  /// Throws LoopError for a position that is NaN or too large, and for a box without volume.
  PairGeometry(const PairAtomsView &atoms, const PairwiseSetup &setup, int n_threads);

  /// For callers that compute the extent themselves from maker().fraction() and then call set_extent(). Throws
  /// LoopError for a box without volume.
  explicit PairGeometry(const PairBox *box) { set_box(box); }
  void set_extent(const PairExtent &extent, const PairwiseSetup &setup);

  /// Upper bound of the absolute value of fractional coordinates.
  double largest_fraction() const;

  Images images() const { return images_; }
  const PointMaker &maker() const { return maker_; }

  /// Length unit of separations, in length units of the run. For gravity in fp32 it is a power of two close to the
  /// extent, so that neither squared distances nor inverse cubes leave the range of fp32, whatever the units of the
  /// run.
  double unit() const { return unit_; }
  /// Returns the law with lengths in that unit. Pulls times separations are forces; the caller multiplies energy and
  /// virial by unit().
  PairLawSettings law(const PairLawSettings &given) const;

  template <class Real>
  PairFrame<Real> frame() const {
    PairFrame<Real> f = {};
    for (int k = 0; k < 6; ++k) f.edges[k] = Real(edges_[k] / unit_);
    f.tilt[0] = Real(edges_[3] / edges_[0]);
    f.tilt[1] = Real(edges_[4] / edges_[0]);
    f.tilt[2] = Real(edges_[5] / edges_[1]);
    for (int axis = 0; axis < 3; ++axis) {
      f.per_count[axis] = Real(1 / maker_.counts[axis]);
      f.length[axis] = Real(edges_[axis] / unit_ / maker_.counts[axis]);
      f.periodic[axis] = periodic_[axis] ? Real(1) : Real(0);
    }
    return f;
  }

  /// Returns the distance of atoms i and j.
  double distance(const PairAtomsView &atoms, int i, int j) const;

 private:
  void set_box(const PairBox *box);
  void set_unit(double extent, const PairLawSettings &law);

  Images images_ = Images::None;
  PointMaker maker_;
  double unit_ = 1;
  double least_softening_ = 0;  // in that unit; the inverse cube of a smaller softening overflows fp32
  double edges_[6] = {1, 1, 1, 0, 0, 0};
  bool periodic_[3] = {false, false, false};
};

}  // namespace triad

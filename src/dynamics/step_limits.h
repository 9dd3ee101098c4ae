// The longest time step in which an atom stays within limits of displacement and work, as stock fix dt/reset.
#pragma once

#include <cmath>

#include "core/portable_math.h"

namespace triad {

struct StepLimits {
  double distance;      ///< largest displacement by the velocity, by the force, and by both
  double energy;        ///< largest work of the force, or 0 for no limit
  double ftm2v, mvv2e;  ///< LAMMPS's unit conversions

  static constexpr double none = 1e20;  ///< the step of an atom at rest without force

  TRIAD_HD double step_of(double m, const double *v, const double *f) const {
    const double vv = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], ff = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
    double step = none;
    const auto limit = [&step](double other) { step = other < step ? other : step; };
    if (vv > 0) limit(distance / std::sqrt(vv));
    if (ff > 0) limit(std::sqrt(2 * distance / (ftm2v * std::sqrt(ff) / m)));
    if (energy > 0 && vv > 0 && ff > 0) limit(energy / std::sqrt(ff * vv) / std::sqrt(ftm2v * mvv2e));
    if (!(vv > 0 || ff > 0)) return step;
    double moved = 0;
    for (int d = 0; d < 3; ++d) {
      const double by = step * v[d] + 0.5 * step * step / m * f[d] * ftm2v;
      moved += by * by;
    }
    moved = std::sqrt(moved);
    return moved > distance ? step * distance / moved : step;
  }
};

}  // namespace triad

// The step of a cell of the shallow-water equations: limit of the time step, sum of fluxes, rain, friction.
#pragma once

#include "core/portable_math.h"

namespace triad {

/// Sums over the edges of a cell: length times flux, positive into the cell, and length times wave speed.
template <class Sum>
struct CellRates {
  Sum h, qx, qy;  ///< d(area h)/dt and so on
  Sum waves;      ///< length^2 / time
};

/// Largest time step of a cell: 2 cfl area / sum(length speed), and not beyond the time when the cell has lost all of
/// its water. Infinite without waves. M. de la Asuncion et al., J. Supercomput. 58, 206 (2011), for the first.
template <class Sum>
TRIAD_HD Sum largest_time_step(const CellRates<Sum> &rates, Sum h, Sum area, Sum cfl, Sum infinite) {
  const Sum by_waves = rates.waves > 0 ? Sum(2) * cfl * area / rates.waves : infinite;
  const Sum by_water = rates.h < 0 ? h * area / -rates.h : infinite;
  return by_water < by_waves ? by_water : by_waves;
}

/// Factor of the discharge by Manning's friction over a time step, implicit in the discharge: q' + dt g n^2 |q'| q' /
/// h^(7/3) = q. Flow down a plane therefore reaches the depth of Manning's law with any time step. `roughness` is
/// g n^2 dt.
template <class Real>
TRIAD_HD Real manning_factor(Real h, Real qx, Real qy, Real roughness) {
  const Real q = math::sqrt(qx * qx + qy * qy);
  const Real drag = roughness * q * math::exp2(Real(-7.0 / 3.0) * math::log2(h));
  return Real(2) / (Real(1) + math::sqrt(Real(1) + Real(4) * drag));
}

/// Advances a cell of four numbers h, qx, qy, H. `rain` is a rate (length / time; negative: evaporation, as far as
/// there is water), `gn2` is gravity times the square of the Manning coefficient. Returns the depth of rain that fell.
template <class State, class Sum>
TRIAD_HD State update_cell(State *cell, const CellRates<Sum> &rates, Sum area, Sum dt, Sum rain, Sum gn2, State dry) {
  const Sum part = dt / area;
  State h = math::at_least(State(cell[0] + part * rates.h), State(0));
  State qx = State(cell[1] + part * rates.qx), qy = State(cell[2] + part * rates.qy);
  const State after = math::at_least(State(h + dt * rain), State(0)), fallen = after - h;
  if (rain < 0 && h > 0) {  // evaporating water takes its momentum along
    qx = qx * (after / h);
    qy = qy * (after / h);
  }
  h = after;
  const bool wet = h > dry;
  const State factor =
      wet ? (gn2 > 0 ? State(manning_factor(Sum(h), Sum(qx), Sum(qy), gn2 * dt)) : State(1)) : State(0);
  cell[0] = h;
  cell[1] = wet ? qx * factor : State(0);
  cell[2] = wet ? qy * factor : State(0);
  return fallen;
}

}  // namespace triad

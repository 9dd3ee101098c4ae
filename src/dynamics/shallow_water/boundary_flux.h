// Fluxes of the shallow-water equations over edges of the boundary. The state outside follows from the condition and
// from the Riemann invariant u + 2c that leaves the cell; edge_flux.h has the conventions. The normal points outward.
#pragma once

#include "dynamics/shallow_water/edge_flux.h"

namespace triad {

namespace shallow_water {

/// Normal and tangential discharge of a cell with the numbers h, qx, qy, H.
template <class Real>
struct NormalFrame {
  Real qn, qt, un, ut, c;
};
template <class Real>
TRIAD_HD NormalFrame<Real> normal_frame(const Real *cell, Real nx, Real ny, const FlowConstants<Real> &k) {
  NormalFrame<Real> f;
  f.qn = cell[1] * nx + cell[2] * ny;
  f.qt = cell[2] * nx - cell[1] * ny;
  const bool wet = cell[0] > k.dry;
  f.un = wet ? f.qn / cell[0] : Real(0);
  f.ut = wet ? f.qt / cell[0] : Real(0);
  f.c = math::sqrt(k.gravity * cell[0]);
  return f;
}

/// The flux between a cell and a state outside with the same bed.
template <FlowFlux kind, class Real>
TRIAD_HD EdgeFlux<Real> flux_to(const Real *cell, Real h, Real qn, Real qt, Real nx, Real ny,
                                const FlowConstants<Real> &k) {
  const Real outside[4] = {h, qn * nx - qt * ny, qn * ny + qt * nx, cell[3]};
  return edge_flux<kind>(edge_states<Real>(cell, outside), nx, ny, k);
}

/// Speed of long waves in an inflow of `discharge` per length into a cell: the root of 2 c^3 - w c^2 - g discharge = 0,
/// where w = u + 2c leaves the cell; at least that of critical flow.
template <class Real>
TRIAD_HD Real inflow_wave_speed(Real discharge, Real leaving, Real gravity) {
  const Real critical = math::exp2(math::log2(gravity * discharge) * Real(1.0 / 3.0));
  Real c = critical + math::at_least(leaving, Real(0));  // right of the root, where Newton's method descends to it
  for (int k = 0; k < 30; ++k) {
    const Real value = c * c * (Real(2) * c - leaving) - gravity * discharge;
    const Real slope = c * (Real(6) * c - Real(2) * leaving);
    const Real next = c - value / slope;
    if (!(next < c)) break;
    c = next;
  }
  return math::at_least(c, critical);
}

}  // namespace shallow_water

/// The flux over an edge of the boundary; the members `right_*` have no meaning. `value` is the elevation of the water
/// surface outside (Stage) or the inflow per length (Discharge).
template <FlowFlux kind, class Real>
TRIAD_HD EdgeFlux<Real> boundary_flux(FlowBoundaryKind condition, Real value, const Real *cell, Real nx, Real ny,
                                      const FlowConstants<Real> &k) {
  using namespace shallow_water;
  const NormalFrame<Real> in = normal_frame(cell, nx, ny, k);
  const Real h = cell[0];
  if (condition == FlowBoundaryKind::Discharge && value < 0 && h <= k.dry) value = 0;  // nothing to take

  if (condition == FlowBoundaryKind::Wall || (condition == FlowBoundaryKind::Discharge && value == 0)) {
    EdgeFlux<Real> flux = flux_to<kind>(cell, h, -in.qn, in.qt, nx, ny, k);
    flux.mass = 0;  // also where rounding leaves something
    return flux;
  }
  if (condition == FlowBoundaryKind::Stage && in.un < in.c) {  // otherwise nothing from outside enters
    const Real depth = math::at_least(value - cell[3], Real(0)), c = math::sqrt(k.gravity * depth);
    const Real u = math::at_most(math::at_least(in.un + Real(2) * (in.c - c), -c), c);
    const Real ut = u > 0 ? in.ut : Real(0);
    return flux_to<kind>(cell, depth, depth * u, depth * ut, nx, ny, k);
  }
  if (condition == FlowBoundaryKind::Discharge) {
    // Outflow takes the depth of the cell.
    const Real c = value > 0 ? inflow_wave_speed(value, in.un + Real(2) * in.c, k.gravity) : in.c;
    const Real depth = c * c / k.gravity;
    EdgeFlux<Real> flux = {};
    flux.mass = -value;
    const Real left_n = value * value / depth - in.qn * in.un + Real(0.5) * k.gravity * (depth - h) * (depth + h);
    const Real left_t = (value > 0 ? Real(0) : flux.mass * in.ut) - in.qn * in.ut;
    set_momenta(flux, left_n, left_t, Real(0), Real(0), nx, ny);
    flux.speed = math::at_least(math::abs(in.un) + in.c, math::abs(value) / depth + c);
    return flux;
  }
  return flux_to<kind>(cell, h, in.qn, in.qt, nx, ny, k);  // open, or an outflow faster than its waves
}

}  // namespace triad

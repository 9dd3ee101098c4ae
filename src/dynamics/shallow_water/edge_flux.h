// Fluxes of the one-layer shallow-water equations over an edge between two cells, first order and well balanced.
//
//   dh/dt + div q = rain,   dq/dt + div(q q / h) + g h grad(h + H) = friction
//
// State of a cell: depth h, discharge q = (qx, qy), elevation of the bed H (upward). The normal n of an edge points
// from cell i (left) to cell j (right). A flux function returns what leaves the cells through a unit of length of the
// edge: the rate of change of a cell's momentum is -length times `left` or `right`, that of its depth -length times
// `mass` (left) or +length times `mass` (right), each divided by the area. Momentum is in fluctuation form: the
// physical flux of the cell itself, whose sum over the edges of a closed cell is zero, is left out. Water at rest, with
// the same h + H in both cells, therefore gives zeros and not differences of large numbers.
//
// `Number` is a number or a vector register (simd/lanes.h), so host loops and CUDA kernels compile the same text.
//
// Roe: path-conservative scheme F-,+ = 1/2 K (I -,+ sgn L) K^-1 (A dW + S dH) of C. Pares and M. Castro, ESAIM:
//   M2AN 38, 821 (2004), in the form of M. de la Asuncion, J. M. Mantas and M. J. Castro, J. Supercomput. 58, 206
//   (2011), with the entropy fix of A. Harten and J. M. Hyman, J. Comput. Phys. 50, 235 (1983).
// HLL: A. Harten, P. D. Lax and B. van Leer, SIAM Rev. 25, 35 (1983), with the hydrostatic reconstruction of
//   E. Audusse et al., SIAM J. Sci. Comput. 25, 2050 (2004); wave speeds of E. F. Toro, Shock-Capturing Methods for
//   Free-Surface Shallow Flows (Wiley, 2001), section 10.5. The mass flux carries the tangential velocity (HLLC).
#pragma once

#include "core/portable_math.h"
#include "dynamics/shallow_water/settings.h"

namespace triad {

/// Constants of a flux, in the units of the run.
template <class Real>
struct FlowConstants {
  Real gravity;  ///< length / time^2
  Real dry;      ///< depth at or below which a cell has no velocity
};

/// The states on both sides of an edge. Differences (right minus left) are formed before they are rounded to Number.
template <class Number>
struct EdgeStates {
  Number h_left, h_right;
  Number qx_left, qy_left, qx_right, qy_right;
  Number dh, dqx, dqy;
  Number dsurface;             ///< difference of h + H
  Number above_left;           ///< depth of the left cell above the higher bed of both, at least 0
  Number above_right, dabove;  ///< of the right cell, and the difference
};

template <class Number>
struct EdgeFlux {
  Number mass;            ///< from left to right, length^2 / time
  Number left_x, left_y;  ///< momentum, length^3 / time^2
  Number right_x, right_y;
  Number speed;  ///< largest speed of a wave, length / time
};

/// Builds the states of an edge from two cells, each with four numbers h, qx, qy, H in the precision of the state.
template <class Number, class State>
TRIAD_HD EdgeStates<Number> edge_states(const State *left, const State *right) {
  const State bed_step = right[3] - left[3];
  const State above_left = math::at_least(left[0] - math::at_least(bed_step, State(0)), State(0));
  const State above_right = math::at_least(right[0] - math::at_least(-bed_step, State(0)), State(0));
  return {Number(left[0]),
          Number(right[0]),
          Number(left[1]),
          Number(left[2]),
          Number(right[1]),
          Number(right[2]),
          Number(right[0] - left[0]),
          Number(right[1] - left[1]),
          Number(right[2] - left[2]),
          Number((right[0] + right[3]) - (left[0] + left[3])),
          Number(above_left),
          Number(above_right),
          Number(above_right - above_left)};
}

/// Velocities in the frame of the edge; 0 in dry cells.
template <class Number>
struct EdgeVelocities {
  Number qn_left, qn_right;  ///< discharges along the normal
  Number un_left, ut_left, un_right, ut_right;
};

template <class Number, class Real>
TRIAD_HD EdgeVelocities<Number> edge_velocities(const EdgeStates<Number> &s, Number nx, Number ny, Real dry) {
  const Number zero = Real(0), least = Number(dry);
  const Number per_left = math::select(s.h_left > least, math::reciprocal(math::at_least(s.h_left, least)), zero);
  const Number per_right = math::select(s.h_right > least, math::reciprocal(math::at_least(s.h_right, least)), zero);
  EdgeVelocities<Number> v;
  v.qn_left = s.qx_left * nx + s.qy_left * ny;
  v.qn_right = s.qx_right * nx + s.qy_right * ny;
  v.un_left = v.qn_left * per_left;
  v.un_right = v.qn_right * per_right;
  v.ut_left = (s.qy_left * nx - s.qx_left * ny) * per_left;
  v.ut_right = (s.qy_right * nx - s.qx_right * ny) * per_right;
  return v;
}

/// Rotates momenta along the normal and the tangent (-ny, nx) to x and y.
template <class Number>
TRIAD_HD void set_momenta(EdgeFlux<Number> &flux, Number left_n, Number left_t, Number right_n, Number right_t,
                          Number nx, Number ny) {
  flux.left_x = left_n * nx - left_t * ny;
  flux.left_y = left_n * ny + left_t * nx;
  flux.right_x = right_n * nx - right_t * ny;
  flux.right_y = right_n * ny + right_t * nx;
}

/// |lambda| of the entropy fix, minus |lambda|: positive where a rarefaction passes from below to above speed 0.
template <class Number>
TRIAD_HD Number entropy_excess(Number left, Number average, Number right) {
  using Real = typename ScalarOf<Number>::type;
  const Number zero = Real(0), size = math::abs(average);
  const Number width = math::at_least(math::at_least(average - left, right - average), zero);
  if (math::all(width <= size)) return zero;
  const Number tiny = Real(1e-30);
  const Number fixed = Real(0.5) * (average * average / math::at_least(width, tiny) + width);
  return math::select(size < width, fixed - size, zero);
}

/// 1 for a wave that moves to the left, 0 for one that moves to the right, 1/2 for a wave that stands.
template <class Number>
TRIAD_HD Number leftward_part(Number speed) {
  using Real = typename ScalarOf<Number>::type;
  const Number zero = Real(0), half = Real(0.5), one = Real(1);
  return math::select(speed < zero, one, math::select(speed > zero, zero, half));
}

/// For depths above `dry` in both cells.
template <class Number, class Real>
TRIAD_HD EdgeFlux<Number> roe_flux(const EdgeStates<Number> &s, Number nx, Number ny, const FlowConstants<Real> &k) {
  const EdgeVelocities<Number> v = edge_velocities(s, nx, ny, k.dry);
  const Number least = Number(k.dry), h_left = math::at_least(s.h_left, least),
               h_right = math::at_least(s.h_right, least);
  const Number root_left = math::sqrt(h_left), root_right = math::sqrt(h_right);
  const Number per_roots = math::reciprocal(root_left + root_right);
  const Number u = (root_left * v.un_left + root_right * v.un_right) * per_roots;
  const Number w = (root_left * v.ut_left + root_right * v.ut_right) * per_roots;
  const Number c2 = Real(0.5) * k.gravity * (h_left + h_right), c = math::sqrt(c2);
  const Number root_g = math::sqrt(Number(k.gravity));
  const Number c_left = root_g * root_left, c_right = root_g * root_right;

  // A dW + S dH in the frame of the edge.
  const Number dqn = s.dqx * nx + s.dqy * ny, dqt = s.dqy * nx - s.dqx * ny;
  const Number r2 = c2 * s.dsurface + u * (dqn + dqn - u * s.dh);
  const Number r3 = w * (dqn - u * s.dh) + u * dqt;

  // Its components along the eigenvectors (1, u-c, w), (0, 0, 1), (1, u+c, w), split by the directions of the waves.
  const Number slow = u - c, fast = u + c, half_per_c = Real(0.5) * math::reciprocal(c);
  const Number b1 = (fast * dqn - r2) * half_per_c, b3 = (r2 - slow * dqn) * half_per_c, b2 = r3 - w * dqn;
  const Number a1 = (fast * s.dsurface - dqn) * half_per_c, a3 = (dqn - slow * s.dsurface) * half_per_c;
  const Number e1 = entropy_excess(v.un_left - c_left, slow, v.un_right - c_right);
  const Number e3 = entropy_excess(v.un_left + c_left, fast, v.un_right + c_right);
  const Number l1 = leftward_part(slow) * b1 - Real(0.5) * e1 * a1;
  const Number l3 = leftward_part(fast) * b3 - Real(0.5) * e3 * a3;
  const Number l2 = leftward_part(u) * b2;

  EdgeFlux<Number> flux;
  const Number left_h = l1 + l3, right_h = (b1 - l1) + (b3 - l3);
  flux.mass = Real(0.5) * ((v.qn_left + v.qn_right) + (left_h - right_h));
  const Number left_n = slow * l1 + fast * l3, left_t = w * left_h + l2;
  set_momenta(flux, left_n, left_t, r2 - left_n, r3 - left_t, nx, ny);
  flux.speed = math::at_least(math::abs(slow) + e1, math::abs(fast) + e3);
  return flux;
}

/// For any depths, dry cells and beds above the water of the other cell included.
template <class Number, class Real>
TRIAD_HD EdgeFlux<Number> hll_flux(const EdgeStates<Number> &s, Number nx, Number ny, const FlowConstants<Real> &k) {
  const EdgeVelocities<Number> v = edge_velocities(s, nx, ny, k.dry);
  const Number zero = Real(0);
  const Number root_g = math::sqrt(Number(k.gravity));
  const Number c_left = root_g * math::sqrt(s.above_left), c_right = root_g * math::sqrt(s.above_right);
  const Number u_left = v.un_left, u_right = v.un_right;

  // Speeds of the slowest and the fastest wave, limited to those that enter a cell.
  const Number u_star = Real(0.5) * (u_left + u_right) + (c_left - c_right);
  const Number c_star = math::at_least(Real(0.5) * (c_left + c_right) + Real(0.25) * (u_left - u_right), zero);
  const Number least = Number(k.dry);
  Number slowest = math::at_most(u_left - c_left, u_star - c_star);
  Number fastest = math::at_least(u_right + c_right, u_star + c_star);
  slowest = math::select(s.above_left <= least, u_right - Real(2) * c_right, slowest);
  fastest = math::select(s.above_left <= least, u_right + c_right, fastest);
  fastest = math::select(s.above_right <= least, u_left + Real(2) * c_left, fastest);
  slowest = math::select(s.above_right <= least, u_left - c_left, slowest);
  slowest = math::at_most(slowest, zero);
  fastest = math::at_least(fastest, zero);

  const Number tiny = Real(1e-30);
  const Number per_width = math::reciprocal(math::at_least(fastest - slowest, tiny));
  const Number to_left = -slowest * per_width, to_right = fastest * per_width;  // weights of the right, the left state
  const Number m_left = s.above_left * u_left, m_right = s.above_right * u_right;
  const Number exchange = slowest * to_right;

  EdgeFlux<Number> flux;
  flux.mass = to_right * m_left + to_left * m_right + exchange * s.dabove;
  const Number advected = to_right * m_left * u_left + to_left * m_right * u_right + exchange * (m_right - m_left);
  const Number pressure = Real(0.5) * k.gravity * s.dabove * (s.above_left + s.above_right);
  const Number ut = math::select(flux.mass > zero, v.ut_left, v.ut_right);
  const Number left_n = advected + to_left * pressure - v.qn_left * u_left;
  const Number right_n = v.qn_right * u_right - advected + to_right * pressure;
  const Number left_t = flux.mass * ut - v.qn_left * v.ut_left, right_t = v.qn_right * v.ut_right - flux.mass * ut;
  set_momenta(flux, left_n, left_t, right_n, right_t, nx, ny);

  // The speed also includes the waves of the whole depths: a cell beside a cliff that rises above its water has them,
  // although its depth above the higher bed is zero.
  const Number of_left = math::abs(u_left) + root_g * math::sqrt(s.h_left);
  const Number of_right = math::abs(u_right) + root_g * math::sqrt(s.h_right);
  flux.speed = math::at_least(math::at_least(-slowest, fastest), math::at_least(of_left, of_right));
  return flux;
}

/// Smallest depth above the higher bed, as a fraction of the larger depth, for which edge_flux() uses Roe's flux. Roe's
/// linearised waves can take more water from a thin layer beside deep water than the layer holds, so the time step
/// would have to be smaller: a run with an island in a pool takes 437 sub-steps without this limit, and 58 with it or
/// with HLL.
constexpr float least_roe_fraction = 0.125f;

/// The flux of the scheme. Roe takes the HLL flux at dry cells, thin layers and steps of the bed that are nearly as
/// high as the water.
template <FlowFlux kind, class Number, class Real>
TRIAD_HD EdgeFlux<Number> edge_flux(const EdgeStates<Number> &s, Number nx, Number ny, const FlowConstants<Real> &k) {
  if (kind == FlowFlux::Hll) return hll_flux(s, nx, ny, k);
  const Number shallower = math::at_most(s.above_left, s.above_right), zero = Real(0);
  const Number limit = math::at_least(Real(least_roe_fraction) * math::at_least(s.h_left, s.h_right), Number(k.dry));
  // Each formula stands once here: compilers may fuse operations of two copies differently, and the bits of an edge
  // must not depend on the other edges of a register.
  EdgeFlux<Number> low = {zero, zero, zero, zero, zero, zero}, flux = low;
  if (!math::all(shallower > limit)) low = hll_flux(s, nx, ny, k);
  if (!math::all(shallower <= limit)) flux = roe_flux(s, nx, ny, k);
  flux.mass = math::select(shallower > limit, flux.mass, low.mass);
  flux.left_x = math::select(shallower > limit, flux.left_x, low.left_x);
  flux.left_y = math::select(shallower > limit, flux.left_y, low.left_y);
  flux.right_x = math::select(shallower > limit, flux.right_x, low.right_x);
  flux.right_y = math::select(shallower > limit, flux.right_y, low.right_y);
  flux.speed = math::select(shallower > limit, flux.speed, low.speed);
  return flux;
}

}  // namespace triad

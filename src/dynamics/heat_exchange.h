// Exchange of heat with the atoms of a region: their velocities relative to the centre of mass are scaled so that the
// kinetic energy changes by a given amount and the momentum does not. Also the removal of the momentum.
//
// Sources: T. Ikeshoji, B. Hafskjold, Mol. Phys. 81, 251 (1994), heat exchange (HEX); P. Wirnsberger, D. Frenkel,
// C. Dellago, J. Chem. Phys. 143, 124104 (2015), enhanced heat exchange (eHEX), which corrects the positions so that
// the energy of the step is exact to a higher order of the time step.
#pragma once

#include <cmath>

#include "core/portable_math.h"

namespace triad {

/// A block of space whose faces are normal to the axes; faces belong to the block.
struct BlockRegion {
  bool everywhere = true;  ///< the block is all of space
  double low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  bool wraps[3] = {false, false, false};  ///< positions are moved into the periodic box along this axis first
  double box_low[3] = {0, 0, 0}, box_high[3] = {0, 0, 0};

  bool operator==(const BlockRegion &other) const {
    bool same = everywhere == other.everywhere;
    for (int d = 0; d < 3; ++d)
      same = same && low[d] == other.low[d] && high[d] == other.high[d] && wraps[d] == other.wraps[d] &&
             box_low[d] == other.box_low[d] && box_high[d] == other.box_high[d];
    return same;
  }
  TRIAD_HD bool contains(const double *x) const {
    if (everywhere) return true;
    for (int d = 0; d < 3; ++d) {
      double c = x[d];
      if (wraps[d]) {
        const double edge = box_high[d] - box_low[d];
        c -= std::floor((c - box_low[d]) / edge) * edge;
        if (!(c >= box_low[d] && c < box_high[d])) c = box_low[d];  // a rounding error
      }
      if (!(c >= low[d] && c <= high[d])) return false;
    }
    return true;
  }
  /// False only for positions that are farther than `margin` from the block along an axis.
  TRIAD_HD bool is_near(const double *x, double margin) const {
    if (everywhere) return true;
    for (int d = 0; d < 3; ++d) {
      double from = low[d] - margin, to = high[d] + margin, c = x[d];
      if (wraps[d]) {
        from = std::fmax(from, box_low[d] - margin);
        to = std::fmin(to, box_high[d] + margin);
        const double edge = box_high[d] - box_low[d];
        c -= std::floor((c - from) / edge) * edge;  // the first image above `from`
      }
      if (!(c >= from && c <= to)) return false;
    }
    return true;
  }
};

/// Sums over atoms in LAMMPS's units.
struct ExchangeSums {
  double mv[3] = {0, 0, 0}, force[3] = {0, 0, 0};
  double mvv = 0, mass = 0;
  double power = 0;  ///< force times velocity

  static constexpr int size = 9;
  /// The sums in the order m v, force, m v^2, mass, power.
  TRIAD_HD double &operator[](int k) {
    return k < 3 ? mv[k] : k < 6 ? force[k - 3] : k == 6 ? mvv : k == 7 ? mass : power;
  }
  TRIAD_HD void operator+=(ExchangeSums other) {
    for (int k = 0; k < size; ++k) (*this)[k] += other[k];
  }
  TRIAD_HD void add(double m, const double *v, const double *f) {
    for (int d = 0; d < 3; ++d) {
      mv[d] += m * v[d];
      force[d] += f[d];
      mvv += m * v[d] * v[d];
      power += f[d] * v[d];
    }
    mass += m;
  }
};

/// The change of the atoms: v = factor * v - lost, and x += forward * (v - centre) + back * (f / m - pull) with the
/// velocity before the change.
struct HeatExchange {
  double factor = 1, lost[3] = {0, 0, 0};
  bool moves = false;  ///< positions change
  double forward = 0, back = 0;
  double centre[3] = {0, 0, 0};  ///< velocity of the centre of mass
  double pull[3] = {0, 0, 0};    ///< force / mass of all atoms together

  /// Returns the displacement of an atom along an axis.
  TRIAD_HD double displacement(int axis, double m, double v, double f) const {
    return forward * (v - centre[axis]) + back * (f / m - pull[axis]);
  }
  TRIAD_HD double velocity(int axis, double v) const { return factor * v - lost[axis]; }
};

/// Returns the exchange of `heat` = energy times the conversion of force / mass to acceleration (LAMMPS's ftm2v), with
/// kinetic energies as m v^2 / 2. The factor is NaN if more heat is taken than there is. `sums`: of all ranks, with
/// atoms. With `dt` > 0, positions are corrected as in eHEX; then the heat is that of `dt`, and `ftm2v` is used.
TRIAD_HD HeatExchange heat_exchange(const ExchangeSums &sums, double heat, double dt = 0, double ftm2v = 1) {
  HeatExchange exchange;
  double momentum_squared = 0, power = sums.power;
  for (int d = 0; d < 3; ++d) {
    exchange.centre[d] = sums.mv[d] / sums.mass;
    exchange.pull[d] = sums.force[d] / sums.mass;
    momentum_squared += exchange.centre[d] * exchange.centre[d];
    power -= exchange.centre[d] * sums.force[d];
  }
  const double kinetic = 0.5 * sums.mvv - 0.5 * sums.mass * momentum_squared;
  exchange.factor = std::sqrt(1 + heat / kinetic);
  for (int d = 0; d < 3; ++d) exchange.lost[d] = (exchange.factor - 1) * exchange.centre[d];
  if (dt > 0) {
    const double flux = heat / dt, cube = dt * dt * dt;
    exchange.moves = true;
    exchange.forward = -cube * flux / (2 * kinetic * kinetic) * (flux / 48 + power * ftm2v / 6);
    exchange.back = cube * flux * ftm2v / (12 * kinetic);
  }
  return exchange;
}

/// Returns the change that takes the velocity of the centre of mass along some axes from all atoms, as stock fix
/// momentum. `keeps_energy`: the velocities are then scaled so that m v^2 stays. No change without atoms.
TRIAD_HD HeatExchange momentum_removal(const ExchangeSums &sums, const bool *along, bool keeps_energy) {
  HeatExchange removal;
  if (sums.mass == 0) return removal;
  double left = sums.mvv;
  for (int d = 0; d < 3; ++d) {
    if (!along[d]) continue;
    removal.lost[d] = sums.mv[d] / sums.mass;
    left -= removal.lost[d] * sums.mv[d];
  }
  if (!keeps_energy || !(left > 0)) return removal;
  removal.factor = std::sqrt(sums.mvv / left);
  for (double &lost : removal.lost) lost *= removal.factor;
  return removal;
}

}  // namespace triad

// The barostat of G. J. Martyna, D. J. Tobias, M. L. Klein, J. Chem. Phys. 101, 4177 (1994), for the three edges of an
// orthogonal box. The sources of nose_hoover.h apply.
#pragma once

#include "dynamics/nose_hoover.h"

namespace triad {

/// The edges whose pressures are averaged: keyword couple of fix npt; XYZ means that the barostat is isotropic.
enum class PressureCoupling { None, XYZ, XY, YZ, XZ };

/// Averages the pressures of the coupled edges, unless these are all three.
TRIAD_HD void couple(PressureCoupling coupling, double *pressure) {
  const auto average = [&](int a, int b) { pressure[a] = pressure[b] = 0.5 * (pressure[a] + pressure[b]); };
  if (coupling == PressureCoupling::XY) average(0, 1);
  if (coupling == PressureCoupling::YZ) average(1, 2);
  if (coupling == PressureCoupling::XZ) average(0, 2);
}

/// Settings and state of the barostat of up to three edges. Pressures are in pressure units; energy_per_pv converts
/// pressure times volume to energy.
struct Barostat {
  bool controls[3] = {};
  PressureCoupling coupling = PressureCoupling::None;
  bool deviatoric = false;         // the edges have different target pressures
  bool kinetic_correction = true;  // the kinetic term m v v / N of Martyna, Tuckerman and Klein is included
  double frequency[3] = {};
  double target[3] = {}, mean_target = 0;

  double strain[3] = {}, rate[3] = {}, mass[3] = {};  // logarithm of an edge's growth, 1/time, energy * time^2
  double velocity_coupling = 0;                       // 1/time: mean of the rates per degree of freedom

  double reference_volume = 0;       // at strain 0
  double reference_inverse[3] = {};  // 1/edge at strain 0
};

TRIAD_HD bool isotropic(const Barostat &b) { return b.coupling == PressureCoupling::XYZ; }
TRIAD_HD int controlled_edges(const Barostat &b) { return b.controls[0] + b.controls[1] + b.controls[2]; }

/// Takes the present box, whose corners are given, as the box at strain 0.
TRIAD_HD void set_reference_box(Barostat &b, const double *low, const double *high) {
  b.reference_volume = 1;
  for (int d = 0; d < 3; ++d) {
    b.reference_volume *= high[d] - low[d];
    b.reference_inverse[d] = 1 / (high[d] - low[d]);
  }
}

/// Sets the masses that give every controlled edge its frequency when coupled to n_atoms atoms at the temperature kT
/// (energy units).
TRIAD_HD void set_barostat_masses(Barostat &b, double n_atoms, double kT) {
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) b.mass[d] = (n_atoms + 1) * kT / (b.frequency[d] * b.frequency[d]);
}

/// Twice the kinetic energy of the barostat, in energy units.
TRIAD_HD double barostat_kinetic(const Barostat &b) {
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) sum += b.mass[d] * b.rate[d] * b.rate[d];
  return sum;
}

/// Sets the targets at the fraction `progress` (0 to 1) of a linear ramp from start[3] to stop[3], in pressure units.
TRIAD_HD void set_pressure_targets(Barostat &b, const double *start, const double *stop, double progress) {
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) sum += b.target[d] = start[d] + progress * (stop[d] - start[d]);
  b.mean_target = sum / controlled_edges(b);
}

/// Target pressures that change linearly during a run, and how often the reference box is renewed.
struct PressureTargets {
  double start[3], stop[3];  ///< at both ends of `span`, pressure units
  RunSpan span;
  int reset_every;  ///< steps after which the present box becomes the reference of a deviatoric barostat, or 0

  /// Sets the targets of a step, and the reference box if this step renews it. `low`, `high`: corners of the box.
  TRIAD_HD void set(Barostat &b, std::int64_t step, const double *low, const double *high) const {
    set_pressure_targets(b, start, stop, span.progress(step));
    if (b.deviatoric && reset_every > 0 && (step - span.first) % reset_every == 0) set_reference_box(b, low, high);
  }
};

/// V0 (P_target - P_mean) (edge / edge at strain 0)^2, in pressure * volume: the generalised force on edge d whose
/// target differs from the mean target. Half of the sum over edges is the strain energy. An edge without pressure
/// control counts as an edge with target 0.
TRIAD_HD double deviatoric_force(const Barostat &b, const double *edge, int d) {
  const double stretch = edge[d] * b.reference_inverse[d];
  return b.reference_volume * (b.target[d] - b.mean_target) * stretch * stretch;
}

/// Sum of m v v over atoms and controlled edges, from the sums along each axis, `along` [3]; for an isotropic barostat
/// `thermal`, the sum that follows from the temperature, as in stock. Energy units.
TRIAD_HD double driving_kinetic(const Barostat &b, const double *along, double thermal) {
  if (isotropic(b)) return thermal;
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) sum += along[d];
  return sum;
}

/// Advances the rate of edge d, if its pressure is controlled, by half a time step. `edge`: lengths [3]; `pressure`:
/// along the edge, pressure units; `kinetic`: driving_kinetic(); `drag`: factor of the rates, 1 for none.
TRIAD_HD void advance_rate(Barostat &b, int d, const double *edge, double pressure, double kinetic, double n_atoms,
                           double energy_per_pv, double dt, double drag) {
  if (!b.controls[d]) return;
  double force = (pressure - b.mean_target) * (edge[0] * edge[1] * edge[2]);
  if (b.deviatoric) force -= deviatoric_force(b, edge, d);
  force *= energy_per_pv;
  if (b.kinetic_correction) force += kinetic / (controlled_edges(b) * n_atoms);
  b.rate[d] = (b.rate[d] + 0.5 * dt * force / b.mass[d]) * drag;
}

/// Barostat::velocity_coupling for the present rates.
TRIAD_HD double velocity_coupling_of(const Barostat &b, double n_atoms) {
  const double couplings = controlled_edges(b) * n_atoms;
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    if (b.controls[d] && b.kinetic_correction) sum += b.rate[d] / couplings;
  return sum;
}

/// Advances the rates of all edges by half a time step; `pressure`: [3], the other arguments as of advance_rate().
TRIAD_HD void advance_barostat(Barostat &b, const double *edge, const double *pressure, double kinetic, double n_atoms,
                               double energy_per_pv, double dt, double drag) {
  for (int d = 0; d < 3; ++d) advance_rate(b, d, edge, pressure[d], kinetic, n_atoms, energy_per_pv, dt, drag);
  b.velocity_coupling = velocity_coupling_of(b, n_atoms);
}

/// Advances the barostat's chain by half a time step, and scales the rates. A barostat has one degree of freedom per
/// edge, an isotropic one a single one.
template <class Chain>
TRIAD_HD void advance_barostat_chain(Barostat &b, Chain &&chain, const ChainStep &step, double kT) {
  if (chain.length == 0) return;
  const double target = kT * (isotropic(b) ? 1 : controlled_edges(b));
  const double factor = advance_chain(chain, step, barostat_kinetic(b), target, kT);
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) b.rate[d] *= factor;
}

/// Factor of the velocities along axis d in half a time step. An edge without pressure control keeps its rate, which is
/// 0 unless a restart file has another value; as in stock, that rate scales velocities but not the edge.
TRIAD_HD double barostat_velocity_factor(const Barostat &b, int d, double dt) {
  return math::exp(-0.5 * dt * (b.rate[d] + b.velocity_coupling));
}

/// Factor of the length of edge d in half a time step; 1 without pressure control.
TRIAD_HD double barostat_edge_factor(const Barostat &b, int d, double dt) {
  return b.controls[d] ? math::exp(0.5 * dt * b.rate[d]) : 1;
}

/// Advances the strain and the ends of edge d by half a time step. `factor`: barostat_edge_factor() of the edge;
/// `fixed`: the point that does not move.
TRIAD_HD void dilate_edge(Barostat &b, int d, double dt, double factor, double fixed, double &low, double &high) {
  b.strain[d] += 0.5 * dt * b.rate[d];
  if (!b.controls[d]) return;
  low = fixed + (low - fixed) * factor;
  high = fixed + (high - fixed) * factor;
}
/// The same for all edges, with arrays [3].
TRIAD_HD void dilate_box(Barostat &b, double dt, const double *factor, const double *fixed, double *low, double *high) {
  for (int d = 0; d < 3; ++d) dilate_edge(b, d, dt, factor[d], fixed[d], low[d], high[d]);
}

/// Energy of the deviation of the targets from their mean, in energy units.
TRIAD_HD double strain_energy(const Barostat &b, const double *edge, double energy_per_pv) {
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += deviatoric_force(b, edge, d);
  return 0.5 * energy_per_pv * sum;
}

/// Contributions of a controlled edge to the conserved energy, without its thermostats: pressure times volume, and
/// kinetic energy.
TRIAD_HD double barostat_edge_potential(const Barostat &b, double volume, double energy_per_pv) {
  return b.mean_target * (volume - b.reference_volume) * energy_per_pv / controlled_edges(b);
}
TRIAD_HD double barostat_edge_kinetic(const Barostat &b, int d) { return 0.5 * b.mass[d] * b.rate[d] * b.rate[d]; }

}  // namespace triad

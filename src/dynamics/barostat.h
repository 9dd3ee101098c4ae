// The barostat of G. J. Martyna, D. J. Tobias, M. L. Klein, J. Chem. Phys. 101, 4177 (1994), for the lengths of the
// three edges of a box, whose directions stay the same. The sources of nose_hoover.h apply.
#pragma once

#include "dynamics/box.h"
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

/// The target pressure of each edge, 0 for an edge without pressure control, and their mean over the controlled edges;
/// pressure units.
struct TargetPressures {
  double edge[3] = {0, 0, 0};
  double mean = 0;
};

/// Settings and state of the barostat of up to three edges. Pressures are in pressure units; energy_per_pv converts
/// pressure times volume to energy.
struct Barostat {
  bool controls[3] = {};
  PressureCoupling coupling = PressureCoupling::None;
  bool deviatoric = false;         // the edges have different target pressures
  bool kinetic_correction = true;  // the kinetic term m v v / N of Martyna, Tuckerman and Klein is included
  double frequency[3] = {};
  TargetPressures target;

  double strain[3] = {}, rate[3] = {};    // logarithm of an edge's growth, 1/time
  double mass[3] = {}, per_mass[3] = {};  // energy * time^2, and the inverse
  double per_coupling = 0;                // 1 / (controlled edges times atoms), or 0 without kinetic correction

  double reference_volume = 0;             // at strain 0
  UpperTriangular reference_inverse = {};  // of the matrix of the edges at strain 0, 1/length
};

TRIAD_HD bool isotropic(const Barostat &b) { return b.coupling == PressureCoupling::XYZ; }
TRIAD_HD int controlled_edges(const Barostat &b) { return b.controls[0] + b.controls[1] + b.controls[2]; }

/// Takes the present box as the box at strain 0.
TRIAD_HD_NOINLINE void set_reference_box(Barostat &b, const Box &box) {
  b.reference_volume = box.volume();
  b.reference_inverse = inverse(box.edges());
}

/// Couples the barostat to the present number of atoms, which may change during a run.
inline void couple_to_atoms(Barostat &b, double n_atoms) {
  b.per_coupling = b.kinetic_correction ? 1 / (controlled_edges(b) * n_atoms) : 0;
}

/// Sets the masses that give every controlled edge its frequency when coupled to n_atoms atoms at the temperature kT
/// (energy units).
inline void set_barostat_masses(Barostat &b, double n_atoms, double kT) {
  for (int d = 0; d < 3; ++d) {
    if (!b.controls[d]) continue;
    b.mass[d] = (n_atoms + 1) * kT / (b.frequency[d] * b.frequency[d]);
    b.per_mass[d] = 1 / b.mass[d];
  }
}

/// Twice the kinetic energy of the barostat, in energy units.
TRIAD_HD double barostat_kinetic(const Barostat &b) {
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) sum += b.mass[d] * b.rate[d] * b.rate[d];
  return sum;
}

/// Target pressures that change linearly during a run, and how often the reference box is renewed.
struct PressureTargets {
  double start[3], stop[3];  ///< at both ends of `span`, pressure units
  RunSpan span;
  int reset_every;  ///< steps after which the present box becomes the reference of a deviatoric barostat, or 0

  /// The targets of a step.
  TRIAD_HD TargetPressures at(const Barostat &b, std::int64_t step) const {
    const double progress = span.progress(step);
    TargetPressures target;
    double sum = 0;
    for (int d = 0; d < 3; ++d)
      if (b.controls[d]) sum += target.edge[d] = start[d] + progress * (stop[d] - start[d]);
    target.mean = sum / controlled_edges(b);
    return target;
  }
  /// True if this step renews the reference box.
  TRIAD_HD bool renews_reference(const Barostat &b, std::int64_t step) const {
    return b.deviatoric && reset_every > 0 && (step - span.first) % reset_every == 0;
  }
  /// Sets the targets of a step, and the reference box if this step renews it. `box`: the present box.
  void set(Barostat &b, std::int64_t step, const Box &box) const {
    b.target = at(b, step);
    if (renews_reference(b, step)) set_reference_box(b, box);
  }
};

/// V0 times the sum over k of (P_target_k - P_mean) weight_k^2, in pressure * volume if the weights are dimensionless.
/// An edge without pressure control counts as an edge with target 0.
TRIAD_HD double deviation_of_targets(const Barostat &b, double weight_x, double weight_y, double weight_z) {
  return b.reference_volume * ((b.target.edge[0] - b.target.mean) * weight_x * weight_x +
                               (b.target.edge[1] - b.target.mean) * weight_y * weight_y +
                               (b.target.edge[2] - b.target.mean) * weight_z * weight_z);
}

/// The generalised force on edge d whose target differs from the mean target, in pressure * volume: a diagonal element
/// of h sigma h^T, where h has the edges as columns, sigma is V0 h0^-1 (P_target - P_mean) h0^-T, and h0 is h at strain
/// 0, as in stock.
TRIAD_HD_NOINLINE double deviatoric_force(const Barostat &b, const UpperTriangular &edges, int d) {
  const UpperTriangular stretch = edges * b.reference_inverse;
  if (d == 0) return deviation_of_targets(b, stretch.xx, stretch.xy, stretch.xz);
  if (d == 1) return deviation_of_targets(b, 0, stretch.yy, stretch.yz);
  return deviation_of_targets(b, 0, 0, stretch.zz);
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

/// Advances the rate of edge d, if its pressure is controlled, by half a time step. `work`: the pressure along axis d
/// times the volume, energy units; `kinetic`: driving_kinetic(); `drag`: factor of the rates, 1 for none.
TRIAD_HD void advance_rate(Barostat &b, int d, const Box &box, double work, double kinetic, double energy_per_pv,
                           double dt, double drag) {
  if (!b.controls[d]) return;
  double of_targets = b.target.mean * box.volume();
  if (b.deviatoric) of_targets += deviatoric_force(b, box.edges(), d);
  const double force = work - energy_per_pv * of_targets + kinetic * b.per_coupling;
  b.rate[d] = (b.rate[d] + 0.5 * dt * force * b.per_mass[d]) * drag;
}
/// The same for all edges; `pressure`: [3].
inline void advance_barostat(Barostat &b, const Box &box, const double *pressure, double kinetic, double energy_per_pv,
                             double dt, double drag) {
  for (int d = 0; d < 3; ++d)
    advance_rate(b, d, box, pressure[d] * box.volume() * energy_per_pv, kinetic, energy_per_pv, dt, drag);
}

/// The mean of the rates per degree of freedom, 1/time.
TRIAD_HD double velocity_coupling(const Barostat &b) {
  double sum = 0;
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) sum += b.rate[d];
  return sum * b.per_coupling;
}

/// The mean of barostat_kinetic(). A barostat has one degree of freedom per edge, an isotropic one a single one.
TRIAD_HD double mean_barostat_kinetic(const Barostat &b, double kT) {
  return kT * (isotropic(b) ? 1 : controlled_edges(b));
}
/// Multiplies the rates of the controlled edges by the factor of a chain.
TRIAD_HD void scale_rates(Barostat &b, double factor) {
  for (int d = 0; d < 3; ++d)
    if (b.controls[d]) b.rate[d] *= factor;
}
/// Advances the barostat's chain by half a time step, and scales the rates.
inline void advance_barostat_chain(Barostat &b, const ThermostatChain &chain, const ChainStep &step, double kT) {
  if (chain.length > 0)
    scale_rates(b, advance_chain(chain, step, barostat_kinetic(b), mean_barostat_kinetic(b, kT), kT));
}

/// Factor of the velocities along axis d in half a time step. An edge without pressure control keeps its rate, which is
/// 0 unless a restart file has another value; as in stock, that rate scales velocities but not the edge.
TRIAD_HD double barostat_velocity_factor(const Barostat &b, int d, double dt) {
  return math::exp_of_small(-0.5 * dt * (b.rate[d] + velocity_coupling(b)));
}

/// Factor of the length of edge d in half a time step; 1 without pressure control.
TRIAD_HD double barostat_edge_factor(const Barostat &b, int d, double dt) {
  return b.controls[d] ? math::exp_of_small(0.5 * dt * b.rate[d]) : 1;
}

/// Advances the strain and the vector of edge d by a time. `factor`: of the length of the edge in this time; `fixed`:
/// the coordinate that does not move.
TRIAD_HD void dilate_edge(Barostat &b, int d, double time, double factor, double fixed, Box &box) {
  b.strain[d] += time * b.rate[d];
  if (b.controls[d]) box.scale_edge(d, factor, fixed);
}
/// The same for all edges and half a time step. `fixed`: [3].
inline void dilate_box(Barostat &b, double dt, const double *fixed, Box &box) {
  for (int d = 0; d < 3; ++d) dilate_edge(b, d, 0.5 * dt, barostat_edge_factor(b, d, dt), fixed[d], box);
}

/// Energy of the deviation of the targets from their mean, in energy units: half of the trace of sigma h h^T, with the
/// matrices of deviatoric_force(), as in stock. In an orthogonal box, this is half of the sum of the generalised
/// forces.
TRIAD_HD double strain_energy(const Barostat &b, const Box &box, double energy_per_pv) {
  const UpperTriangular h = box.edges(), &r = b.reference_inverse;
  // h0^-T h, whose row k is weighted with the deviation of target k
  const double row[3][3] = {{r.xx * h.xx, r.xx * h.xy, r.xx * h.xz},
                            {r.xy * h.xx, r.xy * h.xy + r.yy * h.yy, r.xy * h.xz + r.yy * h.yz},
                            {r.xz * h.xx, r.xz * h.xy + r.yz * h.yy, r.xz * h.xz + r.yz * h.yz + r.zz * h.zz}};
  double sum = 0;
  for (int k = 0; k < 3; ++k) sum += deviation_of_targets(b, row[0][k], row[1][k], row[2][k]);
  return 0.5 * energy_per_pv * sum;
}

/// Contributions of a controlled edge to the conserved energy, without its thermostats: pressure times volume, and
/// kinetic energy.
TRIAD_HD double barostat_edge_potential(const Barostat &b, double volume, double energy_per_pv) {
  return b.target.mean * (volume - b.reference_volume) * energy_per_pv / controlled_edges(b);
}
TRIAD_HD double barostat_edge_kinetic(const Barostat &b, int d) { return 0.5 * b.mass[d] * b.rate[d] * b.rate[d]; }

}  // namespace triad

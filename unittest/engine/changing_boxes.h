// Boxes that change during steps, and barostats, for the tests of engines.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/engine_tests.h"

namespace triad {

constexpr double pressure_units = 1.6021765e6;  // of LAMMPS's metal units: pressure times volume per energy

/// The box from the origin with these edges, or, if `triclinic`, a tilted box of the same lattice.
inline Box box_from_origin(const double *edge, bool triclinic = false) {
  Box box = {{0, 0, 0}, {edge[0], edge[1], edge[2]}};
  if (triclinic) box = {{0, 0, 0}, {edge[0], edge[1], edge[2]}, -edge[1], edge[0], edge[0], true};
  return box;
}

/// A thermostat and a barostat of all n atoms in this box, each edge with a target of its own if `anisotropic`.
inline ThermostatBatch barostat_of(MdEngine &engine, int n, const Box &box, bool anisotropic) {
  ThermostatBatch nose_hoover = nose_hoover_of(engine, n, 1);
  HeldBarostat &held = nose_hoover.barostat;
  held.acts = true;
  held.length = 2;
  held.state.coupling = anisotropic ? PressureCoupling::XY : PressureCoupling::XYZ;
  held.state.deviatoric = anisotropic;
  held.chain_step = {dt, 1, 0.9995};
  held.energy_per_pv = 1 / pressure_units;
  held.mvv2e = mass_to_energy;
  held.kT = boltz * ramp.at(99);
  held.targets.span = ramp.span;
  held.targets.reset_every = 4;
  for (int d = 0; d < 3; ++d) {
    held.state.controls[d] = !anisotropic || d != 1;
    held.state.frequency[d] = 1 / 0.05;
    held.targets.start[d] = 1000.0 * (d + 1);
    held.targets.stop[d] = -5000;
    held.fixed[d] = 0.3 * box.high[d];
  }
  held.start(box);
  set_reference_box(held.state, box);
  couple_to_atoms(held.state, n);
  set_barostat_masses(held.state, n, held.kT);
  set_chain_masses(held.chain(), 1, held.kT, 1 / 0.05);
  return nose_hoover;
}

/// The rows of an array [rows][3], each multiplied by a matrix.
inline std::vector<double> rows_times(const UpperTriangular &matrix, std::vector<double> rows) {
  for (std::size_t k = 0; k < rows.size(); k += 3) {
    const Vec3<double> row = matrix * Vec3<double>{rows[k], rows[k + 1], rows[k + 2]};
    rows[k] = row.x;
    rows[k + 1] = row.y;
    rows[k + 2] = row.z;
  }
  return rows;
}

/// [images][3] multiples of the edges of `box` by which the images of `atoms` are shifted, and the shifts in another
/// box.
inline std::vector<double> edges_of(const PeriodicBox &atoms, const Box &box) {
  std::vector<double> edges = rows_times(inverse(box.edges()), atoms.halo.shift);
  for (double &number : edges) number = std::round(number);
  return edges;
}
inline std::vector<double> shifts_of(const std::vector<double> &edges, const Box &box) {
  return rows_times(box.edges(), edges);
}

/// A box whose edges along some axes change at the end of every second step: x and y grow, z shrinks. If the box is
/// triclinic, its tilts change too.
struct DeformedBox {
  Box start;
  bool deforms[3];

  /// The box after the end of step `step`, counted from 1.
  Box at(int step) const {
    Box box = start;
    const int changes = step / 2;
    for (int d = 0; d < 3; ++d) {
      if (!deforms[d]) continue;
      const double growth = (d == 2 ? -5e-4 : 5e-4) * changes * start.high[d];
      box.low[d] -= 0.3 * growth;
      box.high[d] += 0.7 * growth;
    }
    if (!box.triclinic) return box;
    box.yz += 3e-4 * changes * start.high[1];
    box.xz -= 4e-4 * changes * start.high[0];
    box.xy += 2e-4 * changes * start.high[0];
    return box;
  }
  /// The path of a batch of n steps after `done` steps.
  BoxPath path(int done, int n) const {
    BoxPath path;
    std::copy_n(deforms, 3, path.deforms);
    for (int k = 0; k < n; ++k) path.add(at(done + k));
    return path;
  }
};

/// Makes the atoms of an engine follow such a box after a step.
inline void follow(MdEngine &engine, const DeformedBox &box, int step) {
  engine.queue_box_change(change_of_box(box.at(step - 1), box.at(step)));
}

/// Scales and kicks atoms and changes the box by hooks as a barostat in a batch does. `edges`: [images][3] multiples of
/// the edges.
inline void step_by_hooks(MdEngine &engine, ThermostatBatch &nose_hoover, const std::vector<double> &edges) {
  HeldBarostat &held = nose_hoover.barostat;
  Box halves[] = {held.box, held.box, held.box};
  held.start_chains(OneThread(), nose_hoover.thermostat);
  held.start_step(OneThread(), nose_hoover.thermostat);
  for (int half = 1; half <= 2; ++half)
    for (int d = 0; d < 3; ++d)
      for (int k = 0; k < half; ++k) halves[half].scale_edge(d, held.motion.drift.diagonal(d), held.fixed[d]);
  engine.queue_scale_velocities(1, held.motion.start);
  engine.queue_kick(1, all_atoms.half_kick);
  engine.queue_box_change(change_of_box(halves[0], halves[1]));
  engine.queue_drift(1, all_atoms.drift);
  engine.queue_box_change(change_of_box(halves[1], halves[2]));
  engine.set_shifts(shifts_of(edges, held.box));
  ResultsView results;
  TallyRequest request;
  request.virial = true;
  engine.compute_forces(request, results);
  engine.queue_kick(1, all_atoms.half_kick);
  nose_hoover.thermostat.begin_half_step(nose_hoover.thermostat.step);
  held.begin_last_half_step();
  std::copy_n(results.virial, 3, held.virial);
  nose_hoover.measured = engine.kinetic(1);
  held.end_step(OneThread(), nose_hoover.thermostat, nose_hoover.measured, false);
  engine.queue_scale_velocities(1, held.motion.end);
}

}  // namespace triad

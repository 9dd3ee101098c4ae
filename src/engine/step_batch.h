// Steps that an engine makes without its caller: what acts in them, and what they return.
//
// nvcc and the host compiler both compile this header, which includes neither LAMMPS nor CUDA headers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "dynamics/box_path.h"
#include "dynamics/end_of_step.h"
#include "dynamics/force_change.h"
#include "dynamics/heat_current.h"
#include "dynamics/held_barostat.h"
#include "dynamics/kinetic.h"
#include "dynamics/langevin.h"
#include "dynamics/linear_motion.h"
#include "dynamics/reflecting_walls.h"
#include "dynamics/slabs.h"
#include "engine/changing_box_limit.h"
#include "engine/pair_force.h"
#include "neighbor/list_box.h"

namespace triad {

/// Velocity Verlet for the atoms of a group, in the caller's units: v += half_kick / m * f, x += drift * v.
struct VerletGroup {
  int group_bit;
  double half_kick;  ///< dt / 2 times the conversion of force / mass to acceleration
  double drift;      ///< dt
};

/// A Langevin thermostat for the atoms of a group.
struct LangevinForce {
  int group_bit;
  const LangevinTerms *terms;  ///< [n_types + 1], copied by the call
  double root_temperature;
  std::int64_t step;  ///< the noise is a function of step, seed and atom ID
  std::uint32_t seed;
  int tally = -1;  ///< the engine keeps the added forces under this number for langevin_power(); -1: it does not
};

/// Power of the forces of a Langevin thermostat on the atoms of this rank: sum over the atoms of force times velocity,
/// with the velocities at the end of the step. Force units times velocity units.
struct LangevinWork {
  double sum = 0;   ///< sum over the completed steps of a batch; times the time step, this is an energy
  double last = 0;  ///< in the last of these steps
};

/// A Langevin thermostat in all steps of a batch, with a target temperature that follows a ramp.
struct LangevinThermostat {
  LangevinForce force;  ///< step and temperature are not used; `terms` must stay valid until run_steps() returns
  TemperatureRamp target;
  LangevinWork *work = nullptr;  ///< output, or null; force.tally is 0 or above if not null

  LangevinForce at(std::int64_t step) const {
    LangevinForce now = force;
    now.step = step;
    now.root_temperature = std::sqrt(target.at(step));
    return now;
  }
};

/// A thermostat that scales the velocities of a group in all steps of a batch by factors that follow from its
/// temperature, perhaps with a barostat.
struct ThermostatBatch {
  HeldThermostat thermostat;  ///< updated by the steps
  HeldBarostat barostat;      ///< updated by the steps; see MdEngine::takes_changing_box()
  int group_bit;              ///< group whose velocities are scaled
  int measured_bit;           ///< group whose temperature is controlled
  KineticSums measured;       ///< output: sums of that group over all ranks at the end of the last step, before scaling
};

/// Rule for renewing the neighbour list: LAMMPS's neigh_modify every, delay and check.
struct ListRule {
  bool check = false;  ///< displacements decide; if false, the caller chooses the steps
  double limit = 0;    ///< largest allowed displacement of an atom, length units; not used in a box that changes
  ChangingBoxLimit *in_changing_box = nullptr;  ///< not null with `check` in a batch that changes the box; updated
  long long ago = 0;                            ///< steps since the list was built
  int delay = 0, every = 1;
  const ListBox *box = nullptr;  ///< not null if the engine may make lists; the box of the atoms before the batch
  long long own_until = 0;       ///< last step of the batch, counted from 1, in which the engine may make a list

  /// The limit in steps that the engine makes alone, until it looks at the box again.
  double present_limit() const { return in_changing_box ? in_changing_box->fixed() : limit; }
  bool looks_at(long long steps_ago) const { return check && steps_ago >= delay && steps_ago % every == 0; }
};

/// Steps of a batch in which something is sampled.
struct Sampling {
  std::vector<std::int64_t> steps;  ///< LAMMPS's numbers of the steps, rising, all in the batch

  /// Index of a step among `steps`, or -1.
  int index_of(std::int64_t step) const {
    const auto found = std::lower_bound(steps.begin(), steps.end(), step);
    return found != steps.end() && *found == step ? static_cast<int>(found - steps.begin()) : -1;
  }
};

/// Samples of a group of atoms, at the end of steps.
struct GroupSampling : Sampling {
  int group_bit = 1;

  /// True if another sampling of the same kind gives the same samples. Kinds without a comparison count as different.
  bool is_same_as(const GroupSampling &) const { return false; }
};

/// Sums over slabs. The box must not change in the batch.
struct SlabSampling : GroupSampling {
  Slabs slabs;
  std::vector<std::vector<SlabSums>> sums;  ///< output: [steps that are complete][slabs.count]
};

/// Heat currents, as of MdEngine::heat_flow(). The box must not change in the batch.
struct HeatSampling : GroupSampling {
  double kinetic_factor = 0;
  AtomVirial kind = AtomVirial::Centroid;
  std::vector<HeatFlow> sums;  ///< output: [steps that are complete] this rank's parts
};

/// Kinetic sums, as of MdEngine::kinetic().
struct KineticSampling : GroupSampling {
  std::vector<KineticSums> sums;  ///< output: [steps that are complete] this rank's parts

  bool is_same_as(const KineticSampling &other) const { return group_bit == other.group_bit && steps == other.steps; }
};

/// Energy and virial of the forces, as of MdEngine::term_totals().
struct TotalsSampling : Sampling {
  std::vector<std::vector<ForceTotals>> sums;  ///< output: [steps that are complete][terms] this rank's parts
};

/// Steps of velocity Verlet that the engine makes without the caller, with or without thermostats.
struct StepBatch {
  long long n_steps = 0;
  std::int64_t first_step = 0;  ///< LAMMPS's number of the first step
  std::vector<VerletGroup> groups;
  std::vector<LangevinThermostat> langevin;
  /// ThermostatBatch: number k acts on the atoms of groups[k], which belong to no other of `groups`. The group
  /// that it measures contains no atoms that another of `groups` kicks. A batch with such a thermostat has no Langevin
  /// thermostats, and a barostat requires that there is only one.
  std::vector<ThermostatBatch *> thermostats;
  /// The box of each step, which a fix deform changes at the end of the step before; or null. See
  /// MdEngine::takes_changing_box().
  const BoxPath *box_path = nullptr;
  std::vector<PairForceBatch *> pair_forces;  ///< pair forces that this engine has made
  /// Groups that are put at their tethers plus displacements at the start of the batch, and move with a constant
  /// velocity from there: those of `groups` with half_kick 0 and the same group. LinearMotion::tether is not used.
  std::vector<LinearMotion> motions;
  std::vector<ReflectingWalls> walls;  ///< act after the drift, in this order
  /// Changes of the forces, in this order, after the pair forces and before the noise of Langevin thermostats. Average
  /// and Drive require a single rank or MdEngine::sums_over_ranks(), Drive also an engine without
  /// heat_current_takes_tallies().
  std::vector<ForceChangeBatch *> force_changes;
  /// Changes at the end of steps, in this order; need what Average needs, and a box that does not change.
  std::vector<EndOfStep *> ends;
  std::vector<SlabSampling *> samplings;             ///< behind `ends`
  std::vector<HeatSampling *> heat_samplings;        ///< the same; require MdEngine::samples_heat_current()
  std::vector<KineticSampling *> kinetic_samplings;  ///< behind `ends`
  TotalsSampling *totals_sampling = nullptr;         ///< or null; requires MdEngine::samples_totals()
  bool samples_boxes = false;                        ///< the caller reads BatchResult::boxes
  ListRule list;
  TallyRequest last;  ///< tallies of the last step, totals only

  bool has_barostat() const {
    return std::any_of(thermostats.begin(), thermostats.end(), [](const auto *one) { return one->barostat.acts; });
  }
  bool changes_box() const { return has_barostat() || box_path; }
  bool acts_at_end_of(std::int64_t step) const {
    return std::any_of(ends.begin(), ends.end(), [&](const EndOfStep *end) { return end->acts(step); });
  }
  bool samples_ends() const { return !samplings.empty() || !heat_samplings.empty() || !kinetic_samplings.empty(); }
  bool samples() const { return samples_ends() || totals_sampling; }
  bool samples_at_end_of(std::int64_t step) const {
    const auto in_any = [&](const auto &all) {
      return std::any_of(all.begin(), all.end(), [&](const Sampling *one) { return one->index_of(step) >= 0; });
    };
    return in_any(samplings) || in_any(heat_samplings) || in_any(kinetic_samplings);
  }
  bool samples_totals_of(std::int64_t step) const { return totals_sampling && totals_sampling->index_of(step) >= 0; }
  /// Tallies of the forces of a step, which is counted from 1.
  TallyRequest tallies_of(long long number) const {
    TallyRequest request = number == n_steps ? last : TallyRequest();
    if (samples_totals_of(first_step + number - 1)) request.energy = request.virial = true;
    return request;
  }
};

struct BatchResult {
  long long completed = 0;        ///< number of complete steps
  bool list_expired = false;      ///< kick and drift of step completed + 1 are done; its list has expired
  long long lists = 0;            ///< neighbour lists that the engine has made
  long long late_lists = 0;       ///< those of `lists` for which the device stopped
  long long last_list = 0;        ///< step of the batch, counted from 1, in which the last of `lists` was made; 0: none
  long long dangerous_lists = 0;  ///< lists made in the first step in which the rule allowed them
  ForceTotals totals;             ///< totals of the last step, if the batch is complete
  /// With a barostat and StepBatch::samples_boxes: the boxes in which the atoms are in the completed steps.
  std::vector<Box> boxes;
  long long pruned_lists = 0;       ///< pruned lists renewed on the device
  long long late_pruned_lists = 0;  ///< pruned lists that the host has made in between
  double force_seconds = 0, integrate_seconds = 0, halo_seconds = 0, list_seconds = 0;  ///< wall time by category
};

}  // namespace triad

// Time steps on atoms that stay where the forces are computed: on the device, or in arrays of the host's own. The
// caller (a run style) decides what happens in a step; an engine does it, and brings arrays to LAMMPS and back when
// asked.
//
// This header crosses the boundary between compilers; it knows neither LAMMPS nor CUDA.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "dynamics/heat_current.h"
#include "dynamics/kinetic.h"
#include "dynamics/langevin.h"
#include "dynamics/nose_hoover.h"
#include "engine/exchange/halo.h"
#include "engine/pair_force.h"
#include "forces/tersoff/tersoff_backend.h"
#include "neighbor/list_box.h"

namespace triad {

/// Arrays that exist at the caller's and at the engine's; bits of a set. Attributes are groups, types and masses,
/// which only the caller changes.
enum Field : unsigned { field_x = 1, field_v = 2, field_f = 4, field_state = 7, field_attributes = 8, field_all = 15 };

/// Atom IDs in either of the widths that LAMMPS is built with.
class AtomIds {
 public:
  AtomIds() = default;
  AtomIds(const std::int32_t *ids) : narrow_(ids) {}
  AtomIds(const std::int64_t *ids) : wide_(ids) {}
  std::int64_t operator[](std::size_t i) const { return wide_ ? wide_[i] : narrow_[i]; }

 private:
  const std::int32_t *narrow_ = nullptr;
  const std::int64_t *wide_ = nullptr;
};

/// The caller's arrays of one rank: owned atoms first, then ghosts. Must stay valid until the next set_atoms().
struct AtomArrays {
  int n_owned = 0, n_ghosts = 0;
  double *x = nullptr;            ///< [n_all][3] positions
  double *v = nullptr;            ///< [n_owned][3] velocities
  double *f = nullptr;            ///< [n_owned][3] forces
  const int *type = nullptr;      ///< [n_all] from 1
  const int *mask = nullptr;      ///< [n_owned] group bits
  AtomIds tag;                    ///< [n_owned]
  const double *mass = nullptr;   ///< [n_types + 1] mass per type; read where rmass is null
  const double *rmass = nullptr;  ///< [n_owned] mass per atom, or null
  int n_types = 0;
  int *crossings = nullptr;  ///< [n_owned][3] edges of the box that the engine has moved atoms by; see make_list()
};

/// Velocity Verlet for the atoms of a group, in the caller's units: v += half_kick / m * f, x += drift * v.
struct VerletGroup {
  int group_bit;
  double half_kick;  ///< dt / 2 times the conversion of force / mass to acceleration
  double drift;      ///< dt
};

/// A Langevin thermostat for the atoms of a group.
struct LangevinForce {
  int group_bit;
  const LangevinTerms *terms;  ///< [n_types + 1], read before the call returns
  double root_temperature;
  std::int64_t step;  ///< with seed and atom ID, what the noise is a function of
  std::uint32_t seed;
};

/// The same in every step, at a temperature that follows a ramp.
struct LangevinThermostat {
  LangevinForce force;  ///< but for its step and temperature; terms are read until advance() returns
  TemperatureRamp target;

  LangevinForce at(std::int64_t step) const {
    LangevinForce now = force;
    now.step = step;
    now.root_temperature = std::sqrt(target.at(step));
    return now;
  }
};

/// A Nose-Hoover thermostat of whole steps.
struct NoseHooverBatch {
  HeldThermostat thermostat;  ///< changed by the steps
  int group_bit;              ///< whose velocities it scales
  int measured_bit;           ///< the group whose temperature it sees
  KineticSums measured;       ///< of the latter, on all ranks, at the end of the last step before it was scaled
};

/// When the neighbour list has to be renewed: LAMMPS's neigh_modify every, delay and check.
struct ListRule {
  bool check = false;  ///< look at displacements; without, the caller knows the steps
  double limit = 0;    ///< distance that an atom may move
  long long ago = 0;   ///< steps since the list was built
  int delay = 0, every = 1;
  const ListBox *box = nullptr;  ///< where the engine may make lists by itself, or null
  long long own_until = 0;       ///< in steps up to this one of the batch, from 1

  bool looks_at(long long steps_ago) const { return check && steps_ago >= delay && steps_ago % every == 0; }
};

/// Whole steps of velocity Verlet without the caller, with or without thermostats.
struct StepBatch {
  long long n_steps = 0;
  std::int64_t first_step = 0;  ///< number of the first one
  std::vector<VerletGroup> groups;
  std::vector<LangevinThermostat> langevin;
  NoseHooverBatch *nose_hoover = nullptr;     ///< with one group only, without Langevin thermostats
  std::vector<PairForceBatch *> pair_forces;  ///< of this engine
  ListRule list;
  TallyRequest last;  ///< tallies of the last step, totals only
};

struct BatchResult {
  long long completed = 0;    ///< whole steps
  bool list_expired = false;  ///< kick and drift of step completed + 1 are done, and its positions need a new list
  long long lists = 0;        ///< that the engine has made, the last in step `last_list` of the batch,
  long long last_list = 0;
  long long dangerous_lists = 0;                      ///< of them in the first step that they were allowed in
  ForceTotals totals;                                 ///< of the last step, if it is among the completed
  long long pruned_lists = 0, late_pruned_lists = 0;  ///< renewed in time, and because the steps had to wait for it
  double force_seconds = 0, integrate_seconds = 0, halo_seconds = 0, list_seconds = 0;  ///< what was spent on each
};

/// Atoms of one rank and what is done to them. Calls are carried out in order and may return before they are done,
/// except those that return numbers and sync_host(). All throw LoopError.
class MdEngine {
 public:
  virtual ~MdEngine() = default;

  /// Takes over atoms, their list and their ghosts; all fields are read from `atoms`. To be called at the start and
  /// whenever the caller has changed the number or order of atoms or the list.
  virtual void set_atoms(const AtomArrays &atoms, const NeighborListView &rows, const HaloPlan &halo) = 0;

  /// Whether the engine can make lists of `n_owned` atoms by itself, which are all of the box and have no ghosts. A
  /// list names images of atoms, of which there may be too many where the box is narrow.
  virtual bool makes_lists(const ListBox &, int /*n_owned*/) const { return false; }

  /// For one that makes_lists(), after set_atoms() without rows and ghosts: puts atoms back into the periodic box by
  /// its edges, and makes a list of all their pairs within its cutoff, which is that of set_atoms(). False, and nothing
  /// changed, with an atom beyond a face that is not periodic. By how many edges atoms were moved is added to
  /// AtomArrays::crossings by the next sync_host() of positions, which is to come before positions are changed by
  /// from_host().
  virtual bool make_list(const ListBox &) { return false; }

  /// After a change of the box since make_list(), atoms included.
  virtual void set_box(const ListBox &) {}

  /// Whether there are such crossings.
  virtual bool crossed() const { return false; }

  /// The caller's arrays are elsewhere now; the atoms and their order are the same.
  virtual void set_arrays(const AtomArrays &atoms) = 0;

  /// Takes over HaloPlan::shift after a change of the box.
  virtual void set_shifts(const std::vector<double> &shift) = 0;

  /// Copies fields of the owned atoms between the caller's arrays and the engine's; attributes only from there.
  virtual void sync_host(unsigned fields) = 0;
  virtual void from_host(unsigned fields) = 0;

  /// v += half_kick / m * f in a group.
  virtual void kick(int group_bit, double half_kick) = 0;
  /// x += drift * v in a group.
  virtual void drift(int group_bit, double drift) = 0;
  /// v *= factor, per axis, in a group.
  virtual void scale_velocities(int group_bit, const double factor[3]) = 0;
  /// v += difference, per axis, in a group.
  virtual void add_velocity(int group_bit, const double difference[3]) = 0;

  /// x = fixed + (x - fixed) * factor, per axis, of all owned atoms; set_shifts() is to follow.
  virtual void dilate(const double fixed[3], const double factor[3]) = 0;

  /// f += the thermostat's force.
  virtual void add_langevin(const LangevinForce &force) = 0;

  /// Over the owned atoms of a group.
  virtual KineticSums kinetic(int group_bit) = 0;

  /// True if an atom of this rank has moved farther than `limit` since set_atoms().
  virtual bool moved(double limit) = 0;

  /// Forces of the current positions instead of those held before; ghosts follow their owners. Totals and per-atom
  /// tallies as `request` says; the latter are added, ghosts included, where `results` has arrays for them, and kept
  /// for heat_current() if that takes them. results.force is not used: forces stay, see sync_host().
  virtual void compute_forces(const TallyRequest &request, ResultsView &results) = 0;

  /// A pair force on the atoms of this engine, of one rank.
  virtual std::unique_ptr<PairForce> make_pair_force(const PairwiseSetup &setup) = 0;

  /// Whether heat_current() needs the energies and centroid virials of the last compute_forces().
  virtual bool heat_current_takes_tallies() const = 0;

  /// Of the owned atoms of a group and what they share with ghosts, this rank's part, at the positions of the last
  /// forces and the present velocities. `kinetic_factor` times m v^2 is the kinetic energy. On several ranks all call
  /// it together.
  virtual HeatCurrent heat_current(int group_bit, double kinetic_factor) = 0;

  /// Whether the engine has the three operations of a driving force below; without them the caller computes the force
  /// from the tallies that compute_forces() adds to its arrays.
  virtual bool has_driving_force() const { return false; }

  /// Of atoms and ghosts like heat_current(), which is the sum of its parts. Throws LoopError without
  /// has_driving_force().
  virtual HeatFlow heat_flow(int /*group_bit*/, double /*kinetic_factor*/) { throw no_driving_force(); }

  /// Computes and keeps the driving force (dynamics/heat_current.h) in `field` (1/length) of the owned atoms of a group
  /// at the positions of the last compute_forces(), which kept centroid virials. Returns this rank's sum of force and
  /// mass. On several ranks all call it together. Throws LoopError without has_driving_force().
  virtual DrivingSums compute_driving_force(int /*group_bit*/, const double * /*field*/) { throw no_driving_force(); }

  /// f += the driving force kept + mass * acceleration (force / mass units) in a group. Throws LoopError without
  /// has_driving_force().
  virtual void add_driving_force(int /*group_bit*/, const double * /*acceleration*/) { throw no_driving_force(); }

  /// Up to batch.n_steps whole steps. Ends early only when the list has expired. On several ranks all call it together
  /// with the same batch and get the same number.
  virtual BatchResult run_steps(const StepBatch &batch) = 0;

  /// Ends the waits of other ranks for this one, which cannot go on; their errors give `why` as the reason. To be
  /// called when an exception ends a run of several ranks.
  virtual void fail(const char *why) noexcept { (void)why; }

  /// "host, 4 threads" or "cuda, NVIDIA H200 (device 0 of 1)": for the log.
  virtual std::string description() const = 0;

  /// How the ghosts of other ranks travel since set_atoms(); empty where there is nothing to say.
  virtual std::string ghosts_travel() const { return ""; }

  /// Bytes held on the host, and on the device.
  virtual double host_bytes() const = 0;
  virtual double device_bytes() const = 0;

 private:
  static LoopError no_driving_force() { return LoopError("this engine does not compute driving forces"); }
};

/// A setup whose table has no elements makes an engine without forces of its own: those of pairs act alone.
std::unique_ptr<MdEngine> make_engine_host(const TersoffSetup &setup, int n_threads);

#if defined(TRIAD_HAS_CUDA)
/// On device `index` modulo the number of devices. Throws LoopError.
std::unique_ptr<MdEngine> make_engine_cuda(const TersoffSetup &setup, int index, int n_threads);
#endif

}  // namespace triad

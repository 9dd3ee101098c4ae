// Interface of an engine, which makes time steps on atoms that stay where the forces are computed: on a device, or in
// arrays of the host that LAMMPS does not see. The caller (a run style) decides what happens in a step. The engine
// copies fields to and from LAMMPS's arrays on request.
//
// nvcc and the host compiler both compile this header, which includes neither LAMMPS nor CUDA headers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "dynamics/force_change.h"
#include "dynamics/heat_current.h"
#include "dynamics/heat_exchange.h"
#include "dynamics/kinetic.h"
#include "dynamics/linear_motion.h"
#include "dynamics/moments.h"
#include "dynamics/slabs.h"
#include "dynamics/step_limits.h"
#include "engine/exchange/halo.h"
#include "engine/force_terms.h"
#include "engine/pair_force.h"
#include "engine/step_batch.h"
#include "engine/virial_velocity.h"
#include "neighbor/list_box.h"

namespace triad {

/// Fields of which the caller and the engine each have a copy; bits of a set. Attributes are groups, types and masses,
/// which only the caller changes.
enum Field : unsigned { field_x = 1, field_v = 2, field_f = 4, field_state = 7, field_attributes = 8, field_all = 15 };

/// Atom IDs, in either of the two widths with which LAMMPS can be built.
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
  const double *mass = nullptr;   ///< [n_types + 1] mass per type, used if rmass is null
  const double *rmass = nullptr;  ///< [n_owned] mass per atom, or null
  int n_types = 0;
  int *crossings = nullptr;  ///< [n_owned][3] box edges by which the engine has wrapped atoms; see make_list()
};

/// Engine for the atoms of one rank. Calls take effect in order. They may return before the work is done, except
/// sync_host() and those that return numbers. All throw LoopError.
class MdEngine {
 public:
  virtual ~MdEngine() = default;

  /// Takes over atoms, neighbour lists and ghosts, and reads all fields from `atoms`. Must be called at the start and
  /// after each change of the number or order of atoms or of the lists.
  virtual void set_atoms(const AtomArrays &atoms, const TermLists &lists, const HaloPlan &halo) = 0;

  /// True if the engine can make neighbour lists of `n_owned` atoms. The entries of such a list hold images, of which a
  /// narrow box has too many. With several ranks, all must be able to.
  virtual bool makes_lists(const ListBox &, int /*n_owned*/) const { return false; }

  /// Makes a list for each term, of the pairs within the cutoff of the term's list in set_atoms(), after wrapping atoms
  /// into the periodic box, except along edges that ranks divide among them. Requires makes_lists(), and that the last
  /// set_atoms() had lists without rows and no ghosts.
  ///
  /// With several ranks the call is collective, and the engines find and exchange their ghosts. Then there must be one
  /// term, and the plan of set_atoms() must have HaloPlan::ghost_capacity.
  ///
  /// Returns false if an atom of any rank is beyond a non-periodic face or has left the part of its rank by more than
  /// cutoffs_outside(); then no atom has been wrapped. Also returns false if the ghosts of any rank exceed the memory
  /// that set_atoms() has reserved, if there are more atoms or images than the entries of a list can name, or if ghosts
  /// cannot travel between GPUs any more. Then atoms may have been wrapped, and the last lists are not valid any more:
  /// the caller must call set_atoms() next, and may call sync_host() before.
  ///
  /// The next sync_host() of positions adds the edges by which atoms were wrapped to AtomArrays::crossings; the caller
  /// must make that call before sync_engine() of positions.
  virtual bool make_list(const ListBox &) { return false; }

  /// Entries of the lists of all terms of this rank, as they were made last.
  virtual double listed_neighbours() const { return 0; }

  /// Takes a box that has changed, together with the atoms, since make_list().
  virtual void set_box(const ListBox &) {}

  /// True if atoms were wrapped and sync_host() has not added the edges to AtomArrays::crossings yet.
  virtual bool crossed() const { return false; }

  /// Takes new addresses of the caller's arrays; the atoms and their order are the same.
  virtual void set_arrays(const AtomArrays &atoms) = 0;

  /// Takes over HaloPlan::shift after a change of the box.
  virtual void set_shifts(const std::vector<double> &shift) = 0;

  /// Copies fields of the owned atoms from the engine to the caller's arrays, or back. sync_host() takes no attributes.
  virtual void sync_host(unsigned fields) = 0;
  virtual void sync_engine(unsigned fields) = 0;

  // An engine may merge operations whose names begin with queue_ and execute them in the next other call.

  /// v += half_kick / m * f in a group.
  virtual void queue_kick(int group_bit, double half_kick) = 0;
  /// x += drift * v in a group.
  virtual void queue_drift(int group_bit, double drift) = 0;
  /// v *= factor, per axis, in a group.
  virtual void queue_scale_velocities(int group_bit, const double factor[3]) = 0;
  /// Makes all owned atoms follow a change of the box; set_shifts() must follow.
  virtual void queue_box_change(const BoxChange &change) = 0;

  /// v += difference, per axis, in a group.
  virtual void add_velocity(int group_bit, const double difference[3]) = 0;

  /// Adds the thermostat's force to f, and keeps that force if force.tally says so.
  virtual void add_langevin(const LangevinForce &force) = 0;
  /// Sum over the owned atoms of a group of velocity times the force that the last add_langevin() with this number has
  /// kept.
  virtual double langevin_power(int group_bit, int tally) = 0;

  /// Keeps a point for each atom, [n_owned][3], under a number from 0 to tuning::max_tethers - 1. The points belong to
  /// positions that the caller's image flags count, in a box with these edges. The engine wraps a point with its atom.
  virtual void set_tethers(int number, const double *points, const double (&edge)[3][3]) = 0;
  /// Number that increases when the engine forgets these points: in set_atoms(), and when sync_engine() takes
  /// positions.
  virtual std::int64_t tether_revision() const = 0;
  /// Puts the atoms of a group at their tethers plus a displacement, and sets their velocities.
  virtual void place(const LinearMotion &motion) = 0;
  /// Reflects positions and velocities.
  virtual void reflect(const ReflectingWalls &walls) = 0;
  /// Sums over the owned atoms of a group, with the points of set_tethers(), or with the origin if `number` is -1.
  virtual MomentSums sum_moments(int group_bit, int number) = 0;
  /// ForceSums::stretch of a change of the kind Spring, over the owned atoms.
  virtual ForceSums sum_stretch(const ForceChange &spring) = 0;

  /// Sums over the owned atoms of a group: of forces, and if `positions` is true, of positions and crossings.
  virtual ForceSums sum_forces(int group_bit, bool positions) = 0;
  /// Changes the forces of a group. Average and Drive are not allowed, since their means are those over all ranks.
  virtual void change_forces(const ForceChange &change) = 0;

  /// Kinetic sums over the owned atoms of a group.
  virtual KineticSums kinetic(int group_bit) = 0;

  /// Sums over the owned atoms of a group in each of slabs.count slabs.
  virtual std::vector<SlabSums> sum_slabs(int group_bit, const Slabs &slabs) = 0;
  /// The same of the per-atom virials of the last compute_forces(), which must have tallied TallyRequest::atom_virial,
  /// plus `kinetic_factor` times m v v. Collective.
  virtual std::vector<SlabVirials> sum_slab_virials(int group_bit, const Slabs &slabs, double kinetic_factor) = 0;

  /// Sums over the owned atoms of a group in a block, and the change of these atoms, whose positions must be those at
  /// the time of the sums.
  virtual ExchangeSums sum_exchange(int group_bit, const BlockRegion &block) = 0;
  virtual void exchange_heat(int group_bit, const BlockRegion &block, const HeatExchange &exchange) = 0;

  /// The longest time step that the limits allow for all owned atoms of a group; StepLimits::none without atoms.
  virtual double longest_step(int group_bit, const StepLimits &limits) = 0;

  /// True if an atom of this rank has moved farther than `limit` (length units) since the last set_atoms() or
  /// make_list().
  virtual bool moved(double limit) = 0;

  /// Computes the forces at the present positions, after forward communication to the ghosts; they replace the forces
  /// of the engine. Totals and per-atom tallies as `request` says. Per-atom tallies, ghosts included, are added to the
  /// arrays in `results`, and kept until the next call for sum_slab_virials(), and for heat_current() if
  /// heat_current_takes_tallies(). results.force is not used.
  virtual void compute_forces(const TallyRequest &request, ResultsView &results) = 0;

  /// Energy and virial by term: this rank's parts of the totals of the last compute_forces() or run_steps() that
  /// requested totals.
  virtual const std::vector<ForceTotals> &term_totals() const = 0;

  /// Makes a pair force on the atoms of this engine. Collective.
  virtual std::unique_ptr<PairForce> make_pair_force(const PairwiseSetup &setup) = 0;

  /// True if heat currents need the per-atom energies and virials of the last compute_forces(), which must have tallied
  /// both: TallyRequest::atom_centroid for AtomVirial::Centroid, and atom_virial for AtomVirial::Thirds.
  virtual bool heat_current_takes_tallies() const = 0;

  /// This rank's part of the heat current of a group, from the positions of the last forces, the present velocities,
  /// and virials of this kind. `kinetic_factor` times m v^2 is the kinetic energy. `from_tallies`: from the tallies of
  /// heat_current_takes_tallies(); must be true if that is, or if the atoms have moved since the forces. Collective.
  virtual HeatCurrent heat_current(int group_bit, double kinetic_factor, AtomVirial kind, bool from_tallies) = 0;

  /// The parts of heat_current() by component of the virial and of the velocity (dynamics/heat_current.h), with the
  /// same arguments; on a device, they are never computed from tallies. Collective.
  virtual HeatFlow heat_flow(int group_bit, double kinetic_factor, AtomVirial kind) = 0;

  /// True if run_steps() can sample heat currents (StepBatch::heat_samplings).
  virtual bool samples_heat_current() const { return false; }
  /// True if run_steps() can sample energy and virial (StepBatch::totals_sampling).
  virtual bool samples_totals() const = 0;

  /// Computes and keeps the driving force (dynamics/heat_current.h) in `field` (1/length) of the owned atoms at the
  /// positions of the last compute_forces(), which must have tallied centroid virials if heat_current_takes_tallies().
  /// Returns this rank's sums of the driving forces on a group. Collective.
  virtual ForceSums compute_driving_force(int group_bit, const double *field) = 0;

  /// Adds the result of compute_driving_force() minus mass * acceleration to the forces of a group. `sums`: sums of the
  /// driving forces over all ranks.
  virtual void add_driving_force(int group_bit, const ForceSums &sums) = 0;

  /// Makes a correlation of the virials and velocities of a group, with `lags` lags including 0; `axis` is the row of
  /// the virials. The IDs of the atoms must be 1 to n and all atoms of this rank. Null if heat_current_takes_tallies():
  /// the caller then has the virials.
  virtual std::unique_ptr<VirialVelocity> make_virial_velocity(int /*group_bit*/, int /*axis*/, int /*lags*/) {
    return nullptr;
  }

  /// True if run_steps() can make steps with a barostat, with StepBatch::box_path, or with both. Such a batch has one
  /// group, all atoms, and no other actions than one of StepBatch::thermostats; ListRule::box is null. After the batch,
  /// the caller must pass the new box with set_box() or set_shifts().
  virtual bool takes_changing_box() const { return false; }

  /// True if the engine adds the sums of Average, of Drive and of StepBatch::ends over several ranks. False on one
  /// rank, where nothing is to be added. The same on all ranks; may change in set_atoms().
  virtual bool sums_over_ranks() const { return false; }

  /// Makes batch.n_steps steps, or fewer if the neighbour list expires. Collective: all ranks pass the same batch and
  /// get the same number of steps.
  virtual BatchResult run_steps(const StepBatch &batch) = 0;

  /// To be called when an exception ends a run of several ranks: makes other ranks that wait for this one throw
  /// LoopError with the reason `why`.
  virtual void fail(const char *why) noexcept { (void)why; }

  /// "host, 4 threads" or "cuda, NVIDIA H200 (device 0 of 1)": for the log.
  virtual std::string description() const = 0;

  /// How ghosts are exchanged with other ranks, for the log; empty on one rank.
  virtual std::string ghost_transport() const { return ""; }

  /// Bytes held on the host, and on the device.
  virtual double host_bytes() const = 0;
  virtual double device_bytes() const = 0;
};

/// Makes an engine on the host.
std::unique_ptr<MdEngine> make_engine_host(const ForceTerms &terms, int n_threads);

#if defined(TRIAD_HAS_CUDA)
/// Makes an engine on device `index` modulo the number of devices. All terms must have the same precision. Throws
/// LoopError.
std::unique_ptr<MdEngine> make_engine_cuda(const ForceTerms &terms, int index, int n_threads);
#endif

}  // namespace triad

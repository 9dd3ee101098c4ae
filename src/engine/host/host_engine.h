// The engine on the host: arrays in fp64 in an order of its own, and forces by the host loops.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/aligned_array.h"
#include "core/threads.h"
#include "engine/exchange/host_ghosts.h"
#include "engine/host/expected_paths.h"
#include "engine/host/group_motion.h"
#include "engine/host/host_order.h"
#include "engine/host/host_pair_force.h"
#include "engine/host/host_verlet.h"
#include "engine/md_engine.h"

namespace triad {

class HostEngine final : public MdEngine, private HostAtoms {
 public:
  HostEngine(const ForceTerms &terms, int n_threads);

  void set_atoms(const AtomArrays &atoms, const TermLists &lists, const HaloPlan &halo) override;
  void set_arrays(const AtomArrays &atoms) override { atoms_ = atoms; }
  void set_shifts(const std::vector<double> &shift) override;
  void sync_host(unsigned fields) override;
  void sync_engine(unsigned fields) override;
  void queue_kick(int group_bit, double half_kick) override;
  void queue_drift(int group_bit, double drift) override;
  void queue_scale_velocities(int group_bit, const double factor[3]) override;
  void add_velocity(int group_bit, const double difference[3]) override;
  void queue_box_change(const BoxChange &change) override;
  void add_langevin(const LangevinForce &thermostat) override;
  double langevin_power(int group_bit, int tally) override {
    return group(group_bit).power(langevin_force_[tally].data());
  }
  void set_tethers(int number, const double *points, const double (&edge)[3][3]) override;
  std::int64_t tether_revision() const override { return tether_revision_; }
  void place(const LinearMotion &motion) override;
  void reflect(const ReflectingWalls &walls) override { moved_by(group(walls.group_bit).reflect(walls)); }
  MomentSums sum_moments(int group_bit, int number) override {
    return group(group_bit).sum_moments(number < 0 ? nullptr : tethers_[number].data());
  }
  ForceSums sum_stretch(const ForceChange &spring) override {
    return group(spring.group_bit).sum_stretch(with_tethers(spring));
  }
  ForceSums sum_forces(int group_bit, bool positions) override;
  void change_forces(const ForceChange &change) override;
  KineticSums kinetic(int group_bit) override;
  std::vector<SlabSums> sum_slabs(int group_bit, const Slabs &slabs) override {
    return group(group_bit).sum_slabs(slabs);
  }
  std::vector<SlabVirials> sum_slab_virials(int group_bit, const Slabs &slabs, double kinetic_factor) override;
  ExchangeSums sum_exchange(int group_bit, const BlockRegion &block) override {
    return group(group_bit).sum_exchange(block);
  }
  double longest_step(int group_bit, const StepLimits &limits) override {
    return group(group_bit).longest_step(limits);
  }
  void exchange_heat(int group_bit, const BlockRegion &block, const HeatExchange &exchange) override;
  bool moved(double limit) override;
  double listed_neighbours() const override { return listed_neighbours_; }

  void compute_forces(const TallyRequest &request, ResultsView &results) override {
    forces_unless_expired(request, results, false);
  }
  const std::vector<ForceTotals> &term_totals() const override { return term_totals_; }

  std::unique_ptr<PairForce> make_pair_force(const PairwiseSetup &setup) override;

  bool heat_current_takes_tallies() const override { return true; }
  bool samples_totals() const override { return !terms_.empty(); }
  HeatCurrent heat_current(int group_bit, double kinetic_factor, AtomVirial kind, bool) override {
    return current_of(heat_flow(group_bit, kinetic_factor, kind));
  }
  HeatFlow heat_flow(int group_bit, double kinetic_factor, AtomVirial kind) override {
    return kind == AtomVirial::Centroid ? tallied_flow(group_bit, kinetic_factor, atom_centroid_.data(), 9)
                                        : tallied_flow(group_bit, kinetic_factor, atom_virial_.data(), 6);
  }
  ForceSums compute_driving_force(int group_bit, const double *field) override;
  void add_driving_force(int group_bit, const ForceSums &sums) override;
  BatchResult run_steps(const StepBatch &batch) override;

  void fail(const char *why) noexcept override { ghosts_.fail(why); }

  std::string ghost_transport() const override {
    if (!ghosts_.on_several_ranks()) return "";
    return ghosts_.with_peers() ? "through memory that ranks share" : "through MPI";
  }

  std::string description() const override {
    if (!terms_.empty()) return terms_[0]->description();
    return "host, " + std::to_string(most_threads_) + (most_threads_ == 1 ? " thread" : " threads");
  }

  double host_bytes() const override;
  double device_bytes() const override { return 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  template <class Exchange>
  HaloStatus timed_exchange(Exchange &&exchange) {
    const Clock::time_point start = Clock::now();
    const HaloStatus status = exchange();
    halo_seconds_ += seconds_since(start);
    return status;
  }

  AtomsView view() const {
    AtomsView atoms;
    atoms.n_owned = atoms_.n_owned;
    atoms.n_all = atoms_.n_owned + atoms_.n_ghosts;
    atoms.x = x_.data();
    atoms.type = type_.data();
    return atoms;
  }

  ExpectedMotion *expected_motion(VerletGroup step);
  /// Computes the forces and returns true, unless the list of a rank has `expired`; then returns false on all ranks,
  /// and the forces are not valid.
  bool forces_unless_expired(const TallyRequest &request, ResultsView &results, bool expired);

  /// Sets target[k] = value(k). The thread that will use a page writes it first, which determines its NUMA node.
  template <class Value>
  void fill(std::size_t n, double *target, Value &&value) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t k = 0; k < n; ++k) target[k] = value(k);
  }

  /// The heat current from the per-atom energies and virials [n_all][components].
  HeatFlow tallied_flow(int group_bit, double kinetic_factor, const double *virial, int components);

  /// The arrays of the engine, without IDs and masses per type.
  AtomArrays owned();
  GroupMotion group(int group_bit) { return {owned(), group_bit, threads_}; }
  /// A change of forces with the points of its springs, if it has some.
  ForceChange with_tethers(ForceChange change) const {
    if (change.kind == ForceChange::Kind::Spring) change.tether = tethers_[change.tethers].data();
    return change;
  }
  void end_step(const std::vector<VerletGroup> &groups) {
    for (const VerletGroup &g : groups) group(g.group_bit).kick(g.half_kick);
  }

  static constexpr double unknown = std::numeric_limits<double>::infinity();
  void moved_by(double most) {
    since_forces_ += most;
    since_list_ += most;
  }

  double *ghost(AlignedArray<double> &array) const { return array.data() + 3 * std::size_t(atoms_.n_owned); }

  /// Sends positions of owned atoms, displaced to their images, to the ghosts, with the status of this rank.
  HaloStatus send_positions(const HaloStatus &status) {
    return ghosts_.forward(ghost(x_), status, [&](int i, int image, double *target) { put_ghost(i, image, target); });
  }
  void put_ghost(int i, int image, double *target) const {
    const double *x = x_.data() + 3 * std::size_t(i), *shift = ghosts_.shift(image);
    for (int k = 0; k < 3; ++k) target[k] = x[k] + shift[k];
  }

  void give_positions(bool with_ghosts, double *x) override;
  void add_forces(const double *force) override;
  int n_owned() const override { return atoms_.n_owned; }
  const HaloPlan &halo() const override { return halo_; }

  bool pruned_list_ends() const {
    return std::any_of(terms_.begin(), terms_.end(), [](const auto &term) { return term->pruned_list_ends(); });
  }

  std::vector<std::unique_ptr<ForceBackend>> terms_;
  std::vector<ForceTotals> term_totals_;  // of the last forces
  const int most_threads_;
  int threads_ = 1;  // threads for the present number of atoms
  HostGhosts ghosts_;
  ExpectedPaths expected_paths_{ghosts_};
  VerletGroup step_ = {};  // half kick and drift since the last forces; zero if this engine has made none
  HaloPlan halo_;          // for pair forces
  AtomArrays atoms_;
  HostOrder order_;                                       // order of all arrays below
  std::vector<std::vector<int>> centre_;                  // [terms] centres of the terms' rows
  AlignedArray<int> type_;                                // [n_all]
  AlignedArray<double> x_, f_;                            // [n_all][3]
  AlignedArray<double> v_, reference_;                    // [n_owned][3]; positions of the last set_atoms()
  double since_forces_ = unknown, since_list_ = unknown;  // upper bounds of the displacements since then
  double listed_neighbours_ = 0;                          // entries of all rows
  double halo_seconds_ = 0;                               // time of the exchange in the last force computation
  bool renew_pruned_list_ = false;                        // all ranks renew the pruned list with the next forces
  bool new_atoms_ = true;                                 // no forces since set_atoms()
  AlignedArray<double> mass_;                             // [n_owned]
  AlignedArray<int> mask_;                                // [n_owned]
  std::vector<VerletSpan> span_;
  /// Per-atom tallies of the last forces that requested them, [n_all] times 1, 6, 9; and velocities of ghosts of the
  /// last heat current, [n_ghosts][3].
  AlignedArray<double> atom_energy_, atom_virial_, atom_centroid_, ghost_velocity_;
  AlignedArray<double> driving_force_;                // [n_all][3] of the last compute_driving_force()
  AlignedArray<double> virial_rows_[2];               // [n_all][3] of sum_slab_virials()
  std::vector<AlignedArray<double>> langevin_force_;  // by tally, [n_owned][3] of the last add_langevin()
  std::vector<AlignedArray<double>> tethers_;         // by number, [n_owned][3]
  std::int64_t tether_revision_ = 0;
};

}  // namespace triad

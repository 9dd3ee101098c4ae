// The engine on a CUDA device: steers its parts (engine_parts.cuh), which have the state.
#pragma once

#include <string>
#include <vector>

#include "engine/cuda/engine_parts.cuh"
#include "engine/cuda/state/engine_tallies.cuh"
#include "engine/md_engine.h"

namespace triad {
namespace cuda {

template <class Format>
class CudaEngine final : public MdEngine {
 public:
  CudaEngine(const ForceTerms &terms, int device, int n_threads)
      : p_(terms, device, n_threads), tallies_(p_.device, p_.tersoff), term_totals_(terms.term.size()) {}

  void set_atoms(const AtomArrays &atoms, const TermLists &lists, const HaloPlan &halo) override;
  bool makes_lists(const ListBox &box, int n_owned) const override { return p_.lists.makes_lists(box, n_owned); }
  bool make_list(const ListBox &box) override;
  void set_box(const ListBox &box) override;
  bool crossed() const override { return p_.lists.crossed(); }
  void set_arrays(const AtomArrays &atoms) override { p_.atoms.set_arrays(atoms); }
  void set_shifts(const std::vector<double> &shift) override;
  void sync_host(unsigned fields) override;
  void sync_engine(unsigned fields) override;

  void queue_kick(int group_bit, double half_kick) override { p_.motion.queue_kick(group_bit, half_kick); }
  void queue_drift(int group_bit, double drift) override { p_.motion.queue_drift(group_bit, drift); }
  void queue_scale_velocities(int group_bit, const double factor[3]) override {
    p_.motion.queue_scale_velocities(group_bit, factor);
  }
  void queue_box_change(const BoxChange &change) override { p_.motion.queue_box_change(change); }
  void add_velocity(int group_bit, const double difference[3]) override {
    p_.motion.add_velocity(group_bit, difference);
  }
  void set_tethers(int number, const double *points, const double (&edge)[3][3]) override {
    prepare();
    p_.atoms.tethers().set(number, points, p_.atoms.n(), p_.lists.crossings(), edge);
  }
  std::int64_t tether_revision() const override { return p_.atoms.tethers().revision(); }
  void place(const LinearMotion &motion) override {
    prepare();
    p_.motion.forget_sums();
    p_.atoms.place(motion);
  }
  void reflect(const ReflectingWalls &walls) override {
    prepare();
    p_.motion.forget_sums();
    p_.atoms.reflect(walls);
  }
  MomentSums sum_moments(int group_bit, int number) override {
    prepare();
    return p_.sums.sum_moments(group_bit, number);
  }
  ForceSums sum_stretch(const ForceChange &spring) override {
    prepare();
    return p_.force_changes.sum_stretch(spring);
  }
  ForceSums sum_forces(int group_bit, bool positions) override {
    prepare();
    return p_.force_changes.sum_forces(group_bit, positions);
  }
  void change_forces(const ForceChange &change) override {
    prepare();
    p_.force_changes.change_forces(change);
  }
  KineticSums kinetic(int group_bit) override { return p_.motion.kinetic(group_bit); }
  std::vector<SlabSums> sum_slabs(int group_bit, const Slabs &slabs) override {
    prepare();
    return p_.sums.sum_slabs(group_bit, slabs);
  }
  std::vector<SlabVirials> sum_slab_virials(int group_bit, const Slabs &slabs, double kinetic_factor) override;
  ExchangeSums sum_exchange(int group_bit, const BlockRegion &block) override {
    prepare();
    return p_.sums.sum_exchange(group_bit, block);
  }
  double longest_step(int group_bit, const StepLimits &limits) override {
    prepare();
    return p_.sums.longest_step(group_bit, limits);
  }
  void exchange_heat(int group_bit, const BlockRegion &block, const HeatExchange &exchange) override {
    prepare();
    p_.motion.forget_sums();
    p_.sums.exchange_heat(group_bit, block, exchange);
  }
  void add_langevin(const LangevinForce &force) override;
  double langevin_power(int group_bit, int tally) override {
    prepare();
    return p_.sums.langevin_power(group_bit, tally);
  }
  bool moved(double limit) override;
  double listed_neighbours() const override {
    p_.device.select();
    return p_.lists.listed_neighbours();
  }

  void compute_forces(const TallyRequest &request, ResultsView &results) override;
  const std::vector<ForceTotals> &term_totals() const override { return term_totals_; }
  std::unique_ptr<PairForce> make_pair_force(const PairwiseSetup &setup) override;
  bool heat_current_takes_tallies() const override { return !p_.terms.none(); }
  HeatCurrent heat_current(int group_bit, double kinetic_factor, AtomVirial kind, bool from_tallies) override {
    return from_tallies ? tallied_heat_current(group_bit, kinetic_factor, kind)
                        : current_of(heat_flow(group_bit, kinetic_factor, kind));
  }
  HeatFlow heat_flow(int group_bit, double kinetic_factor, AtomVirial kind) override;
  bool samples_heat_current() const override {
    return p_.runs_ahead() && !heat_current_takes_tallies() && p_.terms.has_main();
  }
  bool samples_totals() const override { return takes_terms(); }
  ForceSums compute_driving_force(int group_bit, const double *field) override {
    prepare();
    return p_.force_changes.compute_driving_force(group_bit, field);
  }
  void add_driving_force(int group_bit, const ForceSums &sums) override {
    prepare();
    p_.force_changes.add_driving_force(group_bit, sums);
  }
  std::unique_ptr<VirialVelocity> make_virial_velocity(int group_bit, int axis, int lags) override;
  bool takes_changing_box() const override;
  bool sums_over_ranks() const override { return p_.peers.connected(); }
  BatchResult run_steps(const StepBatch &batch) override;

  std::string description() const override { return describe_device(p_.device.index()); }
  std::string ghost_transport() const override;
  void fail(const char *why) noexcept override { p_.peers.fail(why); }
  double host_bytes() const override { return p_.host_bytes(); }
  double device_bytes() const override { return p_.device_bytes() + double(tallies_.device_bytes()); }

 private:
  /// True if samples and changing boxes are possible with these terms.
  bool takes_terms() const { return p_.terms.has_main() && (p_.terms.none() || p_.ghosts.none()); }
  HeatCurrent tallied_heat_current(int group_bit, double kinetic_factor, AtomVirial kind);
  /// To be called before any work on the atoms outside of whole steps.
  void prepare() {
    p_.device.select();
    p_.motion.flush();
  }
  /// Reads the totals of all terms and returns their sum.
  ForceTotals read_totals() {
    start_totals();
    p_.device.wait("copying energy and virial");
    return take_totals();
  }
  /// The same in two parts, between which the caller waits for the device.
  void start_totals() {
    if (p_.lists.rows().n_rows) tallies_.start_totals();
  }
  ForceTotals take_totals() {
    term_totals_ = p_.terms.totals(p_.lists.rows().n_rows ? tallies_.take_totals() : ForceTotals());
    return sum_of(term_totals_);
  }

  EngineParts<Format> p_;
  EngineTallies<Format> tallies_;
  std::vector<ForceTotals> term_totals_;  // of the last forces with totals
  double step_ns_ = 1e5;                  // estimated time of a step in ns
};

template <class Format>
std::unique_ptr<MdEngine> make_engine_cuda_format(const ForceTerms &terms, int device, int n_threads);

}  // namespace cuda
}  // namespace triad

// Time steps on the host: arrays of its own in fp64, forces by the host loops.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "loops/host/aligned_array.h"
#include "loops/threads.h"
#include "md/host_ghosts.h"
#include "md/host_order.h"
#include "md/host_pair_force.h"
#include "md/host_verlet.h"
#include "md/stepper.h"
#include "md/tuning.h"

namespace triad {
namespace {

class HostStepper final : public Stepper, private HostAtoms {
 public:
  HostStepper(const TersoffSetup &setup, int n_threads) : most_threads_(usable_threads(n_threads)) {
    if (setup.table.nelements()) forces_ = make_tersoff_host(setup, n_threads);
  }

  void set_atoms(const AtomArrays &atoms, const RowsView &rows, const HaloPlan &halo) override {
    atoms_ = atoms;
    owner_ = halo.owner;
    threads_ = threads_for(forces_ ? rows.n_rows : atoms.n_owned, most_threads_);
    const std::size_t n_all = std::size_t(atoms.n_owned) + atoms.n_ghosts;
    AtomsView callers;
    callers.n_owned = atoms.n_owned;
    callers.n_all = atoms.n_owned + atoms.n_ghosts;
    callers.x = atoms.x;
    order_.take(callers, rows, threads_);
    ghosts_.take(halo, atoms.n_owned, order_.place(), threads_);
    type_.require(n_all);
    for (AlignedArray<double> *array : {&x_, &f_}) array->require(3 * n_all);
    for (AlignedArray<double> *array : {&v_, &reference_}) array->require(3 * std::size_t(atoms.n_owned));
    mass_.require(atoms.n_owned);
    mask_.require(atoms.n_owned);
    from_host(field_all);
    fill(3 * std::size_t(atoms.n_owned), reference_.data(), [&](std::size_t k) { return x_[k]; });
    since_list_ = 0;
    if (forces_) forces_->set_neighbours(order_.rows(), view());
  }

  void set_arrays(const AtomArrays &atoms) override { atoms_ = atoms; }

  void set_shifts(const std::vector<double> &shift) override {
    ghosts_.set_shifts(shift);
    moved_by(unknown);
  }

  void to_host(unsigned fields) override {
    if (fields & field_x) order_.to_caller(x_.data(), 3, atoms_.x);
    if (fields & field_v) order_.to_caller(v_.data(), 3, atoms_.v);
    if (fields & field_f) order_.to_caller(f_.data(), 3, atoms_.f);
  }

  void from_host(unsigned fields) override {
    if (fields & field_x) order_.from_caller(atoms_.x, 3, x_.data());
    if (fields & field_v) order_.from_caller(atoms_.v, 3, v_.data());
    if (fields & field_f) order_.from_caller(atoms_.f, 3, f_.data());
    if (fields & (field_x | field_attributes)) moved_by(unknown);
    if (!(fields & field_attributes)) return;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int k = 0; k < atoms_.n_owned + atoms_.n_ghosts; ++k) {
      const int i = order_[k];
      type_[k] = atoms_.type[i];
      if (k >= atoms_.n_owned) continue;
      mask_[k] = atoms_.mask[i];
      mass_[k] = atoms_.rmass ? atoms_.rmass[i] : atoms_.mass[atoms_.type[i]];
    }
    span_ = describe_spans(atoms_.n_owned, mass_.data(), mask_.data());
  }

  void kick(int group_bit, double half_kick) override {
    for_group(group_bit, [&](int i, double *) { owned().kick(i, half_kick); });
  }

  void drift(int group_bit, double drift) override {
    for_group(group_bit, [&](int i, double *) { owned().drift(i, drift); });
    moved_by(unknown);
  }

  void scale_velocities(int group_bit, const double factor[3]) override {
    for_group(group_bit, [&](int, double *v) {
      for (int k = 0; k < 3; ++k) v[k] *= factor[k];
    });
  }

  void add_velocity(int group_bit, const double difference[3]) override {
    for_group(group_bit, [&](int, double *v) {
      for (int k = 0; k < 3; ++k) v[k] += difference[k];
    });
  }

  void dilate(const double fixed[3], const double factor[3]) override {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      for (int k = 0; k < 3; ++k) {
        double &x = x_[3 * std::size_t(i) + k];
        x = fixed[k] + (x - fixed[k]) * factor[k];
      }
    moved_by(unknown);
  }

  void add_langevin(const LangevinForce &thermostat) override {
    for_group(thermostat.group_bit, [&](int i, const double *v) {
      const auto noise = langevin_noise<double>(atoms_.tag[order_[i]], thermostat.step, thermostat.seed);
      const auto force = langevin_force<double>(thermostat.terms[type_[i]], mass_[i], thermostat.root_temperature,
                                                {v[0], v[1], v[2]}, noise);
      double *f = f_.data() + 3 * std::size_t(i);
      f[0] += force.x;
      f[1] += force.y;
      f[2] += force.z;
    });
  }

  KineticSums kinetic(int group_bit) override {
    return sum_over<KineticSums>(atoms_.n_owned, threads_, [&](KineticSums &sums, int i) {
      if (mask_[i] & group_bit) add_kinetic(sums, mass_[i], v_.data() + 3 * std::size_t(i));
    });
  }

  bool moved(double limit) override {
    if (since_list_ < (1 - 1e-9) * limit) return false;  // a sum of rounded distances
    int found = 0;
    double farthest = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(| : found) reduction(max : farthest)
    for (int i = 0; i < atoms_.n_owned; ++i) {
      double squared = 0;
      for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k)
        squared += (x_[k] - reference_[k]) * (x_[k] - reference_[k]);
      found |= !(squared <= limit * limit);  // true for what is not a number, which the caller then finds
      farthest = std::max(farthest, squared);
    }
    since_list_ = std::sqrt(farthest);
    return found;
  }

  void compute_forces(const TallyRequest &request, ResultsView &results) override {
    forces_unless_expired(request, results, false);
  }

  std::unique_ptr<PairForce> make_pair_force(const PairwiseSetup &setup) override {
    HostAtoms &atoms = *this;
    return std::make_unique<HostPairForce>(setup, most_threads_, atoms);
  }

  bool heat_current_takes_tallies() const override { return true; }
  HeatCurrent heat_current(int group_bit, double kinetic_factor) override {
    // ghosts of atoms outside the group rest, and so add nothing
    ghost_velocity_.require(3 * std::size_t(atoms_.n_ghosts));
    ghosts_.forward(ghost_velocity_.data(), [&](int i, int, double *target) {
      if (mask_[i] & group_bit)
        std::copy_n(v_.data() + 3 * std::size_t(i), 3, target);
      else
        std::fill_n(target, 3, 0.0);
    });
    return sum_over<HeatCurrent>(atoms_.n_owned + atoms_.n_ghosts, threads_, [&](HeatCurrent &sum, int i) {
      const bool owned = i < atoms_.n_owned;
      if (owned && !(mask_[i] & group_bit)) return;
      const double *u =
          owned ? v_.data() + 3 * std::size_t(i) : ghost_velocity_.data() + 3 * std::size_t(i - atoms_.n_owned);
      double energy = atom_energy_[i];
      if (owned) energy += kinetic_factor * mass_[i] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
      add_heat_current(sum, u, energy, atom_centroid_.data() + 9 * std::size_t(i));
    });
  }

  BatchResult advance(const StepBatch &batch) override {
    BatchResult result;
    long long ago = batch.list.ago;
    NoseHooverBatch *const nose_hoover = batch.nose_hoover;
    const auto scale = [&](double factor) {
      const double factors[3] = {factor, factor, factor};
      scale_velocities(nose_hoover->group_bit, factors);
    };
    const bool plain = !nose_hoover && batch.langevin.empty();  // ends of steps and starts of the next are one
    for (long long s = 1; s <= batch.n_steps; ++s) {
      const std::int64_t step = batch.first_step + s - 1;
      if (nose_hoover) scale(nose_hoover->thermostat.half_step(step));
      moved_by(start_step(owned(), batch.groups, plain && s > 1, threads_));
      const bool expired = batch.list.looks_at(++ago) && moved(batch.list.limit), last = s == batch.n_steps;
      ResultsView results;
      const Clock::time_point start = Clock::now();
      halo_seconds_ = 0;
      if (!forces_unless_expired(last ? batch.last : TallyRequest(), results, expired)) {
        result.list_expired = true;
        return result;
      }
      for (PairForceBatch *pair : batch.pair_forces) {
        ResultsView of_pair;
        pair->force->compute(last ? pair->last : TallyRequest(), of_pair, PairForce::Target::Stepper);
        pair->totals = totals_of(of_pair);
      }
      result.halo_seconds += halo_seconds_;
      result.force_seconds += seconds_since(start) - halo_seconds_;
      for (const LangevinThermostat &langevin : batch.langevin) add_langevin(langevin.at(step));
      if (!plain) end_step(batch.groups);
      if (nose_hoover) {
        nose_hoover->measured = ghosts_.of_all_ranks(kinetic(nose_hoover->measured_bit));
        nose_hoover->thermostat.see(nose_hoover->measured.mvv);
        scale(nose_hoover->thermostat.half_step(step));
      }
      result.completed = s;
      result.totals = totals_of(results);
    }
    if (plain) end_step(batch.groups);
    return result;
  }

  std::string ghosts_travel() const override {
    if (!ghosts_.on_several_ranks()) return "";
    return ghosts_.with_peers() ? "through memory that ranks share" : "through MPI";
  }

  std::string description() const override {
    return forces_ ? forces_->description() : "host, " + std::to_string(most_threads_) + " threads";
  }

  double host_bytes() const override {
    double bytes = double(mask_.bytes() + type_.bytes()) + order_.bytes() + ghosts_.bytes() +
                   (forces_ ? forces_->memory_usage() : 0.0);
    for (const AlignedArray<double> *array :
         {&x_, &f_, &v_, &reference_, &mass_, &atom_energy_, &atom_virial_, &atom_centroid_, &ghost_velocity_})
      bytes += double(array->bytes());
    return bytes;
  }
  double device_bytes() const override { return 0; }

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }
  template <class Exchange>
  HaloNews timed_exchange(Exchange &&exchange) {
    const Clock::time_point start = Clock::now();
    const HaloNews news = exchange();
    halo_seconds_ += seconds_since(start);
    return news;
  }

  AtomsView view() const {
    AtomsView atoms;
    atoms.n_owned = atoms_.n_owned;
    atoms.n_all = atoms_.n_owned + atoms_.n_ghosts;
    atoms.x = x_.data();
    atoms.type = type_.data();
    return atoms;
  }

  /// Forces of the current positions, unless the list of some rank has expired; then false, on all ranks, and forces
  /// are of no meaning.
  bool forces_unless_expired(const TallyRequest &request, ResultsView &results, bool expired) {
    const HaloNews near = timed_exchange([&] {
      return send_positions({since_forces_, expired, forces_ && forces_->short_list_ends()});
    });
    const std::size_t n_all = std::size_t(atoms_.n_owned) + atoms_.n_ghosts;
    ResultsView kept;
    kept.force = f_.data();
    kept.replace_force = true;
    const auto keep = [&](bool wanted, int width, AlignedArray<double> &array) -> double * {
      if (!wanted) return nullptr;
      array.require(width * n_all);
      fill(width * n_all, array.data(), [](std::size_t) { return 0.0; });
      return array.data();
    };
    kept.atom_energy = keep(request.atom_energy, 1, atom_energy_);
    kept.atom_virial = keep(request.atom_virial, 6, atom_virial_);
    kept.atom_centroid = keep(request.atom_centroid, 9, atom_centroid_);
    if (!forces_) {
      fill(3 * n_all, f_.data(), [](std::size_t) { return 0.0; });
    } else if (!near.list_expired) {
      AtomsView atoms = view();
      atoms.moved_at_most = near.moved;
      if (ghosts_.on_several_ranks()) {  // each waits for the others, so renewals in turn would add up
        atoms.renew_short_list = renew_short_list_;
        if (std::isfinite(near.moved)) atoms.moves_ahead = tuning::host_steps_ahead * near.moved;
      }
      forces_->compute(atoms, request, kept);
    }
    const HaloNews all = timed_exchange([&] { return ghosts_.add_to_owners(ghost(f_), f_.data()); });
    renew_short_list_ = all.short_list_ends && !renew_short_list_;
    if (all.list_expired) return false;
    since_forces_ = 0;
    results.energy = kept.energy;
    std::copy_n(kept.virial, 6, results.virial);
    const auto add = [&](const double *array, int width, double *target) {
      if (array && target) order_.add_to_caller(array, width, target);
    };
    add(kept.atom_energy, 1, results.atom_energy);
    add(kept.atom_virial, 6, results.atom_virial);
    add(kept.atom_centroid, 9, results.atom_centroid);
    return true;
  }

  /// target[k] = value(k); each page of new memory goes to the thread that will work on it.
  template <class Value>
  void fill(std::size_t n, double *target, Value &&value) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t k = 0; k < n; ++k) target[k] = value(k);
  }
  template <class Work>
  void for_group(int group_bit, Work &&work) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      if (mask_[i] & group_bit) work(i, v_.data() + 3 * std::size_t(i));
  }

  VerletArrays owned() {
    return {atoms_.n_owned, x_.data(), v_.data(), f_.data(), mass_.data(), mask_.data(), span_.data()};
  }
  void end_step(const std::vector<VerletGroup> &groups) {
    for (const VerletGroup &g : groups) kick(g.group_bit, g.half_kick);
  }

  static constexpr double unknown = std::numeric_limits<double>::infinity();
  void moved_by(double most) {
    since_forces_ += most;
    since_list_ += most;
  }

  double *ghost(AlignedArray<double> &array) const { return array.data() + 3 * std::size_t(atoms_.n_owned); }

  /// Positions of owned atoms, shifted, to their ghosts, with what there is to tell.
  HaloNews send_positions(const HaloNews &news) {
    return ghosts_.forward(ghost(x_), news, [&](int i, int image, double *target) { put_ghost(i, image, target); });
  }
  void put_ghost(int i, int image, double *target) const {
    const double *x = x_.data() + 3 * std::size_t(i), *shift = ghosts_.shift(image);
    for (int k = 0; k < 3; ++k) target[k] = x[k] + shift[k];
  }

  void give_positions(int n, double *x) override {
    if (n > atoms_.n_owned)
      ghosts_.forward(ghost(x_), [&](int i, int image, double *target) { put_ghost(i, image, target); });
    const int *place = order_.place();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < n; ++i) std::copy_n(x_.data() + 3 * std::size_t(place[i]), 3, x + 3 * std::size_t(i));
  }
  void add_forces(const double *force) override {
    const int *place = order_.place();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      for (int k = 0; k < 3; ++k) f_[3 * std::size_t(place[i]) + k] += force[3 * std::size_t(i) + k];
  }
  int n_owned() const override { return atoms_.n_owned; }
  const std::vector<int> &owners() const override { return owner_; }

  std::unique_ptr<TersoffBackend> forces_;  // null without a potential
  const int most_threads_;
  int threads_ = 1;  // that the present atoms keep busy
  HostGhosts ghosts_;
  std::vector<int> owner_;  // of ghosts, for pair forces
  AtomArrays atoms_;
  HostOrder order_;                                       // of all arrays below
  AlignedArray<int> type_;                                // [n_all]
  AlignedArray<double> x_, f_;                            // [n_all][3]
  AlignedArray<double> v_, reference_;                    // [n_owned][3]; positions of the last set_atoms()
  double since_forces_ = unknown, since_list_ = unknown;  // no atom has moved farther since
  double halo_seconds_ = 0;                               // of the last forces
  bool renew_short_list_ = false;                         // all ranks do it in the next forces
  AlignedArray<double> mass_;                             // [n_owned]
  AlignedArray<int> mask_;                                // [n_owned]
  std::vector<VerletSpan> span_;
  /// Of the last forces that asked for them, [n_all] times 1, 6, 9; and of the last heat current, [n_ghosts][3].
  AlignedArray<double> atom_energy_, atom_virial_, atom_centroid_, ghost_velocity_;
};

}  // namespace

std::unique_ptr<Stepper> make_stepper_host(const TersoffSetup &setup, int n_threads) {
  return std::make_unique<HostStepper>(setup, n_threads);
}

}  // namespace triad

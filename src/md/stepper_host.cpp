// Time steps on the host: arrays of its own in fp64, forces by the host loops.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <type_traits>

#include "loops/host/aligned_array.h"
#include "loops/host/row_order.h"
#include "loops/threads.h"
#include "md/host_ghosts.h"
#include "md/host_pair_force.h"
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
    take_order(rows);
    ghosts_.take(halo, atoms.n_owned, place_.data(), threads_);
    type_.require(n_all);
    for (AlignedArray<double> *array : {&x_, &f_}) array->require(3 * n_all);
    for (AlignedArray<double> *array : {&v_, &reference_}) array->require(3 * std::size_t(atoms.n_owned));
    mass_.require(atoms.n_owned);
    mask_.require(atoms.n_owned);
    from_host(field_all);
    fill(3 * std::size_t(atoms.n_owned), reference_.data(), [&](std::size_t k) { return x_[k]; });
    since_list_ = 0;
    if (!forces_) return;
    RowsView placed = rows;
    placed.centre = atom_.data();
    placed.place = place_.data();
    forces_->set_neighbours(placed, view());
  }

  void set_shifts(const std::vector<double> &shift) override {
    ghosts_.set_shifts(shift);
    moved_by(unknown);
  }

  void to_host(unsigned fields) override {
    if (fields & field_x) give_owned(x_.data(), atoms_.x);
    if (fields & field_v) give_owned(v_.data(), atoms_.v);
    if (fields & field_f) give_owned(f_.data(), atoms_.f);
  }

  void from_host(unsigned fields) override {
    if (fields & field_x) take_owned(atoms_.x, x_.data());
    if (fields & field_v) take_owned(atoms_.v, v_.data());
    if (fields & field_f) take_owned(atoms_.f, f_.data());
    if (fields & (field_x | field_attributes)) moved_by(unknown);
    if (!(fields & field_attributes)) return;
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int k = 0; k < atoms_.n_owned + atoms_.n_ghosts; ++k) {
      const int i = atom_[k];
      type_[k] = atoms_.type[i];
      if (k >= atoms_.n_owned) continue;
      mask_[k] = atoms_.mask[i];
      mass_[k] = atoms_.rmass ? atoms_.rmass[i] : atoms_.mass[atoms_.type[i]];
    }
  }

  void kick(int group_bit, double half_kick) override {
    for_group(group_bit, [&](int i, double *) { kick_atom(i, half_kick); });
  }

  void drift(int group_bit, double drift) override {
    for_group(group_bit, [&](int i, double *) { drift_atom(i, drift); });
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
      const auto noise = langevin_noise<double>(atoms_.tag[atom_[i]], thermostat.step, thermostat.seed);
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
    send_positions();
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
    if (forces_) {
      forces_->compute(view(), request, kept);
      ghosts_.add_to_owners(ghost(f_), f_.data());
    }
    since_forces_ = 0;
    results.energy = kept.energy;
    std::copy_n(kept.virial, 6, results.virial);
    const auto add = [&](const double *array, int width, double *target) {
      if (array && target) add_all(array, width, target);
    };
    add(kept.atom_energy, 1, results.atom_energy);
    add(kept.atom_virial, 6, results.atom_virial);
    add(kept.atom_centroid, 9, results.atom_centroid);
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
      start_step(batch.groups, plain && s > 1);
      if (batch.list.looks_at(++ago) && ghosts_.on_any_rank(moved(batch.list.limit))) {
        result.list_expired = true;
        return result;
      }
      ResultsView results;
      const auto start = std::chrono::steady_clock::now();
      const bool last = s == batch.n_steps;
      compute_forces(last ? batch.last : TallyRequest(), results);
      for (PairForceBatch *pair : batch.pair_forces) {
        ResultsView of_pair;
        pair->force->compute(last ? pair->last : TallyRequest(), of_pair, PairForce::Target::Stepper);
        pair->totals = totals_of(of_pair);
      }
      result.force_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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

  std::string description() const override {
    return forces_ ? forces_->description() : "host, " + std::to_string(most_threads_) + " threads";
  }

  double host_bytes() const override {
    double bytes = double(mask_.bytes()) + ghosts_.bytes() + (forces_ ? forces_->memory_usage() : 0.0);
    for (const AlignedArray<double> *array :
         {&x_, &f_, &v_, &reference_, &mass_, &atom_energy_, &atom_virial_, &atom_centroid_, &ghost_velocity_})
      bytes += double(array->bytes());
    return bytes;
  }
  double device_bytes() const override { return 0; }

 private:
  AtomsView view() const {
    AtomsView atoms;
    atoms.n_owned = atoms_.n_owned;
    atoms.n_all = atoms_.n_owned + atoms_.n_ghosts;
    atoms.x = x_.data();
    atoms.type = type_.data();
    if (ghosts_.all_here()) atoms.moved_at_most = since_forces_;
    return atoms;
  }

  /// target[k] = value(k); each page of new memory goes to the thread that will work on it.
  template <class Value>
  void fill(std::size_t n, double *target, Value &&value) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t k = 0; k < n; ++k) target[k] = value(k);
  }
  /// From the caller's order of atoms to the stepper's, and back.
  void take_owned(const double *from, double *to) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int k = 0; k < atoms_.n_owned; ++k) std::copy_n(from + 3 * std::size_t(atom_[k]), 3, to + 3 * std::size_t(k));
  }
  void give_owned(const double *from, double *to) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int k = 0; k < atoms_.n_owned; ++k) std::copy_n(from + 3 * std::size_t(k), 3, to + 3 * std::size_t(atom_[k]));
  }
  void add_all(const double *from, int width, double *to) const {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int k = 0; k < atoms_.n_owned + atoms_.n_ghosts; ++k)
      for (int d = 0; d < width; ++d) to[std::size_t(width) * atom_[k] + d] += from[std::size_t(width) * k + d];
  }

  /// Owned atoms in the order of the chunks in which their forces are computed, ghosts as they are.
  void take_order(const RowsView &rows) {
    const int n_owned = atoms_.n_owned, n_all = n_owned + atoms_.n_ghosts;
    AtomsView atoms;
    atoms.n_owned = n_owned;
    atoms.n_all = n_all;
    atoms.x = atoms_.x;
    const RowOrder order = order_rows(rows, atoms, threads_);
    place_.assign(n_all, -1);
    atom_.clear();
    for (const int row : order.order) atom_.push_back(rows.centre[row]);
    for (std::size_t k = 0; k < atom_.size(); ++k) place_[atom_[k]] = static_cast<int>(k);
    for (int i = 0; i < n_all; ++i)
      if (place_[i] < 0) {
        place_[i] = static_cast<int>(atom_.size());
        atom_.push_back(i);
      }
  }

  template <class Work>
  void for_group(int group_bit, Work &&work) {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      if (mask_[i] & group_bit) work(i, v_.data() + 3 * std::size_t(i));
  }

  void kick_atom(int i, double half_kick) {
    const double dtfm = half_kick / mass_[i];
    for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k) v_[k] += dtfm * f_[k];
  }
  void drift_atom(int i, double drift) {
    for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k) x_[k] += drift * v_[k];
  }
  void end_step(const std::vector<VerletGroup> &groups) {
    for (const VerletGroup &g : groups) kick(g.group_bit, g.half_kick);
  }

  /// First half of a step of velocity Verlet in one pass over the atoms, before it the second half of the last step if
  /// `ends_one`. Knows then how far atoms have moved at most.
  void start_step(const std::vector<VerletGroup> &groups, bool ends_one) {
    constexpr int span = tuning::host_atoms_per_pass;
    const int n_spans = (atoms_.n_owned + span - 1) / span;
    double farthest = 0;
    int strange = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(max : farthest) reduction(| : strange)
    for (int s = 0; s < n_spans; ++s) {
      double squared[3 * span];  // what atoms move, by axis
      const int first = s * span, n = std::min(span, atoms_.n_owned - first);
      if (groups.size() == 1 && all_in(groups[0], first, n))
        start_span(groups[0], ends_one, first, n, squared);
      else
        for (int i = first; i < first + n; ++i) start_atom(groups, ends_one, i, squared + 3 * (i - first));
      for (int k = 0; k < 3 * n; k += 3) {
        const double sum = squared[k] + squared[k + 1] + squared[k + 2];
        farthest = std::max(farthest, sum);
        strange |= !(sum <= std::numeric_limits<double>::max());
      }
    }
    moved_by(strange ? unknown : std::sqrt(farthest));
  }

  bool all_in(const VerletGroup &group, int first, int n) const {
    int all = group.group_bit;
    for (int i = first; i < first + n; ++i) all &= mask_[i];
    return all;
  }

  /// Of n atoms of one group, in straight arithmetic for vector registers.
  void start_span(const VerletGroup &group, bool ends_one, int first, int n, double *squared) {
    double dtfm[3 * tuning::host_atoms_per_pass];
    double *x = x_.data() + 3 * std::size_t(first), *v = v_.data() + 3 * std::size_t(first),
           *const f = f_.data() + 3 * std::size_t(first);
    for (int i = 0; i < n; ++i) dtfm[3 * i] = dtfm[3 * i + 1] = dtfm[3 * i + 2] = group.half_kick / mass_[first + i];
    const auto move = [&](auto kicks) {
#pragma omp simd
      for (int k = 0; k < 3 * n; ++k) {
        const double half = dtfm[k] * f[k], before = x[k];
        if (kicks == 2) v[k] += half;
        v[k] += half;
        x[k] += group.drift * v[k];
        squared[k] = (x[k] - before) * (x[k] - before);
      }
    };
    if (ends_one)
      move(std::integral_constant<int, 2>());
    else
      move(std::integral_constant<int, 1>());
  }

  void start_atom(const std::vector<VerletGroup> &groups, bool ends_one, int i, double *squared) {
    double *x = x_.data() + 3 * std::size_t(i);
    const double before[3] = {x[0], x[1], x[2]};
    for (const VerletGroup &g : groups)
      if (ends_one && mask_[i] & g.group_bit) kick_atom(i, g.half_kick);
    for (const VerletGroup &g : groups)
      if (mask_[i] & g.group_bit) {
        kick_atom(i, g.half_kick);
        drift_atom(i, g.drift);
      }
    for (int k = 0; k < 3; ++k) squared[k] = (x[k] - before[k]) * (x[k] - before[k]);
  }

  static constexpr double unknown = std::numeric_limits<double>::infinity();
  void moved_by(double most) {
    since_forces_ += most;
    since_list_ += most;
  }

  double *ghost(AlignedArray<double> &array) const { return array.data() + 3 * std::size_t(atoms_.n_owned); }

  /// Positions of owned atoms, shifted, to their ghosts.
  void send_positions() {
    ghosts_.forward(ghost(x_), [&](int i, int image, double *target) {
      const double *x = x_.data() + 3 * std::size_t(i), *shift = ghosts_.shift(image);
      for (int k = 0; k < 3; ++k) target[k] = x[k] + shift[k];
    });
  }

  void give_positions(int n, double *x) override {
    if (n > atoms_.n_owned) send_positions();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < n; ++i) std::copy_n(x_.data() + 3 * std::size_t(place_[i]), 3, x + 3 * std::size_t(i));
  }
  void add_forces(const double *force) override {
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      for (int k = 0; k < 3; ++k) f_[3 * std::size_t(place_[i]) + k] += force[3 * std::size_t(i) + k];
  }
  int n_owned() const override { return atoms_.n_owned; }
  const std::vector<int> &owners() const override { return owner_; }

  std::unique_ptr<TersoffBackend> forces_;  // null without a potential
  const int most_threads_;
  int threads_ = 1;  // that the present atoms keep busy
  HostGhosts ghosts_;
  std::vector<int> owner_;  // of ghosts, for pair forces
  AtomArrays atoms_;
  std::vector<int> atom_, place_;       // [n_all] the caller's number of the stepper's atoms, and the other way round
  AlignedArray<int> type_;              // [n_all]
  AlignedArray<double> x_, f_;          // [n_all][3]
  AlignedArray<double> v_, reference_;  // [n_owned][3]; positions of the last set_atoms()
  double since_forces_ = unknown, since_list_ = unknown;  // no atom has moved farther since
  AlignedArray<double> mass_;                             // [n_owned]
  AlignedArray<int> mask_;                                // [n_owned]
  /// Of the last forces that asked for them, [n_all] times 1, 6, 9; and of the last heat current, [n_ghosts][3].
  AlignedArray<double> atom_energy_, atom_virial_, atom_centroid_, ghost_velocity_;
};

}  // namespace

std::unique_ptr<Stepper> make_stepper_host(const TersoffSetup &setup, int n_threads) {
  return std::make_unique<HostStepper>(setup, n_threads);
}

}  // namespace triad

// Time steps on the host: arrays of its own in fp64, forces by the host loops.

#include <omp.h>

#include <algorithm>
#include <cstring>

#include "md/stepper.h"

namespace triad {
namespace {

class HostStepper final : public Stepper {
 public:
  HostStepper(const TersoffSetup &setup, int n_threads)
      : forces_(make_tersoff_host(setup, n_threads)), n_threads_(std::max(1, n_threads)) {}

  void set_atoms(const AtomArrays &atoms, const RowsView &rows, const HaloPlan &halo) override {
    atoms_ = atoms;
    halo_ = halo;
    const std::size_t n_all = std::size_t(atoms.n_owned) + atoms.n_ghosts;
    x_.resize(3 * n_all);
    f_.resize(3 * n_all);
    v_.resize(3 * std::size_t(atoms.n_owned));
    from_host(field_all);
    reference_.assign(x_.begin(), x_.begin() + v_.size());
    forces_->set_neighbours(rows, view());
  }

  void set_shifts(const std::vector<double> &shift) override { halo_.shift = shift; }

  void to_host(unsigned fields) override {
    copy(fields, [](double *host, double *own) { return std::pair(own, host); });
  }

  void from_host(unsigned fields) override {
    copy(fields, [](double *host, double *own) { return std::pair(host, own); });
    if (!(fields & field_attributes)) return;
    mask_.assign(atoms_.mask, atoms_.mask + atoms_.n_owned);
    mass_.resize(atoms_.n_owned);
    for (int i = 0; i < atoms_.n_owned; ++i) mass_[i] = atoms_.rmass ? atoms_.rmass[i] : atoms_.mass[atoms_.type[i]];
  }

  void kick(int group_bit, double half_kick) override {
    for_group(group_bit, [&](int i, double *v) {
      const double *f = f_.data() + 3 * std::size_t(i);
      const double dtfm = half_kick / mass_[i];
      for (int k = 0; k < 3; ++k) v[k] += dtfm * f[k];
    });
  }

  void drift(int group_bit, double drift) override {
    for_group(group_bit, [&](int i, double *v) {
      double *x = x_.data() + 3 * std::size_t(i);
      for (int k = 0; k < 3; ++k) x[k] += drift * v[k];
    });
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
#pragma omp parallel for num_threads(n_threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      for (int k = 0; k < 3; ++k) {
        double &x = x_[3 * std::size_t(i) + k];
        x = fixed[k] + (x - fixed[k]) * factor[k];
      }
  }

  void add_langevin(const LangevinForce &thermostat) override {
    for_group(thermostat.group_bit, [&](int i, const double *v) {
      const auto noise = langevin_noise<double>(atoms_.tag[i], thermostat.step, thermostat.seed);
      const auto force = langevin_force<double>(thermostat.terms[atoms_.type[i]], mass_[i], thermostat.root_temperature,
                                                {v[0], v[1], v[2]}, noise);
      double *f = f_.data() + 3 * std::size_t(i);
      f[0] += force.x;
      f[1] += force.y;
      f[2] += force.z;
    });
  }

  KineticSums kinetic(int group_bit) override {
    KineticSums sums;
    for (int i = 0; i < atoms_.n_owned; ++i) {
      if (!(mask_[i] & group_bit)) continue;
      add_kinetic(sums, mass_[i], v_.data() + 3 * std::size_t(i));
    }
    return sums;
  }

  bool moved(double limit) override {
    const double limit_squared = limit * limit;
    int found = 0;
#pragma omp parallel for num_threads(n_threads_) schedule(static) reduction(| : found)
    for (int i = 0; i < atoms_.n_owned; ++i) {
      double squared = 0;
      for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k)
        squared += (x_[k] - reference_[k]) * (x_[k] - reference_[k]);
      found |= !(squared <= limit_squared);  // true for what is not a number, which the caller then finds
    }
    return found;
  }

  void compute_forces(const TallyRequest &request, ResultsView &results) override {
    send_positions();
    std::fill(f_.begin(), f_.end(), 0.0);
    ResultsView kept;
    kept.force = f_.data();
    const auto keep = [&](bool wanted, int width, std::vector<double> &array) {
      array.assign(wanted ? width * x_.size() / 3 : 0, 0.0);
      return wanted ? array.data() : nullptr;
    };
    kept.atom_energy = keep(request.atom_energy, 1, atom_energy_);
    kept.atom_virial = keep(request.atom_virial, 6, atom_virial_);
    kept.atom_centroid = keep(request.atom_centroid, 9, atom_centroid_);
    forces_->compute(view(), request, kept);
    return_forces();
    results.energy = kept.energy;
    std::copy_n(kept.virial, 6, results.virial);
    const auto add = [](const std::vector<double> &array, double *target) {
      if (target)
        for (std::size_t k = 0; k < array.size(); ++k) target[k] += array[k];
    };
    add(atom_energy_, results.atom_energy);
    add(atom_virial_, results.atom_virial);
    add(atom_centroid_, results.atom_centroid);
  }

  bool heat_current_takes_tallies() const override { return true; }
  HeatCurrent heat_current(int group_bit, double kinetic_factor) override {
    // ghosts of atoms outside the group rest, and so add nothing
    std::vector<double> v(x_.size());
    std::copy(v_.begin(), v_.end(), v.begin());
    forward(ghost(v, 0), [&](int i, int, double *target) {
      if (mask_[i] & group_bit)
        std::copy_n(v_.data() + 3 * std::size_t(i), 3, target);
      else
        std::fill_n(target, 3, 0.0);
    });
    HeatCurrent sum;
    for (int i = 0; i < atoms_.n_owned + atoms_.n_ghosts; ++i) {
      const double *u = v.data() + 3 * std::size_t(i);
      double energy = atom_energy_[i];
      if (i < atoms_.n_owned) {
        if (!(mask_[i] & group_bit)) continue;
        energy += kinetic_factor * mass_[i] * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
      }
      add_heat_current(sum, u, energy, atom_centroid_.data() + 9 * std::size_t(i));
    }
    return sum;
  }

  BatchResult advance(const StepBatch &batch) override {
    BatchResult result;
    long long ago = batch.list.ago;
    NoseHooverBatch *const nose_hoover = batch.nose_hoover;
    const auto scale = [&](double factor) {
      const double factors[3] = {factor, factor, factor};
      scale_velocities(nose_hoover->group_bit, factors);
    };
    for (long long s = 1; s <= batch.n_steps; ++s) {
      const std::int64_t step = batch.first_step + s - 1;
      if (nose_hoover) scale(nose_hoover->thermostat.start_step(step));
      for (const VerletGroup &g : batch.groups) {
        kick(g.group_bit, g.half_kick);
        drift(g.group_bit, g.drift);
      }
      if (batch.list.looks_at(++ago) && on_any_rank(moved(batch.list.limit))) {
        result.list_expired = true;
        return result;
      }
      ResultsView results;
      const double start = omp_get_wtime();
      compute_forces(s == batch.n_steps ? batch.last : TallyRequest(), results);
      result.force_seconds += omp_get_wtime() - start;
      for (const LangevinThermostat &langevin : batch.langevin) add_langevin(langevin.at(step));
      for (const VerletGroup &g : batch.groups) kick(g.group_bit, g.half_kick);
      if (nose_hoover) {
        nose_hoover->measured = kinetic(nose_hoover->measured_bit);
        scale(nose_hoover->thermostat.end_step(step, nose_hoover->measured.mvv));
      }
      result.completed = s;
      result.totals.energy = results.energy;
      std::copy(results.virial, results.virial + 6, result.totals.virial);
    }
    return result;
  }

  std::string description() const override { return forces_->description(); }

  double host_bytes() const override {
    return sizeof(double) * double(x_.capacity() + v_.capacity() + f_.capacity() + reference_.capacity() +
                                   mass_.capacity() + travelling_.capacity() + arriving_.capacity() +
                                   atom_energy_.capacity() + atom_virial_.capacity() + atom_centroid_.capacity()) +
           sizeof(int) * double(mask_.capacity()) + forces_->memory_usage();
  }
  double device_bytes() const override { return 0; }

 private:
  AtomsView view() const {
    AtomsView atoms;
    atoms.n_owned = atoms_.n_owned;
    atoms.n_all = atoms_.n_owned + atoms_.n_ghosts;
    atoms.x = x_.data();
    atoms.type = atoms_.type;
    return atoms;
  }

  template <class Direction>
  void copy(unsigned fields, Direction &&direction) {
    const auto one = [&](Field field, double *host, std::vector<double> &own) {
      if (!(fields & field) || atoms_.n_owned == 0) return;
      const auto [from, to] = direction(host, own.data());
      std::copy(from, from + 3 * std::size_t(atoms_.n_owned), to);
    };
    one(field_x, atoms_.x, x_);
    one(field_v, atoms_.v, v_);
    one(field_f, atoms_.f, f_);
  }

  template <class Work>
  void for_group(int group_bit, Work &&work) {
#pragma omp parallel for num_threads(n_threads_) schedule(static)
    for (int i = 0; i < atoms_.n_owned; ++i)
      if (mask_[i] & group_bit) work(i, v_.data() + 3 * std::size_t(i));
  }

  bool on_any_rank(bool flag) const { return halo_.exchange ? halo_.exchange->any(flag) : flag; }

  double *ghost(std::vector<double> &array, int g) const {
    return array.data() + 3 * (std::size_t(atoms_.n_owned) + g);
  }

  /// Fills three numbers for every ghost: fill(i, image, target) computes them from the owned atom i.
  template <class Fill>
  void forward(double *ghosts, Fill &&fill) {
#pragma omp parallel for num_threads(n_threads_) schedule(static)
    for (int g = 0; g < halo_.n_ghosts(); ++g)
      if (halo_.owner[g] != HaloPlan::remote) fill(halo_.owner[g], halo_.image[g], ghosts + 3 * std::size_t(g));
    if (!halo_.exchange) return;
    travelling_.resize(3 * halo_.send.size());
    arriving_.resize(3 * halo_.receive.size());
    for (std::size_t k = 0; k < halo_.send.size(); ++k)
      fill(halo_.send[k], halo_.send_image[k], travelling_.data() + 3 * k);
    halo_.exchange->forward(travelling_.data(), arriving_.data(), 3 * sizeof(double));
    for (std::size_t k = 0; k < halo_.receive.size(); ++k)
      std::copy_n(arriving_.data() + 3 * k, 3, ghosts + 3 * std::size_t(halo_.receive[k]));
  }

  /// Positions of owned atoms, shifted, to their ghosts.
  void send_positions() {
    forward(ghost(x_, 0), [&](int i, int image, double *target) {
      const double *x = x_.data() + 3 * std::size_t(i), *shift = halo_.shift.data() + 3 * std::size_t(image);
      for (int k = 0; k < 3; ++k) target[k] = x[k] + shift[k];
    });
  }

  /// Forces on ghosts to their owners.
  void return_forces() {
    const auto add = [&](int i, const double *f) {
      for (int k = 0; k < 3; ++k) f_[3 * std::size_t(i) + k] += f[k];
    };
    for (int g = 0; g < halo_.n_ghosts(); ++g)
      if (halo_.owner[g] != HaloPlan::remote) add(halo_.owner[g], ghost(f_, g));
    if (!halo_.exchange) return;
    for (std::size_t k = 0; k < halo_.receive.size(); ++k)
      std::copy_n(ghost(f_, halo_.receive[k]), 3, arriving_.data() + 3 * k);
    halo_.exchange->reverse(arriving_.data(), travelling_.data(), 3 * sizeof(double));
    for (std::size_t k = 0; k < halo_.send.size(); ++k) add(halo_.send[k], travelling_.data() + 3 * k);
  }

  std::unique_ptr<TersoffBackend> forces_;
  const int n_threads_;
  AtomArrays atoms_;
  HaloPlan halo_;
  std::vector<double> x_, f_;                                      // [n_all][3]
  std::vector<double> v_, reference_;                              // [n_owned][3]; positions of the last set_atoms()
  std::vector<double> atom_energy_, atom_virial_, atom_centroid_;  // of the last forces, empty if not asked for
  std::vector<double> mass_;                                       // [n_owned]
  std::vector<int> mask_;                                          // [n_owned]
  std::vector<double> travelling_, arriving_;                      // [send][3], [receive][3]
};

}  // namespace

std::unique_ptr<Stepper> make_stepper_host(const TersoffSetup &setup, int n_threads) {
  return std::make_unique<HostStepper>(setup, n_threads);
}

}  // namespace triad

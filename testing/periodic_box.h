// A periodic box of atoms as LAMMPS passes it to an engine: ghosts within the list cutoff with their owners, and a
// velocity Verlet integrator in fp64 as the reference trajectory.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "engine/md_engine.h"
#include "testing/atom_arrays.h"
#include "testing/systems.h"

namespace triad {

/// Exchange in which ghosts of a fictitious other rank are returned by the same rank.
class Loopback final : public HaloExchange {
 public:
  std::size_t atoms = 0;
  int calls = 0;

  bool takes_device_memory() const override { return false; }
  bool allows_direct_exchange() const override { return false; }
  void forward(const void *send, void *receive, std::size_t item) override {
    ++calls;
    if (atoms) std::memcpy(receive, send, atoms * item);
  }
  void reverse(const void *receive, void *send, std::size_t item) override { forward(receive, send, item); }
  void alltoallv(const void *send, const std::vector<int> &, void *receive, const std::vector<int> &,
                 std::size_t item) override {
    forward(send, receive, item);
  }
  std::vector<int> set_send_counts(const std::vector<int> &send_counts) override { return send_counts; }
  void allreduce_max(double *, int) override {}
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  void allgather(const void *mine, void *all, std::size_t bytes) override { std::memcpy(all, mine, bytes); }
};

/// Ghosts that are communicated through the exchange.
enum class Ghosts { AllOwn, SomeRemote };

class PeriodicBox {
  struct Owners {
    std::vector<int> atom;
    std::vector<std::array<double, 3>> shift;
    int size() const { return static_cast<int>(atom.size()); }
  };
  Owners halo_owner_;  // of all ghosts, including remote ones

 public:
  HaloPlan halo;
  const double skin;
  System system;  ///< owned atoms, then ghosts
  double edge[3];
  std::vector<double> v, f, mass;  ///< [n_owned][3], [n_owned][3], per type
  std::vector<double> rmass;       ///< [n_owned], or empty
  std::vector<int> mask, tag;
  Loopback exchange;
  NeighbourList list;

  /// `owned` atoms in a box of `lengths`, with velocities of up to `speed`.
  PeriodicBox(const System &owned, const double lengths[3], double speed, Ghosts ghosts = Ghosts::AllOwn,
              double list_skin = 0.8)
      : skin(list_skin), system(with_ghosts(owned, lengths)), list(system, owned.table.cutoff() + skin) {
    std::copy_n(lengths, 3, edge);
    const int n = system.n_owned;
    Random random(5);
    for (int k = 0; k < 3 * n; ++k) v.push_back(random(-speed, speed));
    f.assign(3 * std::size_t(n), 0);
    mass = {0, 28.0855, 12.011, 69.72};
    for (int i = 0; i < n; ++i) {
      mask.push_back(i % 3 == 0 ? 3 : 1);
      tag.push_back(i + 1);
    }
    if (ghosts == Ghosts::SomeRemote) make_some_remote();
  }
  PeriodicBox(const PeriodicBox &) = delete;

  int n_owned() const { return system.n_owned; }
  int n_all() const { return system.n_all(); }

  AtomArrays arrays() {
    AtomArrays a = views_of(n_owned(), system.x, v, f, system.type, mask, tag, mass);
    a.rmass = rmass.empty() ? nullptr : rmass.data();
    return a;
  }
  void send_to(MdEngine &engine) { engine.set_atoms(arrays(), list.rows(), halo); }

  double mass_of(int i) const { return rmass.empty() ? mass[system.type[i]] : rmass[i]; }

  /// Computes forces in fp64 and stores them in f.
  ForceTotals compute_forces() {
    for (int g = 0; g < halo_owner_.size(); ++g)
      for (int k = 0; k < 3; ++k)
        system.x[3 * (n_owned() + g) + k] = system.x[3 * halo_owner_.atom[g] + k] + halo_owner_.shift[g][k];
    const auto loops = make_tersoff_host({system.table, system.type_to_element, Precision::Double}, 1);
    loops->set_neighbours(list.rows(), system.atoms());
    std::vector<double> all(3 * std::size_t(n_all()), 0);
    ResultsView results;
    results.force = all.data();
    TallyRequest request;
    request.energy = request.virial = true;
    loops->compute(system.atoms(), request, results);
    std::copy_n(all.begin(), f.size(), f.begin());
    for (int g = 0; g < halo_owner_.size(); ++g)
      for (int k = 0; k < 3; ++k) f[3 * halo_owner_.atom[g] + k] += all[3 * (n_owned() + g) + k];
    ForceTotals totals;
    totals.energy = results.energy;
    std::copy_n(results.virial, 6, totals.virial);
    return totals;
  }

  void kick(const VerletGroup &group) {
    for (int i = 0; i < n_owned(); ++i)
      if (mask[i] & group.group_bit)
        for (int k = 0; k < 3; ++k) v[3 * i + k] += group.half_kick / mass_of(i) * f[3 * i + k];
  }
  void drift(const VerletGroup &group) {
    for (int i = 0; i < n_owned(); ++i)
      if (mask[i] & group.group_bit)
        for (int k = 0; k < 3; ++k) system.x[3 * i + k] += group.drift * v[3 * i + k];
  }
  ForceTotals step(const std::vector<VerletGroup> &groups) {
    for (const VerletGroup &group : groups) {
      kick(group);
      drift(group);
    }
    const ForceTotals totals = compute_forces();
    for (const VerletGroup &group : groups) kick(group);
    return totals;
  }

 private:
  /// Returns the owned atoms and all images within the list cutoff; fills the plan.
  System with_ghosts(const System &owned, const double lengths[3]) {
    System all = owned;
    const double cutoff = owned.table.cutoff() + skin;
    halo.shift = {0, 0, 0};
    int most[3];
    for (int k = 0; k < 3; ++k) most[k] = static_cast<int>(std::ceil(cutoff / lengths[k]));
    for (int a = -most[0]; a <= most[0]; ++a)
      for (int b = -most[1]; b <= most[1]; ++b)
        for (int c = -most[2]; c <= most[2]; ++c) {
          if (a == 0 && b == 0 && c == 0) continue;
          const std::array<double, 3> shift = {a * lengths[0], b * lengths[1], c * lengths[2]};
          const int image = halo.n_images();
          halo.shift.insert(halo.shift.end(), shift.begin(), shift.end());
          for (int i = 0; i < owned.n_owned; ++i) {
            bool near = true;
            std::array<double, 3> x;
            for (int k = 0; k < 3; ++k) {
              x[k] = owned.x[3 * i + k] + shift[k];
              near = near && x[k] > -cutoff - skin && x[k] < lengths[k] + cutoff + skin;
            }
            if (!near) continue;
            all.add(x, owned.type[i]);
            halo.owner.push_back(i);
            halo.image.push_back(image);
            halo_owner_.atom.push_back(i);
            halo_owner_.shift.push_back(shift);
          }
        }
    all.n_owned = owned.n_owned;
    return all;
  }

  /// Every third ghost goes through the exchange, in another order.
  void make_some_remote() {
    for (int g = halo.n_ghosts() - 1; g >= 0; g -= 3) {
      halo.send.push_back(halo.owner[g]);
      halo.send_image.push_back(halo.image[g]);
      halo.receive.push_back(g);
      halo.owner[g] = HaloPlan::remote;
    }
    exchange.atoms = halo.send.size();
    halo.send_counts = halo.receive_counts = {static_cast<int>(halo.send.size())};
    halo.exchange = &exchange;
  }
};

}  // namespace triad

// Pair forces (fix pairwise/triad) on the atoms of the host engine.
#pragma once

#include <memory>
#include <vector>

#include "engine/exchange/row_plan.h"
#include "engine/pair_force.h"

namespace triad {

/// Access of a pair force to the engine's atoms, in the caller's order.
class HostAtoms {
 public:
  /// Writes the positions of owned atoms, [n_owned][3], or of owned atoms and ghosts, [n_all][3]. Collective with
  /// ghosts.
  virtual void give_positions(bool with_ghosts, double *x) = 0;
  /// Adds to the forces of the owned atoms, [n_owned][3].
  virtual void add_forces(const double *force) = 0;
  virtual int n_owned() const = 0;
  /// The plan of set_atoms().
  virtual const HaloPlan &halo() const = 0;

 protected:
  ~HostAtoms() = default;
};

class HostPairForce final : public PairForce {
 public:
  HostPairForce(const PairwiseSetup &setup, int n_threads, HostAtoms &atoms);

  void set_atoms(const PairAtomsView &atoms) override;
  void set_neighbours(const PairListView &list) override { backend_->set_neighbours(list, view_); }
  void set_pairs(const PossiblePairsView &pairs) override { backend_->set_pairs(pairs, view_); }
  void compute(const TallyRequest &request, ResultsView &results, Target target) override;

  std::string description() const override { return backend_->description(); }
  double host_bytes() const override;
  double device_bytes() const override { return 0; }

 private:
  void send_to_owners(std::vector<double> &values, int width);
  void deliver(std::vector<double> &values, int width, double *target);

  const bool all_pairs_;
  HostAtoms &atoms_;
  std::unique_ptr<PairwiseBackend> backend_;
  PairAtomsView view_;
  PairBox box_;
  RankSlice slice_;  // of all pairs
  int first_ = 0;    // row of the first owned atom
  HostRows rows_;
  std::vector<int> type_;
  std::vector<double> strength_, x_;
  std::vector<std::uint8_t> side_;
  std::vector<double> force_, atom_energy_, atom_virial_;  // [n] times 3, 1, 6
};

}  // namespace triad

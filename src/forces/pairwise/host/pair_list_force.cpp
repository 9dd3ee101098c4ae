// Pair forces of a neighbour list behind the interface ForceBackend, for engines on the host.
#include <algorithm>

#include "forces/pairwise/pairwise_backend.h"

namespace triad {
namespace {

PairAtomsView pair_atoms(const AtomsView &atoms) {
  PairAtomsView view;
  view.n = atoms.n_all;
  view.n_owned = atoms.n_owned;
  view.x = atoms.x;
  view.type = atoms.type;
  return view;
}

class PairListForce final : public ForceBackend {
 public:
  PairListForce(const PairwiseSetup &setup, int n_threads) : pairs_(make_pairwise_host(setup, n_threads)) {}

  void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) override {
    pairs_->set_neighbours({rows, !rows.half}, pair_atoms(atoms));
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    if (results.replace_force) std::fill_n(results.force, 3 * std::size_t(atoms.n_all), 0.0);
    pairs_->compute(pair_atoms(atoms), request, results);
  }

  std::string description() const override { return pairs_->description(); }
  double memory_usage() const override { return pairs_->memory_usage(); }

 private:
  std::unique_ptr<PairwiseBackend> pairs_;
};

}  // namespace

std::unique_ptr<ForceBackend> make_pair_list_force_host(const PairwiseSetup &setup, int n_threads) {
  return std::make_unique<PairListForce>(setup, n_threads);
}

}  // namespace triad

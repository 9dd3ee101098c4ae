// The forces of an engine on the device beside those of the first Tersoff potential, which TersoffDevice computes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "engine/cuda/state/engine_tallies.cuh"
#include "engine/cuda/terms/pair_list_term.cuh"
#include "engine/cuda/terms/tersoff_term.cuh"
#include "engine/force_terms.h"
#include "engine/md_engine.h"
#include "neighbor/inner_skin.h"

namespace triad {
namespace cuda {

/// The term that TersoffDevice computes: the first Tersoff potential, or a table without elements if there is none.
struct MainTerm {
  int index = -1;  ///< among the terms; -1: none of them
  TersoffSetup setup;

  explicit MainTerm(const ForceTerms &terms) {
    for (std::size_t k = 0; k < terms.term.size() && index < 0; ++k)
      if (const auto *tersoff = std::get_if<TersoffSetup>(&terms.term[k])) {
        index = static_cast<int>(k);
        setup = *tersoff;
      }
    if (index >= 0 || terms.term.empty()) return;
    const auto &pairs = std::get<PairwiseSetup>(terms.term[0]);
    setup.precision = pairs.precision;
    setup.type_to_element.assign(pairs.n_types + 1, -1);
  }
};

/// `tersoff` holds positions and forces. All functions throw LoopError.
template <class Format>
class EngineTerms {
 public:
  EngineTerms(const ForceTerms &terms, int main, DeviceContext &device, TersoffDevice<Format> &tersoff)
      : device_(device), main_(main), n_terms_(terms.term.size()) {
    for (std::size_t k = 0; k < n_terms_; ++k) {
      if (static_cast<int>(k) == main) continue;
      if (const auto *pairs = std::get_if<PairwiseSetup>(&terms.term[k]))
        pairs_.push_back({k, std::make_unique<PairListTerm<Format>>(*pairs, device, tersoff)});
      else
        tersoffs_.push_back(
            {k, std::make_unique<TersoffTerm<Format>>(std::get<TersoffSetup>(terms.term[k]), device, tersoff)});
    }
    for (const ForceTerm &term : terms.term)
      if (const auto *potential = std::get_if<TersoffSetup>(&term))
        least_cutoff_ = std::max(least_cutoff_, usual_pruned_cutoff(potential->table.cutoff()));
    if (none()) return;
    sums_.reserve(n_terms_);
    sums_host_.reserve(n_terms_);
    clear_sums();
  }

  bool none() const { return pairs_.empty() && tersoffs_.empty(); }
  /// All terms.
  std::size_t count() const { return n_terms_; }
  /// True if there is a main term, which needs a list.
  bool has_main() const { return main_ >= 0; }
  /// The number of the main term.
  int main() const { return main_; }
  /// True if there is a further Tersoff potential.
  bool has_tersoff() const { return !tersoffs_.empty(); }

  /// The cutoff for which positions must be stored: that of the widest list.
  double list_cutoff(const TermLists &lists) const { return std::max(lists.cutoff(), least_cutoff_); }

  /// Prepares for the atoms and ghosts of a call of upload() that follows.
  void set_atom_count(int n_all, const TermLists &lists) {
    for (const auto &[k, term] : tersoffs_) term->set_atom_count(n_all, list_cutoff(lists));
  }
  /// Copies the types of atoms and ghosts.
  void read_types(const AtomArrays &atoms, const GhostLayout &ghosts) {
    if (none()) return;
    n_owned_ = atoms.n_owned;
    n_types_ = atoms.n_types;
    types_host_.assign(atoms.type, atoms.type + n_owned_);
    for (const int g : ghosts.host_ghost) types_host_.push_back(static_cast<std::uint16_t>(atoms.type[n_owned_ + g]));
    type_.reserve(types_host_.size());
    copy_to_device(type_.data(), types_host_.data(), types_host_.size(), device_.stream(), "copying types");
    device_.wait("copying types");
    for (const auto &[k, term] : tersoffs_) term->read_types(types_host_);
  }

  /// Copies LAMMPS's lists of the terms to the device, and keeps what lists are to be made. Waits for the device.
  void upload(const TermLists &lists, const GhostLayout &ghosts, int n_threads) {
    lists_ = lists;
    lists_.types.resize(n_terms_);
    for (const auto &[k, term] : pairs_) term->upload(lists.list.at(k), ghosts, n_threads);
    for (const auto &[k, term] : tersoffs_) term->upload(lists.list.at(k), ghosts, n_threads);
    if (none()) return;
    listed_.resize(n_terms_);
    for (std::size_t k = 0; k < n_terms_; ++k) {
      const std::vector<char> &types = lists_.types[k];
      if (!listed_[k]) listed_[k] = std::make_unique<DeviceBuffer<unsigned char>>("types of pairs");
      listed_[k]->reserve(types.size());
      copy_to_device(listed_[k]->data(), reinterpret_cast<const unsigned char *>(types.data()), types.size(),
                     device_.stream(), "copying types of pairs");
    }
    device_.wait("copying types of pairs");
  }

  /// The list of the main term; without rows if there is none.
  NeighborListView main_list(const TermLists &lists) const {
    if (main_ >= 0) return lists.list.at(main_);
    NeighborListView none;
    none.cutoff = lists.cutoff();
    return none;
  }
  /// The grid of the list of the main term: `widest` with the cutoff of the term.
  CellGrid main_grid(const CellGrid &widest, int n_owned) const {
    return none() || main_ < 0 ? widest : grid_of(main_, widest, n_owned);
  }
  /// Limits the list of the main term to pairs of certain types.
  ListedTypes main_types() const { return none() || main_ < 0 ? ListedTypes() : types_of(main_); }

  /// Makes the lists of the other terms for the n atoms at x [n][3] in the box of `widest`. Waits for the device.
  void make_lists(const CellGrid &widest, int n, const double *x) {
    for (const auto &[k, term] : pairs_) term->make_list(grid_of(k, widest, n), n, x, types_of(k));
    for (const auto &[k, term] : tersoffs_) term->make_list(grid_of(k, widest, n), n, x, types_of(k));
  }

  // See TersoffTerm and TersoffDevice.
  void set_image_reserve(double reserve) {
    for (const auto &[k, term] : tersoffs_) term->set_image_reserve(reserve);
  }
  void set_expected(const ExpectedPositions<typename PositionOf<Format>::type> &expected) {
    for (const auto &[k, term] : tersoffs_) term->set_expected(expected);
  }
  /// The smallest of `cutoff` and of the cutoffs of the further Tersoff potentials.
  double least_cutoff(double cutoff) const {
    for (const auto &[k, term] : tersoffs_) cutoff = std::min(cutoff, term->cutoff());
    return cutoff;
  }
  void build_pruned_lists() {
    for (const auto &[k, term] : tersoffs_) term->build_pruned_list();
  }
  bool can_refilter() const {
    return std::all_of(tersoffs_.begin(), tersoffs_.end(), [](const auto &t) { return t.term->can_refilter(); });
  }
  void refilter(StepGuard *guard, const StopFlags &flags) {
    for (const auto &[k, term] : tersoffs_) term->refilter(guard, flags);
  }
  void take_positions(StepGuard *guard, int *moved) {
    for (const auto &[k, term] : tersoffs_) term->take_positions(guard, moved);
  }

  /// Adds the forces of the terms to the complete forces of the main term, at the positions of take_positions().
  /// Asynchronous.
  void launch(const TallyRequest &request, StepGuard *guard) {
    if (none()) return;
    if (request.any()) clear_sums();
    for (const auto &[k, term] : pairs_) term->launch(request, type_.data(), n_owned_, guard, sums_.data() + k);
    for (const auto &[k, term] : tersoffs_) term->launch(request, guard, sums_.data() + k);
  }
  /// [count()] energies and virials of the further terms at the last launch() that requested tallies, in device memory;
  /// that of the main term is 0. Null if there are no further terms.
  const BlockTotals *sums() const { return none() ? nullptr : sums_.data(); }
  unsigned n_sums() const { return none() ? 0 : static_cast<unsigned>(n_terms_); }
  /// Copies these sums to `to` [count()] in device memory. Asynchronous.
  void copy_sums(BlockTotals *to) const {
    if (none()) return;
    check(cudaMemcpyAsync(to, sums_.data(), n_terms_ * sizeof(BlockTotals), cudaMemcpyDeviceToDevice, device_.stream()),
          "copying energies and virials");
  }
  /// Throws LoopError if a force of a further Tersoff potential was out of range. The device must be idle.
  void check_forces() {
    for (const auto &[k, term] : tersoffs_) term->check_forces();
  }
  void forget_errors() {
    for (const auto &[k, term] : tersoffs_) term->forget_errors();
  }

  /// Energy and virial of all terms, given those of the main term. Waits for the device.
  std::vector<ForceTotals> totals(const ForceTotals &main) {
    std::vector<ForceTotals> all(n_terms_);
    if (!none()) {
      copy_to_host(sums_host_.data(), sums_.data(), n_terms_, device_.stream(), "copying energies and virials");
      device_.wait("copying energies and virials");
      for (std::size_t k = 0; k < n_terms_; ++k) all[k] = force_totals(sums_host_[k]);
    }
    if (main_ >= 0) all[main_] = main;
    return all;
  }
  void add_per_atom(const TallyRequest &request, const GhostLayout &ghosts, const HaloPlan &plan,
                    const std::vector<int> &sent, ResultsView &results) {
    for (const auto &[k, term] : pairs_) term->add_per_atom(request, results);
    for (const auto &[k, term] : tersoffs_) term->add_per_atom(request, ghosts, plan, sent, results);
  }

  /// Adds the per-atom tallies of the terms of add_per_atom() to those of the main term. Asynchronous.
  void add_to(const EngineTallies<Format> &sum) const {
    for (const auto &[k, term] : pairs_) term->add_to(sum);
    for (const auto &[k, term] : tersoffs_) term->add_to(sum);
  }

  std::size_t host_bytes() const {
    std::size_t bytes = types_host_.capacity() * sizeof(std::uint16_t) + sums_host_.bytes();
    for (const auto &[k, term] : pairs_) bytes += term->host_bytes();
    for (const auto &[k, term] : tersoffs_) bytes += term->host_bytes();
    return bytes;
  }
  std::size_t device_bytes() const {
    std::size_t bytes = type_.bytes() + sums_.bytes();
    for (const auto &listed : listed_) bytes += listed ? listed->bytes() : 0;
    for (const auto &[k, term] : pairs_) bytes += term->device_bytes();
    for (const auto &[k, term] : tersoffs_) bytes += term->device_bytes();
    return bytes;
  }

 private:
  template <class Term>
  struct Numbered {
    std::size_t index;  ///< among the terms
    std::unique_ptr<Term> term;
  };

  void clear_sums() {
    check(cudaMemsetAsync(sums_.data(), 0, sums_.bytes(), device_.stream()), "clearing energies and virials");
  }
  /// The grid of a list with its own cutoff, whose entries name the same images as those of `widest`.
  CellGrid grid_of(std::size_t k, const CellGrid &widest, int n_owned) const {
    CellGrid grid = widest;
    grid.box.cutoff = lists_.list[k].cutoff;
    grid.cells = ListCells::of(grid.box, tuning::most_cells_per_atom * (n_owned + 64ll));
    std::copy_n(widest.cells.images, 3, grid.cells.images);
    return grid;
  }
  ListedTypes types_of(std::size_t k) const {
    if (lists_.types[k].empty()) return ListedTypes();
    const std::size_t n = static_cast<std::size_t>(n_types_) + 1;
    if (lists_.types[k].size() != n * n) throw std::logic_error("a table of types belongs to another number of types");
    return {type_.data(), listed_[k]->data(), n_types_};
  }

  DeviceContext &device_;
  const int main_;
  const std::size_t n_terms_;
  std::vector<Numbered<PairListTerm<Format>>> pairs_;
  std::vector<Numbered<TersoffTerm<Format>>> tersoffs_;  // without the main term
  double least_cutoff_ = 0;                              // of lists, for the pruned lists
  int n_owned_ = 0, n_types_ = 0;
  TermLists lists_;
  std::vector<std::uint16_t> types_host_;
  DeviceBuffer<std::uint16_t> type_{"types"};
  DeviceBuffer<BlockTotals> sums_{"energies and virials"};  // [terms]
  PinnedBuffer<BlockTotals> sums_host_{"energies and virials"};
  std::vector<std::unique_ptr<DeviceBuffer<unsigned char>>> listed_;  // [terms]
};

}  // namespace cuda
}  // namespace triad

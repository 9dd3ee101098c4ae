// Interface of pair forces on the atoms of an engine, which are added to the Tersoff forces.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// This rank's part of energy and virial.
struct ForceTotals {
  double energy = 0;
  double virial[6] = {0, 0, 0, 0, 0, 0};  ///< xx yy zz xy xz yz
};

inline ForceTotals totals_of(const ResultsView &results) {
  ForceTotals totals;
  totals.energy = results.energy;
  std::copy_n(results.virial, 6, totals.virial);
  return totals;
}

inline ForceTotals sum_of(const std::vector<ForceTotals> &parts) {
  ForceTotals sum;
  for (const ForceTotals &part : parts) {
    sum.energy += part.energy;
    for (int k = 0; k < 6; ++k) sum.virial[k] += part.virial[k];
  }
  return sum;
}

/// An engine makes a PairForce, which uses the atoms, positions and forces of that engine and must not outlive the
/// engine. All functions throw LoopError. On several ranks, all functions but set_neighbours() and set_pairs() are
/// collective. With range All, the ranks then share the pairs equally; otherwise each rank computes those of its lists,
/// and forces on ghosts return to their owners.
class PairForce {
 public:
  virtual ~PairForce() = default;

  /// Copies types, strengths, sides and the box. atoms.x is not used. atoms.n counts the owned atoms of all ranks, in
  /// the order of ranks, with range All, otherwise owned atoms and ghosts. Must be called after MdEngine::set_atoms()
  /// and after each change of these data.
  virtual void set_atoms(const PairAtomsView &atoms) = 0;

  /// See PairwiseBackend. Must be called after set_atoms(). The lists are in host memory.
  virtual void set_neighbours(const PairListView &list) = 0;
  virtual void set_pairs(const PossiblePairsView &pairs) = 0;

  /// Where forces are added: to the forces of the engine, to results.force [n_owned][3] on the host, or nowhere.
  enum class Target { MdEngine, Caller, Nobody };

  /// Computes the forces at the present positions and adds them to the target; adds per-atom tallies of the owned atoms
  /// to the arrays of `results`, which on one rank have the size that set_atoms() was given. Totals are parts, whose
  /// sum over the ranks is the total. Without tallies, a device may still run when the call returns; a later call then
  /// reports a force that is not a number.
  virtual void compute(const TallyRequest &request, ResultsView &results, Target target) = 0;

  /// As MdEngine::description().
  virtual std::string description() const = 0;
  /// Bytes held on the host, and on the device.
  virtual double host_bytes() const = 0;
  virtual double device_bytes() const = 0;
};

/// A pair force in all steps of a batch.
struct PairForceBatch {
  PairForce *force = nullptr;
  TallyRequest last;   ///< tallies of the last step, totals only
  ForceTotals totals;  ///< output: totals of the last step, if the batch is complete
};

}  // namespace triad

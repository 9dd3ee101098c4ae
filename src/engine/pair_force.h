// Pair forces on the atoms of an engine, added to what the engine computes itself.
#pragma once

#include <algorithm>
#include <string>

#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// Energy and virial of the forces of this rank.
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

/// Made by an engine, whose atoms, positions and forces it works on; to be used only as long as that engine is there.
/// On one rank. All throw LoopError.
class PairForce {
 public:
  virtual ~PairForce() = default;

  /// What the loops have to know of the engine's atoms but their positions: x is not read, and n is the owned atoms
  /// with range All, otherwise owned atoms and ghosts. Copied. To be called after
  /// MdEngine::set_atoms(), and when types, strengths, sides or the box have changed.
  virtual void set_atoms(const PairAtomsView &atoms) = 0;

  /// Of PairwiseBackend; to be called after set_atoms(). Lists are in host memory.
  virtual void set_neighbours(const PairListView &list) = 0;
  virtual void set_pairs(const PossiblePairsView &pairs) = 0;

  /// Where forces go: to those of the engine's atoms, to results.force of the owned atoms in the caller's memory, or
  /// nowhere.
  enum class Target { MdEngine, Caller, Nobody };

  /// Computes for the present positions and adds forces to their target, and per-atom tallies of the owned atoms to the
  /// arrays of `results`, which hold as many atoms as set_atoms() was given. Where nothing is tallied a device may
  /// still be at it on return, and a force that is not a number is reported by a later call.
  virtual void compute(const TallyRequest &request, ResultsView &results, Target target) = 0;

  /// As MdEngine::description().
  virtual std::string description() const = 0;
  /// Bytes held on the host, and on the device.
  virtual double host_bytes() const = 0;
  virtual double device_bytes() const = 0;
};

/// A pair force as a part of every step of a batch.
struct PairForceBatch {
  PairForce *force = nullptr;
  TallyRequest last;   ///< tallies of the last step, totals only
  ForceTotals totals;  ///< written: of the last step, if all steps have been made
};

}  // namespace triad

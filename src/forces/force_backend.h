// Interface of the forces of one potential or one pair law on atoms with a neighbour list. This header crosses the
// boundary between compilers and includes neither LAMMPS nor CUDA headers.
#pragma once

#include <string>

#include "core/error.h"
#include "core/views.h"

namespace triad {

/// Computes forces, energy and virial of a set of atoms.
class ForceBackend {
 public:
  virtual ~ForceBackend() = default;

  /// Announces a new neighbour list with new atoms, ghosts and types. Each row must hold all atoms that are within the
  /// force's cutoff at any time before the next call; in a half list, only one row of the two. The arrays must stay
  /// valid until then.
  virtual void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) = 0;

  /// Adds forces and per-atom tallies of the current positions to `results`. The atoms are those of set_neighbours().
  /// Throws LoopError.
  virtual void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) = 0;

  /// True if the pruned list may expire within a motion of AtomsView::moves_ahead. The result affects only speed;
  /// callers use it to renew the lists of several ranks in the same step.
  virtual bool pruned_list_ends() const { return false; }

  /// Returns, for example, "host, 4 threads, avx512" or "cuda, NVIDIA H200 (device 0 of 1)" for the log.
  virtual std::string description() const = 0;

  /// Host memory in bytes.
  virtual double memory_usage() const = 0;
};

}  // namespace triad

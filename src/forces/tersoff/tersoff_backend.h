// Interface of the Tersoff forces: an abstract class with implementations for the host and for CUDA devices. This
// header crosses the boundary between compilers and includes neither LAMMPS nor CUDA headers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/isa.h"
#include "core/precision.h"
#include "core/views.h"
#include "potentials/tersoff/setup.h"

struct CUstream_st;  // the target of cudaStream_t

namespace triad {

/// Computes forces, energy and virial of a set of atoms.
class TersoffBackend {
 public:
  virtual ~TersoffBackend() = default;

  /// Announces a new neighbour list with new atoms, ghosts and types. Each row must hold all atoms that are within the
  /// potential's cutoff at any time before the next call. The arrays must stay valid until then.
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

/// Host backend with the highest instruction set of the processor, or the one that the environment variable
/// TRIAD_HOST_ISA names. Throws LoopError if that instruction set is not usable.
std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads);
/// Host backend with the kernels of one of usable_isas().
std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads, Isa isa);

#if defined(TRIAD_HAS_CUDA)
/// CUDA backend on device `index` modulo the number of devices. `n_threads` host threads fill and empty the copy
/// buffers. Throws LoopError.
std::unique_ptr<TersoffBackend> make_tersoff_cuda(const TersoffSetup &setup, int index, int n_threads);

/// CUDA backend for atoms that are resident on `device`: positions, types, forces and the neighbour list (as a table)
/// are device pointers; only per-atom tallies are host pointers. All work is queued on `stream`, after work that the
/// caller has queued there. compute() waits for a check of the positions, which is queued before the forces. compute()
/// waits for the forces only if tallies are requested; otherwise the next call reports a force out of range. If
/// AtomsView::owner is given, forces on ghosts are added to their owners instead. Throws LoopError.
std::unique_ptr<TersoffBackend> make_tersoff_device(const TersoffSetup &setup, int device, CUstream_st *stream);
#endif

}  // namespace triad

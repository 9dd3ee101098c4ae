// The loops as their callers see them: one abstract force computation, made for the host or for a CUDA device. This is
// the header that crosses the boundary between compilers; it knows neither LAMMPS nor CUDA.
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

struct CUstream_st;  // what a cudaStream_t points to

namespace triad {

/// Forces, energy and virial of a set of atoms.
class TersoffBackend {
 public:
  virtual ~TersoffBackend() = default;

  /// Announces a new neighbour list, and with it new atoms, ghosts and types. The list must hold, for every row, all
  /// atoms within the cutoff of the potential plus what may move until the next call; arrays must stay valid until
  /// then.
  virtual void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) = 0;

  /// Adds forces (and per-atom tallies) of the current positions to `results`. Same atoms as in set_neighbours().
  /// Throws LoopError.
  virtual void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) = 0;

  /// Whether the pruned list may not be good for AtomsView::moves_ahead more; a matter of speed alone. For callers that
  /// renew those of several ranks together.
  virtual bool pruned_list_ends() const { return false; }

  /// "host, 4 threads, avx512" or "cuda, NVIDIA H200 (device 0 of 1)": for the log.
  virtual std::string description() const = 0;

  /// Bytes held on the host.
  virtual double memory_usage() const = 0;
};

/// With the highest instruction set of the processor, or the one that the environment variable TRIAD_HOST_ISA names.
/// Throws LoopError if it names none that can be used.
std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads);
/// The same with the kernels of one of usable_isas().
std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads, Isa isa);

#if defined(TRIAD_HAS_CUDA)
/// On device `index` modulo the number of devices; `n_threads` host threads fill and empty the copy buffers.
/// Throws LoopError.
std::unique_ptr<TersoffBackend> make_tersoff_cuda(const TersoffSetup &setup, int index, int n_threads);

/// For atoms that live on `device` already: positions, types, forces and the neighbour list (as a table) are pointers
/// to its memory, per-atom tallies alone are pointers to the host's. All work is queued on `stream`, behind what the
/// caller has queued there. compute() waits for a check of the positions, which it queues ahead of the forces, and for
/// the forces only if tallies are asked for; otherwise a force out of range is reported by the next call. Where the
/// atoms tell the owners of ghosts, owned atoms get what their ghosts would, and ghosts nothing. Throws LoopError.
std::unique_ptr<TersoffBackend> make_tersoff_device(const TersoffSetup &setup, int device, CUstream_st *stream);
#endif

}  // namespace triad

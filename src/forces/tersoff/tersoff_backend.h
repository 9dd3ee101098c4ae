// The Tersoff forces on the host and on CUDA devices. This header crosses the boundary between compilers and includes
// neither LAMMPS nor CUDA headers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/isa.h"
#include "core/precision.h"
#include "core/views.h"
#include "forces/force_backend.h"
#include "potentials/tersoff/setup.h"

struct CUstream_st;  // the target of cudaStream_t

namespace triad {

using TersoffBackend = ForceBackend;

/// Host backend with the highest instruction set of the processor, or the one that the environment variable
/// TRIAD_HOST_ISA names. Throws LoopError if that instruction set is not usable.
std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads);
/// Host backend with the kernels of one of usable_isas().
std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads, Isa isa);

#if defined(TRIAD_HAS_CUDA)
/// CUDA backend on device `index` modulo the number of devices. `n_threads` host threads fill and empty the copy
/// buffers. If set_neighbours() is given AtomsView::owner, forces on ghosts are added to their owners instead, until
/// the next list. Throws LoopError.
std::unique_ptr<TersoffBackend> make_tersoff_cuda(const TersoffSetup &setup, int index, int n_threads);

/// CUDA backend for atoms that are resident on `device`: positions, types, forces and the neighbour list (as a table)
/// are device pointers; only per-atom tallies are host pointers. All work is queued on `stream`, after work that the
/// caller has queued there. compute() waits for a check of the positions, which is queued before the forces. compute()
/// waits for the forces only if tallies are requested; otherwise the next call reports a force out of range. Owners
/// of ghosts as above. Throws LoopError.
std::unique_ptr<TersoffBackend> make_tersoff_device(const TersoffSetup &setup, int device, CUstream_st *stream);
#endif

}  // namespace triad

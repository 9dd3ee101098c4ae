// Every block size and threshold, with the reason or the measurement behind it.
#pragma once

namespace triad {
namespace tuning {

/// Rows per chunk on the host: fewer when that gives less than so many chunks for the threads, down to a least number.
/// Xeon, AVX-512, mixed: 32,768 atoms of silicon on one core take 2.9 ms per step with chunks of 256 or 512 rows, 2.8
/// with 1024, 2.5 with 2048, and the forces of 262,144 atoms on 16 threads 2.4, 2.5 and 2.1 ms with 512, 1024 and 2048,
/// 2.3 with 4096.
constexpr int host_rows_per_chunk = 2048;
constexpr int host_least_chunks = 16;
constexpr int host_least_rows_per_chunk = 256;

/// Inner skin of the host's short list as a fraction of the reach. Steps of 1 fs at 300 K, ms, same machine: silicon
/// 3.7 with 0.03, 3.1 with 0.07, 3.0 with 0.13, 2.9 with 0.16; cubic BNC 7.2, 6.2, 5.0 with 0.13; a melt 19, 14, 14.5.
constexpr double host_inner_skin = 0.13;

/// Rows of the host's short list with at most so many neighbours are computed as they are listed. Four: what a crystal
/// has; for five and more, looking through them costs less than the pairs that it saves.
constexpr int host_steady_neighbours = 4;

/// Atoms that a thread counts at a time when the host finds those that chunks share.
constexpr int host_atoms_per_span = 4096;

/// Inner skin of the device's short list as a fraction of the potential's reach (0.39 A for silicon): wide enough to
/// last a dozen steps of 1 fs at 300 K, narrow enough that a warm crystal still lists exactly four neighbours. H200, 1
/// M atoms, rebuilds per 1000 steps: 105 at 0.10, 80 at 0.13, 65 at 0.16, where some rows list more than four and the
/// gain is lost.
constexpr double inner_skin = 0.13;

/// Share of an atom's limit (shortlist.cuh) from which on the host waits for the displacement check before it launches the forces: near
/// the end of a list's life a launch ahead of the check would mostly be wasted.
constexpr double nearly_moved = 0.9;

/// Lanes that share a row while the short list is filtered, and threads per block of those kernels. H200, 1 M rows of
/// 16: 0.25 ms with 1 lane, 0.16 with 2, 0.14 with 4, 0.16 with 8.
constexpr int shortlist_lanes = 4;
constexpr int shortlist_block = 256;

/// Threads per block of the unrolled kernel, one centre each.
constexpr int four_block = 128;
/// Its blocks per multiprocessor in fp32 with one element and lam3 = 0: 72 registers instead of 80 for more warps in
/// flight (H200, 1 M atoms: single 17.2 to 18.1 G, mixed 11.1 to 12.2 G atom-steps/s).
constexpr int four_blocks_per_sm = 7;

/// General path: lanes per centre (one bond each, more in turns), threads per block, and bonds per centre that fit
/// shared memory (longer rows use global memory).
constexpr int general_lanes = 8;
constexpr int general_block = 128;
constexpr int general_shared_bonds = 12;
/// Blocks per multiprocessor of the general kernel, which walks its rows with a fixed grid.
constexpr int general_blocks_per_sm = 8;

/// Numbers (three per atom) per chunk of the copies between LAMMPS's arrays and page-locked memory, so that copy and
/// transfer overlap.
constexpr int copy_chunk = 1 << 17;

}  // namespace tuning
}  // namespace triad

// Every block size and threshold, with the reason or the measurement behind it.
#pragma once

namespace triad {
namespace tuning {

/// Rows whose energy and virial are summed together on the host: small enough to balance threads, large enough that the
/// partial sums cost nothing.
constexpr int host_rows_per_block = 64;

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

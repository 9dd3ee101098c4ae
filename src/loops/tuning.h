// Every block size and threshold, with the reason or the measurement behind it.
#pragma once

namespace triad {
namespace tuning {

/// Rows whose energy and virial are summed together on the host: small enough to balance threads, large enough that the
/// partial sums cost nothing.
constexpr int host_rows_per_block = 64;

/// Inner skin of the device's short list as a fraction of the potential's reach (0.3 A for silicon): wide enough to
/// last about ten steps at 300 K, narrow enough that a warm crystal still lists exactly four neighbours.
constexpr double inner_skin = 0.1;

/// Lanes that share a row while the short list is filtered, and threads per block of those kernels.
constexpr int shortlist_lanes = 8;
constexpr int shortlist_block = 256;

/// Threads per block of the unrolled kernel, one centre each.
constexpr int four_block = 128;

/// General path: lanes per centre (one bond each, more in turns), threads per block, and bonds per centre that fit
/// shared memory (longer rows use global memory).
constexpr int general_lanes = 8;
constexpr int general_block = 128;
constexpr int general_shared_bonds = 12;
/// Blocks per multiprocessor of the general kernel, which walks its rows with a fixed grid.
constexpr int general_blocks_per_sm = 8;

/// Atoms per chunk of the copies between LAMMPS's arrays and page-locked memory, so that copy and transfer overlap.
constexpr int copy_chunk = 1 << 17;

}  // namespace tuning
}  // namespace triad

// Sizes of the resident steps, with the reason behind each.
#pragma once

#include "core/tuning.h"

namespace triad {
namespace tuning {

/// Steps that a run style hands over at once: bounds the time until a wall-time limit or a forced stop is seen.
constexpr int steps_per_batch = 1000;

/// How far atoms without a potential may go between two lists, in box edges or skins, whichever are longer. Positions
/// are checked against it in 32 bits, in which displacements of a list's limit have to remain visible.
constexpr double free_path = 4096;

/// Atoms that the host moves at a time: what is kept of them on the way stays in the first-level cache.
constexpr int host_atoms_per_pass = 128;

/// Several ranks on the host: steps between the one in which a rank sees its pruned list end and the one in which all
/// renew theirs.
constexpr int host_steps_ahead = 2;

/// Looks at another rank's word before the core is offered to others, some microseconds: where cores are fewer than
/// ranks, the one that is waited for gets it.
constexpr int host_turns_before_yield = 1000;
/// A rank that waits looks this often, in s, whether the other ranks are there: a call of the system for each rank.
constexpr double host_seconds_to_look = 0.02;
/// How long a rank waits for another one that is there and has not failed, in s: longer than scripts that call Python
/// or write files in one rank keep it from its next step.
constexpr double host_patience = 600;

/// Groups that fused steps may have; more are stepped hook by hook.
constexpr int max_groups = 4;

/// Threads per block of the kernel that moves atoms, and of those that sum kinetic energies: as many as compute forces,
/// so that sums of few atoms are the same in the kernel that does both.
constexpr int step_block = 256;
constexpr int kinetic_block = four_block;
/// Blocks of the latter: enough to fill any device, few enough for the host to add up.
constexpr int kinetic_blocks = 2048;

/// Fewest steps that are made as whole steps of one kernel each, for what it takes to begin and to end them: as much as
/// two to three steps at 1 M atoms.
constexpr int least_fused_steps = 8;
/// Their blocks per multiprocessor that registers are to suffice for.
constexpr int fused_step_blocks_per_sm = 7;
/// The same where all blocks run at once, and several steps are one launch: as many registers as help.
constexpr int persistent_step_blocks_per_sm = 4;
/// Steps of such a launch.
constexpr int most_steps_at_once = 32;

/// Work that the host keeps queued on the device, in ns and in steps: enough to hide the launches, little enough that
/// steps launched in vain behind one that stopped cost nothing noticeable.
constexpr double queued_ns = 40e3;
constexpr int min_queued_steps = 2, max_queued_steps = 64;

/// Steps of a CUDA graph, and of a batch that is worth one. H200, mixed, us per step with 0, 8 and 32: 17.5, 16.3 and
/// 17.7 for 97,336 atoms; with 0 and 16 34.0 and 33.3 for 262,144, and on two GPUs 47.5 and 43.4.
constexpr int steps_of_graph = 8, least_steps_for_graph = 256;

/// Share of the way to its limit of the pruned list that the fastest atom is let go before the list is renewed: a list
/// that expires costs a wait for the host.
constexpr double share_of_list_life = 0.8;

/// How long a kernel waits for another rank before it takes it for lost: ranks leave the host together, so that they
/// are apart by the time of a pruned list at most.
constexpr double peer_patience_ns = 20e9;
/// Looks at another rank's word from one look at this rank's word of failures to the next, which is in memory of the
/// host and takes a microsecond.
constexpr unsigned peer_turns_before_asking = 256;
/// How long a rank that gives its memory back waits for the others to let go of it, in s; then it keeps the memory.
constexpr double peer_leave_patience = 5;

/// Kernels of the exchange between GPUs: threads per block, and blocks at most. Those that wait for other ranks are
/// few, since they take room of the forces that are computed meanwhile.
constexpr int peer_block = 256;
constexpr int peer_sending_blocks = 1024;
constexpr int peer_waiting_blocks = 132;

/// Atoms per chunk of the copies between LAMMPS's arrays and the device.
constexpr int copy_atoms = 1 << 18;

}  // namespace tuning
}  // namespace triad

// Sizes and thresholds of the engines, with the reason or the measurement behind each.
#pragma once

#include "core/tuning.h"

namespace triad {
namespace tuning {

/// Largest number of steps per batch. The limit bounds the time until the run style sees a wall-time limit or a stop.
constexpr int steps_per_batch = 1000;

/// Where GPUs make the neighbour lists, LAMMPS sorts atoms after intervals_per_sort intervals of atom_modify sort
/// instead of one, if the interval is usual_sort_interval. The atoms return to LAMMPS for a sorting, and melts hardly
/// become slower without it. Melts at 3000 K with a skin of 1 A, mixed, H200, us per step with intervals of 1000 and
/// 5000 steps and without sorting: 8,000 atoms 18.4, 17.5 and 17.2, 262,144 atoms 124, 108 and 97, 1 M 517, 408 and
/// 336; of 262,144 atoms over 20,000 steps 142 and 102 with 1000 and without. A sorting of 0.5 M atoms takes 80 ms.
constexpr int usual_sort_interval = 1000, intervals_per_sort = 20;

/// Largest displacement of atoms between two lists without a potential, in box edges or skins, whichever is longer. The
/// check uses 32-bit positions, whose resolution must stay below the limit of a list.
constexpr double free_path = 4096;

/// Largest share of the skin by which the fixed limit of the displacements in steps that change the box is shorter than
/// the limit of the present box (ChangingBoxLimit). Steps stop when the sum of the displacements of both corners has
/// grown by twice as much.
constexpr double box_reserve = 0.02;
/// The least such share, and the factor by which the share grows if steps have stopped for the box, or shrinks if they
/// have stopped for an atom that has moved nearly as far as the list allows.
constexpr double least_box_reserve = 0.0005, box_reserve_factor = 8;
/// If fewer boxes of a fix deform are known, because the fix may flip the box or changes it much at once, the steps are
/// made hook by hook, since a batch has work of its own: in batches of one or two steps, 4,096 silicon atoms took 116
/// us per step, hook by hook 93 (H200, mixed).
constexpr int least_planned_boxes = 4;
/// Share of the list cutoff by which the distance of periodic images may change before the pruned list is renewed.
constexpr double image_reserve = 0.005;

/// Atoms per pass of the host's integration, whose temporary data then fit the first-level cache.
constexpr int host_atoms_per_pass = 128;

/// Several ranks on the host: number of steps from the one in which a rank announces the end of its pruned list to the
/// one in which all ranks renew their pruned lists.
constexpr int host_steps_ahead = 2;

/// Polls of another rank's flag before a waiting rank yields its core (some microseconds), which helps the other rank
/// if there are fewer cores than ranks.
constexpr int host_polls_before_yield = 1000;
/// Interval in s at which a waiting rank checks whether the other ranks still run, with one system call per rank.
constexpr double host_seconds_between_checks = 0.02;
/// Time limit in s of the wait for a rank that runs and has not failed: longer than one rank of a script may be busy
/// with Python or files between two steps.
constexpr double host_timeout = 600;

/// Largest number of integrated groups in a batch; with more, the hooks of the fixes are called one by one.
constexpr int max_groups = 4;

/// Largest number of sets of points to which atoms are tied (MdEngine::set_tethers()), and how many of these fixes use;
/// computes use the others.
constexpr int max_tethers = 8, max_fix_tethers = 4;

/// Threads per block of the kernel that integrates, and of the kernels that sum kinetic energies.
constexpr int step_block = 256;
constexpr int kinetic_block = 128;
/// Threads of the only block of start_barostat_kernel(), barostat_kernel() and box_path_kernel().
constexpr int box_block = 256;
/// Minimum resident blocks per SM of the kernel that moves atoms in a box that changes: with three instead of four, it
/// takes 52 instead of 48 us for 1,000,000 silicon atoms in mixed. In fp64, four blocks would spill registers.
constexpr int changing_box_blocks_per_sm = 4, changing_box_blocks_per_sm_double = 3;
/// Blocks of the kernels that sum kinetic energies: enough to fill any device, few enough for one block to add.
constexpr int kinetic_blocks = 2048;
/// Kinetic energies within steps, where each thread has one atom: largest number of blocks whose sums one block adds up
/// alone, and blocks per group, whose last block adds up the sums of the group, if there are more. Not measured.
constexpr int most_ungrouped_blocks = 1024, thermostat_blocks_per_group = 64;

/// Minimum resident blocks per SM of the kernel that computes forces and driving forces, in fp32 with one element and
/// lam3 = 0, for __launch_bounds__: 96 registers instead of 104.
constexpr int driven_blocks_per_sm = 5;

/// Blocks whose sums of driving forces the last of them adds up: one sum per thread, and at 1 M atoms 62 groups.
constexpr int driven_blocks_per_group = 128;

/// Blocks of the kernels that sum over a group, whose sums the host or a single block adds: eight per SM of an H200.
constexpr int group_sum_blocks = 1056;

/// Actions at the end of steps whose sums one kernel makes. If they concern at most this share of the atoms, these
/// atoms have kernels of their own. They are searched if the batch or the neighbour list has at least so many steps.
constexpr int ends_at_once = 4, least_steps_for_end_atoms = 16;
constexpr double end_atoms_share = 0.5;

/// Sums over slabs: blocks of the kernel, enough to fill any device, each of which adds its sums to those in device
/// memory; and the size of shared memory per block up to which a block has sums of its own, which every device
/// provides.
constexpr int slab_blocks = 528;
constexpr unsigned slab_shared_bytes = 32 << 10;

/// Blocks of the kernel that sums forces, whose sums a single block adds.
constexpr int force_sum_blocks = 512;

/// Blocks per SM up to which the kernel that moves the atoms also advances the thermostat, and the barostat if there is
/// one (npt, H200, mixed: 4,096 atoms 20.2 and 15.5, 32,768 21.5 and 21.5, melt of 8,000 26.4 and 24.6). H100, nvt, us
/// per step with three kernels and with this one: melts of 4,096 atoms 25.1 and 22.8, 8,000 27.8 and 26.8, 32,768 36.5
/// and 35.7, 64,000 55.6 and 58.7; SiC of 4,096 atoms 16.1 and 14.9; silicon of 32,768 atoms at 300 K 18.9 and 18.1, at
/// 1000 K 34.0 and 32.2, of 64,000 atoms 23.7 and 24.1.
constexpr int thermostat_blocks_per_sm = 2;

/// Work that the host keeps queued on the device, in ns and in steps: enough to hide the launches, and little enough
/// that the launches after a stop, which do nothing, cost little.
constexpr double queued_ns = 40e3;
constexpr int min_queued_steps = 2, max_queued_steps = 64;

/// Steps of a CUDA graph, and smallest number of remaining steps for which one is recorded. H200, mixed, us per step
/// with graphs of 0, 8 and 32 steps: 17.5, 16.3 and 17.7 for 97,336 atoms; with 0 and 16 steps: 34.0 and 33.3 for
/// 262,144 atoms, and on two GPUs 47.5 and 43.4. Batches of 50 steps of 4,096 atoms, H100: 9.0 us per step without a
/// graph, and 6.9 to 7.0 with one.
constexpr int steps_of_graph = 8, least_steps_for_graph = 32;

/// Several GPUs: fraction of its displacement limit that the atom or ghost nearest to that limit may use before the
/// pruned list is renewed. A list that expires costs a wait for the host.
constexpr double share_of_list_life = 0.8;
/// Share of the life of a list from which on steps renew the list if an atom has reached its limit. A launch that finds
/// nothing to do takes some microseconds. H200, mixed, melts with a skin of 2 A, us per step with 0.7, 0.8 and
/// 0.9: 8,000 atoms 17.1, 16.6 and 15.9, 32,768 atoms 27.5, 27.3 and 27.1.
constexpr double share_before_demand = 0.9;
/// The same for the neighbour list. Where this share of its life is longer than this number of steps, the host makes
/// the list: it takes some 0.1 ms for 8,000 atoms, and a launch that finds nothing to do, with those for the pruned
/// list, some 4 us. Where all steps are parts of graphs, such a launch takes 2 us. H200, mixed, 1200 K, us per step
/// with 40 and 400: 4,096 atoms 12.5 and 12.3, 32,768 21.9 and 19.7.
constexpr double longest_before_list = 40, longest_before_list_in_graphs = 400;
/// Where forces are gathered, up to this number of atoms per SM: the host takes longer to launch a step with a renewal
/// than the device takes to make the step. If share_before_demand times the life of a pruned list is at most
/// longest_before_renewals, all steps are parts of graphs. In these, every n-th step renews the pruned list if that
/// would expire before the next renewal, and every step may make the neighbour list. H200, mixed, silicon, us per step
/// without them and with them, and with n = 1, 2, and 8: 4,096 atoms, 900 K 11.2, 9.3, 11.2, 10.4, 9.8; 1200 K 15.5,
/// 12.3, 12.4, 13.5, 13.1; 32,768 atoms, 900 K 17.5, 15.9, 17.4, 16.7, 16.6. A liquid of 8,000 atoms, whose forces are
/// not gathered, 17.0 and 17.6; npt of 4,096 atoms at 900 K 22.5 and 23.7. With longest_before_renewals 16, 24, and 48:
/// 4,096 atoms, 500 K 7.8, 6.7, 6.7; 600 K 8.2, 6.8, 6.8; 900 K 9.4, -, 10.3; 13,824 atoms, 500 K 8.1, 7.0, 7.1; 700 K
/// 10.7, 10.7, 7.5; 32,768 atoms, 500 K 9.8, 8.7, 8.9; 900 K 16.0, -, 16.4; at 800 K there is no difference.
constexpr int atoms_per_sm_of_renewals = 512, steps_per_renewal = 4;
constexpr double longest_before_renewals = 24;
static_assert(steps_of_graph % steps_per_renewal == 0, "the last step of a graph must renew the lists");
/// Number of steps that are launched with a renewal of the pruned list; after these, the device rather stops when the
/// list expires. The host needs 10 to 13 us for such a launch, and 4 for one without a renewal. Other numbers were not
/// tried.
constexpr int most_renewals_in_vain = 16;
static_assert(most_renewals_in_vain > steps_of_graph, "a graph must not extend over all steps with a renewal");

/// Steps for which the path of an atom is extrapolated from its velocity and force when the pruned list is made; and
/// on the GPU the ratio of the atom's share in the inner skin to the largest distance between path and mean. H200,
/// mixed, skin 2 A, us per step with 8, 10 and 13 steps: BN with carbon 267, 271 and 391, a melt of 8,000 atoms 16.1,
/// 15.7 and 15.6, of 262,144 atoms 118.4, 118.5 and 114.4. With ratios of 1.0, 1.05 and 1.15: BN with carbon 270, 271
/// and 277, the larger melt 119.8, 118.5 and 116.0. On the host (Xeon, one core), BN with carbon takes 89, 90 and
/// 89 ns per atom with 8, 10 and 13 steps, and 97 without paths, in one series.
constexpr float expected_steps = 10, share_of_path = 1.05f;

/// References of pruned lists that are averages over several lists (engine/cuda/lists/averaged_references.h): number of
/// lists, lists by whose lives it is decided whether averages are tried and kept, and lists after the first trial that
/// fails, which double with each such trial up to a limit. Averages are kept if lists last for so many times as long as
/// without. Largest distance of an average from the atom, in narrowest inner skins: the atom must be within its limit.
constexpr int lists_of_average = 8, lists_per_decision = 5, lists_between_trials = 125,
              most_lists_between_trials = 2000;
constexpr double least_gain_of_averages = 1.1;
constexpr float most_distance_of_average = 1.2f;

/// Time limit of a kernel's wait for another rank. The ranks start a batch together, so they differ at most by the time
/// to make a pruned list.
constexpr double peer_timeout_ns = 20e9;
/// Polls of another rank's signal between two reads of the failure word, which is in host memory and takes a
/// microsecond to read.
constexpr unsigned peer_polls_per_failure_check = 256;
/// Time limit in s of a rank's wait for the others to unmap its memory; after that the rank does not free the memory.
constexpr double peer_leave_timeout = 5;

/// Kernels of the exchange between GPUs: threads per block, and largest number of blocks. The blocks are small and few,
/// since they wait for other GPUs and take the place of blocks that compute forces: with 132 blocks of 256 threads, the
/// forces of the interior took a third longer in double.
constexpr int peer_block = 128;
constexpr int peer_blocks = 66;
/// The largest number of blocks for the rows of a pair force, beside which the GPU does nothing else.
constexpr int row_blocks = 1056;

/// Largest number of cutoffs by which atoms may leave the part of their rank before LAMMPS moves them to other ranks,
/// which takes 30 to 40 ms for 0.5 M atoms each. The larger the number, the more atoms are ghosts. In 2000 steps of
/// liquid silicon, 1 M atoms on two GPUs, LAMMPS moved atoms 5 and 3 times with 1 cutoff and skins of 1 and 2 A, and
/// once and never with 2 cutoffs.
constexpr int most_cutoffs_outside = 2;

/// Least number of ghosts for which an engine reserves memory that finds its ghosts itself.
constexpr int least_ghost_capacity = 1024;

/// Atoms per chunk of the copies between LAMMPS's arrays and the device.
constexpr int copy_atoms = 1 << 18;

}  // namespace tuning
}  // namespace triad

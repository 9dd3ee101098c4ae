// Block sizes and thresholds of loops and kernels, with the reason or the measurement behind each. Those of the engine
// are in engine/tuning.h, those of shallow water in forces/flow/tuning.h.
#pragma once

namespace triad {
namespace tuning {

/// Rows per chunk on the host. A chunk has fewer rows, down to host_least_rows_per_chunk, if there would be less than
/// host_least_chunks chunks. Xeon, AVX-512, mixed: a step of 32,768 silicon atoms on one core takes 2.9
/// ms with chunks of 256 or 512 rows, 2.8 with 1024, 2.5 with 2048; the forces of 262,144 atoms on 16 threads take 2.4,
/// 2.5 and 2.1 ms with 512, 1024 and 2048 rows, 2.3 with 4096.
constexpr int host_rows_per_chunk = 2048;
constexpr int host_least_chunks = 16;
constexpr int host_least_rows_per_chunk = 256;

/// Every host_chunks_per_cut-th chunk is split into host_parts_of_chunk parts. The work that threads steal at the end
/// of a step is then small, while most rows stay in chunks of the most efficient size.
constexpr int host_chunks_per_cut = 8, host_parts_of_chunk = 4;

/// Minimum number of rows per thread. Xeon, AVX-512, mixed, full steps, µs with 1, 2, 4, 8 and 16 threads: 23, 34, 34,
/// 39, 50 for 216 atoms, 49, 44, 46, 51, 61 for 512, 166, 121, 82, 66, 74 for 1,728, 490, 263, 132, 99, 77 for 4,096.
constexpr int host_least_rows_per_thread = 256;

/// Minimum number of rows for which the recursive halving into chunks (neighbor/host/row_order.cpp) uses several
/// threads.
constexpr int host_rows_per_task = 8192;

/// Inner skin of the host's pruned list as a fraction of the cutoff. Time of a step of 1 fs at 300 K on the same
/// machine, ms: silicon 3.7 with 0.03, 3.1 with 0.07, 3.0 with 0.13, 2.9 with 0.16; cubic BNC 7.2, 6.2, 5.0 with 0.13;
/// a melt 19, 14, 14.5. With expected paths (neighbor/host/expected_motion.h) on one core, cubic BNC takes 93 ns per
/// atom with 0.07, 84 with 0.09, 83 with 0.11 and 87 with 0.13, but two ranks make more lists with 0.11.
constexpr double host_inner_skin = 0.13;
/// Wider inner skin, used if it does not make many more rows varying. 300 K, mixed, ms: silicon 2.77 with 0.13, 2.61
/// with 0.19, SiC 0.99 and 0.88, GaN 1.20 and 1.20, a melt 5.8 and 5.3; but cubic BNC, whose second shell is within the
/// wider skin, 1.12 and 1.51. The two fractions of the rows define what counts as many, and as many more.
constexpr double host_wide_inner_skin = 0.19;
constexpr double host_many_varying = 0.05, host_many_more = 2;
/// Widest inner skin, used if more than a fraction host_mostly_varying of the rows vary with the narrow one, so that
/// wider skins only make these longer, and if a list with the wide skin lasts fewer than host_short_life steps.
/// A melt at 3000 K on one core of an EPYC (Zen 5), mixed, ns per atom and step: 124 with 0.19, 129 with 0.28, and 113
/// with 0.33, which is LAMMPS's skin of 1 A: no pruned list is made between two of LAMMPS's lists.
constexpr double host_widest_inner_skin = 0.34, host_mostly_varying = 0.6, host_short_life = 25;
/// Largest distance of an expected position (neighbor/host/expected_motion.h) from its atom as a fraction of the inner
/// skin. With half of the skin, a pruned list could expire in the next step.
constexpr double host_expected_reach = 0.45;
/// Number of pruned lists between two choices of the inner skin.
constexpr int host_lists_per_choice = 64;

/// Rows of the host's pruned list with at most this many neighbours are computed with all listed neighbours. Four is
/// the coordination of a diamond lattice. For five and more, filtering the neighbours in every step costs less than the
/// pairs that the filter removes.
constexpr int host_steady_neighbours = 4;

/// Parts into which the range of a thread is divided in passes over atoms, so that other threads can steal some. The
/// speeds of cores of one machine, above all of virtual ones, differ by tens of per cent.
constexpr int host_parts_per_thread = 8;

/// Atoms per span in sums and counts on the host.
constexpr int host_atoms_per_span = 4096;

/// Inner skin of the device's pruned list as a fraction of the potential's cutoff (0.39 A for silicon): wide enough for
/// a liquid, narrow enough that a warm crystal lists exactly four neighbours. In the crystal, the displacement limits
/// of atoms (neighbor/cuda/pruned_list.cuh) determine the rebuild interval, not the skin. H200, 1 M atoms, 300 K: 50
/// rebuilds per 1000 steps at 0.10, 0.13 and 0.16; at 0.16 some rows list more than four neighbours, which costs 11 %
/// of the rate.
constexpr double inner_skin = 0.13;
/// Narrower inner skins, one of which is taken if that costs less (neighbor/inner_skin_choice.h): where a shell of
/// neighbours lies between two skins, as in silicon with Si.tersoff, whose cutoff is 3.2 A (1 M atoms, mixed,
/// H200: 2.78 and 3.74 G atom-steps/s with 0.13 and 0.065). The choice holds for lists_per_skin_choice lists that the
/// host waits for, unless the number of longer rows changes before.
constexpr double narrower_inner_skins[] = {0.10, 0.065};
constexpr int lists_per_skin_choice = 64;
/// Wide inner skin for liquids of few atoms, in which entries cost less than renewals: where more than a fraction
/// mostly_longer of the rows has more than four entries, lists of the usual skin last for fewer than short_list_life
/// steps, and there are at most wide_skin_rows_per_sm rows per SM. H100, a melt with a skin of 2 A, us per step with
/// 0.13 and 0.3: mixed 4,096 atoms 17.7 and 16.8, 8,000 19.7 and 18.8, 17,576 23.8 and 23.4, 32,768 30.2 and 30.0;
/// double 8,000 22.7 and 22.3, 17,576 31.9 and 32.0, 32,768 47.7 and 49.0.
constexpr double wide_inner_skin = 0.3, mostly_longer = 0.6, short_list_life = 15, wide_skin_rows_per_sm = 144;
/// Costs by which a skin is chosen, ns per atom on an H200 in mixed: of a renewal of the list (BN with carbon, 1 M
/// atoms 0.20, a melt of 262,144 0.19); per step of a row of more than four entries, compared with a shorter row (SiC);
/// and per step of atomic reductions, compared with gathering (silicon). And the life of a list in steps, before one is
/// known.
constexpr double renewal_cost = 0.20, longer_row_cost = 0.12, atomic_reduction_cost = 0.02;
constexpr double list_life_at_first = 20;
/// Costs per step of the kernel of rows with more than four entries, if there are any such rows: ns per atom, and ns.
/// Silicon at 500 K with a skin of 2 A, us per step without these costs and with them: 32,768 atoms 13.4 and 10.2,
/// 262,144 37.9 and 30.8, 1,000,000 128.7 and 106.4.
constexpr double longer_kernel_cost = 0.015, longer_launch_cost = 3000;

/// Largest share of an atom in the inner skin, in inner skins. Bounds the rows of atoms of a cascade.
constexpr float most_share_of_skin = 2.0f;

/// Fraction of an atom's displacement limit from which on the host waits for the displacement check before it launches
/// the forces. Near the end of the life of a list, a launch ahead of the check would mostly be wasted.
constexpr double nearly_moved = 0.9;

/// Lanes per row in the filter of the pruned list, and threads per block of its kernels. H200, 1 M rows of 16: 0.25 ms
/// with 1 lane, 0.16 with 2, 0.14 with 4, 0.16 with 8.
constexpr int pruned_list_lanes = 4;
constexpr int pruned_list_block = 256;
/// Largest number of blocks of the kernel that renews a list within steps, which mostly finds nothing to do: few enough
/// for a short launch, and several times as many as are resident on an H200, so that none waits long for the last.
constexpr unsigned renewal_blocks = 4096;
/// Minimum resident blocks per SM of that kernel in fp32 and fp64, for __launch_bounds__.
constexpr int renewal_blocks_per_sm = 6, renewal_blocks_per_sm_double = 5;
/// The same of the kernel that makes both lists within steps.
constexpr int list_blocks_per_sm = 4;

/// Reduction of the forces that centres exert on their neighbours: by atomic operations, or by gathering gradients that
/// are stored per entry of the pruned list. Auto gathers, except in the cases that ReductionCase::gathering_loses()
/// names, if each atom but ghosts has its own row, and at most the fraction few_longer_fraction of the rows, or
/// few_rows of them, have more than four entries when the inner skin is chosen, and until it is chosen anew. The
/// environment variable TRIAD_REDUCTION (gather, atomic, auto) takes precedence, for benchmarks and tests. H200, mixed,
/// G atom-steps/s, gathered and atomic: silicon 8.07 and 5.88, SiC 2.51 and 3.63, GaN 1.94 and 2.79 for 1 M atoms, a
/// melt of 262,144 1.02 and 1.41. Fractions of 0.01, 0.03 and 0.1: Si.tersoff at 300 K 3.89, 4.27 and 4.27, the T3
/// parameters at 800 K 4.76, 4.67 and 4.70.
enum class Reduction { Auto, Gather, Atomic };
constexpr Reduction reduction = Reduction::Auto;
constexpr double few_longer_fraction = 0.03;
/// Fraction of longer rows from which on one kernel computes the rows of all lengths, with atomic reductions. H200,
/// mixed: GaN 3.22 instead of 3.05, the melt 1.97 instead of 1.82; the same with 0 and 0.05. Where most rows are short,
/// as in a sheet, the unrolled kernel needs fewer instructions per row.
constexpr double many_longer_rows = 0.25;
/// Number of longer rows that is few in every system: in a small one it fluctuates.
constexpr double few_rows = 256;

/// Rows of a pruned list are ordered by length among those of a window: this number times pruned_list_block.
constexpr int order_rows_per_thread = 4;

/// How exactly the vectors of an entry and its reverse must be opposite where one of them names a ghost, as a fraction
/// of the cutoff. Images of the same atom differ by far more.
constexpr float most_gap_of_ghosts = 0.05f;

/// Threads per block of the kernels that find reverse entries, and that gather forces outside of whole steps.
constexpr int reverse_block = 256;
constexpr int gather_block = 256;
/// Threads per row that find reverse entries in list_kernel, which serves few atoms. The kernel for many atoms has one:
/// with 1 M atoms of silicon it takes 20 us, and with four threads per row 43 (H200).
constexpr int reverse_lanes = 4;

/// Threads per block of the kernel that stores positions.
constexpr int store_block = 256;

/// Threads per block of the unrolled kernel for up to four neighbours.
constexpr int four_block = 128;
/// Centres per SM up to which four lanes compute a centre of plain tersoff and one element in fp32; with more, one lane
/// does. In fp64, four lanes always do; the number then decides about combined_blocks_per_sm_double. It also decides
/// about CombinedLaunches::fit_many(). H100, silicon, us per step with one, two and four lanes: mixed 4,096 atoms 6.2,
/// 5.6 and 5.4, 64,000 12.9, 10.3 and 10.5, 140,608 18.0, 18.1 and 19.5, 1 M 103, 143 and 130; double 4,096 9.9, 7.5
/// and 6.5, 1 M 225, 268 and 208.
constexpr int centres_per_sm_of_four_lanes = 512;
/// Rows per SM up to which that kernel runs beside the one for longer rows. H200, mixed, us per step with and without
/// (the other order of the kernels): BN with carbon, 32,768 atoms, 22.0 and 28.0; silicon at 500 K, 64,000 atoms, 19.2
/// and 21.5; BN with carbon, 1 M atoms, 338 and 326. With this order and the other: liquid, 64,000 atoms, 34 and 40;
/// silicon at 1200 K, 32,768 atoms, 20.2 and 21.9.
constexpr int beside_rows_per_sm = 512;
/// Minimum resident blocks per SM of that kernel in fp32 with one element and lam3 = 0, for __launch_bounds__: 72
/// registers instead of 80 allow more resident warps (H200, 1 M atoms: single 17.2 to 18.1 G, mixed 11.1 to 12.2 G
/// atom-steps/s).
constexpr int four_blocks_per_sm = 7;
/// The same with several elements, and where each triplet has a cutoff of its own; and with lam3, for one element and
/// for several: 4.04, 4.14 and 4.17 G with 1, 5 and 6 blocks for silicon with Si.tersoff, 2.90, 3.00 and 3.04 with 1, 3
/// and 4 for GaN, 2.76, 2.88 and 2.77 with 3, 4 and 5 for BN with carbon, whose triplets have cutoffs of their own.
constexpr int four_blocks_per_sm_elements = 5;
constexpr int four_blocks_per_sm_cutoffs = 4;
constexpr int four_blocks_per_sm_lambda3 = 6, four_blocks_per_sm_elements_lambda3 = 4;
/// The same with four lanes per centre: 56 instead of 72 registers with lam3, so that all blocks of 32,768 atoms are
/// resident beside those of eight_neighbour_kernel. H200, mixed, Si.tersoff at 300 K: 15.0 instead of 15.9 us per step.
constexpr int four_blocks_per_sm_few = 9;
/// The same in fp64, with four lanes per centre: 96 registers instead of 108 with one element, and instead of 140 where
/// each triplet has a cutoff of its own. H200, us per step with 1, 5 and 6 blocks: silicon of 4,096 atoms 6.0, 6.0 and
/// 6.4, 1 M 198, 176 and 173. For the kernel that also gathers see combined_blocks_per_sm_double.
constexpr int four_blocks_per_sm_double = 5;

/// Of combined_kernel: threads per block; and minimum resident blocks per SM for many atoms in fp64, plain tersoff with
/// one element and lam3 = 0, for __launch_bounds__: 80 registers instead of 96. H200, silicon, us per step with 5 and
/// 6: 4,096 atoms 6.0 and 6.4, 262,144 atoms 49.3 and 47.5, 1 M 177 and 168.
constexpr int combined_block = 128;
constexpr int combined_blocks_per_sm_double = 6;
/// Rows per SM up to which combined_kernel computes all forces before the first block gathers, if no row has more than
/// four entries; with more rows, two kernels are faster. H200, silicon, us per step with one kernel and with two: nve,
/// mixed, 4,096 atoms 4.82 and 4.76, 8,000 5.1 and 4.9, 13,824 6.1 and 5.1; double, 5.7 and 5.8, 6.2 and 5.9, 7.7 and
/// 6.3; nvt, mixed, 4,096 atoms 12.0 and 12.2, 13,824 15.8 and 14.6. Beside many longer rows, one kernel is faster:
/// mixed, 1000 K, 4,096 atoms 13.6 and 15.7, 13,824 15.8 and 18.0; beside few, at 500 K, 7.3 and 8.4, 8.9 and 8.8.
constexpr int combined_rows_per_sm = 40;
/// Blocks per SM that compute forces ahead of those for which the next block that gathers waits. H200, mixed, silicon
/// of 1 M atoms, us per step with 0, 2, 4, 7 and 10: 126, 99, 90, 92 and 95; with all, 109.
constexpr int combined_blocks_ahead = 5;
/// Atoms per SM below which CombinedLaunches::fit_many() is false, even if all neighbours are near in memory.
constexpr int least_combined_per_sm = 2 * combined_blocks_ahead * combined_block;

/// The kernel for longer rows, in which a warp computes several rows, one bond per lane: threads per block, minimum
/// resident blocks per SM in fp32 and fp64, bonds that a warp computes together, and rows of a warp. H200, mixed,
/// atomic reduction, G atom-steps/s of SiC (1 M atoms) and a melt (262,144) with 64 bonds and 10 blocks 3.66 and 1.39,
/// 80 and 9 3.61 and 1.42, 96 and 8 3.63 and 1.41, 128 and 6 3.26 and 1.40.
/// H200, double, us per step with 4, 5 and 6 blocks: SiC 414, 377 and 402; GaN, whose kernel has lam3, 576, 735 and
/// 760.
constexpr int bond_block = 128;
constexpr int bond_blocks_per_sm = 8, bond_blocks_per_sm_double = 5, bond_blocks_per_sm_double_lambda3 = 4;
constexpr int bonds_per_warp = 96, bonds_per_warp_double = 64;
/// Rows of a warp: as many as leave bond_warps_per_sm warps per SM, but fewer than few_rows_per_warp only if these
/// leave fewer than least_bond_warps_per_sm. A melt of 8,000 atoms, G atom-steps/s with 1, 2, 4, 8 and 16 rows: 0.137,
/// 0.153, 0.158, 0.150 and 0.132; SiC of 32,768 atoms 1.42 with 8 and 1.17 with 16. H200, mixed, melts with a skin of 2
/// A, us per step with 2 and 4 rows: 4,096 atoms 14.0 and 14.8, 8,000 atoms 16.0 and 15.6.
constexpr int most_rows_per_warp = 16, few_rows_per_warp = 4, least_rows_per_warp = 2;
constexpr int bond_warps_per_sm = 24, least_bond_warps_per_sm = 12;

/// Blocks of eight_neighbour_kernel per window of rows. Each computes 16 rows at a time, and few_longer_fraction of a
/// window are 31 rows.
constexpr unsigned eight_blocks_per_window = 4;

/// General path: lanes per centre (a lane processes one bond at a time), threads per block, and bonds per centre within
/// the cutoff that fit shared memory (further bonds use global memory).
constexpr int general_lanes = 8;
constexpr int general_block = 128;
constexpr int general_shared_bonds = 12;
/// Factor of the cutoff with which the general path selects bonds, to allow for the rounding of distances.
constexpr float more_than_rounding = 1.00001f;
/// Lanes per centre where the heat current is summed; a diamond lattice has four neighbours.
constexpr int heat_lanes = 4;
/// Energy per atom, in energy units, up to which sums of energies and virials are surely exact on a GPU, where their
/// terms are in fp32.
constexpr double most_energy_per_atom = 256;
/// Blocks per SM of the general kernel, whose fixed grid loops over the rows.
constexpr int general_blocks_per_sm = 9;

/// The kernel that converts accumulators to forces: threads per block, and atoms per thread. H200, 1 M atoms, mixed,
/// adding to LAMMPS's forces after the force kernel: 131 us with a thread per number, 57 with an atom per thread in
/// full cache lines.
constexpr int collect_block = 256;
constexpr int collect_atoms = 2;

/// Minimum number of elements for which passes over host arrays use several threads. Below, starting the threads takes
/// longer than the pass.
constexpr int threads_pay = 10000;

/// Numbers (three per atom) per chunk of the copies between LAMMPS's arrays and page-locked memory. Chunks let the copy
/// and the transfer overlap.
constexpr int copy_chunk = 1 << 17;

/// Neighbour lists on CUDA: true if `kernel auto` requests a full list. Lennard-Jones melt of 512,000 atoms on an H200,
/// ms, half and full: single 0.131 and 0.148, mixed 0.192 and 0.150, double 0.197 and 0.254. What mixed gains with full
/// lists is less than the cost of transferring a list of twice the size.
constexpr bool full_list_on_cuda = false;

/// Neighbour and pair lists on the host: rows whose energy and virial are summed together. The number is small enough
/// to balance threads, and large enough to make the cost of the partial sums negligible.
constexpr int host_list_rows_per_block = 64;

/// All pairs on the host: atoms of a block. Positions, strengths and reactions of a block fit the first-level cache.
constexpr int host_pair_block = 256;
/// Rows that are computed together against a register of columns. Xeon, one core, ms for gravity of 8,192 atoms with 1,
/// 2, 3, 4, 6 and 8 rows: AVX-512 double -, -, 17.5, 17.5, 18.3, 18.5; AVX2 double 40, 36, 37, 34, single 14.5, 14.5,
/// 14.5, 14.0; SSE2 double 65, 60, -, 57, single 38, 36, -, 34.
constexpr int host_pair_rows = 4;
/// The same for formulas. Xeon, AVX-512, mixed, gravity over the built-in law: 4 rows 2.9, 8 rows 2.8, 16 rows 1.9.
constexpr int host_formula_rows = 16;

/// All pairs on CUDA, triangular kernel: threads per block, and rotation steps that are unrolled. H200, gravity,
/// single, 524,288 atoms, T ordered pairs/s: 2.99 with 4 steps, 3.07 with 8, 2.84 with 16; 64 and 256 threads 3.07 and
/// 3.06.
constexpr int triangle_block = 128;
constexpr int triangle_unroll = 8;
/// Minimum resident blocks per SM, for __launch_bounds__. The resulting limit of 128 registers suffices for the numbers
/// of rows below without spilling.
constexpr int triangle_blocks_per_sm = 4;
/// Tiles of 32 atoms that a warp keeps in registers if there are many atoms: as many as fit. Same system, different
/// masses folded into coordinates (forces/pairwise/cuda/row_points.cuh): 2.92 with 8, 2.95 with 9, 3.07 with 10; with
/// three blocks per SM 2.99 with 12 and 3.03 with 14; not folded 2.91 with 10. Mixed: 2.10 with 8; 2.12 with 10 and
/// three blocks. Double, 131,072 atoms: 1.15 with 4, 0.91 with 8.
constexpr int triangle_rows_single = 10;
constexpr int triangle_rows_mixed = 8;
constexpr int triangle_rows_double = 4;
/// Tiles in registers below these numbers of atom tiles, where more would leave too few warps. Single: 1.12 with 2 and
/// 1.01 with 8 at 4,096 atoms, 1.78 with 2 and 1.94 with 4 at 8,192; 2.65 with 4 and 2.63 with 8 at 32,768. Mixed: 1.71
/// with 4 and 1.66 with 8 at 16,384.
constexpr int triangle_few_tiles = 192, triangle_rows_few = 2;
constexpr int triangle_some_tiles = 2048, triangle_rows_some = 4;
/// A warp processes as many column tiles as it keeps row tiles before it flushes the forces of the rows, or fewer tiles
/// while that gives fewer work items than this number (4 rows: 1.94 with one tile and 1.75 with two at 8,192 atoms,
/// 8,320 and 4,160 items; 2.40 with two and 2.31 with four at 16,384; 2.60 and 2.65 at 32,768).
constexpr int triangle_items = 16000;

/// Maximum ratio of two strengths for folding strengths into coordinates (forces/pairwise/cuda/row_points.cuh). Folding
/// scales pulls by less than the 3/4th power of the ratio, 2^15, which the range of fp32 allows.
constexpr double folded_strengths = 1048576;  // 2^20

/// All pairs on CUDA, one-sided kernel: threads per block, atom tiles that a block stages in shared memory at once, and
/// atoms of a tile that are unrolled.
constexpr int onesided_block = 128;
constexpr int onesided_tiles = 8;
constexpr int onesided_unroll = 8;
/// Tiles that a warp keeps in registers, and the number of atom tiles from which on it keeps that many instead of one
/// (single: 1.50 with one against 1.28 with four at 8,192 atoms, 1.70 against 1.71 at 16,384, 1.81 against 2.00 at
/// 131,072).
constexpr int onesided_rows = 4;
constexpr int onesided_many_tiles = 512;
/// Blocks per SM into which the columns are divided: 1.82 with 8, 1.93 with 32, 2.01 with 128 at 524,288 atoms.
constexpr int onesided_blocks_per_sm = 128;

/// Lists that the device builds: threads per block, and maximum number of cells per atom. If the box would have more
/// cells, cells are wider than the list cutoff. The limit allows for a box whose volume is some twenty times that of
/// the atoms.
constexpr int cell_rows_block = 128;
constexpr int most_cells_per_atom = 4;
/// Number of atoms up to which a warp searches for the neighbours of an atom; with more atoms, a thread does. H100, a
/// melt with a skin of 2 A, mixed, us per step with threads and warps: 4,096 atoms 17.8 and 16.8, 8,000 19.9 and 18.9,
/// 17,576 24.6 and 23.4, 32,768 30.0 and 30.1, 64,000 46.7 and 48.1.
constexpr int most_atoms_for_rows_by_warps = 24576;
/// Threads per atom of the kernel that makes lists within steps, as far as they are resident at once: few, since a
/// launch that finds nothing to do takes longer with more. The same melt with 8, 16 and 32: 4,096 atoms 16.8, 17.1
/// and 17.8.
constexpr int list_threads_per_atom = 8;
/// Such a list is a table if that needs at most this many times the memory of its entries, with one slot more for every
/// table_margin-th entry of the longest row.
constexpr double most_table_entries = 2;
constexpr int table_margin = 8;

/// Threads per block of kernels that read and write a few numbers per atom, and are bound by memory. Not measured.
constexpr int elementwise_block = 256;

/// Pair forces of an engine on CUDA: threads per block, and lanes per row. Not measured.
constexpr int pair_term_block = 128;
constexpr int pair_term_lanes = 8;

/// Pair lists on CUDA: threads per block, a row each. Not measured.
constexpr int pair_list_block = 128;

}  // namespace tuning
}  // namespace triad

// Selection of the neighbours within a cutoff, from lists that contain more: plain structs and functions, because the
// functions are compiled once per instruction set (row_filter_kernels.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.h"
#include "neighbor/host/chunk.h"
#include "simd/qualifiers.h"

namespace triad {

/// A row of a RowTable (row_blocks.h).
struct TableRow {
  int centre, centre_rank, neighbours;
  std::size_t begin;      ///< first neighbour in the table's index and rank
  std::uint64_t content;  ///< sum of content_of(rank) over the neighbours
};

/// Up to eight ranks and 255 neighbours, the sum over a row counts the neighbours of each rank.
constexpr int counted_ranks = 8, counted_neighbours = 255;
TRIAD_HD constexpr std::uint64_t content_of(int rank) { return std::uint64_t(1) << (8 * (rank % counted_ranks)); }

/// A function may write up to this many entries behind the last one that it keeps.
constexpr int row_filter_padding = 8;

/// Rows of a table, of which the filter appends the neighbours within the cutoff to another table.
struct RowFilterView {
  int n_rows;
  const TableRow *row;
  const int *index, *rank;       ///< of all rows; within a row, ranks ascend
  const double *x;               ///< [atoms][4], each row aligned to its size
  const double *cutoff_squared;  ///< [n_ranks^2]
  int n_ranks;

  TableRow *kept;  ///< [n_kept + n_rows] rows with neighbours
  int *kept_index, *kept_rank;
  int n_kept;  ///< the filter adds to these numbers
  std::size_t kept_entries;
};

/// Blocks of rows, and for each block the distant neighbours of its rows.
struct WatchView {
  int n_blocks;
  const RowBlock *block;
  const int *table;      ///< of the blocks
  const int *begin;      ///< [n_blocks + 1] first distant neighbour of each block, and the end
  const int *distant;    ///< [distant neighbours][block_rows] atoms
  const double *cutoff;  ///< [distant neighbours] the largest cutoff of the rows
  int n_atoms;
  const double *x;    ///< [n_atoms][4], the fourth number 0, each row aligned to its size
  float *relative;    ///< [n_atoms][4] scratch memory, each row aligned to its size
  unsigned *reached;  ///< [n_blocks] written: bit l is set if a distant neighbour of row l may be within its cutoff
};

/// Consecutive atoms of a cell list, of which the filter appends those within the cutoff of one atom to its row.
struct SpanFilterView {
  const double *x, *y, *z;  ///< [n] positions
  const int *atom, *type;   ///< [n]; types from 0
  int n;
  int self;                      ///< this atom is left out
  double origin[3];              ///< position of that atom
  const double *cutoff_squared;  ///< [n_types] for its type
  int n_types;
};

/// Atoms of a row of LAMMPS's list, of which the filter keeps those within the cutoff of one atom.
struct ListFilterView {
  int n;
  const double *x;               ///< [atoms][4] position and type, each row aligned to its size
  const double *self;            ///< that row of the atom
  const double *cutoff_squared;  ///< [n_types] for its type
  int n_types;                   ///< types are from 0 to n_types - 1
};

/// The functions of an instruction set. A NaN distance counts as within the cutoff, so that the force loop detects it.
struct RowFilters {
  void (*rows)(RowFilterView &);
  /// Finds the rows that a distant neighbour has come close to.
  void (*watch)(const WatchView &);
  /// Writes the atoms to `entry` and returns their number.
  int (*span)(const SpanFilterView &, int *entry);
  /// Replaces the n atoms in `atom` by those within the cutoff, writes their types and returns their number.
  int (*list)(const ListFilterView &, int *atom, int *type);
};

/// Returns the functions for an instruction set of usable_isas().
RowFilters row_filters(Isa isa);

/// Functions of each instruction set. row_filter_kernels.cpp defines one of these each time it is compiled.
RowFilters row_filter_baseline();
#if defined(TRIAD_X86_ISAS)
RowFilters row_filter_avx2();
RowFilters row_filter_avx512();
#endif

}  // namespace triad

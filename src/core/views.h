// What a caller hands to the loops and gets back: plain pointers and sizes, so that the same structs serve LAMMPS
// arrays, the standalone benchmarks and the compiler of the device code.
#pragma once

#include <cstddef>
#include <limits>

namespace triad {

/// Atoms of one rank, owned first, then ghosts (LAMMPS order).
struct AtomsView {
  int n_owned = 0;
  int n_all = 0;               ///< owned and ghost
  const double *x = nullptr;   ///< [n_all][3] positions, length units of the run
  const int *type = nullptr;   ///< [n_all] atom types, from 1
  const int *owner = nullptr;  ///< [n_all - n_owned] or null: the owned atoms that ghosts are images of
  /// No atom has moved farther than this since the last forces, and no type has changed; infinite if that is not known.
  double moved_at_most = std::numeric_limits<double>::infinity();
  bool renew_pruned_list = false;  ///< whatever the atoms have moved. For the host's loops only, as is:
  double moves_ahead = 0;          ///< distance that atoms may move before TersoffBackend::pruned_list_ends() is heeded
};

/// A full neighbour list with skin, one row per centre: LAMMPS's NeighList, or the table of its KOKKOS package.
struct NeighborListView {
  int n_rows = 0;
  const int *centre = nullptr;            ///< [n_rows] index of the row's atom (ilist)
  const int *length = nullptr;            ///< [n_atoms] number of neighbours, indexed by atom (numneigh)
  const int *const *neighbour = nullptr;  ///< [n_atoms] first neighbour, indexed by atom (firstneigh), or null:
  const int *table = nullptr;             ///< then atom i's first neighbour is at table[i * row_stride]
  std::size_t row_stride = 0;
  std::size_t entry_stride = 1;  ///< from one neighbour of an atom to the next
  int mask = 0x1FFFFFFF;         ///< bits of an entry that are the index (NEIGHMASK)
  double cutoff = 0;             ///< largest distance of a pair when the list was built (cutoff and skin)
  /// [n_atoms] or null: where AtomsView and ResultsView hold the list's atoms, if not in its order. Then the rows are
  /// in the order of order_rows(). For the host's loops only.
  const int *index_map = nullptr;

  int index_of(int i) const { return index_map ? index_map[i] : i; }
  const int *first(int i) const { return neighbour ? neighbour[i] : table + i * row_stride; }
};

/// Which tallies are wanted besides the forces.
struct TallyRequest {
  bool energy = false;       ///< total energy
  bool virial = false;       ///< total virial
  bool atom_energy = false;  ///< per-atom energy, half of each bond to either end
  bool atom_virial =
      false;  ///< per-atom virial, pair terms in halves and triplet terms in thirds (stock's stress/atom)
  bool atom_centroid = false;  ///< per-atom virial of the heat current, nine components (centroid/stress/atom)

  bool any_total() const { return energy || virial; }
  bool any_per_atom() const { return atom_energy || atom_virial || atom_centroid; }
};

/// Where results go. Arrays are added to, totals are overwritten.
struct ResultsView {
  double *force = nullptr;          ///< [n_all][3], ghosts included
  bool replace_force = false;       ///< forces are overwritten, too; for the host's loops only
  double *atom_energy = nullptr;    ///< [n_all]
  double *atom_virial = nullptr;    ///< [n_all][6], xx yy zz xy xz yz
  double *atom_centroid = nullptr;  ///< [n_all][9], xx yy zz xy xz yz yx zx zy
  double energy = 0;
  double virial[6] = {0, 0, 0, 0, 0, 0};  ///< sum of r_a f_b, xx yy zz xy xz yz
};

}  // namespace triad

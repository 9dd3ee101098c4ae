// Input and output of the loops: plain pointers and sizes, so that the same structs serve LAMMPS's arrays, the
// standalone benchmarks and nvcc.
#pragma once

#include <cstddef>
#include <limits>

namespace triad {

class ExpectedMotion;  // neighbor/host/expected_motion.h

/// Atoms of one rank, owned first, then ghosts (LAMMPS order).
struct AtomsView {
  int n_owned = 0;
  int n_all = 0;               ///< owned and ghost
  const double *x = nullptr;   ///< [n_all][3] positions, length units of the run
  const int *type = nullptr;   ///< [n_all] atom types, from 1
  const int *owner = nullptr;  ///< [n_all - n_owned] or null: indices of the owned atoms whose images the ghosts are
  /// Upper bound of the distance that any atom has moved since the last forces, during which no type has changed;
  /// infinite if unknown.
  double moved_at_most = std::numeric_limits<double>::infinity();
  bool renew_pruned_list = false;  ///< renews the pruned list regardless of displacements; host loops only
  double moves_ahead = 0;          ///< displacement that TersoffBackend::pruned_list_ends() allows for; host loops only
  ExpectedMotion *expected = nullptr;  ///< how the atoms will move, or null: unknown; host loops only
};

/// A full neighbour list with skin, one row per centre: LAMMPS's NeighList, or the table of LAMMPS's KOKKOS package.
struct NeighborListView {
  int n_rows = 0;
  const int *centre = nullptr;            ///< [n_rows] index of the row's atom (ilist)
  const int *length = nullptr;            ///< [n_atoms] number of neighbours, indexed by atom (numneigh)
  const int *const *neighbour = nullptr;  ///< [n_atoms] first neighbour, indexed by atom (firstneigh), or null:
  const int *table = nullptr;  ///< if `neighbour` is null: the first neighbour of atom i is table[i * row_stride]
  std::size_t row_stride = 0;
  std::size_t entry_stride = 1;  ///< distance in the table between consecutive neighbours of an atom
  int mask = 0x1FFFFFFF;         ///< bits of an entry that hold the index (NEIGHMASK)
  double cutoff = 0;             ///< maximum distance of a pair when the list was built (potential cutoff plus skin)
  /// [n_atoms] or null: index in AtomsView and ResultsView of each atom of the list, if the orders differ. The rows
  /// must then be in the order of order_rows(). For the host loops only.
  const int *index_map = nullptr;

  bool half = false;  ///< each pair is in one row only; for pair forces

  int index_of(int i) const { return index_map ? index_map[i] : i; }
  const int *first(int i) const { return neighbour ? neighbour[i] : table + i * row_stride; }
};

/// The tallies to compute besides the forces.
struct TallyRequest {
  bool energy = false;       ///< total energy
  bool virial = false;       ///< total virial
  bool atom_energy = false;  ///< per-atom energy, half of each bond to either end
  bool atom_virial =
      false;  ///< per-atom virial, pair terms in halves and triplet terms in thirds (stock's stress/atom)
  bool atom_centroid = false;  ///< per-atom virial of the heat current, nine components (centroid/stress/atom)

  bool any_total() const { return energy || virial; }
  bool any_per_atom() const { return atom_energy || atom_virial || atom_centroid; }
  bool any() const { return any_total() || any_per_atom(); }
  void add(const TallyRequest &other) {
    energy = energy || other.energy;
    virial = virial || other.virial;
    atom_energy = atom_energy || other.atom_energy;
    atom_virial = atom_virial || other.atom_virial;
    atom_centroid = atom_centroid || other.atom_centroid;
  }
};

/// Output arrays. Results are added to arrays and assigned to totals.
struct ResultsView {
  double *force = nullptr;          ///< [n_all][3], ghosts included
  bool replace_force = false;       ///< forces are assigned instead of added; host loops only
  double *atom_energy = nullptr;    ///< [n_all]
  double *atom_virial = nullptr;    ///< [n_all][6], xx yy zz xy xz yz
  double *atom_centroid = nullptr;  ///< [n_all][9], xx yy zz xy xz yz yx zx zy
  double energy = 0;
  double virial[6] = {0, 0, 0, 0, 0, 0};  ///< sum of r_a f_b, xx yy zz xy xz yz
};

}  // namespace triad

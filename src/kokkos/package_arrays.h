// Access to the arrays of LAMMPS's KOKKOS package as plain pointers.
#pragma once

#include <string>
#include <type_traits>

#include "atom.h"
#include "core/views.h"
#include "error.h"
#include "kokkos.h"
#include "kokkos_type.h"
#include "neigh_list_kokkos.h"

namespace LAMMPS_NS {

/// Raises an error if `style` ("Pair style tersoff/triad/kk") is used although the package is off.
inline void require_kokkos(LAMMPS *lmp, const std::string &style) {
  if (!lmp->kokkos || !lmp->kokkos->kokkos_exists)
    lmp->error->all(FLERR, "{} needs the KOKKOS package switched on: start LAMMPS with -k on, on a GPU -k on g 1",
                    style);
}

/// Returns the array [n][3] of a view: fp64 values, atom after atom. KOKKOS supports other types and layouts, Triad's
/// loops do not.
template <class View>
typename View::pointer_type rows_of_three(const View &view) {
  static_assert(std::is_same<typename View::non_const_value_type, double>::value,
                "Triad needs a KOKKOS package of double precision");
  static_assert(std::is_same<typename View::array_layout, Kokkos::LayoutRight>::value,
                "Triad needs the default layout of positions and forces (LayoutRight)");
  return view.data();
}

/// Returns the rows of a neighbour list of the package; the caller sets mask and cutoff.
template <class DeviceType>
triad::NeighborListView table_of(const NeighList *list, const Atom &atom) {
  const auto *const source = static_cast<const NeighListKokkos<DeviceType> *>(list);
  triad::NeighborListView rows;
  rows.n_rows = atom.nlocal + atom.nghost ? source->inum : 0;  // KOKKOS keeps the old list if no atoms are left
  rows.centre = source->d_ilist.data();
  rows.length = source->d_numneigh.data();
  rows.table = source->d_neighbors.data();
  rows.row_stride = source->d_neighbors.stride(0);
  rows.entry_stride = source->d_neighbors.stride(1);
  return rows;
}

template <class DeviceType>
auto over(std::size_t n) {
  return Kokkos::RangePolicy<DeviceType, Kokkos::IndexType<std::size_t>>(0, n);
}

}  // namespace LAMMPS_NS

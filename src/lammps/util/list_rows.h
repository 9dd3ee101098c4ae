// Conversion of LAMMPS's neighbour list to a NeighborListView.
#pragma once

#include "core/views.h"
#include "neigh_list.h"

namespace LAMMPS_NS {

/// View of LAMMPS's list without the cutoff, which the caller must set.
inline triad::NeighborListView rows_of(const NeighList &list) {
  triad::NeighborListView rows;
  rows.n_rows = list.inum;
  rows.centre = list.ilist;
  rows.length = list.numneigh;
  rows.neighbour = list.firstneigh;
  rows.mask = NEIGHMASK;
  return rows;
}

}  // namespace LAMMPS_NS

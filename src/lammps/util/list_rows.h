// LAMMPS's neighbour list as the loops read it.
#pragma once

#include "core/views.h"
#include "neigh_list.h"

namespace LAMMPS_NS {

/// Rows of LAMMPS's list, but for how far it reaches.
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

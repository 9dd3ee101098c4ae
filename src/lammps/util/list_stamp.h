// Detection of new neighbour lists of LAMMPS.
#pragma once

#include "neighbor.h"

namespace LAMMPS_NS {

/// State of LAMMPS's neighbour lists at the last call of renew().
struct ListStamp {
  bigint step = -1, builds = -1;
  int rows = -1;

  ListStamp() = default;
  ListStamp(const Neighbor &neighbor, int n_rows) : step(neighbor.lastcall), builds(neighbor.ncalls), rows(n_rows) {}
  bool operator==(const ListStamp &o) const { return step == o.step && builds == o.builds && rows == o.rows; }

  /// Takes the present state. Returns true if there may be a new list; always true directly after a build.
  bool renew(const Neighbor &neighbor, int n_rows) {
    const ListStamp now(neighbor, n_rows);
    if (neighbor.ago != 0 && now == *this) return false;
    *this = now;
    return true;
  }
};

}  // namespace LAMMPS_NS

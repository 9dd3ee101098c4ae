// Detection of new neighbour lists of LAMMPS.
#pragma once

#include "neighbor.h"

namespace LAMMPS_NS {

/// State of LAMMPS's neighbour lists, which identifies a list that was made or passed on in this state.
struct ListStamp {
  bigint step = -1, builds = -1;
  int rows = -1;

  ListStamp() = default;
  ListStamp(const Neighbor &neighbor, int n_rows) : step(neighbor.lastcall), builds(neighbor.ncalls), rows(n_rows) {}
  bool operator==(const ListStamp &o) const { return step == o.step && builds == o.builds && rows == o.rows; }

  /// Calls work(), which takes the list, if there may be a new one; always directly after a build. The stamp is that of
  /// the present list only if work() has returned: after an exception, the next call calls work() again.
  template <class Work>
  void pass(const Neighbor &neighbor, int n_rows, Work &&work) {
    const ListStamp now(neighbor, n_rows);
    if (neighbor.ago != 0 && now == *this) return;
    *this = ListStamp();
    work();
    *this = now;
  }
};

}  // namespace LAMMPS_NS

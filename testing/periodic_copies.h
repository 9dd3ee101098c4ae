// Independent copies of a periodic box, for tests of kernels that only many atoms need.
#pragma once

#include <utility>
#include <vector>

#include "testing/periodic_box.h"

namespace triad {

/// The arrays hold the owned atoms of all copies, then the ghosts of all copies.
struct PeriodicCopies {
  const int copies, n_of_one, ghosts_of_one;
  const int n;  ///< owned atoms
  HaloPlan halo;
  NeighbourList list;

  PeriodicCopies(const PeriodicBox &one, int number_of_copies)
      : copies(number_of_copies),
        n_of_one(one.n_owned()),
        ghosts_of_one(one.n_all() - one.n_owned()),
        n(copies * n_of_one),
        list(rows(one)) {
    halo.shift = one.halo.shift;
    for (int c = 0; c < copies; ++c)
      for (int g = 0; g < ghosts_of_one; ++g) {
        halo.owner.push_back(c * n_of_one + one.halo.owner[g]);
        halo.image.push_back(one.halo.image[g]);
      }
  }

  /// `of_one` [n_of_one + ghosts_of_one][3], such as positions, for all copies.
  std::vector<double> all(const double *of_one) const {
    std::vector<double> copied = owned(of_one);
    for (int c = 0; c < copies; ++c)
      copied.insert(copied.end(), of_one + 3 * n_of_one, of_one + 3 * (n_of_one + ghosts_of_one));
    return copied;
  }
  /// The same without ghosts, `of_one` [n_of_one][3].
  std::vector<double> owned(const double *of_one) const {
    std::vector<double> copied;
    for (int c = 0; c < copies; ++c) copied.insert(copied.end(), of_one, of_one + 3 * n_of_one);
    return copied;
  }

 private:
  std::vector<std::vector<int>> rows(const PeriodicBox &one) const {
    const NeighborListView of_one = one.list.rows();
    std::vector<std::vector<int>> all_rows;
    for (int c = 0; c < copies; ++c)
      for (int i = 0; i < n_of_one; ++i) {
        all_rows.emplace_back();
        for (int k = 0; k < of_one.length[i]; ++k) {
          const int j = of_one.first(i)[k];
          all_rows.back().push_back(j < n_of_one ? c * n_of_one + j : n + c * ghosts_of_one + (j - n_of_one));
        }
      }
    return all_rows;
  }
};

}  // namespace triad

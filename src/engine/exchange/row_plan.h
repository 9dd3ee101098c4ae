// Plans for the atoms of pair forces on several ranks. The atoms of other ranks are ghosts: their positions come before
// the forces, and the forces on them return to their owners. In these plans HaloPlan::send and HaloPlan::receive are
// rows of the arrays of the pair force, [n][width].
#pragma once

#include <vector>

#include "engine/exchange/halo.h"

namespace triad {

/// The plan of a rank, and the rows of its own atoms.
struct RowPlan {
  HaloPlan plan;
  int n = 0;      ///< rows
  int first = 0;  ///< first row of the rank's own atoms, which are consecutive
};

/// Range All: the atoms of all ranks in the order of ranks, each rank a ghost of all others. Collective.
RowPlan all_rows(HaloExchange &exchange, int n_owned);

/// Neighbour lists and listed pairs: owned atoms, then the ghosts of `halo`. On one rank the plan sends nothing.
RowPlan rows_with_ghosts(const HaloPlan &halo, int n_owned);

/// Exchange of rows on the host. All functions are collective.
class HostRows {
 public:
  void take(const HaloPlan &plan) { plan_ = plan; }
  /// Copies rows of own atoms, [n][3], to the ghosts on other ranks, without displacements.
  void forward(double *rows);
  /// Adds the rows of ghosts of other ranks, [n][width], to those of their owners, and clears them.
  void reverse(double *rows, int width);

 private:
  HaloPlan plan_;
  std::vector<double> send_buffer_, receive_buffer_;
};

}  // namespace triad

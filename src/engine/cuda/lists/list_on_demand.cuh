// Neighbour lists that the device makes on demand: in the step in which the list expires, without the host.
#pragma once

#include <cstdlib>
#include <cstring>

#include "engine/cuda/lists/list_kernel.cuh"
#include "engine/cuda/lists/list_positions.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/step_batch.h"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class ListOnDemand {
 public:
  ListOnDemand(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms)
      : device_(device), tersoff_(tersoff), atoms_(atoms) {}

  /// True if lists may be made on demand: the rule lets the engine make lists, and the environment variable TRIAD_LISTS
  /// is not `host`, for benchmarks and tests. The caller must have WaitingGrids::allowed().
  bool allowed(const ListRule &rule) const {
    const char *const maker = std::getenv("TRIAD_LISTS");
    return (!maker || std::strcmp(maker, "host") != 0) && rule.box && rule.check;
  }

  /// Prepares launch() for a batch with this rule, whose box may change. `into`: wraps atoms into the box. `list`: the
  /// last list, a table, which was made with `cells` and is made anew. If an atom does not pass the check of `marks`,
  /// no list is made, and the steps stop. Asynchronous.
  void prepare(const ListRule &rule, const BoxOfSteps &box, const MarkCheck &marks, const IntoBoxOp<Format> &into,
               const ListPositions<Format> &positions, const ListCells &cells, CellNeighborList &list);
  void cancel() { prepared_ = false; }
  bool prepared() const { return prepared_; }

  /// Launches, behind the kernel that moves the atoms in a step of `guard`, a kernel that makes the list if it has
  /// expired in this step, and renews the pruned list if that must be renewed. `rows`: the list. `expected`: [n]
  /// expected positions, which are wrapped with the atoms. `flags`: as for TersoffDevice::refilter_pruned_list().
  void launch(const DeviceNeighborList &rows, typename PositionOf<Format>::type *expected, StepGuard *guard,
              const StopFlags &flags, bool dependent) {
    job_.into.expected = expected;
    job_.guard = guard;
    job_.stop = flags.stop;
    tersoff_.renew_pruned_list(rows, tersoff_.positions(), guard, flags,
                               [&](const Renewal<typename PositionOf<Format>::type> &renewal) {
                                 job_.renewal = renewal;
                                 grid_.launch(job_, box_, tersoff_.multiprocessors(), dependent, device_.stream());
                               });
  }

 private:
  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  bool prepared_ = false;
  ListJob<Format> job_ = {};
  BoxOfSteps box_;
  ListGrid<Format> grid_;
};

template <class Format>
void ListOnDemand<Format>::prepare(const ListRule &rule, const BoxOfSteps &box, const MarkCheck &marks,
                                   const IntoBoxOp<Format> &into, const ListPositions<Format> &positions,
                                   const ListCells &cells, CellNeighborList &list) {
  prepared_ = true;
  box_ = box;
  job_.outside = {{atoms_.state(), atoms_.anchor()}, *rule.box, nullptr};
  job_.moved = positions.check_moved(rule.limit, nullptr);
  job_.marks = marks;
  job_.into = into;
  job_.reference = positions.exact();
  job_.coarse_reference = positions.make_coarse();
  job_.grid = {*rule.box, cells, ImageNames<typename PositionOf<Format>::type>::index_bits};
  job_.sort = list.sort_for(job_.grid, device_.stream());
  job_.rows = list.table();
  job_.rows_by_warps = list.makes_rows_by_warps(job_.sort.n);
  job_.own_until = rule.own_until;
  job_.arrived = &device_.steps()->counts.list;
}

}  // namespace cuda
}  // namespace triad

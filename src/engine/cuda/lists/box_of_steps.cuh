// The box of the steps of a batch that changes the box, for the kernel that makes lists.
#pragma once

#include "dynamics/box_path.h"
#include "engine/changing_box_limit.h"

namespace triad {
namespace cuda {

/// Where the box of a step is, in device memory: in a barostat or, without one, in a path. Without both, the box does
/// not change.
struct BoxOfSteps {
  const Box *of_barostat = nullptr;
  const BoxStep *path = nullptr;  ///< [steps]
  const Box *at_list = nullptr;   ///< the box at the last neighbour list
  double skin = 0;                ///< ChangingBoxLimit::skin()

  bool changes() const { return of_barostat || path; }
  /// The box in which the atoms are moved in step `completed` + 1 of the batch, which must be the present step.
  __device__ __forceinline__ const Box &after(int completed) const {
    return of_barostat ? *of_barostat : path[completed].box;
  }
  __device__ __forceinline__ double limit_in(const Box &box) const { return displacement_limit(skin, *at_list, box); }
};

}  // namespace cuda
}  // namespace triad

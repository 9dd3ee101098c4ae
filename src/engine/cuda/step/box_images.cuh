// The box of a batch that changes the box, on the device: its periodic images, how far it may change, and its path if a
// fix deform prescribes one.
#pragma once

#include "core/cuda/copy_words.cuh"
#include "core/cuda/formats.cuh"
#include "dynamics/box_path.h"
#include "dynamics/held_barostat.h"
#include "engine/cuda/ghosts/engine_ghosts.cuh"

namespace triad {
namespace cuda {

/// BoxPath in device memory.
struct DeviceBoxPath {
  const BoxStep *step = nullptr;  ///< [n_steps]
  int n_steps = 0;
  bool deforms[3] = {false, false, false};
};

/// The boxes and the shifts of images at the last lists, in device memory. `most`: largest number of images.
template <int most>
struct ListsInBox {
  Box box, box_before;       ///< the box at the last neighbour list, and at the list before
  int neighbor_step;         ///< StepGuard::neighbor_step of the last neighbour list
  int pruned_step;           ///< StepGuard::list_step of the last pruned list
  Vec3<double> shift[most];  ///< shifts of images at the last pruned list, length units
};

/// The images of atoms, whose shifts follow the box. All threads of a block of more than `most` threads call the
/// functions.
template <class Position>
struct BoxImages {
  static constexpr int most = ImageNames<Position>::max_images;
  Position *shift = nullptr;  ///< [count] in device memory
  int count = 0;
  signed char edges[most][3];  ///< by how many edges an image is shifted
  ListsInBox<most> *lists;
  bool renewed;            ///< the step that ends has renewed the pruned list whether or not that had expired
  double reserve;          ///< change of a shift that the last pruned list allows, length units
  double most_of_corners;  ///< ChangingBoxLimit::most_of_corners()
  PositionScale scale;

  __device__ __forceinline__ Vec3<double> in_box(int k, const Box &box) const {
    return box.edges() * Vec3<double>{double(edges[k][0]), double(edges[k][1]), double(edges[k][2])};
  }
  /// Notes the shifts if the pruned list was made in this step, and the box if the neighbour list was.
  __device__ __forceinline__ void note_lists(const StepGuard &guard, const Box &box) const {
    const int k = static_cast<int>(threadIdx.x);
    if (k < count && (renewed || guard.list_step != lists->pruned_step)) lists->shift[k] = in_box(k, box);
    if (k == 0 && guard.neighbor_step != lists->neighbor_step) {
      lists->box_before = lists->box;
      lists->box = box;
    }
    __syncthreads();
    if (k != 0) return;
    lists->pruned_step = guard.list_step;
    lists->neighbor_step = guard.neighbor_step;
  }
  /// Sets the shifts for a new box. Sets reasons to stop if they differ too much from those at the pruned list, or if
  /// the box differs too much from that at the neighbour list.
  __device__ __forceinline__ void follow(const Box &box, StepGuard *guard) const {
    const int k = static_cast<int>(threadIdx.x);
    // This thread has no image.
    if (k == most && !(displacements_of_corners(lists->box, box) <= most_of_corners)) atomicOr(guard->stop, stop_box);
    if (k >= count) return;
    const Vec3<double> present = in_box(k, box), noted = lists->shift[k];
    const double now[3] = {present.x, present.y, present.z}, at_list[3] = {noted.x, noted.y, noted.z};
    shift[k] = shift_in_counts(now, scale, Position());
    if (shift_exceeds(reserve, now, at_list)) atomicOr(guard->stop, stop_pruned_list);
  }
};

/// Must precede each kernel that ends a step, starts one, or both, in a box with a path and without a barostat. One
/// block of at least BoxImages::most threads. `factors`: as of StepJob.
template <class Position>
__global__ void box_path_kernel(StepGuard *guard, const BoxImages<Position> images, const DeviceBoxPath path,
                                const double *factors, BoxMotion *motion) {
  wait_for_previous_kernel();
  if (guard->stopped) return;
  const int k = guard->completed;
  images.note_lists(*guard, path.step[k > 0 ? k - 1 : 0].box);
  if (threadIdx.x == 0) motion->drift = {1, 1, 1, 0, 0, 0};
  if (threadIdx.x < 3) {
    motion->end[threadIdx.x] = factors ? factors[0] : 1;
    motion->start[threadIdx.x] = factors ? factors[1] : 1;
  }
  if (k >= path.n_steps) return;  // no step follows
  copy_words(&motion->change, &path.step[k].change);
  images.follow(path.step[k].box, guard);
}

}  // namespace cuda
}  // namespace triad

// The box of a batch that changes the box, on the device: its periodic images, and its path if a fix deform prescribes
// one.
#pragma once

#include "core/cuda/formats.cuh"
#include "dynamics/box_path.h"
#include "dynamics/held_barostat.h"
#include "engine/cuda/ghosts/engine_ghosts.cuh"

namespace triad {
namespace cuda {

/// BoxPath in device memory. The functions do nothing for a step k that the path does not have.
struct DeviceBoxPath {
  const BoxStep *step = nullptr;  ///< [n_steps]
  int n_steps = 0;
  bool deforms[3] = {false, false, false};

  /// Sets the axes of a box that have a path to step k.
  __device__ __forceinline__ void set_box(int k, double *low, double *high) const {
    if (k >= n_steps) return;
    for (int d = 0; d < 3; ++d) {
      if (!deforms[d]) continue;
      low[d] = step[k].low[d];
      high[d] = step[k].high[d];
    }
  }
  /// Makes atoms follow the box to step k along these axes, along which nothing else changes the box.
  __device__ __forceinline__ void set_motion(int k, BoxMotion &motion) const {
    if (k >= n_steps) return;
    for (int d = 0; d < 3; ++d) {
      if (!deforms[d]) continue;
      motion.growth[d] = step[k].growth[d];
      motion.fixed[d] = step[k].fixed[d];
    }
  }
};

/// The images of atoms in an orthogonal box, whose shifts follow the box. All threads of a block of at least `most`
/// threads call the functions.
template <class Position>
struct BoxImages {
  static constexpr int most = ImageNames<Position>::max_images;
  Position *shift = nullptr;  ///< [count] in device memory
  int count = 0;
  signed char edges[most][3];  ///< by how many edges an image is shifted
  Vec3<double> *list_shift;    ///< [count] shifts at the last pruned list, in device memory
  int *list_step;              ///< step of that list, as in StepGuard::list_step
  bool renewed;                ///< the step that ends has renewed the pruned list whether or not that had expired
  double reserve;              ///< change of a shift since then that the pruned list allows, length units
  PositionScale scale;

  __device__ __forceinline__ Vec3<double> in_box(int k, const double *low, const double *high) const {
    return {edges[k][0] * (high[0] - low[0]), edges[k][1] * (high[1] - low[1]), edges[k][2] * (high[2] - low[2])};
  }
  /// Notes the shifts if the pruned list was made in this step. One thread must set *list_step afterwards.
  __device__ __forceinline__ void note_list(const StepGuard &guard, const double *low, const double *high) const {
    const int k = static_cast<int>(threadIdx.x);
    if (k < count && (renewed || guard.list_step != *list_step)) list_shift[k] = in_box(k, low, high);
  }
  /// Sets the shifts for a new box. Sets a reason to stop if they differ too much from those at the pruned list.
  __device__ __forceinline__ void follow(const double *low, const double *high, StepGuard *guard) const {
    const int k = static_cast<int>(threadIdx.x);
    if (k >= count) return;
    const Vec3<double> present = in_box(k, low, high), noted = list_shift[k];
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
  const BoxStep &before = path.step[k > 0 ? k - 1 : 0];
  images.note_list(*guard, before.low, before.high);
  __syncthreads();
  if (threadIdx.x == 0) {
    *images.list_step = guard->list_step;
    for (int d = 0; d < 3; ++d) {
      motion->end[d] = factors ? factors[0] : 1;
      motion->start[d] = factors ? factors[1] : 1;
      motion->factor[d] = 1;
      motion->growth[d] = motion->fixed[d] = 0;
    }
    path.set_motion(k, *motion);
  }
  if (k < path.n_steps) images.follow(path.step[k].low, path.step[k].high, guard);
}

}  // namespace cuda
}  // namespace triad

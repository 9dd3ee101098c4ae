// The box of a batch that changes the box, on the device: its periodic images, how far it may change, and its path if a
// fix deform prescribes one.
#pragma once

#include "core/cuda/formats.cuh"
#include "dynamics/box_path.h"
#include "dynamics/held_barostat.h"
#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/tuning.h"

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
  static_assert(tuning::box_block > most && tuning::kinetic_block > most && tuning::step_block > most,
                "one thread per image, and one for the corners");
  Position *shift = nullptr;  ///< [count] in device memory
  int count = 0;
  signed char edges[most][3];  ///< by how many edges an image is shifted
  ListsInBox<most> *lists;
  bool renewed;            ///< the step that ends has renewed the pruned list whether or not that had expired
  double reserve;          ///< change of a shift that the last pruned list allows, length units
  double most_of_corners;  ///< ChangingBoxLimit::most_of_corners()
  PositionScale scale;

  /// What thread k knows of the last lists.
  struct OfThread {
    int neighbor_step, pruned_step;  ///< as of ListsInBox
    Vec3<double> edges, shift;  ///< of image k: edges by which it is shifted, and its shift at the last pruned list
    Box box;                    ///< at the last neighbour list, if k is `most`; this thread has no image
  };

  /// Reads what earlier steps have noted. May precede wait_for_previous_kernel().
  __device__ __forceinline__ OfThread of_thread() const {
    const int k = static_cast<int>(threadIdx.x);
    OfThread noted;
    noted.neighbor_step = lists->neighbor_step;
    noted.pruned_step = lists->pruned_step;
    if (k < count) {
      noted.edges = {double(edges[k][0]), double(edges[k][1]), double(edges[k][2])};
      noted.shift = lists->shift[k];
    }
    if (k == most) noted.box = lists->box;
    return noted;
  }
  /// Notes the shifts if the pruned list was made in this step, and the box if the neighbour list was. The steps are
  /// those of StepGuard.
  __device__ __forceinline__ void note_lists(OfThread &noted, int neighbor_step, int pruned_step,
                                             const Box &box) const {
    const int k = static_cast<int>(threadIdx.x);
    __syncthreads();  // all threads have read what the last one writes
    if (k < count && (renewed || pruned_step != noted.pruned_step))
      lists->shift[k] = noted.shift = box.edges() * noted.edges;
    if (k != most) return;
    lists->pruned_step = pruned_step;
    if (neighbor_step == noted.neighbor_step) return;
    lists->neighbor_step = neighbor_step;
    lists->box_before = noted.box;
    lists->box = noted.box = box;
  }
  /// Sets the shifts for a new box. Sets reasons to stop in the word `stop` if they differ too much from those at the
  /// pruned list, or if the box differs too much from that at the neighbour list.
  __device__ __forceinline__ void follow(const OfThread &noted, const Box &box, int *stop) const {
    const int k = static_cast<int>(threadIdx.x);
    if (k == most && !(displacements_of_corners(noted.box, box) <= most_of_corners)) atomicOr(stop, stop_box);
    if (k >= count) return;
    const Vec3<double> present = box.edges() * noted.edges;
    const double now[3] = {present.x, present.y, present.z};
    const double at_list[3] = {noted.shift.x, noted.shift.y, noted.shift.z};
    shift[k] = shift_in_counts(now, scale, Position());
    if (shift_exceeds(reserve, now, at_list)) atomicOr(stop, stop_pruned_list);
  }
};

/// The images and the path of the box in a batch that has a path and no barostat. All threads of one block of more than
/// BoxImages::most threads call the functions.
template <class Position>
struct BoxFollower {
  BoxImages<Position> images;
  DeviceBoxPath path;

  /// Notes the last lists, and sets the images for the box of the next step if that step `starts`. One block calls this
  /// for each kernel that ends a step, starts the next one, or both. `stop`: word of StepGuard::stop. Waits for the
  /// previous kernel.
  __device__ __forceinline__ void follow(const StepGuard *guard, int *stop, bool starts) const {
    typename BoxImages<Position>::OfThread noted = images.of_thread();
    wait_for_previous_kernel();
    if (guard->stopped) return;
    const int k = guard->completed;
    images.note_lists(noted, guard->neighbor_step, guard->list_step, path.step[k > 0 ? k - 1 : 0].box);
    if (starts) images.follow(noted, path.step[k].box, stop);
  }
};

/// BoxFollower::follow() behind a combined kernel, whose blocks compute forces with the images of the step before. One
/// block of tuning::box_block threads.
template <class Position>
__global__ void __launch_bounds__(tuning::box_block)
    box_path_kernel(const StepGuard *guard, int *stop, const BoxFollower<Position> follower) {
  follower.follow(guard, stop, true);
}

}  // namespace cuda
}  // namespace triad

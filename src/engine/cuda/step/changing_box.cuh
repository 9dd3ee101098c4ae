// What a batch needs on the device if it changes the box.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/cuda/lists/engine_lists.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/step/box_images.cuh"
#include "engine/cuda/step/step_job.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

/// In a batch that does not change the box, start(), launch_follower() and finish() do nothing. They report errors as
/// LoopError.
template <class Format>
class ChangingBox {
 public:
  using Position = typename PositionOf<Format>::type;

  ChangingBox(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineGhosts<Format> &ghosts,
              EngineLists<Format> &lists)
      : device_(device), tersoff_(tersoff), ghosts_(ghosts), lists_(lists) {}

  /// Prepares the images, copies what is known of the last lists and the path of the box to the device, and sets
  /// job.box_path if the batch has a path and no barostat. Must follow StepLauncher::start_guard().
  void start(const StepBatch &batch, StepJob<Format> &job);
  /// Takes the images of a neighbour list that the host has made in step `step` of a started batch. `box`: the box of
  /// the list.
  void take_list(const Box &box, long long step) {
    take_images(box);
    noted_.neighbor_step = static_cast<int>(step);
  }
  /// Takes from the rule how far the corners of the box may move until steps stop.
  void take_limit(const ListRule &rule) {
    images_.most_of_corners = rule.in_changing_box ? rule.in_changing_box->most_of_corners() : HUGE_VAL;
  }
  /// Tells rule.in_changing_box of the last neighbour list that the device has made, if there is one since the last
  /// call. Waits for the device.
  void note_lists(const ListRule &rule);
  /// What the kernels need that end and start steps of a batch with StepJob::box_path.
  BoxFollower<Position> follower() const { return {images_, path_}; }
  /// Launches box_path_kernel(), if the box follows a path, behind a combined kernel that has started a step.
  void launch_follower(const StepJob<Format> &job) const {
    if (job.box_path)
      launch(dependent_, 1, tuning::box_block, device_.stream(), "launching a step", box_path_kernel<Position>,
             job.guard, job.stop, follower());
  }
  /// To be called after the batch. The device must be idle.
  void finish(const StepBatch &batch) {
    if (!batch.changes_box()) return;
    note_lists(batch.list);
    lists_.take_list_shift(noted_.shift);
  }
  /// The boxes of the steps of a started batch. `of_barostat`: the box of a barostat in device memory, or null.
  BoxOfSteps of_steps(const ListRule &rule, const Box *of_barostat) const {
    if (!rule.in_changing_box) return {};
    return {of_barostat, path_.step, &images_.lists->box, rule.in_changing_box->skin()};
  }

  /// Notes whether the last launched step has renewed the pruned list even if that had not expired, as several GPUs do.
  void note_renewal(bool renewed) { images_.renewed = renewed; }
  /// True if the follower of the next step must tell the device so. barostat_kernel() does so in the same step;
  /// barostat_step_kernel() does not run on several GPUs.
  bool notes_renewal() const { return follows_path_ && images_.renewed; }

  const BoxImages<Position> &images() const { return images_; }
  const DeviceBoxPath &path() const { return path_; }
  std::size_t device_bytes() const { return lists_in_box_.bytes() + steps_.bytes(); }

 private:
  using Noted = ListsInBox<BoxImages<Position>::most>;

  void take_images(const Box &box);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineGhosts<Format> &ghosts_;
  EngineLists<Format> &lists_;
  const bool dependent_ = supports_dependent_launch();
  // of a started batch
  BoxImages<Position> images_ = {};
  DeviceBoxPath path_;
  bool follows_path_ = false;  // without a barostat
  // The last known content of lists_in_box_. Its neighbor_step is that of the last list that ChangingBoxLimit knows,
  // which the device notes at the end of that step.
  Noted noted_ = {};
  DeviceBuffer<Noted> lists_in_box_{"the box of lists"};
  DeviceBuffer<BoxStep> steps_{"the path of the box"};
};

template <class Format>
void ChangingBox<Format>::start(const StepBatch &batch, StepJob<Format> &job) {
  path_ = DeviceBoxPath();
  follows_path_ = batch.box_path && !batch.has_barostat();
  if (!batch.changes_box()) return;
  const char *const what = "starting a batch that changes the box";
  const Box &box = batch.has_barostat() ? batch.thermostats[0]->barostat.box : batch.box_path->steps[0].box;
  job.triclinic = box.triclinic;
  lists_in_box_.reserve(1);
  images_.lists = lists_in_box_.data();
  images_.renewed = false;
  images_.scale = tersoff_.scale();
  take_images(box);
  take_limit(batch.list);
  const StepGuard &guard = device_.reports().steps.guard;
  noted_.box = noted_.box_before = batch.list.in_changing_box ? batch.list.in_changing_box->at_list() : box;
  noted_.neighbor_step = guard.neighbor_step;
  noted_.pruned_step = guard.list_step;
  lists_.give_list_shift(noted_.shift);
  copy_to_device(lists_in_box_.data(), &noted_, 1, device_.stream(), what);
  if (!batch.box_path) return;
  const std::vector<BoxStep> &steps = batch.box_path->steps;
  steps_.reserve(batch.n_steps);
  copy_to_device(steps_.data(), steps.data(), batch.n_steps, device_.stream(), what);
  path_.step = steps_.data();
  path_.n_steps = static_cast<int>(batch.n_steps);
  std::copy_n(batch.box_path->deforms, 3, path_.deforms);
  if (follows_path_) job.box_path = path_.step;
}

template <class Format>
void ChangingBox<Format>::take_images(const Box &box) {
  const UpperTriangular per_edge = inverse(box.edges());
  const std::vector<double> &shift = ghosts_.plan().shift;
  const std::size_t count = shift.size() / 3;
  images_.shift = ghosts_.changing_shift();
  images_.count = static_cast<int>(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3<double> edges = per_edge * Vec3<double>{shift[3 * k], shift[3 * k + 1], shift[3 * k + 2]};
    const double along[3] = {edges.x, edges.y, edges.z};
    for (int d = 0; d < 3; ++d) images_.edges[k][d] = static_cast<signed char>(std::lround(along[d]));
  }
  images_.reserve = lists_.image_reserve();
}

template <class Format>
void ChangingBox<Format>::note_lists(const ListRule &rule) {
  const int known = noted_.neighbor_step;
  copy_to_host(&noted_, lists_in_box_.data(), 1, device_.stream(), "reading the box of lists");
  device_.wait("reading the box of lists");
  if (!rule.in_changing_box || noted_.neighbor_step == known) return;
  rule.in_changing_box->note_list(noted_.box_before);
  rule.in_changing_box->note_list(noted_.box);
}

}  // namespace cuda
}  // namespace triad

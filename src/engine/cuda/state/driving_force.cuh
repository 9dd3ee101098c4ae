// The driving force of fix hnemd/triad on the atoms of an engine.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "engine/cuda/ghosts/peer_exchange.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "forces/tersoff/cuda/driving_kernels.cuh"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class DrivingForce {
 public:
  DrivingForce(DeviceContext &device, TersoffDevice<Format> &tersoff, EngineAtoms<Format> &atoms,
               EngineGhosts<Format> &ghosts, PeerExchange<Format> &peers)
      : device_(device), tersoff_(tersoff), atoms_(atoms), ghosts_(ghosts), peers_(peers) {}

  /// Computes the driving forces in `field` (1/length) on all atoms from a pruned list that is current. `guard`: of the
  /// steps, or null. Collective. Asynchronous on one rank and in steps whose ghosts travel between GPUs.
  void launch(const double *field, StepGuard *guard);

  /// The atoms with the driving forces of the last launch() in place of the forces.
  DeviceState<Format> state() const {
    DeviceState<Format> state = atoms_.state();
    state.force = array();
    return state;
  }
  /// Completes the driving forces by GatherJob::with_stored_own(), unless its `reverse` is null.
  GatherJob<Format> gather() const {
    if (!gathers_) return {};
    GatherJob<Format> job = tersoff_.view_gather();
    job.own = array();
    job.gradient.base = gradient_.data();
    return job;
  }

  std::size_t device_bytes() const { return force_.bytes() + gradient_.bytes(); }

 private:
  using Real = typename Format::Real;

  ForceArray<Format> array() const { return {force_.data(), static_cast<std::size_t>(ghosts_.layout().n_all())}; }
  void launch_list(DrivingJob<Format> job);

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  EngineAtoms<Format> &atoms_;
  EngineGhosts<Format> &ghosts_;
  PeerExchange<Format> &peers_;
  bool gathers_ = false;
  DeviceBuffer<typename Format::Sum> force_{"driving forces"};
  DeviceBuffer<Real> gradient_{"driving forces of bonds"};
};

template <class Format>
void DrivingForce<Format>::launch(const double *field, StepGuard *guard) {
  const std::size_t n_all = ghosts_.layout().n_all();
  force_.reserve(ForceArray<Format>::elements(std::max<std::size_t>(n_all, 1)));
  const std::vector<ForceJob<Format>> lists = tersoff_.bonds();
  gathers_ = lists.size() == 1 && tersoff_.gathers() && tersoff_.rows_of_four();
  if (gathers_)
    gradient_.reserve(GradientArray<Real>::elements(tersoff_.view_gather().gradient.stride));
  else
    check(cudaMemsetAsync(force_.data(), 0, force_.bytes(), device_.stream()), "clearing driving forces");
  for (const ForceJob<Format> &list : lists) {
    DrivingJob<Format> job = {list, {Real(field[0]), Real(field[1]), Real(field[2])}, guard};
    job.bonds.force = array();
    if (gathers_) job.bonds.gradient = gather().gradient;
    launch_list(job);
  }
  if (guard && peers_.connected())
    peers_.exchange_driving_forces(peers_.peers(guard), array());
  else
    ghosts_.reverse(array());
}

template <class Format>
void DrivingForce<Format>::launch_list(DrivingJob<Format> job) {
  const PrunedListView &list = job.bonds.list;
  const long long general_rows = list.n_general + (list.length ? list.n_rows : 0ll);
  tersoff_.with_model([&](const auto &model) {
    using Model = std::decay_t<decltype(model)>;
    if (list.n_rows && list.n_general != list.n_rows)
      cuda::launch(false, blocks_for(list.n_rows, tuning::four_block), tuning::four_block, device_.stream(),
                   "computing driving forces", four_driving_kernel<Format, Model>, model, job);
    if (general_rows)
      cuda::launch(false, tersoff_.general_blocks(general_rows, tuning::heat_lanes), tuning::general_block,
                   device_.stream(), "computing driving forces", general_driving_kernel<Format, Model>, model, job);
  });
}

}  // namespace cuda
}  // namespace triad

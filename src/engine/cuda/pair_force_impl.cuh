// PairForceOnDevice: members.
#pragma once

#include "engine/cuda/cuda_engine_forces_impl.cuh"
#include "engine/cuda/pair_force.cuh"

namespace triad {
namespace cuda {

template <class Format>
PairForceOnDevice<Format>::PairForceOnDevice(const PairwiseSetup &setup, CudaEngine<Format> &engine)
    : engine_(engine),
      backend_(make_pairwise_device(setup, engine.device_, engine.stream_, &engine.reports_.data()->progress.stopped)) {
}

template <class Format>
void PairForceOnDevice<Format>::set_atoms(const PairAtomsView &atoms) {
  const cudaStream_t stream = engine_.stream_;
  const HaloPlan &halo = engine_.halo_;
  engine_.select();
  const std::size_t n = atoms.n;
  const int n_owned = engine_.atoms_.n_owned;
  view_ = atoms;
  const auto upload = [&](auto &buffer, auto *&array, std::size_t count) {
    if (!array) return;
    buffer.reserve(count);
    copy_to_device(buffer.data(), array, count, stream, "copying the atoms of a pair force");
    array = buffer.data();
  };
  upload(type_, view_.type, n);
  upload(strength_, view_.strength, n);
  upload(side_, view_.side, n);
  if (atoms.box) view_.box = &(box_ = *atoms.box);
  view_.n_owned = n_owned;
  view_.owner = nullptr;
  if (atoms.n > n_owned) {
    const int *owner = halo.owner.data(), *image = halo.image.data();
    upload(owner_, owner, halo.owner.size());
    upload(image_, image, halo.image.size());
    view_.owner = owner;
  }
  if (force_.reserve(3 * n)) check(cudaMemsetAsync(force_.data(), 0, force_.bytes(), stream), "clearing forces");
  check(cudaStreamSynchronize(stream), "copying the atoms of a pair force");
}

template <class Format>
void PairForceOnDevice<Format>::find_positions() {
  const int n_owned = engine_.atoms_.n_owned;
  engine_.for_each(n_owned, DecodeOp<Format>{engine_.state(), engine_.anchor_.data()}, "converting positions");
  view_.x = engine_.anchor_.data();
  if (view_.n == n_owned) return;
  if (shifts_ != engine_.halo_.shift) {
    shifts_ = engine_.halo_.shift;
    shift_.reserve(shifts_.size());
    copy_to_device(shift_.data(), shifts_.data(), shifts_.size(), engine_.stream_, "copying shifts of ghosts");
    engine_.stream_.wait("copying shifts of ghosts");
  }
  x_.reserve(3 * static_cast<std::size_t>(view_.n));
  engine_.for_each(view_.n,
                   GhostedOp{engine_.anchor_.data(), n_owned, owner_.data(), image_.data(), shift_.data(), x_.data()},
                   "finding the positions of ghosts");
  view_.x = x_.data();
}

template <class Format>
void PairForceOnDevice<Format>::compute(const TallyRequest &request, ResultsView &results, Target target) {
  const std::size_t n_owned = engine_.atoms_.n_owned;
  engine_.select();
  engine_.flush();
  find_positions();
  ResultsView computed = results;
  computed.force = target == Target::Nobody ? nullptr : force_.data();
  backend_->compute(view_, request, computed);
  results.energy = computed.energy;
  std::copy_n(computed.virial, 6, results.virial);
  if (target == Target::MdEngine)
    engine_.for_each(n_owned,
                     AddRowsOp<Format>{engine_.state(), force_.data(), &engine_.reports_.data()->bad_pair_force},
                     "adding pair forces");
  if (target != Target::Caller) return;
  force_host_.reserve(3 * n_owned);
  copy_to_host(force_host_.data(), force_.data(), 3 * n_owned, engine_.stream_, "copying pair forces");
  engine_.stream_.wait("copying pair forces");
  for (std::size_t k = 0; k < 3 * n_owned; ++k) results.force[k] += force_host_[k];
  check(cudaMemsetAsync(force_.data(), 0, force_.bytes(), engine_.stream_), "clearing forces");
}

template <class Format>
double PairForceOnDevice<Format>::device_bytes() const {
  return double(type_.bytes() + owner_.bytes() + image_.bytes() + strength_.bytes() + shift_.bytes() + x_.bytes() +
                force_.bytes() + side_.bytes());
}

template <class Format>
std::unique_ptr<PairForce> CudaEngine<Format>::make_pair_force(const PairwiseSetup &setup) {
  return std::make_unique<PairForceOnDevice<Format>>(setup, *this);
}

/// Computes the pair forces of a step behind its queued Tersoff forces. Returns false if the device has stopped before
/// this step, which the host knows once the first pair force is done.
template <class Format>
bool CudaEngine<Format>::add_pair_forces(const StepBatch &batch, long long step) {
  const volatile StepProgress &progress = reports_[0].progress;
  tersoff_.complete_forces(guard_.data());
  for (PairForceBatch *pair : batch.pair_forces) {
    ResultsView results;
    pair->force->compute(step == batch.n_steps ? pair->last : TallyRequest(), results, PairForce::Target::MdEngine);
    if (progress.stopped) return false;
    pair->totals = totals_of(results);
  }
  return true;
}

}  // namespace cuda
}  // namespace triad

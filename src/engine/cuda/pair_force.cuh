// Pair forces (fix pairwise/triad) on the atoms of an engine on the device.
#pragma once

#include <memory>
#include <vector>

#include "core/cuda/resources.cuh"
#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/queued_motion.cuh"
#include "engine/pair_force.h"

namespace triad {
namespace cuda {

/// Uses the atoms of an engine by way of some of its parts.
template <class Format>
class PairForceOnDevice final : public PairForce {
 public:
  /// The parts must stay valid.
  PairForceOnDevice(const PairwiseSetup &setup, DeviceContext &device, EngineAtoms<Format> &atoms,
                    QueuedMotion<Format> &motion, const EngineGhosts<Format> &ghosts)
      : device_(device),
        atoms_(atoms),
        motion_(motion),
        ghosts_(ghosts),
        backend_(make_pairwise_device(setup, device.index(), device.stream(), &device.reports().progress.stopped)) {}

  void set_atoms(const PairAtomsView &atoms) override;
  void set_neighbours(const PairListView &list) override { backend_->set_neighbours(list, view_); }
  void set_pairs(const PossiblePairsView &pairs) override { backend_->set_pairs(pairs, view_); }
  void compute(const TallyRequest &request, ResultsView &results, Target target) override;

  std::string description() const override { return backend_->description(); }
  double host_bytes() const override { return backend_->memory_usage(); }
  double device_bytes() const override;

 private:
  void find_positions();

  DeviceContext &device_;
  EngineAtoms<Format> &atoms_;
  QueuedMotion<Format> &motion_;
  const EngineGhosts<Format> &ghosts_;
  std::unique_ptr<PairwiseBackend> backend_;
  PairAtomsView view_;  // its arrays are in device memory
  PairBox box_;
  std::vector<double> shifts_;
  DeviceBuffer<int> type_{"types"}, owner_{"ghosts"}, image_{"ghosts"};
  DeviceBuffer<double> strength_{"strengths"}, shift_{"shifts of ghosts"}, x_{"positions"}, force_{"pair forces"};
  DeviceBuffer<std::uint8_t> side_{"sides"};
  PinnedBuffer<double> force_host_{"pair forces"};
};

/// Writes the positions of owned atoms and ghosts, [n][3], from the fp64 positions of the owned atoms (`anchor`).
struct GhostedOp {
  const double *anchor;
  int n_owned;
  const int *owner, *image;  ///< [ghosts]
  const double *shift;       ///< [images][3]
  double *x;
  __device__ void operator()(std::size_t i) const {
    const std::size_t n = n_owned, g = i - n;
    for (int axis = 0; axis < 3; ++axis)
      x[3 * i + axis] = i < n ? anchor[3 * i + axis]
                              : anchor[3 * static_cast<std::size_t>(owner[g]) + axis] +
                                    shift[3 * static_cast<std::size_t>(image[g]) + axis];
  }
};

/// Adds `rows`, forces [n][3], to the atoms' force accumulators, and clears `rows`.
template <class Format>
struct AddRowsOp {
  DeviceState<Format> state;
  double *rows;
  int *bad;  ///< receives 1 + index of an atom whose force is out of the accumulators' range
  __device__ void operator()(std::size_t i) const {
    double *r = rows + 3 * i;
    using Sum = typename Format::Sum;
    constexpr bool fixed = std::is_same<Sum, fixed_point::Word>::value;
    if (fixed && !(fabs(r[0]) + fabs(r[1]) + fabs(r[2]) < fixed_point::max_contribution))
      *bad = static_cast<int>(i) + 1;
    for (int axis = 0; axis < 3; ++axis) {
      state.force.component(i, axis) += to_accumulator<Sum>(r[axis]);
      r[axis] = 0;
    }
  }
};

template <class Format>
void PairForceOnDevice<Format>::set_atoms(const PairAtomsView &atoms) {
  const cudaStream_t stream = device_.stream();
  const HaloPlan &halo = ghosts_.plan();
  device_.select();
  const std::size_t n = atoms.n;
  const int n_owned = atoms_.n();
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
  const int n_owned = atoms_.n();
  atoms_.decode();
  view_.x = atoms_.anchor();
  if (view_.n == n_owned) return;
  if (shifts_ != ghosts_.plan().shift) {
    shifts_ = ghosts_.plan().shift;
    shift_.reserve(shifts_.size());
    copy_to_device(shift_.data(), shifts_.data(), shifts_.size(), device_.stream(), "copying shifts of ghosts");
    device_.wait("copying shifts of ghosts");
  }
  x_.reserve(3 * static_cast<std::size_t>(view_.n));
  device_.for_each(view_.n, GhostedOp{atoms_.anchor(), n_owned, owner_.data(), image_.data(), shift_.data(), x_.data()},
                   "finding the positions of ghosts");
  view_.x = x_.data();
}

template <class Format>
void PairForceOnDevice<Format>::compute(const TallyRequest &request, ResultsView &results, Target target) {
  const std::size_t n_owned = atoms_.n();
  device_.select();
  motion_.flush();
  find_positions();
  ResultsView computed = results;
  computed.force = target == Target::Nobody ? nullptr : force_.data();
  backend_->compute(view_, request, computed);
  results.energy = computed.energy;
  std::copy_n(computed.virial, 6, results.virial);
  if (target == Target::MdEngine)
    atoms_.for_each(AddRowsOp<Format>{atoms_.state(), force_.data(), &device_.reports().bad_pair_force},
                    "adding pair forces");
  if (target != Target::Caller) return;
  force_host_.reserve(3 * n_owned);
  copy_to_host(force_host_.data(), force_.data(), 3 * n_owned, device_.stream(), "copying pair forces");
  device_.wait("copying pair forces");
  for (std::size_t k = 0; k < 3 * n_owned; ++k) results.force[k] += force_host_[k];
  check(cudaMemsetAsync(force_.data(), 0, force_.bytes(), device_.stream()), "clearing forces");
}

template <class Format>
double PairForceOnDevice<Format>::device_bytes() const {
  return double(type_.bytes() + owner_.bytes() + image_.bytes() + strength_.bytes() + shift_.bytes() + x_.bytes() +
                force_.bytes() + side_.bytes());
}

}  // namespace cuda
}  // namespace triad

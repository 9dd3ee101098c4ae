// Pair forces (fix pairwise/triad) on the atoms of an engine on the device.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/cuda/resources.cuh"
#include "engine/cuda/ghosts/engine_ghosts.cuh"
#include "engine/cuda/ghosts/peer_exchange.cuh"
#include "engine/cuda/ghosts/row_exchange.cuh"
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
                    QueuedMotion<Format> &motion, const EngineGhosts<Format> &ghosts, const PeerExchange<Format> &peers)
      : all_pairs_(setup.range == PairRange::All),
        device_(device),
        atoms_(atoms),
        motion_(motion),
        ghosts_(ghosts),
        peers_(peers),
        exchange_(device),
        backend_(make_pairwise_device(setup, device.index(), device.stream(), &device.reports().progress.stopped)) {}

  void set_atoms(const PairAtomsView &atoms) override;
  void set_neighbours(const PairListView &list) override { backend_->set_neighbours(list, view_); }
  void set_pairs(const PossiblePairsView &pairs) override { backend_->set_pairs(pairs, view_); }
  void compute(const TallyRequest &request, ResultsView &results, Target target) override;

  std::string description() const override { return backend_->description(); }
  double host_bytes() const override { return backend_->memory_usage(); }
  double device_bytes() const override;

 private:
  /// True if the rows of other ranks are among those of this pair force.
  bool several_ranks() const { return rows_.plan.exchange; }
  void find_positions();
  void compute_and_add(const TallyRequest &request, ResultsView &results, Target target);
  void compute_on_rank(const TallyRequest &request, ResultsView &results);
  void clear_forces() { check(cudaMemsetAsync(force_.data(), 0, force_.bytes(), device_.stream()), "clearing forces"); }
  void check_ranks() const {
    if (!exchange_.lost()) return;
    peers_.check_ranks();
    throw LoopError("another rank has sent no atoms for pair forces; its GPU or its process has stopped");
  }

  const bool all_pairs_;
  DeviceContext &device_;
  EngineAtoms<Format> &atoms_;
  QueuedMotion<Format> &motion_;
  const EngineGhosts<Format> &ghosts_;
  const PeerExchange<Format> &peers_;
  RowPlan rows_;
  RowExchange exchange_;
  HostRows host_rows_;  // for tallies per atom
  std::unique_ptr<PairwiseBackend> backend_;
  PairAtomsView view_;  // its arrays are in device memory
  PairBox box_;
  RankSlice slice_;          // of all pairs
  bool in_compute_ = false;  // also after an error in compute(), which leaves forces in force_
  std::vector<double> atom_energy_, atom_virial_;
  std::vector<double> shifts_;
  DeviceBuffer<int> type_{"types"}, owner_{"ghosts"}, image_{"ghosts"};
  DeviceBuffer<double> strength_{"strengths"}, shift_{"shifts of ghosts"}, x_{"positions"}, force_{"pair forces"};
  DeviceBuffer<std::uint8_t> side_{"sides"};
  PinnedBuffer<double> force_host_{"pair forces"};
};

/// Writes the positions of owned atoms and their images, [n][3], from the fp64 positions of the owned atoms (`anchor`).
struct GhostedOp {
  const double *anchor;
  int n_owned;
  const int *owner, *image;  ///< [ghosts]
  const double *shift;       ///< [images][3]
  double *x;
  __device__ void operator()(std::size_t i) const {
    const std::size_t n = n_owned, g = i - n;
    if (i >= n && owner[g] == HaloPlan::remote) return;
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
  const bool gathers = all_pairs_ && halo.exchange;
  rows_ = gathers ? all_rows(*halo.exchange, n_owned) : rows_with_ghosts(halo, n_owned);
  if (gathers) slice_ = {halo.exchange->rank(), halo.exchange->ranks()};
  if (several_ranks()) {
    host_rows_.take(rows_.plan);
    exchange_.connect(rows_.plan, peers_.connected(), peers_.peers(nullptr).failure);
  }
  if (!all_pairs_ && atoms.n > n_owned) {
    const int *owner = halo.owner.data(), *image = halo.image.data();
    upload(owner_, owner, halo.owner.size());
    upload(image_, image, halo.image.size());
    view_.owner = owner;
  }
  reserve_cleared(force_, 3 * n, stream, "clearing forces");
  check(cudaStreamSynchronize(stream), "copying the atoms of a pair force");
  backend_->forget_errors();
}

template <class Format>
void PairForceOnDevice<Format>::find_positions() {
  const int n_owned = atoms_.n();
  atoms_.decode();
  view_.x = atoms_.anchor();
  if (view_.n == n_owned && !several_ranks()) return;
  const std::vector<double> &shifts = all_pairs_ ? rows_.plan.shift : ghosts_.plan().shift;
  if (shifts_ != shifts) {
    shifts_ = shifts;
    shift_.reserve(shifts_.size());
    copy_to_device(shift_.data(), shifts_.data(), shifts_.size(), device_.stream(), "copying shifts of ghosts");
    device_.wait("copying shifts of ghosts");
  }
  x_.reserve(3 * static_cast<std::size_t>(view_.n));
  device_.for_each(all_pairs_ ? n_owned : view_.n,
                   GhostedOp{atoms_.anchor(), n_owned, owner_.data(), image_.data(), shift_.data(),
                             x_.data() + 3 * static_cast<std::size_t>(rows_.first)},
                   "finding the positions of ghosts");
  if (several_ranks()) exchange_.forward(x_.data(), shift_.data());
  view_.x = x_.data();
}

/// Computes the forces and totals of this rank. An error of another rank may have left positions that are not valid.
template <class Format>
void PairForceOnDevice<Format>::compute_on_rank(const TallyRequest &request, ResultsView &results) {
  try {
    backend_->compute(view_, request, results, slice_);
  } catch (const LoopError &) {
    check_ranks();
    throw;
  }
  check_ranks();
}

template <class Format>
void PairForceOnDevice<Format>::compute(const TallyRequest &request, ResultsView &results, Target target) {
  device_.select();
  const bool failed = std::exchange(in_compute_, true);
  if (failed) clear_forces();
  compute_and_add(request, results, target);
  in_compute_ = false;
}

template <class Format>
void PairForceOnDevice<Format>::compute_and_add(const TallyRequest &request, ResultsView &results, Target target) {
  const std::size_t n_owned = atoms_.n();
  motion_.flush();
  check_ranks();
  find_positions();
  ResultsView computed = results;
  computed.force = target == Target::Nobody ? nullptr : force_.data();
  const auto of_all_rows = [&](bool wanted, int width, std::vector<double> &array) -> double * {
    if (!wanted) return nullptr;
    array.assign(static_cast<std::size_t>(width) * view_.n, 0.0);
    return array.data();
  };
  if (several_ranks()) {
    computed.atom_energy = of_all_rows(request.atom_energy, 1, atom_energy_);
    computed.atom_virial = of_all_rows(request.atom_virial, 6, atom_virial_);
  }
  compute_on_rank(request, computed);
  if (device_.reports().progress.stopped) return;  // in the same step on all ranks
  results.energy = computed.energy;
  std::copy_n(computed.virial, 6, results.virial);
  const auto deliver = [&](double *rows, int width, double *to) {
    if (!rows) return;
    host_rows_.reverse(rows, width);
    const double *const own = rows + static_cast<std::size_t>(width) * rows_.first;
    for (std::size_t k = 0; k < width * n_owned; ++k) to[k] += own[k];
  };
  if (several_ranks()) {
    if (target != Target::Nobody) exchange_.reverse(force_.data());
    deliver(computed.atom_energy, 1, results.atom_energy);
    deliver(computed.atom_virial, 6, results.atom_virial);
  }
  double *const own = force_.data() + 3 * static_cast<std::size_t>(rows_.first);
  if (target == Target::MdEngine)
    atoms_.for_each(AddRowsOp<Format>{atoms_.state(), own, &device_.reports().bad_pair_force}, "adding pair forces");
  if (target != Target::Caller) return;
  force_host_.reserve(3 * n_owned);
  copy_to_host(force_host_.data(), own, 3 * n_owned, device_.stream(), "copying pair forces");
  device_.wait("copying pair forces");
  for (std::size_t k = 0; k < 3 * n_owned; ++k) results.force[k] += force_host_[k];
  clear_forces();
}

template <class Format>
double PairForceOnDevice<Format>::device_bytes() const {
  return double(type_.bytes() + owner_.bytes() + image_.bytes() + strength_.bytes() + shift_.bytes() + x_.bytes() +
                force_.bytes() + side_.bytes() + exchange_.device_bytes());
}

}  // namespace cuda
}  // namespace triad

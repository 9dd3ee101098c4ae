// The CUDA backends of pair forces for atoms that are resident on the device. Only tallies are copied, and types when
// they change. Included by one translation unit per precision.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "core/messages.h"
#include "core/tuning.h"
#include "forces/pairwise/cuda/ordered_pairs.cuh"
#include "forces/pairwise/cuda/pair_list.cuh"
#include "forces/pairwise/cuda/pair_survey.cuh"
#include "forces/pairwise/cuda/pair_tally_copies.cuh"
#include "forces/pairwise/cuda/pairwise_cuda.cuh"
#include "forces/pairwise/pairwise_checks.h"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace cuda {

/// Host copies of atom arrays that are on the device.
class PairAtomCopies {
 public:
  PairAtomCopies(const PairAtomsView &atoms, cudaStream_t stream) : view_(atoms) {
    const std::size_t n = atoms.n;
    copy(view_.x, x_, 3 * n, stream);
    copy(view_.type, type_, n, stream);
    copy(view_.strength, strength_, n, stream);
    copy(view_.side, side_, n, stream);
    check(cudaStreamSynchronize(stream), "reading the atoms");
  }
  const PairAtomsView &view() const { return view_; }

 private:
  template <class T>
  static void copy(const T *&array, std::vector<T> &target, std::size_t n, cudaStream_t stream) {
    if (!array) return;
    target.resize(n);
    copy_to_host(target.data(), array, n, stream, "reading the atoms");
    array = target.data();
  }

  PairAtomsView view_;
  std::vector<double> x_, strength_;
  std::vector<int> type_;
  std::vector<std::uint8_t> side_;
};

/// Common part of the backends: results in the caller's arrays.
class PairwiseDeviceBackend : public PairwiseBackend {
 public:
  PairwiseDeviceBackend(const PairwiseSetup &setup, int device, cudaStream_t stream, const volatile int *stopped)
      : setup_(setup), device_(select_device(device)), stream_(stream), stopped_(stopped) {
    bad_.reserve(1);
    bad_[0] = 0;
  }

  void forget_errors() override { take_bad_atom(); }
  std::string description() const override { return describe_device(device_); }
  double memory_usage() const override { return tallies_.bytes(); }

 protected:
  /// Queues the forces in the caller's array and the copies of tallies to the host. `atom`: the atom of each slot, or
  /// null if slots are atoms.
  template <class Results>
  void collect(Results &computed, const int *atom, const PairAtomsView &atoms, const TallyRequest &request,
               const ResultsView &results) {
    computed.template collect<true>(atom, atoms.strength, results.force, tallies_.target(request, atoms.n, stream_),
                                    bad_.data(), stream_);
    tallies_.queue(request, computed.totals(), stream_);
  }

  /// Waits for the work that collect() has queued, and adds the tallies.
  void finish(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results) {
    check(cudaStreamSynchronize(stream_), "computing pair forces");
    if (const int bad = take_bad_atom()) throw_bad_pair_force(setup_, PairAtomCopies(atoms, stream_).view(), bad - 1);
    tallies_.deliver(request, atoms.n, 1, results);
  }

  /// Throws LoopError if a force of an earlier call that did not wait was not finite.
  void check_last_forces() {
    if (take_bad_atom())
      throw LoopError(
          "the force on an atom of the previous step is not a finite number; check for overlapping atoms and the time "
          "step, or use precision double");
  }

  [[noreturn]] void throw_bad_position(const PairAtomsView &atoms, int atom) {
    double x[3];
    copy_to_host(x, atoms.x + 3 * static_cast<std::size_t>(atom), 3, stream_, "reading a position");
    check(cudaStreamSynchronize(stream_), "reading a position");
    throw LoopError(position_not_a_number(x));
  }

  const PairwiseSetup setup_;
  const int device_;
  const cudaStream_t stream_;
  const volatile int *const stopped_;  // null for a caller that does not queue steps ahead

 private:
  /// Returns 1 + index of an atom whose force was not finite since the last call, or 0.
  int take_bad_atom() { return take_report(bad_[0]); }

  PairTallyCopies tallies_;
  PinnedBuffer<int> bad_{"a flag"};
};

template <class Format>
class AllPairsDeviceBackend final : public PairwiseDeviceBackend {
 public:
  AllPairsDeviceBackend(const PairwiseSetup &setup, int device, cudaStream_t stream, const volatile int *stopped)
      : PairwiseDeviceBackend(setup, device, stream, stopped), surveyor_(stream), pairs_(setup_, stream) {}

  void set_scaled_pairs(const ScaledPairsView &pairs) override {
    pairs_.set_scaled_pairs(pairs);
    stale_ = true;
  }

  void compute(const PairAtomsView &given, const TallyRequest &request, ResultsView &results,
               RankSlice slice) override {
    check_pair_arrays(setup_, given);
    select_device(device_);
    PairAtomsView atoms = given;
    if (!goes_by_type(setup_.law)) atoms.type = nullptr;
    PairGeometry geometry(atoms.box);
    const PairSurvey survey = surveyor_.survey(atoms, geometry);
    if (stopped_) check_last_forces();
    if (stopped_ && *stopped_) return;
    if (survey.bad_position) throw_bad_position(atoms, survey.bad_position - 1);
    geometry.set_extent(survey.extent, setup_);
    if (survey.changed) stale_ = true;
    if (stale_) {
      PairAtomsView attributes = given;
      attributes.x = attributes.strength = nullptr;
      const PairAtomCopies copies(attributes, stream_);
      attributes = copies.view();
      attributes.strength = given.strength;
      check_pair_atoms(setup_, attributes);
      pairs_.set_atoms(given.n, attributes.type, attributes.side);
      stale_ = false;
    }
    AllPairsDevice<Format> &pairs = pairs_.on_device();
    pairs.compute(atoms.x, atoms.strength, survey.strengths, geometry, request, slice);
    collect(pairs.results(), pairs.atom(), atoms, request, results);
    if (!stopped_ || request.any()) finish(given, request, results);
  }

 private:
  PairSurveyor surveyor_;
  OrderedPairs<Format> pairs_;
  bool stale_ = true;  // true if the order of atoms must be updated
};

/// Errors in atoms: 1 + index of an atom, or 0.
struct BadAtoms {
  int position, type;
};

/// Packs types and sides for storage with positions.
static __global__ void pack_types_kernel(PairAtomsView atoms, int n_types, double largest, int *packed, BadAtoms *bad) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= atoms.n) return;
  const double *x = atoms.x + 3 * static_cast<std::size_t>(i);
  if (!(fabs(x[0]) < largest && fabs(x[1]) < largest && fabs(x[2]) < largest)) bad->position = i + 1;
  const int type = atoms.type ? atoms.type[i] : 1;
  const bool known = type >= 1 && type <= n_types;
  if (!known) bad->type = i + 1;
  packed[i] = TypeAndSide::pack(known ? type - 1 : 0, atoms.side ? atoms.side[i] & 3 : 3);
}

template <class Format, class Position>
class PairListDeviceBackend final : public PairwiseDeviceBackend {
 public:
  PairListDeviceBackend(const PairwiseSetup &setup, int device, cudaStream_t stream, const volatile int *stopped)
      : PairwiseDeviceBackend(setup, device, stream, stopped), list_(setup_, stream) {
    bad_atoms_.reserve(1);
  }

  void set_neighbours(const PairListView &list, const PairAtomsView &atoms) override {
    if (setup_.range != PairRange::List) return PairwiseBackend::set_neighbours(list, atoms);
    const double cutoff = std::max(list.rows.cutoff, setup_.cutoff);
    if (!list.rows.neighbour) return list_.borrow_rows(list, cutoff);
    select_device(device_);
    PairListCsr rows;
    rows.set_neighbours(list);
    list_.set_rows(rows, cutoff);
  }

  void set_pairs(const PossiblePairsView &pairs, const PairAtomsView &atoms) override {
    if (setup_.range != PairRange::Pairs) return PairwiseBackend::set_pairs(pairs, atoms);
    select_device(device_);
    PairListCsr rows;
    rows.set_pairs(pairs, atoms.n, setup_.kernel == PairKernel::OneSided);
    list_.set_rows(rows, 1);
  }

  void compute(const PairAtomsView &given, const TallyRequest &request, ResultsView &results, RankSlice) override {
    check_pair_arrays(setup_, given);
    select_device(device_);
    PairAtomsView atoms = given;
    atoms.box = nullptr;  // ghosts are the images
    if (!goes_by_type(setup_.law)) atoms.type = nullptr;
    check_last_forces();
    bad_atoms_[0] = {};
    packed_.reserve(atoms.n);
    if (atoms.n)
      pack_types_kernel<<<blocks_for(atoms.n, tuning::elementwise_block), tuning::elementwise_block, 0, stream_>>>(
          atoms, setup_.n_types, PairGeometry(nullptr).largest_fraction(), packed_.data(), bad_atoms_.data());
    check(cudaGetLastError(), "checking the atoms");
    checked_.record(stream_);
    if (stopped_) {
      checked_.wait("checking the atoms");
      if (*stopped_) return;
    }
    list_.prepare(atoms.x, packed_.data(), atoms.n);
    list_.compute(atoms.strength, 0, request.any());
    if (atoms.owner) list_.results().send_to_owners(atoms.n_owned, atoms.owner, stream_);
    collect(list_.results(), nullptr, atoms, request, results);
    checked_.wait("checking the atoms");
    if (bad_atoms_[0].position) throw_bad_position(atoms, bad_atoms_[0].position - 1);
    if (bad_atoms_[0].type) check_pair_atoms(setup_, PairAtomCopies(atoms, stream_).view());
    if (request.any()) finish(atoms, request, results);
  }

 private:
  DeviceBuffer<int> packed_{"types"};
  PinnedBuffer<BadAtoms> bad_atoms_{"flags"};
  Event checked_;
  PairListDevice<Format, Position> list_;
};

/// Makes the backend for the range of the setup.
template <class Format>
std::unique_ptr<PairwiseBackend> make_pairwise_device_format(const PairwiseSetup &setup, int device,
                                                             cudaStream_t stream, const volatile int *stopped) {
  using ListPosition = std::conditional_t<std::is_same<Format, PairDouble>::value, DoublePosition, WrappedPosition>;
  switch (setup.range) {
    case PairRange::All:
      return std::make_unique<AllPairsDeviceBackend<Format>>(setup, device, stream, stopped);
    case PairRange::List:
      return std::make_unique<PairListDeviceBackend<Format, ListPosition>>(setup, device, stream, stopped);
    default:
      return std::make_unique<PairListDeviceBackend<Format, DoublePosition>>(setup, device, stream, stopped);
  }
}

}  // namespace cuda
}  // namespace triad

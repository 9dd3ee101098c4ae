// The CUDA backends of pair forces for host arrays: positions are copied to the device and forces to the host in every
// step, lists when they change. Included by one translation unit per precision.
#pragma once

#include "core/cuda/host_arrays.cuh"
#include "forces/pairwise/cuda/ordered_pairs.cuh"
#include "forces/pairwise/cuda/pair_list.cuh"
#include "forces/pairwise/cuda/pair_tally_copies.cuh"
#include "forces/pairwise/cuda/pairwise_cuda.cuh"
#include "forces/pairwise/pairwise_formats.h"

namespace triad {
namespace cuda {

/// Common part of the backends: copies of atoms and results.
class PairwiseCuda : public PairwiseBackend {
 public:
  PairwiseCuda(const PairwiseSetup &setup, int device, int n_threads) : setup_(setup), staging_(device, n_threads) {
    bad_.reserve(1);
  }

  std::string description() const override { return staging_.description(); }

  double memory_usage() const override { return staging_.bytes() + strength_.bytes() + tallies_.bytes(); }

 protected:
  void upload(const PairAtomsView &atoms) {
    staging_.upload_positions(atoms.x, atoms.n);
    const double *const strength = atoms.strength;
    if (strength && staging_.upload_changed(strength_, atoms.n, [strength](std::size_t k) { return strength[k]; }))
      strengths_ = strengths_of(atoms);
  }
  const double *strength(const PairAtomsView &atoms) const { return atoms.strength ? strength_.data() : nullptr; }

  /// Collects, copies and adds results. `atom`: the atom of each slot, or null if slots are atoms. Atoms without a slot
  /// receive nothing.
  template <class Results>
  void download(Results &of_slots, const int *atom, const PairAtomsView &atoms, const TallyRequest &request,
                ResultsView &results) {
    const std::size_t n = atoms.n;
    const cudaStream_t stream = staging_.stream();
    double *const force = staging_.forces(n);
    if (atom && n) check(cudaMemsetAsync(force, 0, 3 * n * sizeof(double), stream), "clearing results");
    bad_[0] = 0;
    of_slots.collect(atom, strength(atoms), force, tallies_.target(request, n, stream), bad_.data(), stream);
    staging_.download(
        results.force, "computing pair forces", [&] { tallies_.queue(request, of_slots.totals(), stream); },
        [&] {
          if (bad_[0]) throw_bad_pair_force(setup_, atoms, bad_[0] - 1);
        });
    tallies_.deliver(request, n, staging_.n_threads(), results);
  }

  const PairwiseSetup setup_;
  HostStaging staging_;
  UploadedArray<double> strength_{"strengths"};
  StrengthRange strengths_ = {0, 0};  ///< of the uploaded atoms

 private:
  PairTallyCopies tallies_;
  PinnedBuffer<int> bad_{"a flag"};
};

template <class Format>
class AllPairsCuda final : public PairwiseCuda {
 public:
  AllPairsCuda(const PairwiseSetup &setup, int device, int n_threads)
      : PairwiseCuda(setup, device, n_threads), pairs_(setup_, staging_.stream()) {}

  void set_scaled_pairs(const ScaledPairsView &pairs) override { pairs_.set_scaled_pairs(pairs); }

  void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
               RankSlice slice) override {
    check_pair_atoms(setup_, atoms);
    staging_.select();
    upload(atoms);  // the copy overlaps with the checks on the host
    const PairGeometry geometry(atoms, setup_, staging_.n_threads());
    pairs_.set_atoms(atoms.n, atoms.type, atoms.side);
    AllPairsDevice<Format> &pairs = pairs_.on_device();
    pairs.compute(staging_.positions(), strength(atoms), strengths_, geometry, request, slice);
    download(pairs.results(), pairs.atom(), atoms, request, results);
  }

 private:
  OrderedPairs<Format> pairs_;
};

template <class Format, class Position>
class PairListCuda final : public PairwiseCuda {
 public:
  PairListCuda(const PairwiseSetup &setup, int device, int n_threads)
      : PairwiseCuda(setup, device, n_threads), list_(setup_, staging_.stream()) {}

  void set_neighbours(const PairListView &list, const PairAtomsView &atoms) override {
    if (setup_.range != PairRange::List) return PairwiseBackend::set_neighbours(list, atoms);
    staging_.select();
    PairListCsr rows;
    rows.set_neighbours(list);
    list_.set_rows(rows, std::max(list.rows.cutoff, setup_.cutoff));
  }

  void set_pairs(const PossiblePairsView &pairs, const PairAtomsView &atoms) override {
    if (setup_.range != PairRange::Pairs) return PairwiseBackend::set_pairs(pairs, atoms);
    staging_.select();
    PairListCsr rows;
    rows.set_pairs(pairs, atoms.n, setup_.kernel == PairKernel::OneSided);
    list_.set_rows(rows, 1);  // positions are in fp64, which has no range limit
  }

  void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results, RankSlice) override {
    check_pair_atoms(setup_, atoms);
    staging_.select();
    PairAtomsView open = atoms;
    open.box = nullptr;                                              // ghosts are the images
    const PairGeometry checked(open, setup_, staging_.n_threads());  // throws if a position is not a number
    const bool typed = goes_by_type(setup_.law);
    upload(atoms);
    staging_.upload(packed_, atoms.n, [&](std::size_t k) {
      return TypeAndSide::pack(typed && atoms.type ? atoms.type[k] - 1 : 0, atoms.side ? atoms.side[k] & 3 : 3);
    });
    list_.prepare(staging_.positions(), packed_.data(), atoms.n);
    list_.compute(strength(atoms), strengths_.common(), request.any());
    download(list_.results(), nullptr, open, request, results);
  }

 private:
  UploadedArray<int> packed_{"types"};
  PairListDevice<Format, Position> list_;
};

/// Makes the backend for the range of the setup.
template <class Format>
std::unique_ptr<PairwiseBackend> make_pairwise_cuda_format(const PairwiseSetup &setup, int device, int n_threads) {
  using ListPosition = std::conditional_t<std::is_same<Format, PairDouble>::value, DoublePosition, WrappedPosition>;
  switch (setup.range) {
    case PairRange::All:
      return std::make_unique<AllPairsCuda<Format>>(setup, device, n_threads);
    case PairRange::List:
      return std::make_unique<PairListCuda<Format, ListPosition>>(setup, device, n_threads);
    default:
      return std::make_unique<PairListCuda<Format, DoublePosition>>(setup, device, n_threads);
  }
}

}  // namespace cuda
}  // namespace triad

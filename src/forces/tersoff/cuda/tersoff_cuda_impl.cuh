// The CUDA backend for host arrays: TersoffDevice with positions that are copied to the device in each step, the list
// when it is new, and forces back. One translation unit per precision includes this.
#pragma once

#include <utility>

#include "core/cuda/host_arrays.cuh"
#include "forces/tersoff/cuda/tally_copies.cuh"
#include "forces/tersoff/cuda/tersoff_device.cuh"

namespace triad {
namespace cuda {

template <class Format>
class TersoffCuda final : public TersoffBackend {
 public:
  TersoffCuda(const TersoffSetup &setup, int device, int n_threads)
      : setup_(setup),
        staging_(device, n_threads),
        tersoff_(setup.table, staging_.stream()),
        tallies_(staging_.n_threads()) {}

  void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) override {
    staging_.select();
    upload_rows(rows);
    staging_.upload(element_, atoms.n_all, element_of(atoms));
    if (atoms.owner)
      staging_.upload(owner_, atoms.n_all - atoms.n_owned, [&](std::size_t ghost) { return atoms.owner[ghost]; });
    staging_.stream().wait("copying the neighbour list");
    tersoff_.set_ghosts({atoms.n_owned, atoms.owner ? owner_.data() : nullptr});
    n_with_forces_ = atoms.owner ? atoms.n_owned : atoms.n_all;
    stale_ = true;
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    staging_.select();
    staging_.upload_positions(atoms.x, atoms.n_all);
    // fix atom/swap changes types while LAMMPS keeps its list
    if (staging_.upload_changed(element_, atoms.n_all, element_of(atoms))) stale_ = true;
    const bool new_rows = std::exchange(stale_, true);  // stays stale if the computation fails
    constexpr auto overwrite = TersoffDevice<Format>::Target::Overwrite;
    double *const force = staging_.forces(n_with_forces_);
    const auto done = tersoff_.compute(rows_, new_rows, staging_.positions(), {element_.data()}, atoms.n_all, request,
                                       {force, overwrite, n_with_forces_});
    stale_ = false;
    if (!done.collected) tersoff_.collect(force, overwrite, n_with_forces_);
    staging_.download(
        results.force, "computing forces", [&] { tallies_.queue(tersoff_, request, atoms.n_all, staging_.stream()); },
        [&] { tersoff_.check_forces(staging_.positions()); });
    tallies_.deliver(request, results);
  }

  std::string description() const override { return staging_.description(); }

  double memory_usage() const override {
    return staging_.bytes() + element_.bytes() + owner_.bytes() + offset_.bytes() + centre_.bytes() +
           neighbour_.bytes() + double(tallies_.bytes());
  }

 private:
  auto element_of(const AtomsView &atoms) const {
    return [type = atoms.type, table = setup_.type_to_element.data()](std::size_t i) { return table[type[i]]; };
  }

  /// Copies the list to the device as one array, by way of page-locked memory.
  void upload_rows(const NeighborListView &rows) {
    const int n = rows.n_rows;
    const Stream &stream = staging_.stream();
    long long *const offset = offset_.stage(static_cast<std::size_t>(n) + 1, stream);
    int *const centre = centre_.stage(n, stream);
    bool identity = true;
    offset[0] = 0;
    for (int r = 0; r < n; ++r) {
      centre[r] = rows.centre[r];
      identity = identity && centre[r] == r;
      offset[r + 1] = offset[r] + rows.length[centre[r]];
    }
    int *const neighbour = neighbour_.stage(offset[n], stream);
#pragma omp parallel for num_threads(staging_.n_threads()) schedule(static)
    for (int r = 0; r < n; ++r) {
      const int i = rows.centre[r];
      int *target = neighbour + offset[r];
      const int *source = rows.first(i);
      for (int k = 0; k < rows.length[i]; ++k) target[k] = source[k * rows.entry_stride] & rows.mask;
    }
    offset_.start_copy(static_cast<std::size_t>(n) + 1, stream);
    if (!identity) centre_.start_copy(n, stream);
    neighbour_.start_copy(offset[n], stream);
    rows_ = {n, identity ? nullptr : centre_.data(), offset_.data(), neighbour_.data(), rows.cutoff};
  }

  TersoffSetup setup_;
  HostStaging staging_;
  TersoffDevice<Format> tersoff_;
  TallyCopies tallies_;
  bool stale_ = true;
  DeviceNeighborList rows_ = {};
  int n_with_forces_ = 0;  // atoms that receive forces
  UploadedArray<int> element_{"elements"}, owner_{"owners of ghosts"}, centre_{"the neighbour list"},
      neighbour_{"the neighbour list"};
  UploadedArray<long long> offset_{"the neighbour list"};
};

template <class Format>
std::unique_ptr<TersoffBackend> make_tersoff_cuda_format(const TersoffSetup &setup, int device, int n_threads) {
  return std::make_unique<TersoffCuda<Format>>(setup, device, n_threads);
}

}  // namespace cuda
}  // namespace triad

#include <vector>

#include "forces/device_pairs.h"
#include "neighbor/device_table.cuh"

namespace triad {
namespace {

class DevicePairsWithCopies final : public PairwiseBackend {
 public:
  explicit DevicePairsWithCopies(const PairwiseSetup &setup) : backend_(make_pairwise_device(setup, 0, stream_)) {}

  void set_neighbours(const PairListView &list, const PairAtomsView &atoms) override {
    backend_->set_neighbours({table_.fill(list.rows, atoms.n, stream_), list.full}, uploaded(atoms));
  }
  void set_pairs(const PossiblePairsView &pairs, const PairAtomsView &atoms) override {
    backend_->set_pairs(pairs, uploaded(atoms));
  }
  void set_scaled_pairs(const ScaledPairsView &pairs) override { backend_->set_scaled_pairs(pairs); }

  void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
               RankSlice slice) override {
    const std::size_t n = 3 * static_cast<std::size_t>(atoms.n);
    const PairAtomsView on_device = uploaded(atoms);
    ResultsView view = results;
    force_.fill(results.force, n, stream_);
    view.force = force_.data();
    backend_->compute(on_device, request, view, slice);
    cuda::copy_to_host(results.force, force_.data(), n, stream_, "reading forces");
    stream_.wait("reading forces");
    results.energy = view.energy;
    std::copy(view.virial, view.virial + 6, results.virial);
    if (!request.any_total() &&
        !request.any_per_atom()) {  // reports errors of the forces above; its own forces are discarded
      view.force = nullptr;
      backend_->compute(on_device, request, view, slice);
    }
  }

  std::string description() const override { return backend_->description(); }
  double memory_usage() const override { return backend_->memory_usage(); }

 private:
  PairAtomsView uploaded(const PairAtomsView &atoms) {
    const std::size_t n = atoms.n;
    PairAtomsView view = atoms;
    view.x = x_.fill(atoms.x, 3 * n, stream_);
    view.type = type_.fill(atoms.type, n, stream_);
    view.strength = strength_.fill(atoms.strength, n, stream_);
    view.side = side_.fill(atoms.side, n, stream_);
    view.owner = owner_.fill(atoms.owner, n - atoms.n_owned, stream_);
    return view;
  }

  cuda::Stream stream_;
  UploadedCopy<double> x_, strength_, force_;
  UploadedCopy<int> type_, owner_;
  UploadedCopy<std::uint8_t> side_;
  DeviceTable table_;
  std::unique_ptr<PairwiseBackend> backend_;
};

}  // namespace

std::unique_ptr<PairwiseBackend> make_device_pairs_with_copies(const PairwiseSetup &setup) {
  return std::make_unique<DevicePairsWithCopies>(setup);
}

}  // namespace triad

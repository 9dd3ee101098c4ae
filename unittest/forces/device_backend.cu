#include <algorithm>

#include "forces/device_backend.h"
#include "neighbor/device_table.cuh"

namespace triad {
namespace {

class DeviceWithCopies final : public TersoffBackend {
 public:
  explicit DeviceWithCopies(const TersoffSetup &setup) : backend_(make_tersoff_device(setup, 0, stream_)) {}

  void set_neighbours(const NeighborListView &rows, const AtomsView &atoms) override {
    backend_->set_neighbours(table_.fill(rows, atoms.n_all, stream_), uploaded(atoms));
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    const std::size_t n = 3 * static_cast<std::size_t>(atoms.n_all);
    const AtomsView on_device = uploaded(atoms);
    force_.fill(results.force, n, stream_);
    ResultsView view = results;
    view.force = force_.data();
    backend_->compute(on_device, request, view);
    cuda::copy_to_host(results.force, force_.data(), n, stream_, "reading forces");
    stream_.wait("reading forces");
    results.energy = view.energy;
    std::copy(view.virial, view.virial + 6, results.virial);
    if (!request.any_total() && !request.any_per_atom())  // the next call reports errors of these forces
      backend_->compute(on_device, request, view);
  }

  std::string description() const override { return backend_->description(); }
  double memory_usage() const override { return backend_->memory_usage(); }

 private:
  AtomsView uploaded(const AtomsView &atoms) {
    const std::size_t n = atoms.n_all;
    return {atoms.n_owned, atoms.n_all, x_.fill(atoms.x, 3 * n, stream_), type_.fill(atoms.type, n, stream_),
            owner_.fill(atoms.owner, n - atoms.n_owned, stream_)};
  }

  cuda::Stream stream_;
  UploadedCopy<double> x_, force_;
  UploadedCopy<int> type_, owner_;
  DeviceTable table_;
  std::unique_ptr<TersoffBackend> backend_;
};

}  // namespace

std::unique_ptr<TersoffBackend> make_device_with_copies(const TersoffSetup &setup) {
  return std::make_unique<DeviceWithCopies>(setup);
}

}  // namespace triad

#include <algorithm>
#include <vector>

#include "loops/cuda/resources.cuh"
#include "loops/resident_backend.h"

namespace triad {
namespace {

using cuda::copy_to_device;
using cuda::copy_to_host;
using cuda::DeviceBuffer;

class ResidentWithCopies final : public TersoffBackend {
 public:
  explicit ResidentWithCopies(const TersoffSetup &setup) : resident_(make_tersoff_resident(setup, 0, stream_)) {}

  void set_neighbours(const RowsView &rows, const AtomsView &atoms) override {
    const std::size_t n = atoms.n_all;
    std::vector<int> length(n, 0);
    int longest = 0;
    for (int r = 0; r < rows.n_rows; ++r) {
      length[rows.centre[r]] = rows.length[rows.centre[r]];
      longest = std::max(longest, rows.length[rows.centre[r]]);
    }
    std::vector<int> table(n * longest);
    for (std::size_t i = 0; i < n; ++i)
      for (int k = 0; k < length[i]; ++k) table[i + k * n] = rows.first(int(i))[k * rows.entry_stride];
    upload(centre_, rows.centre, rows.n_rows);
    upload(length_, length.data(), n);
    upload(table_, table.data(), table.size());
    RowsView on_device;
    on_device.n_rows = rows.n_rows;
    on_device.centre = centre_.data();
    on_device.length = length_.data();
    on_device.table = table_.data();
    on_device.row_stride = 1;
    on_device.entry_stride = n;
    on_device.mask = rows.mask;
    on_device.reach = rows.reach;
    resident_->set_neighbours(on_device, uploaded(atoms));
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    const std::size_t n = 3 * static_cast<std::size_t>(atoms.n_all);
    const AtomsView on_device = uploaded(atoms);
    upload(force_, results.force, n);
    ResultsView view = results;
    view.force = force_.data();
    resident_->compute(on_device, request, view);
    copy_to_host(results.force, force_.data(), n, stream_, "reading forces");
    stream_.wait("reading forces");
    results.energy = view.energy;
    std::copy(view.virial, view.virial + 6, results.virial);
    if (!request.any_total() && !request.any_per_atom())  // the next call reports what is wrong with this one's forces
      resident_->compute(on_device, request, view);
  }

  std::string description() const override { return resident_->description(); }
  double memory_usage() const override { return resident_->memory_usage(); }

 private:
  AtomsView uploaded(const AtomsView &atoms) {
    upload(x_, atoms.x, 3 * static_cast<std::size_t>(atoms.n_all));
    upload(type_, atoms.type, atoms.n_all);
    if (atoms.home) upload(home_, atoms.home, atoms.n_all - atoms.n_owned);
    return {atoms.n_owned, atoms.n_all, x_.data(), type_.data(), atoms.home ? home_.data() : nullptr};
  }
  template <class T>
  void upload(DeviceBuffer<T> &target, const T *source, std::size_t n) {
    target.reserve(n);
    copy_to_device(target.data(), source, n, stream_, "filling");
    stream_.wait("filling");
  }

  cuda::Stream stream_;
  DeviceBuffer<double> x_{"a test"}, force_{"a test"};
  DeviceBuffer<int> type_{"a test"}, home_{"a test"}, centre_{"a test"}, length_{"a test"}, table_{"a test"};
  std::unique_ptr<TersoffBackend> resident_;
};

}  // namespace

std::unique_ptr<TersoffBackend> make_resident_with_copies(const TersoffSetup &setup) {
  return std::make_unique<ResidentWithCopies>(setup);
}

}  // namespace triad

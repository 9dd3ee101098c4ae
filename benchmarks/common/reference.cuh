// Reference forces for the fast kernels: fp64, one thread per centre, any number of neighbours, directly from a list
// with skin. The reference uses the same terms as the tested kernels, but other lists, another loop order and other
// number formats; unittest/ tests the terms themselves.
#pragma once

#include "common/device.cuh"
#include "forces/tersoff/tersoff_atom.h"

namespace triad {
namespace bench {

constexpr int reference_bonds = 32;  // maximum number of neighbours of a centre within the potential's cutoff

struct ReferenceJob {
  int n_rows;
  const long long *offset;
  const int *neighbour;
  const double *x;  ///< [n_all][3]
  double length;    ///< edge of a periodic cube when neighbours are originals, 0 when they are ghosts
  double *force;    ///< [n_all][3], added to
  double *energy;   ///< [n_rows]
  int *too_many;    ///< set when a centre has more than reference_bonds
};

static __global__ void reference_kernel(OneElement<TersoffParams<double>, false> model, ReferenceJob job) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= job.n_rows) return;
  const double *xi = job.x + 3 * static_cast<std::size_t>(i);
  int index[reference_bonds], n = 0;
  BondRecord<double> record[reference_bonds];
  for (long long s = job.offset[i]; s < job.offset[i + 1]; ++s) {
    const int j = job.neighbour[s];
    double d[3];
    for (int axis = 0; axis < 3; ++axis) {
      d[axis] = job.x[3 * static_cast<std::size_t>(j) + axis] - xi[axis];
      if (job.length > 0) d[axis] -= job.length * rint(d[axis] / job.length);
    }
    if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] >= model.params.outer * model.params.outer) continue;
    if (n == reference_bonds) {
      *job.too_many = 1;
      return;
    }
    index[n] = j;
    record[n++] = make_record(model, 0, 0, make_bond(Vec3<double>{d[0], d[1], d[2]}));
  }
  double energy = 0;
  for (int j = 0; j < n; ++j) {
    record[j].energy = general_bond_energy(model, 0, j, n, record);
    energy += record[j].energy.energy;
  }
  Vec3<double> own = {0, 0, 0};
  for (int j = 0; j < n; ++j) {
    const Vec3<double> g = general_gradient<false>(model, 0, j, n, record, nullptr);
    double *f = job.force + 3 * static_cast<std::size_t>(index[j]);
    atomicAdd(f, -g.x);
    atomicAdd(f + 1, -g.y);
    atomicAdd(f + 2, -g.z);
    own = own + g;
  }
  double *f = job.force + 3 * static_cast<std::size_t>(i);
  atomicAdd(f, own.x);
  atomicAdd(f + 1, own.y);
  atomicAdd(f + 2, own.z);
  job.energy[i] = energy;
}

/// Reference forces of silicon with a constant list.
class Reference {
 public:
  struct Result {
    std::vector<double> force;  ///< [n_all][3]
    double energy;              ///< eV
  };

  /// `length`: see ReferenceJob.
  Reference(const TersoffTable &table, const std::vector<long long> &offset, const std::vector<int> &neighbour,
            double length, cudaStream_t stream)
      : model_{TersoffParams<double>(table.triplets[0]), 0},
        n_rows_(static_cast<int>(offset.size()) - 1),
        length_(length),
        stream_(stream) {
    upload(offset_, offset, stream);
    upload(neighbour_, neighbour, stream);
  }

  /// Computes forces for positions x [n_all][3] on the device.
  Result compute(const double *x, int n_all) {
    const std::size_t n = 3 * static_cast<std::size_t>(n_all);
    force_.reserve(n);
    energy_.reserve(n_rows_);
    too_many_.reserve(1);
    check(cudaMemsetAsync(force_.data(), 0, n * sizeof(double), stream_), "clearing reference forces");
    check(cudaMemsetAsync(too_many_.data(), 0, sizeof(int), stream_), "clearing a flag");
    reference_kernel<<<cuda::blocks_for(n_rows_, 64), 64, 0, stream_>>>(
        model_,
        {n_rows_, offset_.data(), neighbour_.data(), x, length_, force_.data(), energy_.data(), too_many_.data()});
    check(cudaGetLastError(), "computing reference forces");
    Result result = {download(force_.data(), n, stream_), 0};
    for (const double e : download(energy_.data(), n_rows_, stream_)) result.energy += e;
    if (download(too_many_.data(), 1, stream_)[0])
      throw LoopError("an atom has more than " + std::to_string(reference_bonds) + " neighbours within the cutoff");
    return result;
  }

 private:
  OneElement<TersoffParams<double>, false> model_;
  int n_rows_;
  double length_;
  cudaStream_t stream_;
  DeviceBuffer<long long> offset_{"the reference's list"};
  DeviceBuffer<int> neighbour_{"the reference's list"};
  DeviceBuffer<double> force_{"reference forces"}, energy_{"reference energies"};
  DeviceBuffer<int> too_many_{"a flag"};
};

/// Maximum difference of two sets of forces, eV/Angstrom; NaN counts as infinite.
inline double largest_difference(const std::vector<double> &a, const std::vector<double> &b) {
  double largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::fabs(a[k] - b[k]);
    if (!(difference <= largest)) largest = std::isnan(difference) ? INFINITY : difference;
  }
  return largest;
}

}  // namespace bench
}  // namespace triad

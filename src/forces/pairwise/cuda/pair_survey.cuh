// Properties of atoms on the device that the host needs before a computation over all pairs.
#pragma once

#include <cstdint>
#include <vector>

#include "core/cuda/resources.cuh"
#include "forces/pairwise/pair_geometry.h"
#include "forces/pairwise/pairwise_checks.h"

namespace triad {
namespace cuda {

struct PairSurvey {
  PairExtent extent;
  StrengthRange strengths;
  int bad_position;  ///< 1 + index of an atom with a fractional coordinate out of range, or 0
  bool changed;      ///< true if types or sides differ from the last survey

  TRIAD_HD static PairSurvey of_nothing() {
    return {{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}, {INFINITY, -INFINITY}, 0, false};
  }
  TRIAD_HD void add(const PairSurvey &other) {
    for (int axis = 0; axis < 3; ++axis) {
      extent.low[axis] = ::fmin(extent.low[axis], other.extent.low[axis]);
      extent.high[axis] = ::fmax(extent.high[axis], other.extent.high[axis]);
    }
    strengths.least = ::fmin(strengths.least, other.strengths.least);
    strengths.most = ::fmax(strengths.most, other.strengths.most);
    bad_position = bad_position > other.bad_position ? bad_position : other.bad_position;
    changed = changed || other.changed;
  }
};

constexpr int survey_threads = 256, survey_blocks = 256;

/// Writes one record per block. The current types and sides are stored in the `kept` arrays.
static __global__ void __launch_bounds__(survey_threads)
    survey_kernel(PairAtomsView atoms, int *kept_type, std::uint8_t *kept_side, PointMaker maker, double largest,
                  PairSurvey *found) {
  PairSurvey own = PairSurvey::of_nothing();
  for (int i = blockIdx.x * survey_threads + threadIdx.x; i < atoms.n; i += gridDim.x * survey_threads) {
    const Vec3<double> s = maker.fraction(atoms.x + 3 * static_cast<std::size_t>(i));
    const double strength = atoms.strength ? atoms.strength[i] : 0;
    PairSurvey of_atom = {{{s.x, s.y, s.z}, {s.x, s.y, s.z}}, {strength, strength}, 0, false};
    if (!(fabs(s.x) < largest && fabs(s.y) < largest && fabs(s.z) < largest)) of_atom.bad_position = i + 1;
    if (atoms.type && kept_type[i] != atoms.type[i]) {
      kept_type[i] = atoms.type[i];
      of_atom.changed = true;
    }
    if (atoms.side && kept_side[i] != atoms.side[i]) {
      kept_side[i] = atoms.side[i];
      of_atom.changed = true;
    }
    own.add(of_atom);
  }
  __shared__ PairSurvey of_thread[survey_threads];
  of_thread[threadIdx.x] = own;
  for (unsigned half = survey_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) of_thread[threadIdx.x].add(of_thread[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) found[blockIdx.x] = of_thread[0];
}

class PairSurveyor {
 public:
  explicit PairSurveyor(cudaStream_t stream) : stream_(stream) { found_.reserve(survey_blocks); }

  /// Examines atoms whose arrays are on the device. An array that is null now but was not null in the last survey, or
  /// the reverse, counts as changed. Waits for the stream.
  PairSurvey survey(const PairAtomsView &atoms, const PairGeometry &geometry) {
    const bool new_memory = kept_type_.reserve(atoms.type ? atoms.n : 0) | kept_side_.reserve(atoms.side ? atoms.n : 0);
    const unsigned blocks = std::min<unsigned>(blocks_for(atoms.n, survey_threads), survey_blocks);
    if (blocks)
      survey_kernel<<<blocks, survey_threads, 0, stream_>>>(
          atoms, kept_type_.data(), kept_side_.data(), geometry.maker(), geometry.largest_fraction(), found_.data());
    check(cudaGetLastError(), "checking the atoms");
    check(cudaStreamSynchronize(stream_), "checking the atoms");
    PairSurvey all = blocks ? PairSurvey::of_nothing() : PairSurvey{};
    for (unsigned b = 0; b < blocks; ++b) all.add(found_[b]);
    const bool other = atoms.n != n_ || bool(atoms.type) != typed_ || bool(atoms.side) != sided_;
    all.changed = all.changed || other || new_memory;
    n_ = atoms.n;
    typed_ = atoms.type;
    sided_ = atoms.side;
    return all;
  }

 private:
  cudaStream_t stream_;
  int n_ = -1;
  bool typed_ = false, sided_ = false;
  DeviceBuffer<int> kept_type_{"types"};
  DeviceBuffer<std::uint8_t> kept_side_{"sides"};
  PinnedBuffer<PairSurvey> found_{"properties of the atoms"};
};

}  // namespace cuda
}  // namespace triad

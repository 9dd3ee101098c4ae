// Where atoms are expected to be until the next pruned list: the mean of each atom's path, around which the list
// measures its displacements, and how far the path leads away from there.
#pragma once

#include <type_traits>

#include "engine/cuda/state/device_state.cuh"
#include "engine/tuning.h"

namespace triad {
namespace cuda {

/// Writes ExpectedPositions (neighbor/cuda/pruned_list.cuh): the mean of the path, or an average of that and of the
/// reference of the atom in the list before.
template <class Format>
struct ExpectedPath {
  using Position = typename PositionOf<Format>::type;

  Position *position = nullptr;  ///< [n] output, or null: the path is not needed
  PositionScale scale;
  /// Largest distance of the mean of a path from the atom, length units: at most the narrowest inner skin, so that the
  /// atom is within its share whatever skin the list has.
  float most = 0;
  float step_length = 0;             ///< length units per unit of Coordinates::step
  const Position *before = nullptr;  ///< [n] references of the list before, or null: no averages
  float weight = 1;                  ///< of the mean of the path in the average

  /// Writes the expected position of an atom at `at`. In units of Coordinates::step: `by` is the displacement of a step
  /// with the velocity of the last drift, and `bend` that of a step with the velocity of a half kick. While the force
  /// stays as it is, velocity Verlet displaces the atom in k steps by k by + k (k + 1) bend.
  __device__ __forceinline__ void store(std::size_t i, const Position &at, const Vec3<float> &by,
                                        const Vec3<float> &bend) const {
    constexpr float n = tuning::expected_steps;
    Vec3<float> mean = step_length * ((n / 2) * by + (n * n / 3 + n / 2) * bend);
    float from_here = sqrtf(dot(mean, mean));
    if (from_here > most) {
      mean = (most / from_here) * mean;
      from_here = most;
    }
    const Vec3<float> rest = step_length * (n * by + (n * n + n) * bend) + -1.0f * mean;
    const float to_end = sqrtf(dot(rest, rest));
    if (before) mean = shortened(averaged(i, at, mean), tuning::most_distance_of_average * most);
    position[i] = expected_at(displaced(at, shift_of(mean)), tuning::share_of_path * fmaxf(from_here, to_end));
  }

 private:
  /// The average of the mean of the path and the reference before, both relative to the atom at `at`.
  __device__ __forceinline__ Vec3<float> averaged(std::size_t i, const Position &at, const Vec3<float> &mean) const {
    return weight * mean + (1 - weight) * as_float(difference(at, load(before + i), scale));
  }
  static __device__ __forceinline__ Vec3<float> shortened(const Vec3<float> &v, float most) {
    const float length = sqrtf(dot(v, v));
    return length > most ? (most / length) * v : v;
  }
  __device__ __forceinline__ Position shift_of(const Vec3<float> &by) const {
    if constexpr (std::is_same<Position, WrappedPosition>::value) {
      const float counts = static_cast<float>(scale.per_length);
      return {__float2int_rn(counts * by.x), __float2int_rn(counts * by.y), __float2int_rn(counts * by.z), 0};
    } else {
      return {by.x, by.y, by.z, 0};
    }
  }
};

}  // namespace cuda
}  // namespace triad

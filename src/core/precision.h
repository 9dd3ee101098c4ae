// The three precisions and their number formats.
//
//   single   fp32 terms, forces accumulated in fp32
//   mixed    fp32 terms of distances kept to about 40 bits, forces accumulated in 64-bit fixed point: the sum does not
//            depend on the order of threads
//   double   fp64 terms and sums
//
// On the device, single and mixed compute differences of positions exactly to 2^-32 of a range that the neighbour list
// determines (core/cuda/formats.cuh). On the host all precisions compute differences in fp64. Energies and virials are
// summed in fp64.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/portable_math.h"

namespace triad {

enum class Precision { Single, Mixed, Double };
constexpr Precision all_precisions[] = {Precision::Single, Precision::Mixed, Precision::Double};

/// Returns the name of a precision in scripts.
constexpr const char *name_of(Precision precision) {
  constexpr const char *names[] = {"single", "mixed", "double"};
  return names[static_cast<int>(precision)];
}

/// Calls f(format) with an object of the number formats of a precision, Formats::Single, Formats::Mixed or
/// Formats::Double, and returns the result. The results of the three calls must have the same type.
template <class Formats, class F>
auto with_format(Precision precision, F &&f) {
  switch (precision) {
    case Precision::Single:
      return f(typename Formats::Single());
    case Precision::Mixed:
      return f(typename Formats::Mixed());
    default:
      return f(typename Formats::Double());
  }
}

/// Signed 64-bit fixed point for forces. The quantum of 2^-32 force units (2.3e-10 eV/A) is hundreds of times smaller
/// than the rounding error of an fp32 term of 1 eV/A. A contribution must be smaller than 2^20 force units, and 2^11
/// such contributions would reach 2^63 quanta, where a sum wraps. A neighbour makes two contributions to the force on
/// an atom: the gradient that the atom computes for the neighbour, and the reaction to the gradient that the neighbour
/// computes for the atom. An atom must therefore have fewer than 2^10 neighbours. Both limits are checked; the GPU
/// counts the entries of the pruned list, and the CPU the neighbours within the cutoff. Per-atom tallies use the same
/// format; tallies are products of checked forces and bond lengths.
namespace fixed_point {

using Word = std::int64_t;

constexpr float per_unit = 4294967296.0f;       // 2^32
constexpr double quantum = 1.0 / 4294967296.0;  // 2^-32
constexpr float max_contribution = 1048576.0f;  // 2^20
constexpr int neighbour_limit = 1024;           // an atom must have fewer: 2 * 2^10 * 2^20 * 2^32 = 2^63

/// False for NaN and for a contribution out of range.
TRIAD_HD bool in_range(const Vec3<float> &f) {
  return math::abs(f.x) + math::abs(f.y) + math::abs(f.z) < max_contribution;
}

TRIAD_HD Word from_force(float f) {
#if defined(__CUDA_ARCH__)
  return __float2ll_rn(f * per_unit);
#else
  return std::llrint(f * per_unit);
#endif
}
TRIAD_HD Word from_force(double f) {
#if defined(__CUDA_ARCH__)
  return __double2ll_rn(f * per_unit);
#else
  return std::llrint(f * per_unit);
#endif
}

TRIAD_HD double to_force(Word w) { return static_cast<double>(w) * quantum; }

}  // namespace fixed_point

/// Number formats of a precision. Real: arithmetic of the terms. Sum: accumulator of forces. Tally: accumulator of
/// per-atom tallies. exact_distances: bonds keep the digits of the distance that Real loses (core/bond.h).
struct SingleFormat {
  using Real = float;
  using Sum = float;
  using Tally = double;
  static constexpr bool exact_distances = false;
};
struct MixedFormat {
  using Real = float;
  using Sum = fixed_point::Word;
  using Tally = fixed_point::Word;
  static constexpr bool exact_distances = true;
};
struct DoubleFormat {
  using Real = double;
  using Sum = double;
  using Tally = double;
  static constexpr bool exact_distances = false;
};

/// The number formats of Tersoff forces, for with_format().
struct TersoffFormats {
  using Single = SingleFormat;
  using Mixed = MixedFormat;
  using Double = DoubleFormat;
};

/// Number formats that are floating point throughout. Real: arithmetic of the terms. Sum: sums and state.
template <class RealNumber, class SumNumber>
struct FloatFormat {
  using Real = RealNumber;
  using Sum = SumNumber;
};

/// The number formats of pair forces and of shallow water, for with_format().
struct FloatFormats {
  using Single = FloatFormat<float, float>;
  using Mixed = FloatFormat<float, double>;
  using Double = FloatFormat<double, double>;
};

/// Converts one value to the format of an accumulator and back.
template <class Accumulator, class Value>
TRIAD_HD Accumulator to_accumulator(Value v) {
  if constexpr (std::is_same<Accumulator, fixed_point::Word>::value)
    return fixed_point::from_force(v);
  else
    return static_cast<Accumulator>(v);
}
/// The same for a vector.
template <class Accumulator, class Value>
TRIAD_HD Vec3<Accumulator> to_accumulators(const Vec3<Value> &v) {
  return {to_accumulator<Accumulator>(v.x), to_accumulator<Accumulator>(v.y), to_accumulator<Accumulator>(v.z)};
}
TRIAD_HD double from_accumulator(double v) { return v; }
TRIAD_HD double from_accumulator(float v) { return v; }
TRIAD_HD double from_accumulator(fixed_point::Word w) { return fixed_point::to_force(w); }
}  // namespace triad

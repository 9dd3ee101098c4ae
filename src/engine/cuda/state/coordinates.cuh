// Positions and velocities on the device in each precision.
//
//   single   positions in wrapped 32-bit fixed point (core/cuda/formats.cuh), velocities in fp32
//   mixed    positions in 64-bit fixed point, whose upper half is the wrapped position that the force kernels read;
//            velocities in fp64
//   double   positions and velocities in fp64
//
// Fixed point holds a position modulo a range. The anchor, an fp64 position that is less than half a range away from
// the atom, makes the position unique.
#pragma once

#include "core/cuda/formats.cuh"

namespace triad {
namespace cuda {

template <class Format>
struct Coordinates;

namespace detail {

/// Sum and signed difference of integers modulo their range.
template <class Unsigned, class Signed>
struct Wrapping {
  static __device__ __forceinline__ Signed sum(Signed a, Signed b) {
    return static_cast<Signed>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
  static __device__ __forceinline__ Signed difference(Signed a, Signed b) {
    return static_cast<Signed>(static_cast<Unsigned>(a) - static_cast<Unsigned>(b));
  }
};

}  // namespace detail

template <>
struct Coordinates<SingleFormat> {
  using Velocity = float;
  using Position = WrappedPosition;
  using Coord = WrappedPosition;
  using Ints = detail::Wrapping<unsigned, int>;

  Position *position;
  unsigned *lower;  ///< not used
  std::size_t stride;
  PositionScale scale;

  static std::size_t lower_elements(std::size_t) { return 0; }

  /// Factor by which a velocity gives the argument of move(), for a drift of `drift` time units.
  __host__ __device__ Velocity step(double drift) const { return static_cast<float>(drift * scale.per_length); }

  __device__ __forceinline__ Coord load_coord(std::size_t i) const { return position[i]; }
  __device__ __forceinline__ void store_coord(std::size_t i, const Coord &p) const { position[i] = p; }
  static __device__ __forceinline__ Position position_of(const Coord &p) { return p; }
  static __device__ __forceinline__ void move(Coord &p, const Vec3<float> &by) {
    p.x = Ints::sum(p.x, __float2int_rn(by.x));
    p.y = Ints::sum(p.y, __float2int_rn(by.y));
    p.z = Ints::sum(p.z, __float2int_rn(by.z));
  }
  /// Moves by a box edge with the arithmetic of periodic images, so that distances between atoms keep their bits.
  static __device__ __forceinline__ void displace(Coord &p, const Position &by) { p = displaced(p, by); }
  __device__ __forceinline__ Coord encode(const Vec3<double> &x, long long element) const {
    return {wrap(x.x, scale.per_length), wrap(x.y, scale.per_length), wrap(x.z, scale.per_length),
            static_cast<int>(element)};
  }
  __device__ __forceinline__ Vec3<double> decode(const Coord &p, const Vec3<double> &anchor) const {
    const Coord a = encode(anchor, 0);
    const double length = 1 / scale.per_length;
    return {anchor.x + Ints::difference(p.x, a.x) * length, anchor.y + Ints::difference(p.y, a.y) * length,
            anchor.z + Ints::difference(p.z, a.z) * length};
  }
};

template <>
struct Coordinates<MixedFormat> {
  using Velocity = double;
  using Position = WrappedPosition;
  struct Coord {
    long long x, y, z;
    int element;
  };
  using Ints = detail::Wrapping<unsigned long long, long long>;

  Position *position;
  unsigned *lower;  ///< [3][stride] lower halves
  std::size_t stride;
  PositionScale scale;

  static std::size_t lower_elements(std::size_t n) { return 3 * n; }

  __host__ __device__ Velocity step(double drift) const { return drift * scale.per_length * 4294967296.0; }

  __device__ __forceinline__ Coord load_coord(std::size_t i) const {
    const Position p = position[i];
    const auto join = [&](int upper, int axis) {
      return static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(upper)) << 32 |
                                    lower[axis * stride + i]);
    };
    return {join(p.x, 0), join(p.y, 1), join(p.z, 2), p.element};
  }
  __device__ __forceinline__ void store_coord(std::size_t i, const Coord &p) const {
    position[i] = position_of(p);
    lower[i] = static_cast<unsigned>(p.x);
    lower[stride + i] = static_cast<unsigned>(p.y);
    lower[2 * stride + i] = static_cast<unsigned>(p.z);
  }
  static __device__ __forceinline__ Position position_of(const Coord &p) {
    return {static_cast<int>(p.x >> 32), static_cast<int>(p.y >> 32), static_cast<int>(p.z >> 32), p.element};
  }
  static __device__ __forceinline__ void move(Coord &p, const Vec3<double> &by) {
    p.x = Ints::sum(p.x, __double2ll_rn(by.x));
    p.y = Ints::sum(p.y, __double2ll_rn(by.y));
    p.z = Ints::sum(p.z, __double2ll_rn(by.z));
  }
  static __device__ __forceinline__ void displace(Coord &p, const Position &by) {
    const auto axis = [](long long c, int upper) {
      return Ints::sum(c, static_cast<long long>(static_cast<unsigned long long>(static_cast<unsigned>(upper)) << 32));
    };
    p = {axis(p.x, by.x), axis(p.y, by.y), axis(p.z, by.z), p.element};
  }
  __device__ __forceinline__ Coord encode(const Vec3<double> &x, long long element) const {
    const auto axis = [&](double v) {
      const double counts = v * scale.per_length;  // exact: a power of two
      const long long upper = __double2ll_rd(counts);
      const unsigned rest = static_cast<unsigned>((counts - static_cast<double>(upper)) * 4294967296.0);
      return static_cast<long long>(static_cast<unsigned long long>(upper) << 32 | rest);
    };
    return {axis(x.x), axis(x.y), axis(x.z), static_cast<int>(element)};
  }
  __device__ __forceinline__ Vec3<double> decode(const Coord &p, const Vec3<double> &anchor) const {
    const Coord a = encode(anchor, 0);
    const double length = 1 / (scale.per_length * 4294967296.0);
    return {anchor.x + Ints::difference(p.x, a.x) * length, anchor.y + Ints::difference(p.y, a.y) * length,
            anchor.z + Ints::difference(p.z, a.z) * length};
  }
};

template <>
struct Coordinates<DoubleFormat> {
  using Velocity = double;
  using Position = DoublePosition;
  using Coord = DoublePosition;

  Position *position;
  unsigned *lower;  ///< not used
  std::size_t stride;
  PositionScale scale;

  static std::size_t lower_elements(std::size_t) { return 0; }

  __host__ __device__ Velocity step(double drift) const { return drift; }

  __device__ __forceinline__ Coord load_coord(std::size_t i) const { return position[i]; }
  __device__ __forceinline__ void store_coord(std::size_t i, const Coord &p) const { position[i] = p; }
  static __device__ __forceinline__ Position position_of(const Coord &p) { return p; }
  static __device__ __forceinline__ void move(Coord &p, const Vec3<double> &by) {
    p.x = math::rounded_sum(p.x, by.x);
    p.y = math::rounded_sum(p.y, by.y);
    p.z = math::rounded_sum(p.z, by.z);
  }
  static __device__ __forceinline__ void displace(Coord &p, const Position &by) { p = displaced(p, by); }
  __device__ __forceinline__ Coord encode(const Vec3<double> &x, long long element) const {
    return {x.x, x.y, x.z, element};
  }
  __device__ __forceinline__ Vec3<double> decode(const Coord &p, const Vec3<double> &) const { return {p.x, p.y, p.z}; }
};

/// Format of coarse positions at LAMMPS's last list: 10 bits per axis, with a resolution and a range that follow from
/// the limit of displacements. A check against a coarse position reads 4 bytes per atom. The check may ask for an exact
/// one too early, but never too late.
struct CoarseReference {
  int shift;          ///< right shift from counts of a wrapped position to coarse counts
  double per_length;  ///< coarse counts per length unit, for positions in fp64
  int limit_squared;  ///< squared displacement in coarse counts that is surely allowed; -1 if none is

  static CoarseReference for_limit(double limit, const PositionScale &scale) {
    CoarseReference r;
    const double wanted = limit > 0 ? 1024 / (4 * limit) : scale.per_length;  // upper bound of counts per length unit
    r.shift = static_cast<int>(std::ceil(std::log2(scale.per_length / wanted)));
    r.shift = r.shift < 0 ? 0 : r.shift > 22 ? 22 : r.shift;
    r.per_length = std::ldexp(scale.per_length, -r.shift);
    const double allowed = limit * r.per_length - 1.75;  // each end is off by up to one count per axis
    r.limit_squared = allowed < 0 ? -1 : static_cast<int>(allowed * allowed);
    return r;
  }

  __device__ __forceinline__ unsigned pack(const WrappedPosition &p) const {
    const auto axis = [&](int c) { return (static_cast<unsigned>(c) >> shift) & 1023u; };
    return axis(p.x) | axis(p.y) << 10 | axis(p.z) << 20;
  }
  __device__ __forceinline__ unsigned pack(const DoublePosition &p) const {
    const auto axis = [&](double x) { return static_cast<unsigned>(__double2ll_rd(x * per_length)) & 1023u; };
    return axis(p.x) | axis(p.y) << 10 | axis(p.z) << 20;
  }
  __device__ __forceinline__ bool surely_within(unsigned reference, unsigned now) const {
    int squared = 0;
    for (int bit = 0; bit < 30; bit += 10) {
      const int d = static_cast<int>(((now >> bit) - (reference >> bit)) << 22) >> 22;
      squared += d * d;
    }
    return squared <= limit_squared;
  }
};

}  // namespace cuda
}  // namespace triad

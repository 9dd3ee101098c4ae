// Vector registers (lanes.h) and rows in memory: x, y, z of several atoms, and numbers of other precision.
#pragma once

#include "simd/lanes.h"

namespace triad {

/// Loads x, y, z, w of rows of four numbers: p[Scale * index[lane]] and the next three. Each row must be aligned to its
/// size.
template <int Scale = 4, int B>
TRIAD_HD void gather_rows(const double *p, const int *index, Lanes<double, B> &x, Lanes<double, B> &y,
                          Lanes<double, B> &z, Lanes<double, B> &w) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  // Loading each row at once and transposing in registers needs a third of the loads and shuffles.
  using Four = typename Register<double, 32>::in_memory;
  const auto row = [&](int lane) __attribute__((always_inline)) {
    return
        typename Register<double, 32>::type(*reinterpret_cast<const Four *>(p + Scale * std::ptrdiff_t(index[lane])));
  };
  if constexpr (B == 32) {
    const auto a = row(0), b = row(1), c = row(2), d = row(3);
    const auto ab = __builtin_shufflevector(a, b, 0, 4, 2, 6), cd = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    x = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    z = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    const auto odd_ab = __builtin_shufflevector(a, b, 1, 5, 3, 7), odd_cd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    y = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 4, 5);
    w = __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 6, 7);
    return;
  }
  if constexpr (B == 64) {
    const auto pair = [&](int lane) __attribute__((always_inline)) {
      return __builtin_shufflevector(row(lane), row(lane + 4), 0, 1, 2, 3, 4, 5, 6, 7);
    };
    const auto a = pair(0), b = pair(1), c = pair(2), d = pair(3);
    const auto ab = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
               cd = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
    x = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    z = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    const auto odd_ab = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),
               odd_cd = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
    y = __builtin_shufflevector(odd_ab, odd_cd, 0, 1, 8, 9, 4, 5, 12, 13);
    w = __builtin_shufflevector(odd_ab, odd_cd, 2, 3, 10, 11, 6, 7, 14, 15);
    return;
  }
#endif
#endif
  x = Lanes<double, B>::template gather<Scale>(p, index);
  y = Lanes<double, B>::template gather<Scale>(p + 1, index);
  z = Lanes<double, B>::template gather<Scale>(p + 2, index);
  w = Lanes<double, B>::template gather<Scale>(p + 3, index);
}
/// The same without w.
template <int Scale = 4, int B>
TRIAD_HD void gather_rows(const double *p, const int *index, Lanes<double, B> &x, Lanes<double, B> &y,
                          Lanes<double, B> &z) {
  Lanes<double, B> w;
  gather_rows<Scale>(p, index, x, y, z, w);
}

/// The same for rows of four fp32 numbers: p[4 * index[lane]] and the next two.
template <int B>
TRIAD_HD void gather_rows(const float *p, const int *index, Lanes<float, B> &x, Lanes<float, B> &y,
                          Lanes<float, B> &z) {
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  using Four = typename Register<float, 16>::in_memory;
  const auto row = [&](int lane) __attribute__((always_inline)) {
    return typename Register<float, 16>::type(*reinterpret_cast<const Four *>(p + 4 * std::ptrdiff_t(index[lane])));
  };
  const auto pair = [&](int lane) __attribute__((always_inline)) {
    return __builtin_shufflevector(row(lane), row(lane + 4), 0, 1, 2, 3, 4, 5, 6, 7);
  };
  if constexpr (B == 32) {
    const auto a = pair(0), b = pair(1), c = pair(2), d = pair(3);
    const auto ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13),
               cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    x = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    y = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    z = __builtin_shufflevector(__builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15),
                                __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15), 0, 1, 8, 9, 4, 5, 12, 13);
    return;
  }
  if constexpr (B == 64) {
    const auto four = [&](int lane) __attribute__((always_inline)) {
      return __builtin_shufflevector(pair(lane), pair(lane + 8), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    };
    const auto a = four(0), b = four(1), c = four(2), d = four(3);
    const auto ab = __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29),
               cd = __builtin_shufflevector(c, d, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29),
               z_ab = __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31),
               z_cd = __builtin_shufflevector(c, d, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    x = __builtin_shufflevector(ab, cd, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    y = __builtin_shufflevector(ab, cd, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    z = __builtin_shufflevector(z_ab, z_cd, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    return;
  }
#endif
#endif
  x = Lanes<float, B>::template gather<4>(p, index);
  y = Lanes<float, B>::template gather<4>(p + 1, index);
  z = Lanes<float, B>::template gather<4>(p + 2, index);
}

/// Writes x, y, z, 0 of each lane to consecutive rows of four numbers, aligned to the register.
template <class T, int B>
TRIAD_HD void store_rows(const Lanes<T, B> &x, const Lanes<T, B> &y, const Lanes<T, B> &z, T *row) {
  using L = Lanes<T, B>;
#if defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector)
  const typename L::Vector zero = {};
  if constexpr (sizeof(T) == 4 && B == 16) {
    const auto low = __builtin_shufflevector(x.v, y.v, 0, 4, 1, 5),
               high = __builtin_shufflevector(x.v, y.v, 2, 6, 3, 7);
    const auto low_z = __builtin_shufflevector(z.v, zero, 0, 4, 1, 5),
               high_z = __builtin_shufflevector(z.v, zero, 2, 6, 3, 7);
    L(__builtin_shufflevector(low, low_z, 0, 1, 4, 5)).store(row);
    L(__builtin_shufflevector(low, low_z, 2, 3, 6, 7)).store(row + 4);
    L(__builtin_shufflevector(high, high_z, 0, 1, 4, 5)).store(row + 8);
    L(__builtin_shufflevector(high, high_z, 2, 3, 6, 7)).store(row + 12);
    return;
  }
  if constexpr (sizeof(T) == 8 && B == 16) {
    L(__builtin_shufflevector(x.v, y.v, 0, 2)).store(row);
    L(__builtin_shufflevector(z.v, zero, 0, 2)).store(row + 2);
    L(__builtin_shufflevector(x.v, y.v, 1, 3)).store(row + 4);
    L(__builtin_shufflevector(z.v, zero, 1, 3)).store(row + 6);
    return;
  }
  if constexpr (sizeof(T) == 8 && B == 32) {
    const auto xy = __builtin_shufflevector(x.v, y.v, 0, 4, 2, 6), z0 = __builtin_shufflevector(z.v, zero, 0, 4, 2, 6);
    const auto odd = __builtin_shufflevector(x.v, y.v, 1, 5, 3, 7),
               odd_z = __builtin_shufflevector(z.v, zero, 1, 5, 3, 7);
    L(__builtin_shufflevector(xy, z0, 0, 1, 4, 5)).store(row);
    L(__builtin_shufflevector(odd, odd_z, 0, 1, 4, 5)).store(row + 4);
    L(__builtin_shufflevector(xy, z0, 2, 3, 6, 7)).store(row + 8);
    L(__builtin_shufflevector(odd, odd_z, 2, 3, 6, 7)).store(row + 12);
    return;
  }
  if constexpr (sizeof(T) == 8 && B == 64) {
    const auto low = __builtin_shufflevector(x.v, y.v, 0, 8, 1, 9, 2, 10, 3, 11),
               low_z = __builtin_shufflevector(z.v, zero, 0, 8, 1, 9, 2, 10, 3, 11);
    const auto high = __builtin_shufflevector(x.v, y.v, 4, 12, 5, 13, 6, 14, 7, 15),
               high_z = __builtin_shufflevector(z.v, zero, 4, 12, 5, 13, 6, 14, 7, 15);
    L(__builtin_shufflevector(low, low_z, 0, 1, 8, 9, 2, 3, 10, 11)).store(row);
    L(__builtin_shufflevector(low, low_z, 4, 5, 12, 13, 6, 7, 14, 15)).store(row + 8);
    L(__builtin_shufflevector(high, high_z, 0, 1, 8, 9, 2, 3, 10, 11)).store(row + 16);
    L(__builtin_shufflevector(high, high_z, 4, 5, 12, 13, 6, 7, 14, 15)).store(row + 24);
    return;
  }
#endif
#endif
  for (int l = 0; l < L::count; ++l) {
    row[4 * l] = x.v[l];
    row[4 * l + 1] = y.v[l];
    row[4 * l + 2] = z.v[l];
    row[4 * l + 3] = T(0);
  }
}

/// Stores fp64 lanes as fp32 in memory, and loads them back.
template <int B>
TRIAD_HD void store_narrowed(Lanes<double, B> x, float *p) {
  using Half = typename Register<float, B / 2>::type;
  *reinterpret_cast<typename Register<float, B / 2>::in_memory *>(p) = __builtin_convertvector(x.v, Half);
}
template <int B>
TRIAD_HD Lanes<double, B> load_widened(const float *p) {
  const typename Register<float, B / 2>::type half =
      *reinterpret_cast<const typename Register<float, B / 2>::in_memory *>(p);
  return __builtin_convertvector(half, typename Register<double, B>::type);
}

}  // namespace triad

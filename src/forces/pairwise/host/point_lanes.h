// Points stored as one array per component, and vector registers of them.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/aligned_array.h"
#include "forces/pairwise/pair_points.h"

namespace triad {

/// Word w of the point in slot s is at data()[w * stride() + s]; full registers can be read at every slot. Integers are
/// stored as bits of the number type.
template <class Point, class Real>
class PointColumns {
  static constexpr int words = sizeof(Point) / sizeof(Real);

 public:
  /// Slots without a point hold zeros.
  void resize(std::size_t slots) {
    stride_ = (slots + 15) / 16 * 16;
    memory_.require(words * stride_);
    std::fill(memory_.data(), memory_.data() + words * stride_, Real(0));
  }
  void set(std::size_t slot, const Point &p) {
    Real word[words];
    std::memcpy(word, &p, sizeof p);
    for (int w = 0; w < words; ++w) memory_[w * stride_ + slot] = word[w];
  }
  Point at(std::size_t slot) const {
    Real word[words];
    for (int w = 0; w < words; ++w) word[w] = memory_[w * stride_ + slot];
    Point p;
    std::memcpy(&p, word, sizeof p);
    return p;
  }
  const Real *data() const { return memory_.data(); }
  std::size_t stride() const { return stride_; }

 private:
  AlignedArray<Real> memory_;
  std::size_t stride_ = 0;
};

/// Registers of points of PointColumns: those of consecutive slots, or one point broadcast to all lanes.
template <class Point, int Bytes>
struct PointLanes;

template <class T, int Bytes>
struct PointLanes<PlainPoint<T>, Bytes> {
  using Real = Lanes<T, Bytes>;
  using type = PlainPoint<Real>;
  static TRIAD_HD type consecutive(const T *p, std::size_t n) {
    return {Real::load(p), Real::load(p + n), Real::load(p + 2 * n), Real::load(p + 3 * n)};
  }
  static TRIAD_HD type same(const T *p, std::size_t n) {
    return {Real(p[0]), Real(p[n]), Real(p[2 * n]), Real(p[3 * n])};
  }
};

template <int Bytes>
struct PointLanes<SplitPoint, Bytes> {
  using Real = Lanes<float, Bytes>;
  using type = TwoPartPoint<Real>;
  static TRIAD_HD type consecutive(const float *p, std::size_t n) {
    return {Real::load(p),         Real::load(p + n),     Real::load(p + 2 * n), Real::load(p + 3 * n),
            Real::load(p + 4 * n), Real::load(p + 5 * n), Real::load(p + 6 * n), Real(0)};
  }
  static TRIAD_HD type same(const float *p, std::size_t n) {
    return {Real(p[0]),     Real(p[n]),     Real(p[2 * n]), Real(p[3 * n]),
            Real(p[4 * n]), Real(p[5 * n]), Real(p[6 * n]), Real(0)};
  }
};

template <int Bytes>
struct PointLanes<CountPoint, Bytes> {
  using Real = Lanes<float, Bytes>;
  using Integer = Lanes<std::int32_t, Bytes>;
  using type = IntegerPoint<Integer, Real>;
  static TRIAD_HD type consecutive(const float *p, std::size_t n) {
    return {load(p), load(p + n), load(p + 2 * n), Real::load(p + 3 * n)};
  }
  static TRIAD_HD type same(const float *p, std::size_t n) {
    return {spread(p[0]), spread(p[n]), spread(p[2 * n]), Real(p[3 * n])};
  }

 private:
  static TRIAD_HD Integer load(const float *p) { return typename Integer::Vector(bits_of(Real::load(p)).v); }
  static TRIAD_HD Integer spread(float x) { return Integer(std::int32_t(bits_of(x))); }
};

}  // namespace triad

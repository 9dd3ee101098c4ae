// Bonds in shared memory, as arrays of their parts. Lanes that read the same part of different bonds then use different
// banks. With an array of records of 48 or 96 bytes, several lanes would read from the same bank, one after the other.
#pragma once

#include <cstring>

#include "forces/tersoff/tersoff_atom.h"

namespace triad {
namespace cuda {

/// `capacity`: number of bonds.
template <class Real, int capacity>
class BondParts {
  /// The loops read u and fC of all bonds of a row. These four numbers are stored in words of 16 bytes.
  struct alignas(16) Word {
    Real v[16 / sizeof(Real)];
  };
  static constexpr int words = 4 * sizeof(Real) / sizeof(Word);
  /// The other numbers; `slope`: dfC/dr.
  enum Own { slope, r, rest, inv_length, dr, dzeta, parts };

 public:
  /// Stores what a bond is made from, in the place of its unit vector and cutoff. `p`: position of the neighbour
  /// relative to the centre.
  template <class Position>
  __device__ __forceinline__ void set_position(int b, const Position &p) {
    static_assert(sizeof(Position) == words * sizeof(Word), "a position takes the place of four numbers");
    Word part[words];
    std::memcpy(part, &p, sizeof(Position));
    TRIAD_UNROLL
    for (int w = 0; w < words; ++w) row_[w][b] = part[w];
  }
  template <class Position>
  __device__ __forceinline__ Position position(int b) const {
    Word part[words];
    TRIAD_UNROLL
    for (int w = 0; w < words; ++w) part[w] = row_[w][b];
    Position p;
    std::memcpy(&p, part, sizeof(Position));
    return p;
  }

  /// Stores all but the energy.
  __device__ __forceinline__ void set(int b, const BondRecord<Real> &of) {
    const Real leading[4] = {of.bond.u.x, of.bond.u.y, of.bond.u.z, of.fc.value};
    set_position(b, leading);
    own_[slope][b] = of.fc.derivative;
    own_[r][b] = of.bond.r;
    own_[rest][b] = of.bond.rest;
    own_[inv_length][b] = of.bond.inv_length;
    element_[b] = of.element;
  }
  __device__ __forceinline__ void set_energy(int b, const BondEnergy<Real> &energy) {
    own_[dr][b] = energy.dr;
    own_[dzeta][b] = energy.dzeta;
  }

  /// The bonds from a first one on as an array of records, for the loops of tersoff_atom.h. Records contain the
  /// derivatives of the energy, but not the energy. The compiler leaves out loads that are not used.
  struct Row {
    const Word *row;
    const Real *own;
    const int *element;

    __device__ __forceinline__ BondRecord<Real> operator[](int k) const {
      Real leading[4];
      TRIAD_UNROLL
      for (int w = 0; w < words; ++w) {
        const Word word = row[w * capacity + k];
        TRIAD_UNROLL
        for (int part = 0; part < 4 / words; ++part) leading[4 / words * w + part] = word.v[part];
      }
      const auto number = [&](Own which) { return own[which * capacity + k]; };
      return {{{leading[0], leading[1], leading[2]}, number(r), number(rest), number(inv_length)},
              {leading[3], number(slope)},
              {Real(0), number(dr), number(dzeta)},
              element[k]};
    }
  };
  __device__ __forceinline__ Row from(int first) const { return {row_[0] + first, own_[0] + first, element_ + first}; }

 private:
  Word row_[words][capacity];
  Real own_[parts][capacity];
  int element_[capacity];
};

}  // namespace cuda
}  // namespace triad

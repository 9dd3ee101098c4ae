// Centres with up to four neighbours: one lane of a warp computes a centre, or four lanes do, with one bond each, which
// they exchange by shuffles.
//
// With four lanes a thread needs fewer registers, so that more warps are resident, and a small system has more threads
// and a shorter chain of arithmetic. With one lane an atom takes fewer instructions, since each angle between two bonds
// is computed once. The number of lanes does not change the gradient of a bond, see tersoff_atom.h.
#pragma once

#include <type_traits>

#include "core/cuda/warp.cuh"
#include "core/precision.h"
#include "forces/tersoff/tersoff_atom.h"

namespace triad {
namespace cuda {

constexpr int centre_bonds = 4;

/// Numbers of lanes per centre that the kernels of a model have, for few and for many centres.
template <class Model>
struct LanesOf {
  static constexpr int many = sizeof(typename Model::Real) > 4 ? centre_bonds : 1;
  static constexpr int few = is_plain<typename Model::Params> && Model::shared ? centre_bonds : many;
};
/// The number of lanes for many centres, or for few.
template <class Model, bool Many>
constexpr int lanes_of = Many ? LanesOf<Model>::many : LanesOf<Model>::few;

/// The sum over Lanes neighbouring lanes of a warp, in an order that does not depend on the lane. All lanes of the warp
/// call this.
template <int Lanes, class T>
__device__ __forceinline__ Vec3<T> sum_over_lanes(Vec3<T> v) {
  TRIAD_UNROLL
  for (int mask = 1; mask < Lanes; mask *= 2)
    v = v + Vec3<T>{__shfl_xor_sync(all_lanes, v.x, mask), __shfl_xor_sync(all_lanes, v.y, mask),
                    __shfl_xor_sync(all_lanes, v.z, mask)};
  return v;
}

/// The same sum in the order of the lanes. Zeros of some lanes then change no bit of the sum. In fixed point no order
/// changes a bit, and the sum is that of sum_over_lanes().
template <int Lanes, class T>
__device__ __forceinline__ Vec3<T> sum_in_order_of_lanes(const Vec3<T> &v) {
  if constexpr (std::is_same<T, fixed_point::Word>::value) return sum_over_lanes<Lanes>(v);
  Vec3<T> sum = {T(0), T(0), T(0)};
  TRIAD_UNROLL
  for (int lane = 0; lane < Lanes; ++lane)
    sum = sum + Vec3<T>{__shfl_sync(all_lanes, v.x, lane, Lanes), __shfl_sync(all_lanes, v.y, lane, Lanes),
                        __shfl_sync(all_lanes, v.z, lane, Lanes)};
  return sum;
}

template <int Lanes>
struct CentreLanes {
  static_assert(Lanes == 1 || Lanes == centre_bonds, "a lane has all bonds of a centre, or one");
  static constexpr int own = centre_bonds / Lanes;

  /// Number of the thread's lane among those of its centre.
  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x) % Lanes; }
  /// Slot of the lane's bond number `bond` in the row of the centre.
  static __device__ __forceinline__ int slot(int bond) { return Lanes == 1 ? bond : lane(); }

  // If a centre has several lanes, all lanes of a warp call the functions below together.

  /// The value of the lane with number `lane` among those of the centre.
  template <class T>
  static __device__ __forceinline__ T of_lane(int lane, T value) {
    if constexpr (Lanes == 1) return value;
    return __shfl_sync(all_lanes, value, lane, Lanes);
  }
  /// The sum over the lanes of a centre.
  template <class T>
  static __device__ __forceinline__ Vec3<T> sum(Vec3<T> v) {
    return sum_over_lanes<Lanes>(v);
  }

  /// Writes the gradients on the neighbours of the lane's bonds, and the energies of these bonds. A missing bond is
  /// no_bond().
  template <class Model, class Real = typename Model::Real>
  static __device__ __forceinline__ void gradients(const Model &model, int ei, const int (&e)[own],
                                                   const Bond<Real> (&bond)[own], Vec3<Real> (&gradient)[own],
                                                   Real (&energy)[own]) {
    if constexpr (!Model::bond_cutoffs_only) {  // mostly, no bond of the warp is within a taper
      bool agree = true;
      TRIAD_UNROLL
      for (int j = 0; j < own; ++j) agree = agree && model.cutoffs_agree(bond[j].r);
      if (__all_sync(Lanes == 1 ? __activemask() : all_lanes, agree))
        return gradients(ManyElementsOfBondCutoffs<typename Model::Params, Model::lambda3>(model), ei, e, bond,
                         gradient, energy);
    }
    if constexpr (Lanes == 1)
      tersoff_unrolled<own>(model, ei, e, bond, gradient, energy);
    else
      energy[0] = gradient_of_bond(model, ei, e[0], bond[0], gradient[0]);
  }

 private:
  /// Writes the gradient on the neighbour of the lane's bond, and returns the energy of the bond.
  template <class Model, class Real = typename Model::Real>
  static __device__ __forceinline__ Real gradient_of_bond(const Model &model, int ei, int ej, const Bond<Real> &bond,
                                                          Vec3<Real> &gradient) {
    constexpr int others = Lanes - 1;
    constexpr bool distances = Model::lambda3 || !Model::bond_cutoffs_only;
    const int self = lane();
    const Dual<Real> fc = cutoff(model.bond(ei, ej), bond.r, bond.rest);
    Bond<Real> other[others];
    Dual<Real> other_fc[others];
    int other_e[others];
    ZetaTerm<Real> own_term[others];
    Real costheta[others], zeta(0);
    TRIAD_UNROLL
    for (int k = 0; k < others; ++k) {
      const int from = k + (k >= self);
      other[k] = {
          {of_lane(from, bond.u.x), of_lane(from, bond.u.y), of_lane(from, bond.u.z)}, Real(0), Real(0), Real(0)};
      if constexpr (distances) {
        other[k].r = of_lane(from, bond.r);
        other[k].rest = of_lane(from, bond.rest);
      }
      other_fc[k] = {of_lane(from, fc.value), of_lane(from, fc.derivative)};
      other_e[k] = Model::shared ? 0 : of_lane(from, ej);
      costheta[k] = dot(bond.u, other[k].u);
      own_term[k] = zeta_term_of(model, ei, ej, other_e[k], bond, other[k], other_fc[k], costheta[k]);
      zeta = own_term[k].added_to(zeta);
    }
    const BondEnergy<Real> energy = bond_energy(model.bond(ei, ej), fc, bond.r, zeta, bond.rest);
    OuterGradient<Real> sum;
    sum.along = energy.dr;
    TRIAD_UNROLL
    for (int k = 0; k < others; ++k) {
      const Real other_dzeta = of_lane(k + (k >= self), energy.dzeta);
      const ZetaTerm<Real> other_term = zeta_term_of(model, ei, other_e[k], ej, other[k], bond, fc, costheta[k]);
      sum.add(bond, other[k], costheta[k], angular_of_pair(energy.dzeta, own_term[k], other_dzeta, other_term),
              radial_of_pair<Model::lambda3>(energy.dzeta, own_term[k], other_dzeta, other_term));
    }
    gradient = sum.total(bond);
    return energy.energy;
  }
};

}  // namespace cuda
}  // namespace triad

// The parameters of one element or of several, as the loops read them.
#pragma once

#include <type_traits>

#include "potentials/tersoff/variants.h"

namespace triad {

/// True for the parameters of the plain potential. The device has loops of its own for these, which a few materials of
/// the variants would not repay in compile time: with them for all variants the CUDA sources took three times as long.
template <class P>
constexpr bool is_plain = std::is_same_v<P, TersoffParams<typename P::Real>>;

/// True if loops without the distance term exist, for tables in which all lam3 are 0. In tersoff/mod and tersoff/mod/c,
/// where alpha takes the place of lam3, all known potentials have this term.
template <class P>
constexpr bool omits_lambda3 = !std::is_base_of_v<ModParams<typename P::Real>, P>;

/// Parameters of a system with one element: held by value, the same for all bonds, so (j,k) and (k,j) have the same
/// g(theta).
template <class P, bool Lambda3>
struct OneElement {
  using Params = P;
  using Real = typename P::Real;
  static constexpr bool shared = true;
  static constexpr bool lambda3 = Lambda3;  ///< false: lam3 = 0, the distance term is 1
  static constexpr bool cutoff_of_bond = true, bond_cutoffs_only = true;
  P params;
  Real shift;

  TRIAD_HD const P &bond(int, int) const { return params; }
  TRIAD_HD const P &triplet(int, int, int) const { return params; }
  TRIAD_HD const P &angular(int, int, int) const { return params; }
};

/// Parameters of several elements: a table [nelements^3].
template <class P, bool Lambda3>
struct ManyElements {
  using Params = P;
  using Real = typename P::Real;
  static constexpr bool shared = false;
  static constexpr bool lambda3 = Lambda3;  ///< false: no entry has lam3
  const P *__restrict__ table;
  int nelements;
  Real shift;
  bool cutoff_of_bond = false;   ///< fC of entry (i,j,k) is that of (i,k,k) for all of them
  bool angle_of_centre = false;  ///< see TersoffTable
  /// Distances between which the value of a cutoff function may depend on the entry. Below, all are 1; from the second
  /// on, all are 0.
  Real least_inner = 0, most_outer = 0;
  static constexpr bool bond_cutoffs_only = false;

  TRIAD_HD const P &triplet(int i, int j, int k) const { return table[(i * nelements + j) * nelements + k]; }
  TRIAD_HD const P &bond(int i, int j) const { return triplet(i, j, j); }
  /// The entry whose angular and distance terms hold for bonds i-j and i-k.
  TRIAD_HD const P &angular(int i, int j, int k) const { return triplet(i, j, k); }
  /// True if all cutoff functions agree at a distance.
  TRIAD_HD bool cutoffs_agree(Real r) const { return r < least_inner || r >= most_outer; }
};

/// The same table for loops that need not look at cutoff_of_bond, since it is true.
template <class P, bool Lambda3>
struct ManyElementsOfBondCutoffs : ManyElements<P, Lambda3> {
  static constexpr bool cutoff_of_bond = true, bond_cutoffs_only = true;
  TRIAD_HD explicit ManyElementsOfBondCutoffs(const ManyElements<P, Lambda3> &model)
      : ManyElements<P, Lambda3>(model) {}
};

/// The same where angle_of_centre is true as well: loops load the parameters of angles once per centre.
template <class P, bool Lambda3>
struct ManyElementsOfCentreAngles : ManyElementsOfBondCutoffs<P, Lambda3> {
  TRIAD_HD explicit ManyElementsOfCentreAngles(const ManyElements<P, Lambda3> &model)
      : ManyElementsOfBondCutoffs<P, Lambda3>(model) {}
  TRIAD_HD const P &angular(int i, int, int) const { return this->triplet(i, i, i); }
};

/// Calls f(model) with the class that knows best about the table, where the device has loops for that class.
template <class P, bool Lambda3, class F>
void with_table_class(const ManyElements<P, Lambda3> &model, F &&f) {
  if constexpr (is_plain<P> && !Lambda3)
    if (model.cutoff_of_bond && model.angle_of_centre) return f(ManyElementsOfCentreAngles<P, Lambda3>(model));
  if constexpr (is_plain<P>)
    if (model.cutoff_of_bond) return f(ManyElementsOfBondCutoffs<P, Lambda3>(model));
  f(model);
}
template <class P, bool Lambda3, class F>
void with_table_class(const OneElement<P, Lambda3> &model, F &&f) {
  f(model);
}

}  // namespace triad

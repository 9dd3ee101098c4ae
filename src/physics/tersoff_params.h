// Parameters of the Tersoff potential: as they stand in a potential file, and as the loops use them.
//
// Source: J. Tersoff, Phys. Rev. B 37, 6991 (1988) and 39, 5566 (1989); names and units follow the LAMMPS manual page
// of pair_style tersoff (metal units: eV, Angstrom; real units: kcal/mol, Angstrom).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace triad {

/// One entry of a potential file: elements 1 2 3 and the 14 numbers that follow, in file order and in the file's units
/// (A and B already converted to the units of the run).
struct TersoffEntry {
  std::string element[3];
  double m = 3, gamma = 1, lam3 = 0, c = 0, d = 0, costheta0 = 0;
  double n = 0, beta = 0, lam2 = 0, B = 0, R = 0, D = 0, lam1 = 0, A = 0;
  int line = 0;  ///< line of the file on which the entry starts, for messages

  double cutoff() const { return R + D; }
};

/// Every triplet of the elements in use: entry (i,j,k) at index (i * nelements + j) * nelements + k. Complete and free
/// of duplicates (io/tersoff_file.h sees to that).
struct TersoffTable {
  std::vector<std::string> elements;
  std::vector<TersoffEntry> triplets;

  int nelements() const { return static_cast<int>(elements.size()); }
  const TersoffEntry &at(int i, int j, int k) const {
    const auto ne = elements.size();
    return triplets[(i * ne + j) * ne + k];
  }
  /// Largest R + D: the reach of the potential, LAMMPS's cutmax.
  double cutmax() const {
    double cut = 0;
    for (const auto &t : triplets) cut = std::max(cut, t.cutoff());
    return cut;
  }
  /// Largest distance at which atom k of element `k` can matter to a centre of element `i`, as partner (entry i k k) or
  /// as third atom of any bond (entries i j k).
  double reach(int i, int k) const {
    double cut = 0;
    for (int j = 0; j < nelements(); ++j) cut = std::max(cut, at(i, j, k).cutoff());
    return cut;
  }
};

/// The numbers that the terms of one entry need, in the arithmetic of the loop. Entry (i,j,j) gives the pair terms and
/// b(zeta) of bond ij; entry (i,j,k) gives cutoff, angle and distance terms of atom k within zeta_ij.
///
/// The exponentials are centred on r = inner: exp(-lam1 (r - inner)) with the rest in the prefactor. Near a bond length
/// the argument is small, so fp32 keeps the digits that lam1 * r would lose (3e-7 of a repulsion of 10 eV).
template <class Real>
struct TersoffParams {
  Real A_inner, lam1, B_inner, lam2;     // A exp(-lam1 inner), B exp(-lam2 inner)
  Real inner, outer;                     // taper between R - D and R + D
  Real R, R_rest, inv_D;                 // R in two parts: (r - R) / D needs it beyond fp32
  Real c2_over_d2, d2, costheta0;        // g(theta)
  Real gamma, lam3, lam3_cubed;          // lam3_cubed = lam3^3, for m = 3
  Real beta, n, minus_half_over_n;       // b(zeta); -1/(2n)
  Real bond_order_high, bond_order_low;  // stock's c1 and c4: beyond them b(zeta) is its asymptote
  int cubic;                             // 1: m = 3, 0: m = 1

  TersoffParams() = default;
  explicit TersoffParams(const TersoffEntry &e)
      : lam1(Real(e.lam1)),
        lam2(Real(e.lam2)),
        inner(Real(e.R - e.D)),
        outer(Real(e.R + e.D)),
        R(Real(e.R)),
        R_rest(Real(e.R - double(R))),
        inv_D(Real(e.D > 0 ? 1 / e.D : 0)),
        c2_over_d2(Real(e.c * e.c / (e.d * e.d))),
        d2(Real(e.d * e.d)),
        costheta0(Real(e.costheta0)),
        gamma(Real(e.gamma)),
        lam3(Real(e.lam3)),
        lam3_cubed(Real(e.lam3 * e.lam3 * e.lam3)),
        beta(Real(e.beta)),
        n(Real(e.n)),
        minus_half_over_n(Real(e.n > 0 ? -0.5 / e.n : 0)),
        bond_order_high(Real(e.n > 0 ? std::pow(2e-16 * e.n, -1 / e.n) : 0)),
        bond_order_low(Real(e.n > 0 ? std::pow(2e-16 * e.n, 1 / e.n) : 0)),
        cubic(e.m == 3) {
    A_inner = Real(e.A * std::exp(-e.lam1 * double(inner)));
    B_inner = Real(e.B * std::exp(-e.lam2 * double(inner)));
  }
};

}  // namespace triad

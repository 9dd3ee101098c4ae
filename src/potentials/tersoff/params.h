// Parameters of the Tersoff family: as read from a potential file, and as used by the loops.
//
// Sources: J. Tersoff, Phys. Rev. B 37, 6991 (1988) and 39, 5566 (1989); tersoff/mod: Kumagai et al., Comput. Mater.
// Sci. 39, 457 (2007); tersoff/zbl: Devanathan et al., J. Nucl. Mater. 253, 47 (1998). Names and units follow the
// LAMMPS manual pages (metal units: eV, Angstrom; real units: kcal/mol, Angstrom).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace triad {

/// The potential of the family to which a table belongs.
enum class TersoffVariant { Plain, Mod, ModC, Zbl };

/// One entry of a potential file: three elements and the numbers that follow, in the file's units. A, B and c0 are
/// already converted to the energy unit of the run. A variant uses the parameters that its manual page names and leaves
/// the others at their defaults.
struct TersoffEntry {
  std::string element[3];
  double m = 3, gamma = 1, lam3 = 0, c = 0, d = 0, costheta0 = 0;
  double n = 0, beta = 0, lam2 = 0, B = 0, R = 0, D = 0, lam1 = 0, A = 0;
  double n_outer = 0;  ///< n of tersoff/mod, b = (1 + zeta^eta)^(-1/2n); its eta is `n` above
  double c1 = 0, c2 = 0, c3 = 0, c4 = 0, c5 = 0;        ///< tersoff/mod
  double c0 = 0;                                        ///< tersoff/mod/c
  double Z_i = 0, Z_j = 0, zbl_cut = 0, zbl_scale = 0;  ///< tersoff/zbl
  double coulomb = 0;                                   ///< e^2/(4 pi eps0), energy * distance; tersoff/zbl
  int line = 0;                                         ///< line of the file on which the entry starts, for messages

  double cutoff() const { return R + D; }

  /// The distance at which A exp(-lam1 r) - B exp(-lam2 r) has its minimum, the bond length of a dimer; R - D if the
  /// minimum lies outside (0, R - D).
  double dimer_length() const {
    const double r = std::log(A * lam1 / (B * lam2)) / (lam1 - lam2);
    return r > 0 && r < R - D ? r : R - D;
  }
};

/// All triplets of the elements in use: entry (i,j,k) is at index (i * nelements + j) * nelements + k. The table is
/// complete and free of duplicates (checked by io/tersoff_file.h).
struct TersoffTable {
  std::vector<std::string> elements;
  std::vector<TersoffEntry> triplets;
  TersoffVariant variant = TersoffVariant::Plain;
  double shift = 0;  ///< added to every distance before the terms are evaluated (keyword shift)

  int nelements() const { return static_cast<int>(elements.size()); }
  const TersoffEntry &at(int i, int j, int k) const {
    const auto ne = elements.size();
    return triplets[(i * ne + j) * ne + k];
  }
  /// True if the cutoff of an atom k around a centre i is the same for the bond i-k (entry i k k) and for k as the
  /// third atom of every bond i-j (entries i j k). Tersoff's mixing rules give such tables.
  bool cutoff_of_bond() const {
    for (int i = 0; i < nelements(); ++i)
      for (int j = 0; j < nelements(); ++j)
        for (int k = 0; k < nelements(); ++k)
          if (at(i, j, k).R != at(i, k, k).R || at(i, j, k).D != at(i, k, k).D) return false;
    return true;
  }
  /// True if the angular term and the distance term of entry (i,j,k) are those of entry (i,i,i), for all entries.
  bool angle_of_centre() const {
    for (int i = 0; i < nelements(); ++i)
      for (int j = 0; j < nelements(); ++j)
        for (int k = 0; k < nelements(); ++k) {
          const TersoffEntry &a = at(i, j, k), &b = at(i, i, i);
          if (a.m != b.m || a.gamma != b.gamma || a.lam3 != b.lam3 || a.c != b.c || a.d != b.d ||
              a.costheta0 != b.costheta0)
            return false;
        }
    return true;
  }
  /// The largest R + D, called cutmax in LAMMPS.
  double cutmax() const {
    double cut = 0;
    for (const auto &t : triplets) cut = std::max(cut, t.cutoff());
    return cut;
  }
  /// The smallest R - D: below it each cutoff function is 1.
  double least_inner() const {
    double inner = cutmax();
    for (const auto &t : triplets) inner = std::min(inner, t.R - t.D);
    return inner;
  }
  /// The largest true distance of interacting atoms; a negative shift makes this distance larger than R + D.
  double cutoff() const { return std::max(0.0, cutmax() - shift); }
  /// The cutoff of an atom of element `k` around a centre of element `i`, either as bonded neighbour (entry i k k) or
  /// as third atom of any bond (entries i j k).
  double cutoff(int i, int k) const {
    double cut = 0;
    for (int j = 0; j < nelements(); ++j) cut = std::max(cut, at(i, j, k).cutoff());
    return std::max(0.0, cut - shift);
  }
};

/// Parameters of one entry as the terms use them, in the arithmetic of the loop. Entry (i,j,j) gives the pair terms and
/// b(zeta) of bond ij; entry (i,j,k) gives cutoff, angle and distance terms of atom k within zeta_ij. The type of the
/// parameters selects the variant: variants.h overloads the terms that differ.
///
/// The exponentials are centred at a bond length: exp(lam1 (centre - r)), and the remaining factor is part of the
/// prefactor. Near the centre the argument is small, so fp32 keeps the digits that lam1 * r would lose, and the
/// difference between repulsion and attraction is computed before rounding.
///
/// The alignment lets a device load 16 bytes of an entry at once.
template <class RealT>
struct alignas(16) TersoffParams {
  using Real = RealT;

  Real centre;
  Real dimer_energy, dimer_slope;  // fR + fA at the centre and its derivative, which is 0 at the bond length of a dimer
  Real B_centre, B_slope;          // -fA at the centre, and lam2 times that
  Real lam1, slower_decay;         // slower_decay = (lam2 - lam1) / ln 2
  Real inner, outer, outer_rest, inv_D;  // taper between R - D and R + D
  Real c2_over_d2, d2, costheta0;        // g(theta)
  Real gamma, lam3, lam3_cubed;          // lam3_cubed = lam3^3, for m = 3
  Real beta, n, minus_half_over_n;       // b(zeta); -1/(2 n_outer)
  Real bond_order_high, bond_order_low;  // c1 and c4 of stock LAMMPS: outside them b(zeta) equals its asymptote
  int cubic;                             // 1: m = 3, 0: m = 1

  TersoffParams() = default;
  explicit TersoffParams(const TersoffEntry &e) : TersoffParams(e, e.n) {}

 protected:
  /// The smallest beta zeta for which both beta zeta and zeta are normal.
  static double least_beta_zeta(double beta) { return double(std::numeric_limits<Real>::min()) * std::max(1.0, beta); }

  /// The outer exponent of b(zeta) is -1/(2 n_outer); n_outer differs from n only in tersoff/mod.
  TersoffParams(const TersoffEntry &e, double n_outer)
      : lam1(Real(e.lam1)),
        slower_decay(Real((e.lam2 - e.lam1) / std::log(2.0))),
        inner(Real(e.R - e.D)),
        outer(Real(e.R + e.D)),
        outer_rest(Real((e.R + e.D) - double(outer))),
        inv_D(Real(e.D > 0 ? 1 / e.D : 0)),
        c2_over_d2(Real(e.d != 0 ? e.c * e.c / (e.d * e.d) : 0)),
        d2(Real(e.d * e.d)),
        costheta0(Real(e.costheta0)),
        gamma(Real(e.gamma)),
        lam3(Real(e.lam3)),
        lam3_cubed(Real(e.lam3 * e.lam3 * e.lam3)),
        beta(Real(e.beta)),
        n(Real(e.n)),
        minus_half_over_n(Real(e.n > 0 ? -0.5 / n_outer : 0)),
        bond_order_high(Real(e.n > 0 ? std::pow(2e-16 * n_outer, -1 / e.n) : 0)),
        bond_order_low(Real(e.n > 0 ? std::max(std::pow(2e-16 * n_outer, 1 / e.n), least_beta_zeta(e.beta)) : 0)),
        cubic(e.m == 3) {
    centre = Real(e.dimer_length());
    const double fR = e.A * std::exp(-e.lam1 * double(centre)), fA = -e.B * std::exp(-e.lam2 * double(centre));
    dimer_energy = Real(fR + fA);
    dimer_slope = Real(-e.lam1 * fR - e.lam2 * fA);
    B_centre = Real(-fA);
    B_slope = Real(-e.lam2 * fA);
  }
};

}  // namespace triad

// Entries of published Tersoff parameter sets that together cover all kinds of values of every parameter.
#pragma once

#include <ostream>
#include <string>

#include "potentials/tersoff/params.h"

namespace triad {

/// The 14 numbers in the order of a potential file.
inline TersoffEntry make_entry(double m, double gamma, double lam3, double c, double d, double costheta0, double n,
                               double beta, double lam2, double B, double R, double D, double lam1, double A) {
  TersoffEntry e;
  e.m = m;
  e.gamma = gamma;
  e.lam3 = lam3;
  e.c = c;
  e.d = d;
  e.costheta0 = costheta0;
  e.n = n;
  e.beta = beta;
  e.lam2 = lam2;
  e.B = B;
  e.R = R;
  e.D = D;
  e.lam1 = lam1;
  e.A = A;
  return e;
}

struct NamedEntry {
  std::string name;
  TersoffEntry entry;
};
inline std::ostream &operator<<(std::ostream &out, const NamedEntry &named) { return out << named.name; }

/// Silicon T3, lam3 = 0.
inline NamedEntry silicon_t3() {
  return {"SiliconT3", make_entry(3, 1, 0, 1.0039e5, 16.217, -0.59825, 0.78734, 1.0999e-6, 1.7322, 471.18, 2.85, 0.15,
                                  2.4799, 1830.8)};
}
/// Silicon T3 as first printed, with lam3 = lam2 and m = 3.
inline NamedEntry silicon_t3_lambda3() {
  return {"SiliconT3Lambda3", make_entry(3, 1, 1.7322, 1.0039e5, 16.217, -0.59825, 0.78734, 1.0999e-6, 1.7322, 471.18,
                                         2.85, 0.15, 2.4799, 1830.8)};
}
/// Silicon T2: n = 22.956, the steepest bond order of all published sets.
inline NamedEntry silicon_t2() {
  return {"SiliconT2",
          make_entry(3, 1, 1.3258, 4.8381, 2.0417, 0.0, 22.956, 0.33675, 1.3258, 95.373, 3.0, 0.2, 3.2394, 3264.7)};
}
/// Carbon: n = 0.72751, a narrow angular well.
inline NamedEntry carbon() {
  return {"Carbon", make_entry(3, 1, 0, 3.8049e4, 4.3484, -0.57058, 0.72751, 1.5724e-7, 2.2119, 346.74, 1.95, 0.15,
                               3.4879, 1393.6)};
}
/// Gallium of GaN: m = 1, lam3 != 0, gamma != 1.
inline NamedEntry gallium() {
  return {"Gallium",
          make_entry(1, 0.007874, 1.846, 1.918, 0.75, -0.3013, 1, 1, 1.4497, 410.132, 2.87, 0.15, 1.60916, 535.199)};
}
/// Nitrogen of GaN: gamma != 1, c and d below 1.
inline NamedEntry nitrogen() {
  return {"Nitrogen",
          make_entry(1, 0.76612, 0, 0.178493, 0.20172, -0.045238, 1, 1, 2.38426, 423.769, 2.2, 0.2, 3.55779, 1044.77)};
}
/// Silicon of SiC (1990): D = 0, the cutoff is a step.
inline NamedEntry silicon_step() {
  return {"SiliconStep",
          make_entry(3, 1, 0, 1.0039e5, 16.217, -0.59825, 0.78734, 1.1e-6, 1.7322, 471.18, 2.5, 0, 2.4799, 1830.8)};
}

/// The 17 numbers of an entry of tersoff/mod, in the order of a potential file.
inline TersoffEntry make_mod_entry(double beta, double alpha, double h, double eta, double beta_ters, double lam2,
                                   double B, double R, double D, double lam1, double A, double n, double c1, double c2,
                                   double c3, double c4, double c5) {
  TersoffEntry e = make_entry(beta, 1, alpha, 0, 0, h, eta, beta_ters, lam2, B, R, D, lam1, A);
  e.n_outer = n;
  e.c1 = c1;
  e.c2 = c2;
  e.c3 = c3;
  e.c4 = c4;
  e.c5 = c5;
  return e;
}

/// Silicon of Kumagai et al. (2007): eta = 1.
inline NamedEntry silicon_mod() {
  return {"SiliconMod", make_mod_entry(1, 2.3890327, -0.365, 1, 1, 1.345797, 121.00047, 3.0, 0.3, 3.2300135, 3281.5905,
                                       0.93810551, 0.20173476, 730418.72, 1e6, 1, 26)};
}
/// Silicon of Purja Pun and Mishin (2017): eta = 2.2, the distance term cubed, and the constant C (unused by mod).
inline NamedEntry silicon_modc() {
  NamedEntry named = {"SiliconModC",
                      make_mod_entry(3, 1.80536502, -0.38136087, 2.16152496, 1, 1.39343356, 117.78072440, 2.87478837,
                                     0.33090566, 3.18011795, 3198.51383127, 1.98633876, 0.20123243, 614230.04310619,
                                     996439.09714140, 3.33560562, 25.20963770)};
  named.entry.c0 = -0.00592042;
  return named;
}
/// Silicon with the repulsion of nuclei as in SiC.tersoff.zbl, metal units.
inline NamedEntry silicon_zbl() {
  NamedEntry named = {"SiliconZbl", silicon_t3().entry};
  TersoffEntry &e = named.entry;
  e.m = 1;
  e.Z_i = e.Z_j = 14;
  e.zbl_cut = 0.95;
  e.zbl_scale = 14;
  e.coulomb = 14.3996;
  return named;
}
/// Silicon and carbon of the same file: unequal charges.
inline NamedEntry silicon_carbon_zbl() {
  NamedEntry named = {"SiliconCarbonZbl", make_entry(1, 1, 0, 1.0039e5, 16.217, -0.59825, 0.78734, 1.1e-6, 2.0193,
                                                     432.15, 2.36, 0.15, 2.9726, 1681.7)};
  TersoffEntry &e = named.entry;
  e.Z_i = 14;
  e.Z_j = 6;
  e.zbl_cut = 0.95;
  e.zbl_scale = 14;
  e.coulomb = 14.3996;
  return named;
}

}  // namespace triad

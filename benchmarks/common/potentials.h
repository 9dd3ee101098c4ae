// Tersoff silicon and silicon carbide with the parameters and mixing rules of J. Tersoff, Phys. Rev. B 39, 5566 (1989),
// the parameterisation T3. The parameters are part of the source so that a benchmark needs no potential file.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "potentials/tersoff/params.h"

namespace triad {
namespace bench {

/// One element of table I; R and S are the ends of the taper. eV, Angstrom.
struct Element1989 {
  const char *name;
  double A, B, lambda, mu, beta, n, c, d, h, R, S;
};

constexpr Element1989 silicon_1989 = {"Si",    1830.8,   471.18, 2.4799,   1.7322, 1.0999e-6,
                                      0.78734, 1.0039e5, 16.217, -0.59825, 2.7,    3.0};
constexpr Element1989 carbon_1989 = {"C",     1393.6,   346.74, 3.4879,   2.2119, 1.5724e-7,
                                     0.72751, 3.8049e4, 4.3484, -0.57058, 1.8,    2.1};
constexpr double chi_silicon_carbon = 0.9776;  // strengthens the bond between unlike elements

/// Entry (i,j,k) of a potential file: angle, beta and n of the centre i, exponentials of the pair ij, cutoff of ik.
inline TersoffEntry entry_1989(const Element1989 &i, const Element1989 &j, const Element1989 &k) {
  TersoffEntry e;
  e.element[0] = i.name;
  e.element[1] = j.name;
  e.element[2] = k.name;
  e.c = i.c;
  e.d = i.d;
  e.costheta0 = i.h;
  e.n = i.n;
  e.beta = i.beta;
  e.lam1 = 0.5 * (i.lambda + j.lambda);
  e.lam2 = 0.5 * (i.mu + j.mu);
  e.A = std::sqrt(i.A * j.A);
  e.B = (std::string(i.name) == j.name ? 1.0 : chi_silicon_carbon) * std::sqrt(i.B * j.B);
  const double inner = std::sqrt(i.R * k.R), outer = std::sqrt(i.S * k.S);
  e.R = 0.5 * (outer + inner);
  e.D = 0.5 * (outer - inner);
  return e;
}

inline TersoffTable table_1989(const std::vector<Element1989> &elements) {
  TersoffTable table;
  for (const auto &i : elements) {
    table.elements.push_back(i.name);
    for (const auto &j : elements)
      for (const auto &k : elements) table.triplets.push_back(entry_1989(i, j, k));
  }
  return table;
}

inline TersoffTable silicon_table() { return table_1989({silicon_1989}); }
inline TersoffTable silicon_carbide_table() { return table_1989({silicon_1989, carbon_1989}); }

}  // namespace bench
}  // namespace triad

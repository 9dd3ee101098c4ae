// Coefficients of the pair force laws as given in the input script; potentials/pairwise/laws.h holds the formulas.
#pragma once

#include <cstddef>
#include <memory>
#include <variant>
#include <vector>

#include "potentials/pairwise/formula.h"
#include "potentials/pairwise/listed_constants.h"

namespace triad {

/// A table over ordered pairs of atom types; types count from 1.
template <class Entry>
struct TypePairTable {
  int n_types = 0;
  std::vector<Entry> entry;  ///< [n_types^2]; symmetric

  TypePairTable() = default;
  explicit TypePairTable(int n) : n_types(n), entry(static_cast<std::size_t>(n) * n) {}
  Entry &at(int a, int b) { return entry[static_cast<std::size_t>(a - 1) * n_types + (b - 1)]; }
  const Entry &at(int a, int b) const { return entry[static_cast<std::size_t>(a - 1) * n_types + (b - 1)]; }
  /// Sets the entries (a, b) and (b, a).
  void set(int a, int b, const Entry &e) { at(a, b) = at(b, a) = e; }
};

/// F_i = G m_i m_j (r_j - r_i) / (r^2 + eps^2)^(3/2), V = -G m_i m_j / (r^2 + eps^2)^(1/2). The masses m are the
/// strengths of the atoms.
struct GravitySettings {
  double G = 1;    ///< force * distance^2 / mass^2
  double eps = 0;  ///< softening length, >= 0
};

/// F_i = R (c1 s^-3 + (c2/s)^n) with R = r_i - r_j and s^2 = max(R^2, floor).
struct CoulombPowerSettings {
  struct Entry {
    double c1 = 0;  ///< force * distance^2
    double c2 = 0;  ///< >= 0; (c2/s)^n is force / distance
    double n = 1;   ///< > 0
  };
  TypePairTable<Entry> pairs;
  double floor = 1e-4;  ///< distance^2, >= 0
};

/// V = 4 epsilon [(sigma/r)^12 - (sigma/r)^6].
struct LennardJonesSettings {
  struct Entry {
    double epsilon = 0;  ///< energy
    double sigma = 1;    ///< distance
  };
  TypePairTable<Entry> pairs;
};

/// V = 4 epsilon [(sigma/r)^12 - (sigma/r)^6] - offset for r < cutoff, with a cutoff of each pair of types. For lists.
struct LennardJonesCutSettings {
  struct Entry {
    double epsilon = 0;  ///< energy
    double sigma = 1;    ///< distance
    double cutoff = 0;   ///< distance; 0: these types do not interact
    double offset = 0;   ///< energy
  };
  TypePairTable<Entry> pairs;
};

/// What a line of a pair list may say. Parameters are at least zero if their bit in `not_negative` is set, and greater
/// than zero if their bit in `positive` is set.
struct ListedKindInfo {
  const char *name;
  ListedKind kind;
  int n;  ///< number of parameters
  const char *parameter[4];
  unsigned not_negative, positive;
  bool bond;  ///< kept at every distance; the others are filtered by a cutoff
};
constexpr ListedKindInfo listed_kinds[] = {
    {"harmonic", ListedKind::Harmonic, 2, {"K", "r0"}, 3, 0, true},
    {"fene", ListedKind::Fene, 4, {"K", "R0", "epsilon", "sigma"}, 13, 2, true},
    {"morse", ListedKind::Morse, 3, {"D0", "alpha", "r0"}, 4, 2, false},
    {"lj", ListedKind::LennardJones, 2, {"epsilon", "sigma"}, 2, 0, false},
    {"lj/gromacs", ListedKind::LjGromacs, 4, {"epsilon", "sigma", "inner", "outer"}, 2, 12, false},
    {"12-10", ListedKind::Contact1210, 2, {"epsilon", "sigma"}, 2, 0, false},
    {"coulomb", ListedKind::Coulomb, 1, {"c"}, 0, 0, false},
};

/// Listed pairs; law and parameters belong to each pair.
struct ListedSettings {};

/// Laws with an exponential function, and their parameters.
/// Yukawa: V = A exp(-kappa r) / r; A (energy distance), kappa (1 / distance).
/// Morse: V = D0 [exp(-2 alpha (r - r0)) - 2 exp(-alpha (r - r0))]; D0 (energy), alpha (1 / distance), r0 (distance).
/// Buckingham: V = A exp(-r / rho) - C / r^6; A (energy), 1 / rho (1 / distance), C (energy distance^6).
enum class ExponentialKind { Yukawa, Morse, Buckingham };
struct ExponentialSettings {
  struct Entry {
    double p[3] = {0, 1, 0};  ///< in the order above
  };
  ExponentialKind kind = ExponentialKind::Yukawa;
  TypePairTable<Entry> pairs;
};

/// Interpolation of a table, named as in LAMMPS's pair_style table. Lookup: the values of the middle of an interval.
/// Bitmap: linear between points whose r^2, as IEEE floats, have equidistant bit patterns.
enum class TableStyle { Lookup, Linear, Spline, Bitmap };

/// Tabulated energies and forces, interpolated in r^2 between points, which are equidistant in r^2 except with Bitmap.
/// The force is zero from the last point on; a distance below the first point is an error.
struct TableSettings {
  struct Entry {
    double inner_squared = 0;  ///< r^2 of the first point, distance^2
    double per_spacing =
        0;  ///< 1 / difference of r^2 of two points, distance^-2. Bitmap: bits per interval, as an exponent
    double intervals = 0;  ///< number of points less one. Bitmap: r^2 of the last point, distance^2
    double first = 0;      ///< index of the first point in `points`
  };
  /// Energy, and force divided by distance. Lookup: those of the interval from a point to the next one. Spline:
  /// followed by a sixth of their second derivatives, in units of spacings. Bitmap: followed by r^2 and 0.
  struct Points {
    std::vector<double> exact;   ///< [points][numbers_per_point(style)]
    std::vector<float> rounded;  ///< the same in fp32
  };
  static constexpr int numbers_per_point(TableStyle style) {
    return style == TableStyle::Lookup || style == TableStyle::Linear ? 2 : 4;
  }

  TableStyle style = TableStyle::Linear;
  TypePairTable<Entry> pairs;
  std::shared_ptr<const Points> points;
};

/// A formula of the distance, with parameters of each pair of types.
struct FormulaSettings {
  struct Entry {
    double p[Formula::most_parameters] = {};
  };
  TypePairTable<Entry> pairs;
  std::shared_ptr<const Formula> formula;
};

using PairLawSettings = std::variant<GravitySettings, CoulombPowerSettings, LennardJonesSettings, ListedSettings,
                                     LennardJonesCutSettings, ExponentialSettings, TableSettings, FormulaSettings>;

}  // namespace triad

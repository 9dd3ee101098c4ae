// Coefficients of the pair force laws as given in the input script; potentials/pairwise/laws.h holds the formulas.
#pragma once

#include <cstddef>
#include <variant>
#include <vector>

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

/// V = K (r - r0)^2 / 2; K (energy / distance^2) and r0 belong to each listed pair.
struct HarmonicSettings {};

using PairLawSettings = std::variant<GravitySettings, CoulombPowerSettings, LennardJonesSettings, HarmonicSettings,
                                     LennardJonesCutSettings>;

}  // namespace triad

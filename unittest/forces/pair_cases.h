// The systems with which the tests examine all backends of pair forces.
#pragma once

#include <map>
#include <utility>

#include "potentials/pairwise/pair_table.h"
#include "testing/pair_systems.h"

namespace triad {

inline void give_types(PairSystem &system, int n_types, unsigned seed) {
  Random random(seed);
  for (int i = 0; i < system.n(); ++i) system.type.push_back(1 + random.below(n_types));
  system.setup.n_types = n_types;
}

inline PairSystem gravity(int n, unsigned seed = 1, double eps = 0.05, bool equal = false) {
  PairSystem system;
  system.name = equal ? "gravity of equal masses" : "gravity";
  system.setup.law = GravitySettings{1.5, eps};
  scatter(system, n, 4, 0, seed);
  Random random(seed + 100);
  for (int i = 0; i < n; ++i) system.strength.push_back(equal ? 0.75 : random(0.1, 2));
  return system;
}

inline PairSystem coulomb(int n, unsigned seed = 2, int n_types = 3) {
  PairSystem system;
  system.name = "coulomb/power";
  CoulombPowerSettings law;
  law.pairs = TypePairTable<CoulombPowerSettings::Entry>(n_types);
  Random random(seed + 200);
  for (int a = 1; a <= n_types; ++a)
    for (int b = a; b <= n_types; ++b)
      law.pairs.set(a, b, {(a == b ? 1 : -1) * random(0.5, 1.5), random(0, 0.5), a + b == 3 ? 2.0 : random(0.5, 9)});
  law.pairs.set(1, 1, {0.5, 0, 3});
  law.floor = 0.01;
  system.setup.law = law;
  scatter(system, n, 5, 0, seed);
  give_types(system, n_types, seed);
  return system;
}

inline PairSystem lennard_jones(int n, unsigned seed = 3, int n_types = 2) {
  PairSystem system;
  system.name = "lj";
  LennardJonesSettings law;
  law.pairs = TypePairTable<LennardJonesSettings::Entry>(n_types);
  for (int a = 1; a <= n_types; ++a)
    for (int b = a; b <= n_types; ++b) law.pairs.set(a, b, {0.5 + 0.25 * a * b, 0.9 + 0.05 * (a + b)});
  system.setup.law = law;
  scatter(system, n, 1 + 1.3 * std::cbrt(double(n)), 0.8, seed);
  give_types(system, n_types, seed);
  return system;
}

inline PairSystem exponential(ExponentialKind kind, int n, unsigned seed = 5, int n_types = 2) {
  PairSystem system;
  system.name = kind == ExponentialKind::Yukawa ? "yukawa" : kind == ExponentialKind::Morse ? "morse" : "buck";
  ExponentialSettings law;
  law.kind = kind;
  law.pairs = TypePairTable<ExponentialSettings::Entry>(n_types);
  Random random(seed + 400);
  for (int a = 1; a <= n_types; ++a)
    for (int b = a; b <= n_types; ++b) {
      const double A = random(0.5, 2), rate = random(0.5, 2);
      if (kind == ExponentialKind::Yukawa) law.pairs.set(a, b, {{a == b ? A : -A, rate, 0}});
      if (kind == ExponentialKind::Morse) law.pairs.set(a, b, {{A, rate, random(0.9, 1.3)}});
      if (kind == ExponentialKind::Buckingham) law.pairs.set(a, b, {{100 * A, 2 * rate, random(0, 0.2)}});
    }
  system.setup.law = law;
  scatter(system, n, 1 + 1.3 * std::cbrt(double(n)), 0.8, seed);
  give_types(system, n_types, seed);
  return system;
}

/// A table of two sections, from 0.5 to 3 and from 0.7 to 4, with energies that are polynomials of the distance.
inline PairSystem tabulated(int n, unsigned seed = 6) {
  PairSystem system = lennard_jones(n, seed);
  system.name = "table";
  TableSettings law;
  law.pairs = TypePairTable<TableSettings::Entry>(2);
  const auto points = std::make_shared<TableSettings::Points>();
  const auto section = [&](double inner, double outer, int count) {
    PairTable table;
    for (int k = 0; k < 200; ++k) {
      const double r = inner + (outer - inner) * k / 199, left = outer - r;
      table.r.push_back(r);
      table.energy.push_back(left * left * left);
      table.force.push_back(3 * left * left);
    }
    return add_points(table, outer, law.style, count, *points);
  };
  law.pairs.set(1, 1, section(0.5, 3, 300));
  law.pairs.set(1, 2, section(0.7, 4, 1000));
  law.pairs.set(2, 2, law.pairs.at(1, 1));
  law.points = points;
  system.setup.law = law;
  return system;
}

/// A exp(-k r) - sqrt(k) / sqrt(r^2 + A^2).
inline PairSystem formula(int n, unsigned seed = 8, int n_types = 2) {
  PairSystem system = lennard_jones(n, seed, n_types);
  system.name = "formula";
  FormulaBuilder b;
  const auto r = b.distance(), A = b.parameter(0), k = b.parameter(1), minus = b.constant(-1);
  const auto e = b.multiply(A, b.apply(FormulaOp::Exp, {b.multiply(minus, b.multiply(k, r))}));
  const auto soft = b.add(b.power(r, 2), b.power(A, 2)), root = b.multiply(b.power(k, 0.5), b.power(soft, -0.5));
  FormulaSettings law;
  law.formula = std::make_shared<const Formula>(
      b.finish(b.add(e, b.multiply(minus, root)),
               b.add(b.multiply(minus, b.multiply(k, e)), b.multiply(root, b.multiply(r, b.power(soft, -1))))));
  law.pairs = TypePairTable<FormulaSettings::Entry>(n_types);
  Random random(seed + 600);
  for (int a = 1; a <= n_types; ++a)
    for (int c = a; c <= n_types; ++c) law.pairs.set(a, c, {{random(0.5, 2), random(0.5, 2)}});
  system.setup.law = law;
  return system;
}

inline ListedConstants spring(double K, double r0) { return {{K, r0, 0, 0}, ListedKind::Harmonic, false}; }

/// Random listed pairs, some beyond the cutoff, some repeated.
inline PairSystem harmonic(int n, unsigned seed = 4, double cutoff = 2.5) {
  PairSystem system;
  system.name = "harmonic";
  system.setup.law = ListedSettings();
  system.setup.range = PairRange::Pairs;
  system.setup.cutoff = cutoff;
  system.setup.skin = 0.4;
  scatter(system, n, 5, 0.3, seed);
  Random random(seed + 300);
  for (int k = 0; k < 6 * n && n > 1; ++k) {
    const int i = random.below(n), j = random.below(n);
    if (i != j) system.pairs.push_back({i, j, spring(random(1, 50), random(0.5, 2))});
  }
  return system;
}

/// Random listed pairs of every law, or of one. Springs and FENE bonds are fixed, the others are candidates.
inline PairSystem any_law(int n, unsigned seed = 7, double cutoff = 2.5, const ListedKindInfo *only = nullptr) {
  PairSystem system = harmonic(0, seed, cutoff);
  system.name = only ? only->name : "any law";
  scatter(system, n, 1.3 * std::cbrt(double(n)) + 1, 0.7, seed);
  Random random(seed + 500);
  constexpr int n_kinds = sizeof listed_kinds / sizeof listed_kinds[0];
  for (int k = 0; k < 12 * n && n > 1; ++k) {
    const int i = random.below(n), j = random.below(n);
    const ListedKindInfo &info = only ? *only : listed_kinds[random.below(n_kinds)];
    ListedConstants c = {{random(1, 3), random(0.8, 1.2), 0, 0}, info.kind, info.bond};
    if (info.kind == ListedKind::Fene) c = {{30, 20, random(0.5, 1), random(0.8, 1)}, info.kind, true};
    if (info.kind == ListedKind::Morse) c.p[2] = random(0.9, 1.3);
    if (info.kind == ListedKind::LjGromacs) c.p[3] = (c.p[2] = random(1.2, 1.5)) + random(0.3, 1);
    if (info.kind == ListedKind::Coulomb) c.p[1] = 0;
    if (i != j) system.pairs.push_back({i, j, c});
  }
  return system;
}

inline PairSystem in_box(PairSystem system, const PairBox &box) {
  system.box = box;
  Random random(77);
  for (int i = 0; i < system.n(); i += 3)  // some atoms in other images
    for (int axis = 0; axis < 3; ++axis) {
      const int images = box.periodic[axis] ? random.below(5) - 2 : 0;
      const double edge[3][3] = {{box.xx, 0, 0}, {box.xy, box.yy, 0}, {box.xz, box.yz, box.zz}};
      for (int k = 0; k < 3; ++k) system.x[3 * i + k] += images * edge[axis][k];
    }
  return system;
}

/// Two overlapping groups, and atoms in neither.
inline PairSystem with_sides(PairSystem system, unsigned seed = 5) {
  Random random(seed);
  for (int i = 0; i < system.n(); ++i) system.side.push_back(std::uint8_t(random.below(4)));
  return system;
}

/// Some pairs scaled, some excluded, both neighbours and distant pairs.
inline PairSystem with_scaled_pairs(PairSystem system) {
  system.setup.special[1] = 0;
  system.setup.special[2] = 0.5;
  system.setup.special[3] = -0.25;
  for (int i = 0; i + 3 < system.n(); i += 2) {
    system.scaled.push_back({i, i + 1, 0});
    system.scaled.push_back({i, i + 2, 0.5});
    if (i % 3 == 0 && i != system.n() - 1 - i) system.scaled.push_back({i, i + 3, -0.25});
  }
  return system;
}

inline PairSystem from_list(PairSystem system, double cutoff) {
  system.setup.range = PairRange::List;
  system.setup.cutoff = cutoff;
  system.list_neighbours();
  return system;
}

/// A system and its reference forces.
struct PairCase {
  PairSystem system;
  PairReference reference;

  PairCase(PairSystem s) : system(std::move(s)), reference(system.reference()) {}
};

inline std::vector<PairCase> make_all_pairs_of(int n) {
  const double edge = 1 + 1.3 * std::cbrt(double(n));
  return {gravity(n),
          gravity(n, 6, 0.05, true),
          gravity(n, 7, 0),
          coulomb(n),
          coulomb(n, 8, 1),
          lennard_jones(n),
          with_sides(lennard_jones(n, 9)),
          with_sides(gravity(n, 10)),
          with_scaled_pairs(lennard_jones(n, 11)),
          with_scaled_pairs(with_sides(coulomb(n, 12))),
          in_box(gravity(n, 13), {5, 6, 7}),
          in_box(lennard_jones(n, 14), {edge + 1, edge + 1, edge + 1.5}),
          in_box(coulomb(n, 15), {6, 7, 6.5, 2, -1.5, 3}),
          in_box(gravity(n, 16), {6, 7, 6.5, -2.5, 0, 1, {true, true, true}}),
          exponential(ExponentialKind::Yukawa, n),
          in_box(exponential(ExponentialKind::Morse, n), {edge + 1, edge + 1, edge + 1.5}),
          with_sides(exponential(ExponentialKind::Buckingham, n)),
          with_scaled_pairs(tabulated(n)),
          tabulated(n, 70),
          formula(n),
          with_scaled_pairs(formula(n, 71)),
          in_box(formula(n, 72), {edge + 1, edge + 1, edge + 1.5, 2, 0, -1}),
          in_box(coulomb(n, 17), {6, 7, 6.5, 0, 0, 0, {true, false, true}}),
          in_box(lennard_jones(n, 18), {edge + 1, edge + 2, edge + 3, 0, 0, 0, {false, false, false}})};
}

inline std::vector<PairCase> make_listed_of(int n) {
  return {from_list(gravity(n, 20), 1.5),
          from_list(gravity(n, 21, 0.05, true), 1.5),
          from_list(coulomb(n, 22), 2),
          from_list(lennard_jones(n, 23), 2.5),
          from_list(with_sides(lennard_jones(n, 24)), 2.5),
          from_list(with_scaled_pairs(lennard_jones(n, 25)), 2.5),
          from_list(exponential(ExponentialKind::Yukawa, n, 28), 2.5),
          from_list(exponential(ExponentialKind::Morse, n, 29), 2.5),
          from_list(exponential(ExponentialKind::Buckingham, n, 30), 2),
          from_list(tabulated(n, 31), 2.5),
          from_list(formula(n, 73), 2.5),
          with_sides(from_list(formula(n, 74), 2)),
          harmonic(n),
          harmonic(n, 26, 0),
          any_law(n),
          any_law(n, 32, 0),
          any_law(n, 33, 2.5, &listed_kinds[4]),
          with_sides(harmonic(n, 27))};
}

/// Computed once for all backends.
template <std::vector<PairCase> (*make)(int)>
const std::vector<PairCase> &cases_of(int n) {
  static std::map<int, std::vector<PairCase>> made;
  const auto at = made.find(n);
  return at != made.end() ? at->second : made.emplace(n, make(n)).first->second;
}
inline const std::vector<PairCase> &all_pairs_of(int n) { return cases_of<make_all_pairs_of>(n); }
inline const std::vector<PairCase> &listed_of(int n) { return cases_of<make_listed_of>(n); }

}  // namespace triad

// Atoms and potentials for the tests of the loops: random open clusters, and neighbour lists by brute force.
#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <ostream>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/views.h"
#include "testing/lattices.h"
#include "testing/parameter_sets.h"
#include "testing/reference_tersoff.h"

namespace triad {

/// Uniform random numbers that are the same on every machine, unlike the distributions of <random>.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double operator()(double low, double high) { return low + (high - low) * (engine_() / 4294967296.0); }
  int below(int n) { return int(engine_() % unsigned(n)); }

 private:
  std::mt19937 engine_;
};

struct System {
  TersoffTable table;
  std::vector<int> type_to_element = {-1};  // index 0 is no type
  std::vector<double> x;                    // [n][3]
  std::vector<int> type;
  int n_owned = 0;
  std::set<int> without_row;  // owned atoms without a row in the list, as in lists of pair_style hybrid

  explicit System(TersoffTable t) : table(std::move(t)) {
    for (int e = 0; e < table.nelements(); ++e) type_to_element.push_back(e);
  }
  int n_all() const { return int(type.size()); }
  std::vector<int> centres() const {
    std::vector<int> list;
    for (int i = 0; i < n_owned; ++i)
      if (without_row.count(i) == 0) list.push_back(i);
    return list;
  }
  AtomsView atoms() const { return {n_owned, n_all(), x.data(), type.data()}; }
  void add(const std::array<double, 3> &at, int atom_type = 1) {
    x.insert(x.end(), at.begin(), at.end());
    type.push_back(atom_type);
    n_owned = n_all();
  }
  double distance(int i, int j) const {
    return std::hypot(x[3 * j] - x[3 * i], x[3 * j + 1] - x[3 * i + 1], x[3 * j + 2] - x[3 * i + 2]);
  }
  void displace(double most, unsigned seed) {
    Random random(seed);
    for (double &coordinate : x) coordinate += random(-most, most) / std::sqrt(3.0);
  }
  std::vector<ReferenceTersoff::Vector> positions() const {
    std::vector<ReferenceTersoff::Vector> list;
    for (int i = 0; i < n_all(); ++i) list.push_back({x[3 * i], x[3 * i + 1], x[3 * i + 2]});
    return list;
  }
  std::vector<int> elements() const {
    std::vector<int> list;
    for (const int t : type) list.push_back(type_to_element[t]);
    return list;
  }
  ReferenceTersoff reference() const { return ReferenceTersoff(table, positions(), elements(), centres()); }
};

/// A full list: one row per centre, with every atom nearer than `cutoff`.
class NeighbourList {
 public:
  static constexpr double skin = 1.0;

  explicit NeighbourList(const System &system) : NeighbourList(system, system.table.cutoff() + skin) {}
  NeighbourList(const System &system, double cutoff)
      : row_(system.n_all()), centre_(system.centres()), cutoff_(cutoff) {
    for (const int i : centre_)
      for (int j = 0; j < system.n_all(); ++j)
        if (j != i && system.distance(i, j) < cutoff) row_[i].push_back(j);
    update();
  }
  /// The given rows, for the first atoms.
  explicit NeighbourList(std::vector<std::vector<int>> rows) : row_(std::move(rows)) {
    for (int i = 0; i < int(row_.size()); ++i) centre_.push_back(i);
    update();
  }

  void shuffle_rows(unsigned seed) {
    Random random(seed);
    for (int i = int(centre_.size()) - 1; i > 0; --i) std::swap(centre_[i], centre_[random.below(i + 1)]);
  }
  /// Sets the bits above NEIGHMASK in all combinations, as LAMMPS does for bonded atoms.
  void set_special_bits() {
    unsigned bits = 0;
    for (auto &row : row_)
      for (int &j : row) j = int(unsigned(j) | (bits++ & 7u) << 29);
  }
  NeighborListView rows() const {
    NeighborListView view = {int(centre_.size()), centre_.data(), length_.data(), first_.data()};
    view.cutoff = cutoff_;
    return view;
  }

 private:
  void update() {
    for (auto &row : row_) {
      length_.push_back(int(row.size()));
      first_.push_back(row.data());
    }
  }

  std::vector<std::vector<int>> row_;
  std::vector<int> centre_, length_;
  std::vector<int *> first_;
  double cutoff_ = 0;
};

inline TersoffTable one_element(const NamedEntry &named, TersoffVariant variant = TersoffVariant::Plain,
                                double shift = 0) {
  TersoffTable table;
  table.variant = variant;
  table.shift = shift;
  table.elements = {named.name};
  table.triplets = {named.entry};
  return table;
}

/// Gallium nitride as published: m = 1, with lam3 and cutoffs that depend on the triplet.
inline TersoffTable gallium_nitride() {
  TersoffTable table;
  table.elements = {"Ga", "N"};
  const auto pair = [](double beta, double lam2, double B, double lam1, double A) {
    return make_entry(1, 0.001632, 0, 65.207, 2.821, -0.518, 1, beta, lam2, B, 2.9, 0.2, lam1, A);
  };
  const auto third_atom = [](TersoffEntry e) {  // only the terms of zeta are used
    e.beta = e.lam2 = e.B = e.lam1 = e.A = 0;
    return e;
  };
  const auto ga_n = pair(1, 2.63906, 3864.27, 2.93516, 6136.44);
  table.triplets = {
      gallium().entry,  third_atom(ga_n), third_atom(gallium().entry), ga_n, ga_n, third_atom(nitrogen().entry),
      third_atom(ga_n), nitrogen().entry};
  return table;
}

/// Three elements; no two triplets have a number in common.
inline TersoffTable three_elements() {
  TersoffTable table;
  table.elements = {"X", "Y", "Z"};
  Random random(20);
  for (int t = 0; t < 27; ++t)
    table.triplets.push_back(make_entry(t % 2 ? 1 : 3, random(0.3, 1.2), t % 3 ? random(0.3, 1.2) : 0, random(0.5, 5),
                                        random(0.5, 2), random(-0.6, 0.3), random(0.7, 3), random(0.2, 1),
                                        random(1.3, 1.8), random(90, 400), random(1.9, 2.8), random(0.05, 0.25),
                                        random(2.4, 3.2), random(900, 1800)));
  return table;
}

inline TersoffTable shifted(TersoffTable table, double shift) {
  table.shift = shift;
  return table;
}
inline TersoffTable mod(double shift = 0) { return one_element(silicon_mod(), TersoffVariant::Mod, shift); }
inline TersoffTable mod_c(double shift = 0) { return one_element(silicon_modc(), TersoffVariant::ModC, shift); }
inline TersoffTable zbl() { return one_element(silicon_zbl(), TersoffVariant::Zbl); }

/// Two elements of tersoff/mod/c, or of tersoff/mod, which ignores C; no two triplets have a number in common.
inline TersoffTable two_elements_mod(TersoffVariant variant) {
  TersoffTable table;
  table.variant = variant;
  table.elements = {"X", "Y"};
  Random random(27);
  for (int t = 0; t < 8; ++t) {
    table.triplets.push_back(make_mod_entry(
        t % 2 ? 1 : 3, t % 3 ? random(0.5, 1.5) : 0, random(-0.5, 0.1), random(0.8, 2.2), random(0.8, 1.2),
        random(1.3, 1.6), random(100, 250), random(2.1, 2.8), random(0.1, 0.3), random(2.6, 3.2), random(900, 1800),
        random(0.6, 2), random(0.1, 0.3), random(0.5, 2), random(0.8, 3), random(0.5, 3), random(5, 26)));
    table.triplets.back().c0 = random(-2, 2);
  }
  return table;
}

/// Silicon and carbon of tersoff/zbl as distributed with LAMMPS, with charges that depend on the pair.
inline TersoffTable silicon_carbide_zbl() {
  TersoffTable table;
  table.variant = TersoffVariant::Zbl;
  table.elements = {"Si", "C"};
  const TersoffEntry si = silicon_zbl().entry, si_c = silicon_carbon_zbl().entry;
  TersoffEntry c =
      make_entry(1, 1, 0, 1.9981e4, 7.034, -0.33953, 0.99054, 4.1612e-6, 2.3064, 389.63, 1.95, 0.15, 3.4653, 1544.8);
  c.Z_i = c.Z_j = 6;
  c.zbl_cut = si.zbl_cut;
  c.zbl_scale = si.zbl_scale;
  c.coulomb = si.coulomb;
  TersoffEntry c_si = c;
  c_si.lam2 = si_c.lam2;
  c_si.B = si_c.B;
  c_si.R = si_c.R;
  c_si.lam1 = si_c.lam1;
  c_si.A = si_c.A;
  c_si.Z_j = 14;
  const auto third_atom = [](TersoffEntry e, double R) {  // only the terms of zeta are used
    e.n = e.beta = e.lam2 = e.B = e.lam1 = e.A = 0;
    e.R = R;
    return e;
  };
  table.triplets = {si,   third_atom(si, 2.36),   third_atom(si_c, 2.85), si_c,
                    c_si, third_atom(c_si, 1.95), third_atom(c, 2.36),    c};
  return table;
}

/// Adds a centre with `n` atoms in the shell between `low` and `high`, at least `apart` from each other and from other
/// atoms.
inline void add_star(System &system, int n, const std::array<double, 3> &at, double low, double high, double apart,
                     Random &random) {
  const int centre = system.n_all();
  system.add(at);
  for (int tries = 0; system.n_all() < centre + 1 + n; ++tries) {
    if (tries > 100000) throw std::logic_error("cannot place " + std::to_string(n) + " atoms around one");
    const std::array<double, 3> d = {random(-high, high), random(-high, high), random(-high, high)};
    const double r = std::hypot(d[0], d[1], d[2]);
    if (r < low || r > high) continue;
    system.add({at[0] + d[0], at[1] + d[1], at[2] + d[2]});
    const int last = system.n_all() - 1;
    for (int other = centre + 1; other < last; ++other)
      if (system.distance(other, last) < apart) {
        system.x.resize(3 * last);
        system.type.resize(last);
        break;
      }
  }
  system.n_owned = system.n_all();
}

/// Centres with 0, 1, 2, 3, 4, 5, 8, 11, 12, 13, 14 and 40 neighbours, far from each other.
inline System coordinations(TersoffTable table) {
  System system(std::move(table));
  Random random(7);
  const double cutoff = system.table.cutoff();
  double at = -60;
  for (const int n : {0, 1, 2, 3, 4, 5, 8, 11, 12, 13, 14, 40}) {
    const bool crowded = n > 8;
    add_star(system, n, {at, 0.3 * at, -5}, (crowded ? 0.4 : 0.7) * cutoff, 0.97 * cutoff,
             (crowded ? 0.22 : 0.45) * cutoff, random);
    at += 12;
  }
  return system;
}

inline System coordinations(const NamedEntry &named) { return coordinations(one_element(named)); }

/// Random atoms in a cube, at least `apart` from each other, cycling through all types of the table.
inline System random_cluster(TersoffTable table, int n, double edge, double apart, unsigned seed) {
  System system(std::move(table));
  Random random(seed);
  for (int tries = 0; system.n_all() < n; ++tries) {
    if (tries > 1000000) throw std::logic_error("cannot place the atoms of a random cluster");
    system.add({random(0, edge), random(0, edge), random(0, edge)}, 1 + system.n_all() % system.table.nelements());
    const int last = system.n_all() - 1;
    for (int other = 0; other < last; ++other)
      if (system.distance(other, last) < apart) {
        system.x.resize(3 * last);
        system.type.resize(last);
        break;
      }
  }
  system.n_owned = system.n_all();
  return system;
}

/// Cells of the diamond lattice with open surfaces and displacements of up to `most`; centres have four neighbours.
inline System diamond(TersoffTable table, int cells, double most) {
  System system(std::move(table));
  const double a = 5.432;
  for (int cx = 0; cx < cells; ++cx)
    for (int cy = 0; cy < cells; ++cy)
      for (int cz = 0; cz < cells; ++cz)
        for (const auto &b : diamond_basis) system.add({a * (cx + b[0]), a * (cy + b[1]), a * (cz + b[2])});
  system.displace(most, 3);
  return system;
}

inline System diamond(const NamedEntry &named, int cells, double most) {
  return diamond(one_element(named), cells, most);
}

/// The systems for which every backend is compared with the reference.
struct NamedSystem {
  std::string name;
  std::function<System()> make;
};
inline std::ostream &operator<<(std::ostream &out, const NamedSystem &named) { return out << named.name; }

inline std::vector<NamedSystem> all_systems() {
  return {
      {"CoordinationsSilicon", [] { return coordinations(silicon_t3()); }},
      {"CoordinationsLambda3", [] { return coordinations(silicon_t3_lambda3()); }},
      {"CoordinationsSteepBondOrder", [] { return coordinations(silicon_t2()); }},
      {"CoordinationsLinearLambda3", [] { return coordinations(gallium()); }},
      {"CoordinationsStepCutoff", [] { return coordinations(silicon_step()); }},
      {"Diamond", [] { return diamond(silicon_t3(), 2, 0.1); }},
      {"DiamondLambda3", [] { return diamond(silicon_t3_lambda3(), 2, 0.1); }},
      {"GalliumNitride", [] { return random_cluster(gallium_nitride(), 60, 8.5, 1.6, 11); }},
      {"ThreeElements", [] { return random_cluster(three_elements(), 60, 8, 1.4, 12); }},
      {"CoordinationsMod", [] { return coordinations(mod()); }},
      {"CoordinationsModC", [] { return coordinations(mod_c()); }},
      {"CoordinationsZbl", [] { return coordinations(zbl()); }},
      {"CoordinationsShiftOut", [] { return coordinations(shifted(one_element(silicon_t3()), -0.3)); }},
      {"CoordinationsShiftIn", [] { return coordinations(shifted(one_element(silicon_t3_lambda3()), 0.2)); }},
      {"CoordinationsModShift", [] { return coordinations(mod(-0.1)); }},
      {"DiamondMod", [] { return diamond(mod(), 2, 0.1); }},
      {"DiamondModC", [] { return diamond(mod_c(), 2, 0.1); }},
      {"DiamondModCShift", [] { return diamond(mod_c(0.05), 2, 0.1); }},
      {"DiamondZbl", [] { return diamond(zbl(), 2, 0.1); }},
      {"DiamondShift", [] { return diamond(shifted(one_element(silicon_t3()), -0.2), 2, 0.1); }},
      {"TwoElementsMod", [] { return random_cluster(two_elements_mod(TersoffVariant::Mod), 60, 8, 1.4, 14); }},
      {"TwoElementsModC", [] { return random_cluster(two_elements_mod(TersoffVariant::ModC), 60, 8, 1.4, 14); }},
      {"SiliconCarbideZbl", [] { return random_cluster(silicon_carbide_zbl(), 60, 8, 1.5, 15); }},
      {"SiliconCarbideZblDense", [] { return random_cluster(silicon_carbide_zbl(), 60, 5, 0.75, 16); }},
      {"GalliumNitrideShift", [] { return random_cluster(shifted(gallium_nitride(), 0.1), 60, 8.5, 1.6, 17); }},
      {"ThreeElementsShift", [] { return random_cluster(shifted(three_elements(), -0.3), 60, 9, 1.4, 18); }},
      {"ThreeElementsThin", [] { return random_cluster(three_elements(), 60, 13, 1.6, 13); }},
  };
}

}  // namespace triad

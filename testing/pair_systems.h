// Systems for the tests of pair forces, and reference forces: a double loop in long double with the published formulas
// and LAMMPS's definition of the nearest image.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "testing/systems.h"

namespace triad {

struct PairReference {
  using Number = long double;
  using Vector = std::array<Number, 3>;

  Number energy = 0, energy_size = 0;
  std::array<Number, 6> virial = {};
  Number virial_size = 0;
  std::vector<Vector> force;
  std::vector<Number> force_size, atom_energy;  // force_size: sum of the absolute values of the terms of all pairs
  std::vector<std::array<Number, 6>> atom_virial;

  explicit PairReference(std::size_t n)
      : force(n, Vector{}), force_size(n), atom_energy(n), atom_virial(n, std::array<Number, 6>{}) {}
};

struct PairSystem {
  std::string name;
  PairwiseSetup setup;
  std::vector<double> x, strength;
  std::vector<int> type;
  std::vector<std::uint8_t> side;
  std::optional<PairBox> box;
  struct Pair {
    int i, j;
    ListedConstants constants;
  };
  std::vector<Pair> pairs;             // range Pairs
  std::vector<std::vector<int>> rows;  // range List: half list
  std::vector<std::vector<int>> full_rows;
  struct Scaled {
    int i, j;
    double factor;
  };
  std::vector<Scaled> scaled;  // range All; also as bits of `rows`

  int n() const { return int(x.size() / 3); }
  PairAtomsView atoms() const {
    PairAtomsView view;
    view.n = n();
    view.x = x.data();
    view.type = type.empty() ? nullptr : type.data();
    view.strength = strength.empty() ? nullptr : strength.data();
    view.side = side.empty() ? nullptr : side.data();
    view.box = box ? &*box : nullptr;
    return view;
  }
  bool act(int i, int j) const {
    return side.empty() || ((side[i] & 1) && (side[j] & 2)) || ((side[j] & 1) && (side[i] & 2));
  }
  double factor(int i, int j) const {
    for (const Scaled &s : scaled)
      if ((s.i == i && s.j == j) || (s.i == j && s.j == i)) return s.factor;
    return 1;
  }

  /// Vector from i to the nearest image of j.
  PairReference::Vector separation(int i, int j) const {
    PairReference::Vector d;
    for (int axis = 0; axis < 3; ++axis) d[axis] = PairReference::Number(x[3 * j + axis]) - x[3 * i + axis];
    if (!box) return d;
    const long double edge[3][3] = {{box->xx, 0, 0}, {box->xy, box->yy, 0}, {box->xz, box->yz, box->zz}};
    for (int axis = 2; axis >= 0; --axis) {
      if (!box->periodic[axis]) continue;
      while (d[axis] > edge[axis][axis] / 2)
        for (int k = 0; k < 3; ++k) d[k] -= edge[axis][k];
      while (d[axis] < -edge[axis][axis] / 2)
        for (int k = 0; k < 3; ++k) d[k] += edge[axis][k];
    }
    return d;
  }

  /// Energy and (dV/dr)/r of a pair, and the sums of the absolute values of their terms.
  struct Term {
    PairReference::Number energy, pull, energy_size, pull_size;
  };
  Term term(int i, int j, PairReference::Number r, const Pair *pair) const {
    using Number = PairReference::Number;
    if (const auto *g = std::get_if<GravitySettings>(&setup.law)) {
      const Number soft = std::sqrt(r * r + Number(g->eps) * g->eps), Gmm = Number(g->G) * strength[i] * strength[j];
      return sized(-Gmm / soft, Gmm / (soft * soft * soft));
    }
    if (const auto *c = std::get_if<CoulombPowerSettings>(&setup.law)) {
      const auto &e = c->pairs.at(type.empty() ? 1 : type[i], type.empty() ? 1 : type[j]);
      const auto force = [&](Number s) { return e.c1 / (s * s * s) + std::pow(e.c2 / s, Number(e.n)); };
      const auto size = [&](Number s) {
        return std::abs(e.c1) / (s * s * s) + (1 + e.n) * std::pow(e.c2 / s, Number(e.n));
      };
      const auto potential = [&](Number s) {
        const Number power =
            e.n == 2 ? -e.c2 * e.c2 * std::log(s)
                     : std::pow(Number(e.c2), Number(e.n)) * std::pow(s, 2 - Number(e.n)) / (Number(e.n) - 2);
        return e.c1 / s + power;
      };
      const Number edge = std::sqrt(Number(c->floor));
      const Number s = std::max(r, edge), inside = force(s) * (s * s - r * r) / 2, outside = potential(s);
      return {outside + inside, -force(s), std::abs(outside) + std::abs(inside) + size(s) * s * s, size(s)};
    }
    if (const auto *lj = std::get_if<LennardJonesSettings>(&setup.law)) {
      const auto &e = lj->pairs.at(type.empty() ? 1 : type[i], type.empty() ? 1 : type[j]);
      const Number s6 = std::pow(e.sigma / r, Number(6));
      return {4 * e.epsilon * (s6 * s6 - s6), -24 * e.epsilon * (2 * s6 * s6 - s6) / (r * r),
              4 * e.epsilon * (s6 * s6 + s6), 24 * e.epsilon * (2 * s6 * s6 + s6) / (r * r)};
    }
    if (const auto *s = std::get_if<ExponentialSettings>(&setup.law)) {
      const double *p = s->pairs.at(type.empty() ? 1 : type[i], type.empty() ? 1 : type[j]).p;
      if (s->kind == ExponentialKind::Morse) return morse(r, p[0], p[1], p[2]);
      // The error of the exponential function is that of its argument.
      const Number e = p[0] * std::exp(-p[1] * r), size = std::abs(e) * (1 + p[1] * r);
      if (s->kind == ExponentialKind::Yukawa)
        return {e / r, -(p[1] + 1 / r) * e / (r * r), size / r, (p[1] + 1 / r) * size / (r * r)};
      const Number r6 = p[2] / std::pow(r, Number(6));
      return {e - r6, (6 * r6 / r - p[1] * e) / r, size + std::abs(r6), (6 * std::abs(r6) / r + p[1] * size) / r};
    }
    if (const auto *s = std::get_if<TableSettings>(&setup.law)) {
      const auto &e = s->pairs.at(type.empty() ? 1 : type[i], type.empty() ? 1 : type[j]);
      const Number at = (r * r - e.inner_squared) * e.per_spacing;
      if (at >= e.intervals) return {0, 0, 0, 0};
      const std::size_t k = std::size_t(e.first) + std::size_t(at);
      const Number part = at - std::floor(at), size = 1 + e.intervals / 4;  // fp32 rounds `at`
      const double *p = s->points->exact.data() + 2 * k;
      return {p[0] + part * (p[2] - p[0]), -(p[1] + part * (p[3] - p[1])),
              std::abs(p[0]) + size * std::abs(p[2] - p[0]), std::abs(p[1]) + size * std::abs(p[3] - p[1])};
    }
    if (const auto *s = std::get_if<FormulaSettings>(&setup.law)) {  // A exp(-k r) - sqrt(k) / sqrt(r^2 + A^2)
      const double *p = s->pairs.at(type.empty() ? 1 : type[i], type.empty() ? 1 : type[j]).p;
      const Number A = p[0], k = p[1], e = A * std::exp(-k * r), soft = r * r + A * A, root = std::sqrt(k / soft);
      return {e - root, -k * e / r + root / soft, e * (1 + k * r) + root, k * e * (1 + k * r) / r + root / soft};
    }
    return listed(pair->constants, r);
  }
  static Term morse(PairReference::Number r, PairReference::Number D, PairReference::Number alpha,
                    PairReference::Number r0) {
    const PairReference::Number e = std::exp(-alpha * (r - r0)), size = 1 + alpha * (r + r0);
    return {D * (e * e - 2 * e), -2 * D * alpha * (e * e - e) / r, std::abs(D) * (e * e + 2 * e) * size,
            2 * std::abs(D) * alpha * (e * e + e) * size / r};
  }
  static Term listed(const ListedConstants &c, PairReference::Number r) {
    using Number = PairReference::Number;
    const double *p = c.p;
    const auto lj = [r](Number epsilon, Number sigma, Number n, Number m, Number a, Number b) {
      const Number high = epsilon * a * std::pow(sigma / r, n), low = epsilon * b * std::pow(sigma / r, m);
      return Term{high - low, (m * low - n * high) / (r * r), std::abs(high) + std::abs(low),
                  (m * std::abs(low) + n * std::abs(high)) / (r * r)};
    };
    switch (c.kind) {
      case ListedKind::Harmonic: {
        const Number K = p[0], stretch = r - p[1];
        if (r == 0) return {K * stretch * stretch / 2, 0, K * stretch * stretch, 0};
        return {K * stretch * stretch / 2, K * stretch / r, K * (r * r + Number(p[1]) * p[1]), K * (r + p[1]) / r};
      }
      case ListedKind::Fene: {
        const Number K = p[0], R2 = Number(p[1]) * p[1], argument = std::max(1 - r * r / R2, Number(0.1));
        Term t = {-K * R2 / 2 * std::log(argument), K / argument, K * R2 / argument, K / (argument * argument)};
        if (r * r < std::cbrt(Number(2)) * p[3] * p[3]) {
          const Term core = lj(4 * p[2], p[3], 12, 6, 1, 1);
          t = {t.energy + core.energy + p[2], t.pull + core.pull, t.energy_size + core.energy_size + p[2],
               t.pull_size + core.pull_size};
        }
        return t;
      }
      case ListedKind::Morse:
        return morse(r, p[0], p[1], p[2]);
      case ListedKind::LennardJones:
        return lj(4 * p[0], p[1], 12, 6, 1, 1);
      case ListedKind::Contact1210:
        return lj(p[0], p[1], 12, 10, 5, 6);
      case ListedKind::Coulomb:
        return sized(p[0] / r, -p[0] / (r * r * r));
      default:
        break;
    }
    // lj/gromacs: the force is 4 epsilon (sigma^n n / r^(n+1) + A t^2 + B t^3), A and B such that force and slope
    // vanish at `outer`, and the energy is its integral (Simpson's rule is exact for the polynomial).
    const Number inner = p[2], outer = p[3];
    Term sum = {0, 0, 0, 0};
    if (r >= outer) return sum;
    for (const int n : {12, 6}) {
      const Number factor = (n == 12 ? 4 : -4) * Number(p[0]) * std::pow(Number(p[1]), Number(n));
      const Number at_outer = n / std::pow(outer, Number(n + 1)), slope = -(n + 1) * at_outer / outer,
                   w = outer - inner;
      // at_outer + A w^2 + B w^3 = 0, slope + 2 A w + 3 B w^2 = 0
      const Number B = (2 * at_outer - slope * w) / (w * w * w), A = (-at_outer - B * w * w * w) / (w * w);
      const auto switched = [&](Number x) { return x > inner ? (A + B * (x - inner)) * (x - inner) * (x - inner) : 0; };
      const auto cubic = [&](Number from, Number to) {
        return (to - from) / 6 * (switched(from) + 4 * switched((from + to) / 2) + switched(to));
      };
      const Number power = std::pow(r, Number(-n));
      const Number energy = power - std::pow(outer, Number(-n)) + cubic(std::max(r, inner), outer);
      const Number force = n * power / r + switched(r);
      sum.energy += factor * energy;
      sum.pull -= factor * force / r;
      sum.energy_size += std::abs(factor) * (power + 10 / std::pow(inner, Number(n)));
      sum.pull_size += std::abs(factor) * n * (power / r + 10 / std::pow(inner, Number(n + 1))) / r;
    }
    return sum;
  }
  static Term sized(PairReference::Number energy, PairReference::Number pull) {
    return {energy, pull, std::abs(energy), std::abs(pull)};
  }

  PairReference reference() const {
    PairReference result(n());
    const auto add = [&](int i, int j, double scaling, const Pair *pair) {
      const auto d = separation(i, j);
      const PairReference::Number r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      const bool fixed = pair && pair->constants.fixed;
      if (scaling == 0 || !act(i, j) || (setup.cutoff > 0 && r >= setup.cutoff && !fixed)) return;
      const Term t = term(i, j, r, pair);
      result.energy += scaling * t.energy;
      result.energy_size += std::abs(scaling * t.energy_size);
      const PairReference::Number size = std::abs(scaling * t.pull_size) * r;
      result.virial_size += size * r;
      for (const int a : {i, j}) {
        result.force_size[a] += size;
        result.atom_energy[a] += scaling * t.energy / 2;
      }
      for (int axis = 0; axis < 3; ++axis) {
        result.force[i][axis] += scaling * t.pull * d[axis];
        result.force[j][axis] -= scaling * t.pull * d[axis];
      }
      static constexpr int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
      for (int v = 0; v < 6; ++v) {
        const auto w = -scaling * t.pull * d[row[v]] * d[column[v]];
        result.virial[v] += w;
        result.atom_virial[i][v] += w / 2;
        result.atom_virial[j][v] += w / 2;
      }
    };
    if (setup.range == PairRange::Pairs) {
      for (const Pair &p : pairs) add(p.i, p.j, 1, &p);
    } else {
      for (int i = 0; i < n(); ++i)
        for (int j = i + 1; j < n(); ++j) add(i, j, factor(i, j), nullptr);
    }
    return result;
  }

  void add(const std::array<double, 3> &at) { x.insert(x.end(), at.begin(), at.end()); }

  /// Neighbour lists of every pair nearer than cutoff + 0.5; the special-bond bits select factors.
  void list_neighbours() {
    rows.assign(n(), {});
    full_rows.assign(n(), {});
    const auto entry = [&](int i, int j) {
      unsigned special = 0;
      for (unsigned k = 1; k < 4; ++k)
        if (factor(i, j) != 1 && factor(i, j) == setup.special[k]) special = k;
      return static_cast<int>(static_cast<unsigned>(j) | special << 30);
    };
    for (int i = 0; i < n(); ++i)
      for (int j = 0; j < n(); ++j) {
        const auto d = separation(i, j);
        if (i == j || std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) >= setup.cutoff + 0.5) continue;
        full_rows[i].push_back(entry(i, j));
        if ((i < j) == ((i + j) % 2 == 0)) rows[i].push_back(entry(i, j));  // as in LAMMPS, in either atom's row
      }
  }
};

/// Random atoms in a cube with a minimum distance of `apart`.
inline void scatter(PairSystem &system, int n, double edge, double apart, unsigned seed) {
  Random random(seed);
  while (system.n() < n) {
    const std::array<double, 3> at = {random(0, edge), random(0, edge), random(0, edge)};
    bool free = true;
    for (int i = 0; i < system.n() && free && apart > 0; ++i)
      free = std::hypot(at[0] - system.x[3 * i], at[1] - system.x[3 * i + 1], at[2] - system.x[3 * i + 2]) >= apart;
    if (free) system.add(at);
  }
}

}  // namespace triad

// Reference of the Tersoff family in long double: three nested loops over all atoms of an open cluster, without lists
// or shared terms. Positions are not periodic; periodic images are separate atoms, like ghosts.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "testing/published_terms.h"

namespace triad {

struct ReferenceTersoff {
  using Number = published::Number;
  using Vector = std::array<Number, 3>;
  using Tensor = std::array<Number, 6>;    // xx yy zz xy xz yz
  using Centroid = std::array<Number, 9>;  // and yx zx zy

  static constexpr int row[9] = {0, 1, 2, 0, 0, 1, 1, 2, 2}, column[9] = {0, 1, 2, 1, 2, 2, 0, 0, 1};

  Number energy = 0;
  Tensor virial = {};
  std::vector<Vector> force;
  std::vector<Number> atom_energy;      // half of each bond to each of its atoms
  std::vector<Tensor> atom_virial;      // pair terms in halves, triplet terms in thirds
  std::vector<Centroid> atom_centroid;  // sum over bonds of (r_a - midpoint of the bond) (x) force of its energy on a
  std::vector<Number> force_size;       // sum of |term| over the terms of an atom, see steepest_taper()
  std::vector<Number> energy_size;      // the same for its energy
  std::vector<int> bonds;               // atoms within the cutoff of the bond, per centre

  /// Energy of the bonds that start at `centres`. An atom of element -1 does not interact.
  ReferenceTersoff(const TersoffTable &table, const std::vector<Vector> &x, const std::vector<int> &element,
                   const std::vector<int> &centres)
      : table_(table), family_{table.variant}, x_(x), element_(element) {
    const auto n = x.size();
    force.resize(n);
    atom_energy.resize(n);
    atom_virial.resize(n);
    atom_centroid.resize(n);
    force_size.resize(n);
    energy_size.resize(n);
    bonds.resize(n);
    for (const int i : centres)
      for (int j = 0; j < int(n); ++j)
        if (j != i && element[i] >= 0 && element[j] >= 0) add_bond(i, j);
  }

  /// Energy of the one directed bond from i to j.
  static Number bond_energy(const TersoffTable &table, const std::vector<Vector> &x, const std::vector<int> &element,
                            int i, int j) {
    ReferenceTersoff alone(table, x, element, {});
    alone.add_bond(i, j);
    return alone.energy;
  }

 private:
  static Number dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  static Number length(const Vector &a) { return std::sqrt(dot(a, a)); }
  Vector between(int i, int j) const { return {x_[j][0] - x_[i][0], x_[j][1] - x_[i][1], x_[j][2] - x_[i][2]}; }

  /// 1/2 [repulsive(r_ij) + b_ij attractive(r_ij)]; r is the true distance plus the table's shift.
  void add_bond(int i, int j) {
    const TersoffEntry &e = table_.at(element_[i], element_[j], element_[j]);
    const Vector d = between(i, j);
    const Number true_length = length(d), r = true_length + table_.shift;
    if (r >= Number(e.R) + e.D) return;
    ++bonds[i];
    const Bond bond = {i, j, d};
    Number zeta = 0;
    for (int k = 0; k < int(x_.size()); ++k)
      if (k != i && k != j && element_[k] >= 0) zeta += zeta_term(bond, k, 0);

    const auto repulsive = family_.repulsive(e, r), attractive = family_.attractive(e, r);
    const auto b = family_.bond_order(e, zeta);
    const Number bond_energy = (repulsive.value + b.value * attractive.value) / 2;
    energy += bond_energy;
    for (const int atom : {i, j}) {
      atom_energy[atom] += bond_energy / 2;
      energy_size[atom] += pair_size(e, r, b.value).value / 2;
      force_size[atom] += pair_size(e, r, b.value).slope;
    }
    const Number dE_dr = (repulsive.slope + b.value * attractive.slope) / 2;
    const Vector on_j = {dE_dr * d[0] / true_length, dE_dr * d[1] / true_length, dE_dr * d[2] / true_length};
    add_gradient(bond, j, on_j);
    add_virial({i, j}, d, on_j);

    const Number dE_dzeta = attractive.value * b.slope / 2;
    if (dE_dzeta == 0) return;
    for (int k = 0; k < int(x_.size()); ++k)
      if (k != i && k != j && element_[k] >= 0) zeta_term(bond, k, dE_dzeta);
  }

  /// A directed bond during the computation of its energy.
  struct Bond {
    int i, j;
    Vector d;
  };

  /// fC(r_ik) g(theta_ijk) exp(lam3^m (r_ij - r_ik)^m); adds dE_dzeta times its gradient to the forces.
  Number zeta_term(const Bond &bond, int k, Number dE_dzeta) {
    const int i = bond.i, j = bond.j;
    const TersoffEntry &e = table_.at(element_[i], element_[j], element_[k]);
    const Vector a = bond.d, b = between(i, k);
    const Number ra = length(a), rb = length(b), shifted = rb + table_.shift;
    if (shifted >= Number(e.R) + e.D) return 0;
    const Number cosine = dot(a, b) / (ra * rb);
    const auto fC = family_.cutoff(e, shifted), g = family_.angle(e, cosine), ex = published::distance(e, ra - rb);
    if (dE_dzeta != 0) {
      Vector on_j, on_k;
      for (int axis = 0; axis < 3; ++axis) {
        const Number dcos_da = b[axis] / (ra * rb) - cosine * a[axis] / (ra * ra);
        const Number dcos_db = a[axis] / (ra * rb) - cosine * b[axis] / (rb * rb);
        on_j[axis] =
            dE_dzeta * (fC.value * g.slope * ex.value * dcos_da + fC.value * g.value * ex.slope * a[axis] / ra);
        on_k[axis] = dE_dzeta * (fC.value * g.slope * ex.value * dcos_db +
                                 (fC.slope * g.value * ex.value - fC.value * g.value * ex.slope) * b[axis] / rb);
      }
      add_gradient(bond, j, on_j);
      add_gradient(bond, k, on_k);
      add_virial({i, j, k}, a, on_j);
      add_virial({i, j, k}, b, on_k);
      const Number size =
          std::abs(dE_dzeta) * (std::abs(g.slope) * ex.value * (1 / ra + 1 / rb) +
                                g.value * (2 * std::abs(ex.slope) + steepest_taper(e, shifted) * ex.value));
      for (const int atom : {i, j, k}) force_size[atom] += size;
    }
    return fC.value * g.value * ex.value;
  }

  /// Maximum slope of the taper. The size of a term is counted without the factor of the taper, because the rounding of
  /// a distance changes the term by this slope.
  Number steepest_taper(const TersoffEntry &e, Number r) const {
    if (!(r > Number(e.R) - e.D && e.D > 0)) return 0;
    return std::acos(Number(-1)) / (4 * e.D) * (family_.is_mod() ? 1.5L : 1);
  }

  /// Sizes of the energy of a bond and of its slope; all terms count as positive.
  published::Term pair_size(const TersoffEntry &e, Number r, Number b) const {
    const auto fR = published::repulsion(e, r), fA = published::attraction(e, r);
    const Number size = (fR.value + std::abs(Number(e.c0)) - b * fA.value) / 2, slope = (b * fA.slope - fR.slope) / 2;
    const Number steep = steepest_taper(e, r) * size + slope;
    if (table_.variant != TersoffVariant::Zbl) return {size, steep};
    const auto weight = published::zbl::one_minus_fermi(e, r), nuclear = published::zbl::nuclear(e, r);
    const Number inside = weight.value * nuclear.value;
    return {size + inside, steep - weight.value * nuclear.slope - weight.slope * (size + nuclear.value)};
  }

  /// Adds a gradient of a bond's energy on atom `outer` and the reaction on the centre.
  void add_gradient(const Bond &bond, int outer, const Vector &gradient) {
    const Vector d = between(bond.i, outer);
    for (int axis = 0; axis < 3; ++axis) {
      force[outer][axis] -= gradient[axis];
      force[bond.i][axis] += gradient[axis];
    }
    for (int v = 0; v < 9; ++v) {
      const Number half = bond.d[row[v]] / 2;
      atom_centroid[outer][v] -= (d[row[v]] - half) * gradient[column[v]];
      atom_centroid[bond.i][v] -= half * gradient[column[v]];
    }
  }

  /// Adds d (x) force of a bond in equal parts to the atoms of its term. The sum is symmetric after both bonds of a
  /// triplet.
  void add_virial(const std::vector<int> &atoms, const Vector &d, const Vector &gradient) {
    for (int v = 0; v < 6; ++v) {
      const Number term = -d[row[v]] * gradient[column[v]];
      virial[v] += term;
      for (const int atom : atoms) atom_virial[atom][v] += term / Number(atoms.size());
    }
  }

  const TersoffTable &table_;
  const published::Family family_;
  const std::vector<Vector> &x_;
  const std::vector<int> &element_;
};

}  // namespace triad

// The Tersoff potential summed as it is written, in long double: three nested loops over all atoms of an open cluster,
// no lists, no shared terms. Positions are not periodic; periodic images are atoms of their own, as ghosts are.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "physics/published_terms.h"

namespace triad {

struct ReferenceTersoff {
  using Number = published::Number;
  using Vector = std::array<Number, 3>;
  using Tensor = std::array<Number, 6>;  // xx yy zz xy xz yz

  Number energy = 0;
  Tensor virial = {};
  std::vector<Vector> force;
  std::vector<Number> atom_energy;  // half of each bond to either end
  std::vector<Tensor> atom_virial;  // pair terms in halves, triplet terms in thirds
  std::vector<Number> force_size;   // sum of |term| over the terms an atom takes part in, see steepest_taper()
  std::vector<Number> energy_size;  // the same for its energy
  std::vector<int> bonds;           // atoms within the cutoff of the bond, per centre

  /// Energy of the bonds that start at `centres`. element -1: an atom that does not take part.
  ReferenceTersoff(const TersoffTable &table, const std::vector<Vector> &x, const std::vector<int> &element,
                   const std::vector<int> &centres)
      : table_(table), x_(x), element_(element) {
    const auto n = x.size();
    force.resize(n);
    atom_energy.resize(n);
    atom_virial.resize(n);
    force_size.resize(n);
    energy_size.resize(n);
    bonds.resize(n);
    for (const int i : centres)
      for (int j = 0; j < int(n); ++j)
        if (j != i && element[i] >= 0 && element[j] >= 0) add_bond(i, j);
  }

 private:
  static Number dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
  static Number length(const Vector &a) { return std::sqrt(dot(a, a)); }
  Vector between(int i, int j) const { return {x_[j][0] - x_[i][0], x_[j][1] - x_[i][1], x_[j][2] - x_[i][2]}; }

  /// 1/2 fC(r_ij) [fR(r_ij) + b_ij fA(r_ij)]
  void add_bond(int i, int j) {
    const TersoffEntry &e = table_.at(element_[i], element_[j], element_[j]);
    const Vector d = between(i, j);
    const Number r = length(d);
    const auto fC = published::cutoff(e, r);
    if (r >= Number(e.R) + e.D) return;
    ++bonds[i];
    Number zeta = 0;
    for (int k = 0; k < int(x_.size()); ++k)
      if (k != i && k != j && element_[k] >= 0) zeta += zeta_term(i, j, k, 0);

    const auto fR = published::repulsion(e, r), fA = published::attraction(e, r);
    const auto b = published::bond_order(e, zeta);
    const Number bond = fC.value * (fR.value + b.value * fA.value) / 2;
    const Number size = (fR.value - b.value * fA.value) / 2;
    energy += bond;
    for (const int atom : {i, j}) {
      atom_energy[atom] += bond / 2;
      energy_size[atom] += size / 2;
    }
    const Number dE_dr = (fC.slope * (fR.value + b.value * fA.value) + fC.value * (fR.slope + b.value * fA.slope)) / 2;
    const Vector on_j = {dE_dr * d[0] / r, dE_dr * d[1] / r, dE_dr * d[2] / r};
    add_gradient(i, j, on_j);
    add_virial({i, j}, d, on_j);
    for (const int atom : {i, j}) force_size[atom] += steepest_taper(e, r) * size - (fR.slope - b.value * fA.slope) / 2;

    const Number dE_dzeta = fC.value * fA.value * b.slope / 2;
    if (dE_dzeta == 0) return;
    for (int k = 0; k < int(x_.size()); ++k)
      if (k != i && k != j && element_[k] >= 0) zeta_term(i, j, k, dE_dzeta);
  }

  /// fC(r_ik) g(theta_ijk) exp(lam3^m (r_ij - r_ik)^m), and dE_dzeta times its gradient as forces.
  Number zeta_term(int i, int j, int k, Number dE_dzeta) {
    const TersoffEntry &e = table_.at(element_[i], element_[j], element_[k]);
    const Vector a = between(i, j), b = between(i, k);
    const Number ra = length(a), rb = length(b);
    if (rb >= Number(e.R) + e.D) return 0;
    const Number cosine = dot(a, b) / (ra * rb);
    const auto fC = published::cutoff(e, rb), g = published::angle(e, cosine), ex = published::distance(e, ra - rb);
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
      add_gradient(i, j, on_j);
      add_gradient(i, k, on_k);
      add_virial({i, j, k}, a, on_j);
      add_virial({i, j, k}, b, on_k);
      const Number size = std::abs(dE_dzeta) * (std::abs(g.slope) * ex.value * (1 / ra + 1 / rb) +
                                                g.value * (2 * std::abs(ex.slope) + steepest_taper(e, rb) * ex.value));
      for (const int atom : {i, j, k}) force_size[atom] += size;
    }
    return fC.value * g.value * ex.value;
  }

  /// Where the taper acts, its steepest slope: sizes count a term as if the taper did not make it small, because the
  /// rounding of a distance changes it as much.
  static Number steepest_taper(const TersoffEntry &e, Number r) {
    return r > Number(e.R) - e.D && e.D > 0 ? std::acos(Number(-1)) / (4 * e.D) : 0;
  }

  /// A gradient on the outer atom of a bond, and its reaction on the centre.
  void add_gradient(int centre, int outer, const Vector &gradient) {
    for (int axis = 0; axis < 3; ++axis) {
      force[outer][axis] -= gradient[axis];
      force[centre][axis] += gradient[axis];
    }
  }

  /// d (x) force of a bond, shared out equally to the atoms of its term. Symmetric once both bonds of a triplet are in.
  void add_virial(const std::vector<int> &atoms, const Vector &d, const Vector &gradient) {
    constexpr int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    for (int v = 0; v < 6; ++v) {
      const Number term = -d[row[v]] * gradient[column[v]];
      virial[v] += term;
      for (const int atom : atoms) atom_virial[atom][v] += term / Number(atoms.size());
    }
  }

  const TersoffTable &table_;
  const std::vector<Vector> &x_;
  const std::vector<int> &element_;
};

}  // namespace triad

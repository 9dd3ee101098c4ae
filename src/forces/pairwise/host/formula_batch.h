// Pairs of a list whose terms a formula gives together, in vector registers that every instruction set has.
#pragma once

#include "potentials/pairwise/formula_law.h"
#include "potentials/pairwise/formula_steps.h"

namespace triad {

template <class Real>
class FormulaBatch {
  using Register = Lanes<Real, 16>;
  static constexpr int registers = 8, size = registers * Register::count;

 public:
  struct Pair {
    int partner;
    Vec3<Real> d;
    double weight;
  };

  explicit FormulaBatch(const FormulaLaw<Real> &law) : steps_(*law.formula, nullptr) {
    for (int k = 0; k < registers; ++k) steps_.squared()[k] = Register(Real(1));  // also of lanes without a pair
  }

  bool full() const { return n_ == size; }
  void add(const Pair &pair, Real squared, const FormulaCoefficients<Real> &c) {
    set(steps_.squared(), squared);
    for (int k = 0; k < Formula::most_parameters; ++k) set(steps_.parameter(k), c.p[k]);
    pair_[n_++] = pair;
  }

  /// Calls f(pair, term) for each pair in the order of add(), and removes the pairs.
  template <class F>
  void finish(bool with_energy, F &&f) {
    if (n_ == 0) return;
    steps_.compute(with_energy);
    for (int k = 0; k < n_; ++k) {
      const auto lane = [k](const Register *x) { return x[k / Register::count].v[k % Register::count]; };
      f(pair_[k], PairTerm<Real>{with_energy ? lane(steps_.energy()) : Real(0), lane(steps_.pull())});
    }
    n_ = 0;
  }

 private:
  void set(Register *x, Real value) { x[n_ / Register::count].v[n_ % Register::count] = value; }

  int n_ = 0;
  Pair pair_[size];
  FormulaSteps<Register, registers> steps_;
};

/// Stands for the FormulaBatch of other laws.
struct NoBatch {
  template <class Law>
  explicit NoBatch(const Law &) {}
};

}  // namespace triad

// Steps of formulas: values, the sharing of work, and the law on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "potentials/central_difference.h"
#include "potentials/pairwise/formula_law.h"
#include "potentials/pairwise/formula_steps.h"
#include "testing/formulas.h"

namespace triad {
namespace {

using Value = FormulaBuilder::Value;

int count(const Formula &formula, FormulaOp op) {
  return int(std::count_if(formula.steps.begin(), formula.steps.end(), [&](const auto &s) { return s.op == op; }));
}

PairTerm<double> at(const Formula &formula, double r, std::vector<double> parameters = {}) {
  FormulaSettings settings;
  settings.formula = std::make_shared<const Formula>(formula);
  FormulaSettings::Entry entry;
  std::copy(parameters.begin(), parameters.end(), entry.p);
  return FormulaLaw<double>(settings)(r * r, FormulaCoefficients<double>(entry));
}

/// -1 / sqrt(r^2 + 0.01) and its derivative r (r^2 + 0.01)^(-3/2), written as a tree of a parser would be.
Formula gravity() {
  FormulaBuilder b;
  const Value r = b.distance(), sum = b.add(b.power(r, 2), b.constant(0.01)), root = b.power(sum, 0.5);
  const Value energy = b.multiply(b.constant(-1), b.power(root, -1));
  const Value slope = b.multiply(b.multiply(b.constant(0.5), b.power(root, -1)), b.multiply(b.constant(2), r));
  return b.finish(energy, b.multiply(slope, b.power(root, -2)));
}

TEST(Formula, GravityNeedsOneReciprocalRoot) {
  const Formula formula = gravity();
  for (const double r : {0.0, 0.1, 2.0}) {
    EXPECT_NEAR(at(formula, r).energy, -1 / std::sqrt(r * r + 0.01), 1e-14);
    EXPECT_NEAR(at(formula, r).pull, std::pow(r * r + 0.01, -1.5), 1e-12 * std::pow(r * r + 0.01, -1.5));
  }
  EXPECT_EQ(count(formula, FormulaOp::ReciprocalRoot), 1);
  EXPECT_EQ(count(formula, FormulaOp::Root) + count(formula, FormulaOp::Reciprocal), 0);
  EXPECT_LE(formula.steps.size(), 8u);  // squared, 0.01, sum, reciprocal root, its square and cube, -1, energy
}

TEST(Formula, EvenPowersNeedNoRoot) {
  FormulaBuilder b;
  const Value r = b.distance(), x = b.multiply(b.parameter(0), b.power(r, -1));
  const Formula formula =
      b.finish(b.power(x, 12), b.multiply(b.constant(-12), b.multiply(b.power(x, 12), b.power(r, -1))));
  EXPECT_NEAR(at(formula, 2, {3}).energy, std::pow(1.5, 12), 1e-11);
  EXPECT_NEAR(at(formula, 2, {3}).pull, -3 * std::pow(1.5, 12), 1e-10);
  EXPECT_EQ(count(formula, FormulaOp::ReciprocalRoot) + count(formula, FormulaOp::Root), 0);
  EXPECT_EQ(count(formula, FormulaOp::Reciprocal), 1);
}

TEST(Formula, PowersOfAnyExponent) {
  FormulaBuilder b;
  const Value u = b.add(b.distance(), b.constant(1));  // never negative, but the builder does not know
  for (const double exponent : {-2.0, -1.5, -1.0, -0.5, 0.5, 1.0, 1.5, 2.5, 7.0, 0.3, -1.7}) {
    const Formula formula = b.finish(b.power(u, exponent), b.constant(0));
    EXPECT_NEAR(at(formula, 2).energy / std::pow(3, exponent), 1, 1e-14) << exponent;
  }
  // A root of a square is the absolute value, so the exponents of a negative base must not cancel.
  const Value negative = b.add(b.distance(), b.constant(-5));
  EXPECT_NEAR(at(b.finish(b.power(b.power(negative, 2), 0.5), b.constant(0)), 2).energy, 3, 1e-14);
  const Value general = b.power(u, b.parameter(1));
  EXPECT_NEAR(at(b.finish(general, b.constant(0)), 2, {0, 2.5}).energy, std::pow(3, 2.5), 1e-13);
}

/// A power of a quotient is within the range of numbers, though those of dividend and divisor are not.
TEST(Formula, PowersOfQuotientsStayInRange) {
  FormulaBuilder b;
  const Value x = b.multiply(b.distance(), b.constant(0.01));
  const auto formula = [&](double exponent) {
    return b.finish(b.power(x, exponent), b.multiply(b.constant(0.01 * exponent), b.power(x, exponent - 1)));
  };
  for (const double exponent : {-600., 20., 600.}) {
    const double energy = std::pow(0.99, exponent), pull = exponent * energy / (99. * 99.);
    EXPECT_NEAR(at(formula(exponent), 99).energy / energy, 1, 1e-12) << exponent;
    EXPECT_NEAR(at(formula(exponent), 99).pull / pull, 1, 1e-12) << exponent;
  }
  const std::vector<float> parameters(Formula::most_parameters);
  FormulaSteps<Lanes<float, 16>, 1> steps(formula(20), parameters.data());
  steps.squared()[0] = Lanes<float, 16>(99 * 99);
  steps.compute(true);
  EXPECT_NEAR(steps.energy()[0].v[3] / std::pow(0.99, 20), 1, 1e-5);
}

/// d(u^v)/dr = v u^(v-1) u' + log(u) u^v v': the second term is 0 for a constant v, also if u is negative or 0.
TEST(Formula, ZeroTimesTheLogarithmOfZeroIsZero) {
  FormulaBuilder b;
  for (const double u : {-2.0, 0.0}) {
    const Value log = b.apply(FormulaOp::Log, {b.constant(u)});
    EXPECT_EQ(b.multiply(log, b.constant(0)).factor, 0);
    EXPECT_EQ(b.multiply(b.constant(0), b.multiply(log, b.distance())).factor, 0);
  }
}

TEST(Formula, FunctionsAndConstants) {
  FormulaBuilder b;
  const Value r = b.distance();
  const auto value = [&](FormulaOp op, const std::vector<Value> &arguments, double at_r) {
    return at(b.finish(b.apply(op, arguments), b.constant(0)), at_r).energy;
  };
  const std::pair<FormulaOp, double (*)(double)> functions[] = {
      {FormulaOp::Exp, std::exp},   {FormulaOp::Log, std::log},   {FormulaOp::Sin, std::sin},
      {FormulaOp::Cos, std::cos},   {FormulaOp::Tan, std::tan},   {FormulaOp::Asin, std::asin},
      {FormulaOp::Acos, std::acos}, {FormulaOp::Atan, std::atan}, {FormulaOp::Sinh, std::sinh},
      {FormulaOp::Cosh, std::cosh}, {FormulaOp::Tanh, std::tanh}, {FormulaOp::Erf, std::erf},
      {FormulaOp::Erfc, std::erfc}, {FormulaOp::Abs, std::fabs},  {FormulaOp::Floor, std::floor},
      {FormulaOp::Ceil, std::ceil}};
  for (const auto &[op, function] : functions) EXPECT_NEAR(value(op, {r}, 0.7), function(0.7), 1e-14);
  EXPECT_NEAR(value(FormulaOp::Atan2, {r, b.constant(2)}, 0.7), std::atan2(0.7, 2), 1e-15);
  EXPECT_EQ(value(FormulaOp::Step, {b.add(r, b.constant(-1))}, 0.7), 0);
  EXPECT_EQ(value(FormulaOp::Step, {b.add(r, b.constant(-1))}, 1.7), 1);
  EXPECT_EQ(value(FormulaOp::Delta, {r}, 0.7), 0);
  EXPECT_EQ(value(FormulaOp::Min, {r, b.constant(0.5)}, 0.7), 0.5);
  EXPECT_NEAR(value(FormulaOp::Max, {r, b.constant(0.5)}, 0.7), 0.7, 1e-15);
  EXPECT_EQ(value(FormulaOp::Select, {b.apply(FormulaOp::Floor, {r}), b.constant(3), b.constant(4)}, 0.7), 4);
  EXPECT_TRUE(b.apply(FormulaOp::Cos, {b.constant(0)}).power.empty());  // constants are computed at once
  EXPECT_EQ(b.apply(FormulaOp::Cos, {b.constant(0)}).factor, 1);
}

TEST(Formula, SumsOfEqualTermsAndZeros) {
  FormulaBuilder b;
  const Value r = b.distance(), twice = b.add(r, r);
  EXPECT_EQ(twice.factor, 2);
  EXPECT_EQ(b.add(b.constant(0), r).power, r.power);
  EXPECT_EQ(b.multiply(b.constant(0), r).factor, 0);
  const Value cancelled = b.add(r, b.multiply(b.constant(-1), r));
  EXPECT_EQ(cancelled.factor, 0);
  EXPECT_EQ(at(b.finish(cancelled, b.constant(0)), 2).energy, 0);
}

/// Vector registers give the terms of single numbers, with parameters of all lanes or of each, and the pull also if the
/// energy is not computed.
TEST(Formula, RegistersAgreeWithNumbers) {
  using Register = Lanes<double, 16>;
  constexpr int n = 3;
  const Formula formula = of_all_operations();
  const double parameters[Formula::most_parameters] = {0.8, 1.3};
  FormulaSteps<Register, n> common(formula, parameters), each(formula, nullptr);
  const auto distance = [](int k, int lane) { return 0.2 + 0.1 * k + 0.03 * lane; };  // acos needs less than 1
  const auto parameter = [&](int number, int k, int lane) { return parameters[number] * (1 + 0.1 * (2 * k + lane)); };
  for (const bool with_energy : {true, false}) {
    for (int k = 0; k < n; ++k)
      for (int lane = 0; lane < Register::count; ++lane) {
        for (auto *steps : {&common, &each}) steps->squared()[k].v[lane] = distance(k, lane) * distance(k, lane);
        for (const int number : {0, 1}) each.parameter(number)[k].v[lane] = parameter(number, k, lane);
      }
    for (auto *steps : {&common, &each}) steps->compute(with_energy);
    for (int k = 0; k < n; ++k)
      for (int lane = 0; lane < Register::count; ++lane) {
        const auto expect = [&](const FormulaSteps<Register, n> &steps, const PairTerm<double> &term) {
          EXPECT_NEAR(steps.pull()[k].v[lane], term.pull, 1e-13 * std::abs(term.pull));
          if (with_energy) {
            EXPECT_NEAR(steps.energy()[k].v[lane], term.energy, 1e-13 * std::abs(term.energy));
          }
        };
        expect(common, at(formula, distance(k, lane), {0.8, 1.3}));
        expect(each, at(formula, distance(k, lane), {parameter(0, k, lane), parameter(1, k, lane)}));
      }
  }
  EXPECT_LT(formula.steps_of_pull, int(formula.steps.size()));
}

/// A formula without r, and one whose pull is a constant.
TEST(Formula, RegistersOfConstants) {
  FormulaBuilder b;
  const Formula flat = b.finish(b.parameter(0), b.constant(0));
  const Formula spring = b.finish(b.multiply(b.constant(0.5), b.power(b.distance(), 2)), b.distance());
  const double parameters[Formula::most_parameters] = {7};
  for (const Formula *formula : {&flat, &spring}) {
    FormulaSteps<Lanes<float, 16>, 1> steps(*formula, std::vector<float>(parameters, parameters + 8).data());
    steps.squared()[0] = Lanes<float, 16>(4);
    steps.compute(true);
    EXPECT_EQ(steps.energy()[0].v[3], formula == &flat ? 7 : 2);
    EXPECT_EQ(steps.pull()[0].v[3], formula == &flat ? 0 : 1);
  }
}

}  // namespace
}  // namespace triad

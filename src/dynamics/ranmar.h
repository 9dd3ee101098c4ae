// The random number generator RANMAR, of which LAMMPS's thermostats use the sequence. Its state has the layout of
// LAMMPS's restart records.
//
// Source: F. James, Comput. Phys. Commun. 60, 329 (1990), after G. Marsaglia, A. Zaman, W. W. Tsang, Stat. Probab.
// Lett. 9, 35 (1990).
#pragma once

#include <cmath>

namespace triad {

class Ranmar {
 public:
  static constexpr int largest_seed = 900000000;

  /// `seed`: from 1 to largest_seed. As in LAMMPS, the first number of the sequence is skipped.
  explicit Ranmar(int seed) {
    const int upper = (seed - 1) / 30082, lower = (seed - 1) % 30082;
    int i = upper / 177 % 177 + 2, j = upper % 177 + 2, k = lower / 169 % 178 + 1, l = lower % 169;
    for (int n = 1; n <= lags; ++n) {
      double bit = 0.5;
      lagged_[n] = 0;
      for (int b = 0; b < 24; ++b, bit *= 0.5) {
        const int next = i * j % 179 * k % 179;
        i = j;
        j = k;
        k = next;
        l = (53 * l + 1) % 169;
        if (l * next % 64 >= 32) lagged_[n] += bit;
      }
    }
    uniform();
  }

  /// Uniform in [0, 1), a multiple of 2^-24.
  double uniform() {
    double number = lagged_[far_] - lagged_[near_];
    if (number < 0) number += 1;
    lagged_[far_] = number;
    far_ = far_ == 1 ? lags : far_ - 1;
    near_ = near_ == 1 ? lags : near_ - 1;
    count_ -= 7654321.0 / two_to_24;
    if (count_ < 0) count_ += modulus;
    number -= count_;
    return number < 0 ? number + 1 : number;
  }

  /// Normal distribution with mean 0 and variance 1, by the polar method, which makes two numbers at a time.
  double gaussian() {
    if (has_second_) {
      has_second_ = false;
      return second_;
    }
    double a, b, square;
    do {
      a = 2 * uniform() - 1;
      b = 2 * uniform() - 1;
      square = a * a + b * b;
    } while (square >= 1 || square == 0);
    const double factor = std::sqrt(-2 * std::log(square) / square);
    second_ = a * factor;
    has_second_ = true;
    return b * factor;
  }

  /// Gamma distribution of whole order, as the waiting time for that many events at rate 1: the product of uniform
  /// numbers for small orders, otherwise rejection (D. E. Knuth, The Art of Computer Programming, vol. 2, 3.4.1).
  double gamma(int order) {
    if (order < 1) return 0;
    if (order < 6) {
      double product = 1;
      for (int n = 0; n < order; ++n) product *= uniform();
      constexpr double least = 2.2250759805e-308, of_least = 708.4;  // those of stock; uniform() may be 0
      return product < least ? of_least : -std::log(product);
    }
    const double mean = order - 1, width = std::sqrt(2 * mean + 1);
    for (;;) {
      const double v = uniform(), w = 2 * uniform() - 1;
      if (v * v + w * w > 1) continue;
      const double slope = w / v, x = width * slope + mean;
      if (!(x > 0)) continue;
      const double exponent = mean * std::log(x / mean) - width * slope;
      if (exponent < -700 || v < 0.00001) continue;
      if (uniform() <= (1 + slope * slope) * std::exp(exponent)) return x;
    }
  }

  /// Sum of the squares of n numbers of gaussian().
  double squares(int n) {
    if (n <= 0) return 0;
    const double odd = n % 2 ? gaussian() : 0;
    return odd * odd + (n > 1 ? 2 * gamma(n / 2) : 0);
  }

  static constexpr int state_size = 103;
  /// state(k): a number of the state for k in [0, state_size), in LAMMPS's order, which lacks gaussian()'s second
  /// number.
  double state(int k) const {
    if (k <= lags) return lagged_[k];
    const double rest[] = {double(far_), double(near_), count_, 7654321.0 / two_to_24, modulus};
    return rest[k - lags - 1];
  }
  /// Continues from a state; returns false and changes nothing if the numbers are none.
  bool set_state(const double *state) {
    const auto is_lag = [](double lag) { return lag >= 1 && lag <= lags; };
    if (!is_lag(state[lags + 1]) || !is_lag(state[lags + 2])) return false;
    for (int k = 0; k <= lags; ++k) lagged_[k] = state[k];
    far_ = static_cast<int>(state[lags + 1]);
    near_ = static_cast<int>(state[lags + 2]);
    count_ = state[lags + 3];
    return true;
  }

 private:
  static constexpr int lags = 97;
  static constexpr double two_to_24 = 16777216, modulus = 16777213 / two_to_24;

  double lagged_[lags + 1] = {};  // from 1
  int far_ = lags, near_ = 33;
  double count_ = 362436 / two_to_24;
  double second_ = 0;
  bool has_second_ = false;
};

}  // namespace triad

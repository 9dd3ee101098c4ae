// Numerical derivatives.
#pragma once

namespace triad {

/// df/dx from five points, exact up to order 4 in `step`.
template <class F, class Number>
Number central_difference(F &&f, Number x, Number step) {
  const Number near = (f(x + step) - f(x - step)) / (2 * step);
  const Number far = (f(x + 2 * step) - f(x - 2 * step)) / (4 * step);
  return (4 * near - far) / 3;
}

}  // namespace triad

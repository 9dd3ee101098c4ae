#include "flow/flow_operations.h"

#include "simd/lanes.h"

namespace triad {
namespace {

/// A number that counts the operations with it.
struct Counted {
  double value = 0;
  static inline long long operations = 0;

  Counted() = default;
  Counted(double v) : value(v) {}

  static Counted result(double v) {
    ++operations;
    return v;
  }
  friend Counted operator+(Counted a, Counted b) { return result(a.value + b.value); }
  friend Counted operator-(Counted a, Counted b) { return result(a.value - b.value); }
  friend Counted operator*(Counted a, Counted b) { return result(a.value * b.value); }
  friend Counted operator/(Counted a, Counted b) { return result(a.value / b.value); }
  friend Counted operator-(Counted a) { return -a.value; }
  friend bool operator<(Counted a, Counted b) { return a.value < b.value; }
  friend bool operator>(Counted a, Counted b) { return a.value > b.value; }
  friend bool operator<=(Counted a, Counted b) { return a.value <= b.value; }
};

}  // namespace

namespace math {

// Before the formulas, which call the functions by qualified names.
inline Counted sqrt(Counted x) { return Counted::result(__builtin_sqrt(x.value)); }
inline Counted abs(Counted x) { return __builtin_fabs(x.value); }
inline Counted reciprocal(Counted x) { return Counted(1) / x; }
inline Counted exp2(Counted x) { return Counted::result(x.value); }
inline Counted log2(Counted x) { return Counted::result(x.value); }

}  // namespace math
}  // namespace triad

#include "dynamics/shallow_water/cell_update.h"
#include "dynamics/shallow_water/edge_flux.h"

namespace triad {
namespace bench {
namespace {

template <FlowFlux kind>
long long count_edge() {
  const Counted left[4] = {1.0, 0.3, 0.1, 0.0}, right[4] = {0.9, 0.2, 0.2, 0.05};
  const FlowConstants<Counted> constants = {9.81, 1e-6};
  Counted::operations = 0;
  edge_flux<kind>(edge_states<Counted>(left, right), Counted(1), Counted(0), constants);
  constexpr int products_with_length = 6, additions = 8;
  return Counted::operations + products_with_length + additions;
}

}  // namespace

long long operations_of_edge(FlowFlux flux) {
  return flux == FlowFlux::Roe ? count_edge<FlowFlux::Roe>() : count_edge<FlowFlux::Hll>();
}

long long operations_of_cell() {
  Counted cell[4] = {1.0, 0.3, 0.1, 0.0};
  const CellRates<Counted> rates = {-0.1, 0.1, 0.1, 12.0};
  Counted::operations = 0;
  const Counted step = largest_time_step<Counted>(rates, cell[0], 1.0, 0.9, 1e300);
  update_cell<Counted, Counted>(cell, rates, 1.0, step, 0.0, 0.0, 1e-6);
  return Counted::operations;
}

}  // namespace bench
}  // namespace triad

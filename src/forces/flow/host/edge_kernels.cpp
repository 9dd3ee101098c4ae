// Fluxes of a block of edges for one instruction set. This file is compiled once per instruction set, with
//   TRIAD_REGISTER_BYTES   the size of a vector register
//   TRIAD_EDGE_KERNEL      the name of the function to define (edge_kernels.h)
// Every function is a template on the register size or always inlined, as in forces/tersoff/host/chunk_kernels.cpp.

#include "forces/flow/host/edge_kernels.h"

#include "dynamics/shallow_water/edge_flux.h"

namespace triad {
namespace {

template <class Format, FlowFlux kind, int Bytes>
struct EdgeLoop {
  using Real = typename Format::Real;
  using State = typename Format::Sum;
  using Number = Lanes<Real, Bytes>;
  static constexpr int lanes = Number::count, values = sizeof(EdgeStates<Real>) / sizeof(Real);
  static_assert(edge_block % lanes == 0, "whole registers");

  static void run(const FlowEdgesView &edges, long long first) {
    alignas(64) Real of_edge[values][edge_block];
    collect(edges, first, of_edge);
    const FlowConstants<Real> constants = {Real(edges.gravity), Real(edges.dry)};
    const Real *const nx = static_cast<const Real *>(edges.nx) + first;
    const Real *const ny = static_cast<const Real *>(edges.ny) + first;
    const Real *const length = static_cast<const Real *>(edges.length) + first;
    Real *const flux = static_cast<Real *>(edges.flux) + first;
    for (int at = 0; at < edge_block; at += lanes) {
      const auto value = [&](int k) __attribute__((always_inline)) { return Number::load(of_edge[k] + at); };
      const EdgeStates<Number> s = {value(0), value(1), value(2), value(3),  value(4),  value(5), value(6),
                                    value(7), value(8), value(9), value(10), value(11), value(12)};
      const auto f = edge_flux<kind>(s, Number::load(nx + at), Number::load(ny + at), constants);
      const Number l = Number::load(length + at);
      (f.mass * l).store(flux + at);
      (f.left_x * l).store(flux + edges.stride + at);
      (f.left_y * l).store(flux + 2 * edges.stride + at);
      (f.right_x * l).store(flux + 3 * edges.stride + at);
      (f.right_y * l).store(flux + 4 * edges.stride + at);
      (f.speed * l).store(flux + 5 * edges.stride + at);
    }
  }

  /// Transposes the states of the edges of a block.
  static TRIAD_HD void collect(const FlowEdgesView &edges, long long first, Real (*of_edge)[edge_block]) {
    const State *const state = static_cast<const State *>(edges.state);
    for (int k = 0; k < edge_block; ++k) {
      const auto s = edge_states<Real>(state + 4 * std::ptrdiff_t(edges.left[first + k]),
                                       state + 4 * std::ptrdiff_t(edges.right[first + k]));
      const Real row[values] = {s.h_left, s.h_right, s.qx_left,  s.qy_left,    s.qx_right,    s.qy_right, s.dh,
                                s.dqx,    s.dqy,     s.dsurface, s.above_left, s.above_right, s.dabove};
      for (int v = 0; v < values; ++v) of_edge[v][k] = row[v];
    }
  }
};

template <class Format>
EdgeKernel kernel_of(FlowFlux flux) {
  return flux == FlowFlux::Roe ? EdgeLoop<Format, FlowFlux::Roe, TRIAD_REGISTER_BYTES>::run
                               : EdgeLoop<Format, FlowFlux::Hll, TRIAD_REGISTER_BYTES>::run;
}

}  // namespace

EdgeKernel TRIAD_EDGE_KERNEL(FlowFlux flux, Precision precision) {
  return with_format<FloatFormats>(precision, [flux](auto format) { return kernel_of<decltype(format)>(flux); });
}

}  // namespace triad

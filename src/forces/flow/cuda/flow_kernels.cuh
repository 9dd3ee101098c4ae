// Kernels of shallow water. A sub-step consists of
//
//   boundary_kernel    fluxes over the edges of the boundary, if there are any
//   Gather:            gather_kernel: one thread per cell, fluxes of all its edges
//   Atomic, Colored:   edge_kernel: one thread per edge; sum_kernel: one thread per cell
//   update_kernel      one thread per cell
//
// gather_kernel and sum_kernel also find the smallest time step; their last block chooses the step of the sub-step and
// finds the end of the interval, so the host queues sub-steps ahead without knowing their length or number. All kernels
// of a sub-step after the end return at once.
#pragma once

#include <cmath>
#include <cub/block/block_reduce.cuh>

#include "forces/flow/cuda/flow_arrays.cuh"
#include "forces/flow/tuning.h"

namespace triad {
namespace cuda {

/// What leaves an edge, times its length, in the form of CellRates of the cell that it leaves or enters.
template <class Real>
struct EdgeShare {
  Real h, qx, qy, waves;
};
template <class Real>
__device__ __forceinline__ EdgeShare<Real> share_of_left(const EdgeFlux<Real> &f, Real length) {
  return {-(length * f.mass), -(length * f.left_x), -(length * f.left_y), length * f.speed};
}
template <class Real>
__device__ __forceinline__ EdgeShare<Real> share_of_right(const EdgeFlux<Real> &f, Real length) {
  return {length * f.mass, -(length * f.right_x), -(length * f.right_y), length * f.speed};
}
template <class Sum, class Real>
__device__ __forceinline__ void add(CellRates<Sum> &sum, const EdgeShare<Real> &share) {
  sum.h += Sum(share.h);
  sum.qx += Sum(share.qx);
  sum.qy += Sum(share.qy);
  sum.waves += Sum(share.waves);
}
template <class Sum, class Real>
__device__ __forceinline__ void add(CellRates<Sum> &sum, const FlowRow<Real> &row) {
  add(sum, EdgeShare<Real>{row.value[0], row.value[1], row.value[2], row.value[3]});
}

template <class Format, FlowFlux kind, FlowReduction reduction>
__global__ void __launch_bounds__(tuning::flow_block)
    boundary_kernel(BoundaryArrays<Format> boundary, CellArrays<Format> cells,
                    ColoredSlots<typename Format::Real> colored, FlowConstants<typename Format::Sum> k,
                    const FlowControl *control) {
  using Real = typename Format::Real;
  using State = typename Format::Sum;
  wait_for_previous_kernel();
  const int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= boundary.n || control->finished) return;
  const typename BoundaryArrays<Format>::Edge e = boundary.edges[b];
  State value = e.value;
  if (e.series >= 0) {
    const int begin = boundary.series_begin[e.series], n = boundary.series_begin[e.series + 1] - begin;
    value = State(series_value(boundary.series_time + begin, boundary.series_value + begin, n, control->steps.time()));
  }
  const FlowRow<State> cell = load_row(cells.state + e.cell);
  const EdgeFlux<State> f = boundary_flux<kind>(e.kind, value, cell.value, e.nx, e.ny, k);
  const EdgeShare<State> s = share_of_left(f, e.length);
  const EdgeShare<Real> rounded = {Real(s.h), Real(s.qx), Real(s.qy), Real(s.waves)};
  store_row(boundary.rows + b, rounded.h, rounded.qx, rounded.qy, rounded.waves);
  if constexpr (reduction == FlowReduction::Colored)
    store_row(colored.rows + boundary.slot[b], rounded.h, rounded.qx, rounded.qy, rounded.waves);
  if constexpr (reduction == FlowReduction::Atomic)
    add_row(cells.rates + e.cell, State(rounded.h), State(rounded.qx), State(rounded.qy), State(rounded.waves));
}

/// One thread per edge: stores or adds the shares of both cells.
template <class Format, FlowFlux kind, FlowReduction reduction>
__global__ void __launch_bounds__(tuning::flow_block)
    edge_kernel(EdgeArrays<typename Format::Real> edges, CellArrays<Format> cells,
                ColoredSlots<typename Format::Real> colored, FlowConstants<typename Format::Real> k,
                const FlowControl *control) {
  using Real = typename Format::Real;
  using State = typename Format::Sum;
  wait_for_previous_kernel();
  const int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= edges.n || control->finished) return;
  // All loads come before the flux, whose branches the compiler does not move loads across.
  const int left = edges.left[e], right = edges.right[e];
  const Real nx = edges.nx[e], ny = edges.ny[e], length = edges.length[e];
  const bool colored_rows = reduction == FlowReduction::Colored;
  const int slot_of_left = colored_rows ? edges.slot_of_left[e] : -1;
  const int slot_of_right = colored_rows ? edges.slot_of_right[e] : -1;
  const FlowRow<State> of_left = load_row(cells.state + left), of_right = load_row(cells.state + right);
  const EdgeFlux<Real> f = edge_flux<kind>(edge_states<Real>(of_left.value, of_right.value), nx, ny, k);
  const EdgeShare<Real> l = share_of_left(f, length), r = share_of_right(f, length);
  if constexpr (reduction == FlowReduction::Colored) {
    if (slot_of_left >= 0) store_row(colored.rows + slot_of_left, l.h, l.qx, l.qy, l.waves);
    if (slot_of_right >= 0) store_row(colored.rows + slot_of_right, r.h, r.qx, r.qy, r.waves);
  } else {
    if (left < cells.n) add_row(cells.rates + left, State(l.h), State(l.qx), State(l.qy), State(l.waves));
    if (right < cells.n) add_row(cells.rates + right, State(r.h), State(r.qx), State(r.qy), State(r.waves));
  }
}

/// Finds the smallest time step of a block, and lets the last block decide on the step. To be called by all threads of
/// all blocks. `sum`, `h`, `area`: of the cell, if the thread has one.
template <class State>
__device__ __forceinline__ void finish_rates(bool has_cell, const CellRates<State> &sum, State h, State area, State cfl,
                                             FlowControl *control) {
  using BlockMinimum = cub::BlockReduce<State, tuning::flow_block>;
  __shared__ typename BlockMinimum::TempStorage storage;
  constexpr State infinite = State(INFINITY), bad = -1;
  State limit = infinite;
  if (has_cell) {
    limit = largest_time_step<State>(sum, h, area, cfl, infinite);
    if (!isfinite(sum.h + sum.qx + sum.qy)) limit = bad;
  }
  limit = BlockMinimum(storage).Reduce(limit, [](State a, State b) { return math::at_most(a, b); });
  if (threadIdx.x) return;
  if (limit == bad)
    atomicExch(&control->not_finite, 1);
  else
    atomicMin(&control->least, static_cast<unsigned long long>(__double_as_longlong(double(limit))));
  __threadfence();
  if (atomicAdd(&control->arrived, 1u) + 1 == gridDim.x) {
    __threadfence();
    control->decide();
  }
}

/// True, and the sub-step is switched off, if the interval has ended.
__device__ __forceinline__ bool has_ended(FlowControl *control, int thread) {
  if (!control->finished) return false;
  if (thread == 0) control->active = 0;
  return true;
}

/// A slot of gathered fluxes in registers.
template <class Real>
struct SlotInRegisters {
  int neighbor;
  Real nx, ny, length;
};
template <class Real>
__device__ __forceinline__ SlotInRegisters<Real> load_slot(const GatherSlots<Real> &slots, int at, int end) {
  if (at >= end) return {empty_slot, Real(0), Real(0), Real(0)};
  return {slots.neighbor[at], slots.nx[at], slots.ny[at], slots.length[at]};
}
template <class State>
__device__ __forceinline__ FlowRow<State> load_neighbor(const FlowRow<State> *state, int neighbor) {
  return neighbor >= 0 ? load_row(state + (neighbor >> 1)) : FlowRow<State>{};
}

/// One thread per cell: computes the fluxes of all edges of the cell and sums them in the order of the slots. The state
/// of the next neighbour and the slot behind that are loaded while a flux is computed.
template <class Format, FlowFlux kind>
__global__ void __launch_bounds__(tuning::flow_block)
    gather_kernel(GatherSlots<typename Format::Real> slots, CellArrays<Format> cells,
                  const FlowRow<typename Format::Real> *boundary_rows, FlowConstants<typename Format::Real> k,
                  FlowControl *control) {
  using Real = typename Format::Real;
  using State = typename Format::Sum;
  wait_for_previous_kernel();
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (has_ended(control, c)) return;
  CellRates<State> sum = {0, 0, 0, 0};
  FlowRow<State> own = {};
  State area = 0;
  if (c < cells.n) {
    const int slice = c / slice_cells, end = slots.begin[slice + 1];
    int at = slots.begin[slice] + c % slice_cells;
    SlotInRegisters<Real> slot = load_slot(slots, at, end), next = load_slot(slots, at + slice_cells, end);
    own = load_row(cells.state + c);
    area = cells.area[c];
    FlowRow<State> other = load_neighbor(cells.state, slot.neighbor);
    for (; slot.neighbor != empty_slot; at += slice_cells) {
      const FlowRow<State> next_other = load_neighbor(cells.state, next.neighbor);
      const SlotInRegisters<Real> after_next = load_slot(slots, at + 2 * slice_cells, end);
      if (slot.neighbor < 0) {
        add(sum, load_row(boundary_rows + (boundary_slot - slot.neighbor)));
      } else {
        const bool is_right = slot.neighbor & 1;
        State left[4], right[4];
#pragma unroll
        for (int v = 0; v < 4; ++v) {
          left[v] = is_right ? other.value[v] : own.value[v];
          right[v] = is_right ? own.value[v] : other.value[v];
        }
        const EdgeFlux<Real> f = edge_flux<kind>(edge_states<Real>(left, right), slot.nx, slot.ny, k);
        add(sum, is_right ? share_of_right(f, slot.length) : share_of_left(f, slot.length));
      }
      slot = next;
      next = after_next;
      other = next_other;
    }
    store_row(cells.rates + c, sum.h, sum.qx, sum.qy, sum.waves);
  }
  finish_rates(c < cells.n, sum, own.value[0], area, cells.cfl, control);
}

/// One thread per cell: sums the rows of its slots (Colored), or takes the sums that edge_kernel has made (Atomic).
template <class Format, FlowReduction reduction>
__global__ void __launch_bounds__(tuning::flow_block)
    sum_kernel(ColoredSlots<typename Format::Real> colored, CellArrays<Format> cells, FlowControl *control) {
  using State = typename Format::Sum;
  wait_for_previous_kernel();
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (has_ended(control, c)) return;
  CellRates<State> sum = {0, 0, 0, 0};
  State h = 0, area = 0;
  if (c < cells.n) {
    h = cells.state[c].value[0];
    area = cells.area[c];
    if constexpr (reduction == FlowReduction::Colored) {
      const int slice = c / slice_cells, end = colored.begin[slice + 1];
      for (int at = colored.begin[slice] + c % slice_cells; at < end; at += slice_cells)
        add(sum, load_row(colored.rows + at));
      store_row(cells.rates + c, sum.h, sum.qx, sum.qy, sum.waves);
    } else {
      add(sum, load_row(cells.rates + c));
    }
  }
  finish_rates(c < cells.n, sum, h, area, cells.cfl, control);
}

/// Advances the cells and sums the volumes that enter. `clear`: sets the rates to zero, to which atomic operations add.
template <class Format, bool clear>
__global__ void __launch_bounds__(tuning::flow_block)
    update_kernel(CellArrays<Format> cells, BoundaryArrays<Format> boundary, const FlowControl *control) {
  using State = typename Format::Sum;
  wait_for_previous_kernel();
  if (!control->active) return;
  const double step = control->step;
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cells.n) {
    FlowRow<State> cell = load_row(cells.state + c);
    const FlowRow<State> r = load_row(cells.rates + c);
    const CellRates<State> rates = {r.value[0], r.value[1], r.value[2], r.value[3]};
    const State area = cells.area[c];
    const State fallen = update_cell(cell.value, rates, area, State(step), cells.rain ? cells.rain[c] : State(0),
                                     cells.gn2 ? cells.gn2[c] : State(0), cells.dry);
    store_row(cells.state + c, cell.value[0], cell.value[1], cell.value[2], cell.value[3]);
    if (cells.rain) cells.fallen[c] += double(fallen) * double(area);
    if constexpr (clear) store_row(cells.rates + c, State(0), State(0), State(0), State(0));
  }
  if (c < boundary.n) boundary.entered[c] += step * double(boundary.rows[c].value[0]);
}

/// Copies h, qx, qy of listed cells to values[n][3].
template <class State>
__global__ void __launch_bounds__(tuning::flow_block)
    pack_kernel(const int *cells, int n, const FlowRow<State> *state, double *values) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  const FlowRow<State> row = load_row(state + cells[k]);
  for (int v = 0; v < 3; ++v) values[3 * std::size_t(k) + v] = double(row.value[v]);
}

/// Copies values[n][3] to h, qx, qy of consecutive cells.
template <class State>
__global__ void __launch_bounds__(tuning::flow_block)
    unpack_kernel(const double *values, int n, FlowRow<State> *state) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n) return;
  for (int v = 0; v < 3; ++v) state[k].value[v] = State(values[3 * std::size_t(k) + v]);
}

}  // namespace cuda
}  // namespace triad

// Device arrays of shallow water: cells, slots, edges of the boundary, and the control of sub-steps.
//
// Real is the number format of fluxes, State that of the state and of the sums of a cell (FloatFormats).
//
// A slot holds one edge of a cell. Slots are stored slot-major in slices of 32 cells, so a warp reads
// consecutive addresses: slot k of cell c is at begin[c / 32] + 32 * k + c % 32. The slots of a slice are as many as
// those of its cell with the most edges; those that a cell does not need are empty and follow its others. The edges of
// the boundary have slots, too, after the edges between cells.
#pragma once

#include "core/cuda/resources.cuh"
#include "dynamics/shallow_water/boundary_flux.h"
#include "dynamics/shallow_water/cell_update.h"
#include "dynamics/shallow_water/sub_steps.h"

namespace triad {
namespace cuda {

constexpr int slice_cells = 32;

/// Four numbers of a cell or an edge, which are read and written by 16-byte instructions.
template <class T>
struct alignas(16) FlowRow {
  T value[4];
};
__device__ __forceinline__ FlowRow<float> load_row(const FlowRow<float> *row) {
  const float4 v = *reinterpret_cast<const float4 *>(row);
  return {{v.x, v.y, v.z, v.w}};
}
__device__ __forceinline__ FlowRow<double> load_row(const FlowRow<double> *row) {
  const double2 a = reinterpret_cast<const double2 *>(row)[0], b = reinterpret_cast<const double2 *>(row)[1];
  return {{a.x, a.y, b.x, b.y}};
}
__device__ __forceinline__ void store_row(FlowRow<float> *row, float a, float b, float c, float d) {
  *reinterpret_cast<float4 *>(row) = make_float4(a, b, c, d);
}
__device__ __forceinline__ void store_row(FlowRow<double> *row, double a, double b, double c, double d) {
  reinterpret_cast<double2 *>(row)[0] = make_double2(a, b);
  reinterpret_cast<double2 *>(row)[1] = make_double2(c, d);
}
/// Adds to a row that other threads add to as well.
__device__ __forceinline__ void add_row(FlowRow<float> *row, float a, float b, float c, float d) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(row)), "f"(a), "f"(b),
               "f"(c), "f"(d)
               : "memory");
#else
  atomicAdd(row->value, a);
  atomicAdd(row->value + 1, b);
  atomicAdd(row->value + 2, c);
  atomicAdd(row->value + 3, d);
#endif
}
__device__ __forceinline__ void add_row(FlowRow<double> *row, double a, double b, double c, double d) {
  atomicAdd(row->value, a);
  atomicAdd(row->value + 1, b);
  atomicAdd(row->value + 2, c);
  atomicAdd(row->value + 3, d);
}

/// The state of sub-steps in device memory. `least` and `arrived` are reset by the last block of each sub-step.
struct FlowControl {
  SubSteps steps;
  double step;   ///< the time step of update_kernel
  double limit;  ///< the largest stable step of the last rates
  unsigned long long
      least;         ///< bits of the smallest step of a cell so far; positive numbers have the order of their bits
  unsigned arrived;  ///< blocks that have contributed to `least`
  int choosing;      ///< 1: the device chooses the steps; 0: rates() only computes `limit`
  int active;        ///< 1: update_kernel advances the cells
  int finished;      ///< 1: later kernels do nothing
  int stuck;         ///< 1: the next step would not advance the time
  int not_finite;    ///< 1: a state is not a number

  static constexpr unsigned long long infinite = 0x7ff0000000000000ull;  // bits of infinity

  static FlowControl begin(const SubSteps &steps, bool choosing) {
    FlowControl control = {};
    control.steps = steps;
    control.least = infinite;
    control.choosing = choosing;
    return control;
  }

  /// To be called by one thread after all blocks have contributed.
  __device__ void decide() {
    limit = __longlong_as_double(static_cast<long long>(atomicExch(&least, infinite)));
    arrived = 0;
    if (!choosing) return;
    const bool bad = atomicOr(&not_finite, 0);  // past the first-level cache
    active = !bad && steps.choose(limit);
    stuck = !active && !bad;
    if (active) {
      step = steps.step;
      steps.complete();
    }
    finished = !active || steps.finished();
  }
};

/// Cells of a rank; pointers to device memory.
template <class Format>
struct CellArrays {
  using State = typename Format::Sum;

  FlowRow<State> *state;    ///< [n_all] h, qx, qy, H
  FlowRow<State> *rates;    ///< [n] members of CellRates
  const State *area;        ///< [n]
  const State *gn2, *rain;  ///< [n], or null where all are 0
  double *fallen;           ///< [n] volume of rain
  int n;                    ///< owned cells
  State cfl, dry;
};

/// The slots of gathered fluxes. neighbor: twice the index of the other cell, plus 1 if the own cell is the right one;
/// empty_slot; or boundary_slot - b for the edge b of the boundary.
constexpr int empty_slot = -1, boundary_slot = -2;
template <class Real>
struct GatherSlots {
  const int *begin;              ///< [slices + 1]
  const int *neighbor;           ///< [slots]
  const Real *nx, *ny, *length;  ///< [slots]
};

/// Edges that are computed once each.
template <class Real>
struct EdgeArrays {
  const int *left, *right;       ///< [n] cells
  const Real *nx, *ny, *length;  ///< [n]
  /// [n] Colored: slots of the left and of the right cell, or -1 where that cell is a ghost; Atomic: null.
  const int *slot_of_left, *slot_of_right;
  int n;
};

/// Sums of Colored: one row per slot, members of CellRates. Empty slots hold zeros.
template <class Real>
struct ColoredSlots {
  const int *begin;     ///< [slices + 1]
  FlowRow<Real> *rows;  ///< [slots]
};

template <class Format>
struct BoundaryArrays {
  using Real = typename Format::Real;
  using State = typename Format::Sum;
  struct Edge {
    int cell, series;
    FlowBoundaryKind kind;
    State nx, ny, length, value;
  };

  const Edge *edges;        ///< [n]
  FlowRow<Real> *rows;      ///< [n] members of CellRates
  double *entered;          ///< [n] volume
  const int *slot;          ///< [n] Colored: slots; otherwise null
  const int *series_begin;  ///< [series + 1]
  const double *series_time, *series_value;
  int n;
};

}  // namespace cuda
}  // namespace triad

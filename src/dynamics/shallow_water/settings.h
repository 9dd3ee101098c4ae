// Choices of the shallow-water scheme.
#pragma once

namespace triad {

enum class FlowFlux { Roe, Hll };

/// Wall: no flow. Open: waves leave. Stage: elevation of the water surface outside. Discharge: inflow per length.
enum class FlowBoundaryKind { Wall, Open, Stage, Discharge };

/// How a GPU sums the fluxes of the edges of a cell. Gather: one thread per cell computes the fluxes of all edges of
/// the cell, so each edge is computed twice. Atomic and Colored compute each edge once: Atomic adds to the sums of both
/// cells with atomic operations, Colored stores a row for each of the two cells, and another kernel adds the rows of a
/// cell. Auto: the fastest according to measurements (forces/flow/tuning.h).
enum class FlowReduction { Auto, Gather, Atomic, Colored };

/// Returns the name of a reduction in scripts.
constexpr const char *name_of(FlowReduction reduction) {
  constexpr const char *names[] = {"auto", "gather", "atomic", "colored"};
  return names[static_cast<int>(reduction)];
}

}  // namespace triad

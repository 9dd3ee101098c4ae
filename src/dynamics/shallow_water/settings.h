// Choices of the shallow-water scheme.
#pragma once

namespace triad {

enum class FlowFlux { Roe, Hll };

/// Wall: no flow. Open: waves leave. Stage: elevation of the water surface outside. Discharge: inflow per length.
enum class FlowBoundaryKind { Wall, Open, Stage, Discharge };

}  // namespace triad

// The interface of the loops that advance shallow water on the cells of one rank, with plain structs and no types of
// LAMMPS. This header crosses the boundary between compilers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/isa.h"
#include "core/precision.h"
#include "dynamics/shallow_water/settings.h"
#include "dynamics/shallow_water/sub_steps.h"
#include "dynamics/shallow_water/time_series.h"

namespace triad {

struct FlowSetup {
  FlowFlux flux = FlowFlux::Roe;
  Precision precision = Precision::Mixed;
  double gravity = 9.81;                          ///< length / time^2
  double cfl = 0.9;                               ///< fraction of the largest stable time step
  double dry = 1e-6;                              ///< depth at or below which a cell has no discharge
  FlowReduction reduction = FlowReduction::Auto;  ///< for CUDA; the host gathers
};

/// The mesh of one rank: owned cells first, then ghosts.
struct RankMesh {
  struct Edge {
    int left, right;        ///< local indices of cells; the normal points from left to right
    double nx, ny, length;  ///< unit vector, length
  };
  struct BoundaryEdge {
    int cell;  ///< local index, owned
    double nx, ny, length;
    FlowBoundaryKind kind;
    int series = -1;   ///< index in RankMesh::series of the stage or discharge, or -1:
    double value = 0;  ///< the constant stage or discharge
  };

  int n_owned = 0, n_all = 0;
  std::vector<double> area;  ///< [n_owned]
  std::vector<double> bed;   ///< [n_all] elevation
  /// Edges of owned cells. The order in which a cell sums its edges is that of this list, so results do not depend on
  /// the number of ranks if all ranks have their edges in the order of the mesh file.
  std::vector<Edge> edges;
  std::vector<BoundaryEdge> boundary;
  std::vector<FlowSeries> series;
};

/// Volumes that have entered the cells of this rank, negative for losses, by cause.
struct FlowVolumes {
  double open = 0, stage = 0, discharge = 0, rain = 0;

  FlowVolumes &operator+=(const FlowVolumes &other) {
    open += other.open;
    stage += other.stage;
    discharge += other.discharge;
    rain += other.rain;
    return *this;
  }
};

class FlowBackend;

/// The connection between the backends of several ranks. Both functions are collective.
class FlowRanks {
 public:
  /// Copies the sent cells of each rank to the ghosts of the others: get_sent() and set_ghosts().
  virtual void exchange(FlowBackend &mine) = 0;
  virtual double least(double mine) = 0;

 protected:
  ~FlowRanks() = default;
};

/// The cells of one rank. Functions throw LoopError if memory is exhausted or a device fails.
class FlowBackend {
 public:
  virtual ~FlowBackend() = default;

  /// Replaces the mesh; the state is undefined until set_state(), and there are no sent cells until set_sent().
  virtual void set_mesh(const RankMesh &mesh) = 0;
  /// h, qx, qy of the owned cells: rows of four numbers, of which the last is ignored.
  virtual void set_state(const double *rows) = 0;
  /// h, qx, qy and the elevation of the bed of the owned cells: rows of four numbers.
  virtual void get_state(double *rows) = 0;

  /// The owned cells that are ghosts of other ranks.
  virtual void set_sent(const std::vector<int> &cells) = 0;
  /// h, qx, qy of the sent cells: [sent cells][3].
  virtual void get_sent(double *values) = 0;
  /// h, qx, qy of the ghosts: [n_all - n_owned][3].
  virtual void set_ghosts(const double *values) = 0;

  /// [n_owned] Manning coefficients (time / length^(1/3)) and rates of rain (length / time); both 0 after set_mesh().
  virtual void set_manning(const double *manning) = 0;
  virtual void set_rain(const double *rain) = 0;

  /// Computes the fluxes of the present state, with the boundary values of `time`. Returns the largest time step of the
  /// owned cells, infinite if nothing limits it. Throws LoopError if a state is not a number.
  virtual double rates(double time) = 0;
  /// Advances the owned cells by dt with the fluxes of the last rates().
  virtual void update(double dt) = 0;

  /// Makes the sub-steps that fill the rest of the interval. `ranks`: null if this is the only rank. Returns false if
  /// the next step would not advance the time. Throws LoopError if a state is not a number.
  virtual bool advance(SubSteps &steps, FlowRanks *ranks);

  /// Returns the volumes since the last call, or since set_mesh().
  virtual FlowVolumes take_volumes() = 0;

  /// "host, 2 threads, avx2"
  virtual std::string description() const = 0;
  virtual double memory_usage() const = 0;  ///< bytes on the host
};

/// Loops on the host with up to n_threads threads. The results do not depend on the number of threads.
std::unique_ptr<FlowBackend> make_flow_host(const FlowSetup &setup, int n_threads, Isa isa = chosen_isa());

#if defined(TRIAD_HAS_CUDA)
/// Loops on device `index` modulo the number of devices. `n_threads` host threads fill and empty the copy buffers. With
/// the reductions Gather and Colored, equal calls give equal bits. Throws LoopError.
std::unique_ptr<FlowBackend> make_flow_cuda(const FlowSetup &setup, int index, int n_threads);
#endif

/// LoopError for a state that is not a number.
[[noreturn]] void throw_bad_flow_state();

}  // namespace triad

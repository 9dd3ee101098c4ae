// The interface of the loops that advance shallow water on the cells of one rank, with plain structs and no types of
// LAMMPS.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/isa.h"
#include "core/precision.h"
#include "dynamics/shallow_water/settings.h"

namespace triad {

struct FlowSetup {
  FlowFlux flux = FlowFlux::Roe;
  Precision precision = Precision::Mixed;
  double gravity = 9.81;  ///< length / time^2
  double cfl = 0.9;       ///< fraction of the largest stable time step
  double dry = 1e-6;      ///< depth at or below which a cell has no discharge
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
    int value;  ///< index in the values that rates() receives; -1: needs none
  };

  int n_owned = 0, n_all = 0;
  std::vector<double> area;  ///< [n_owned]
  std::vector<double> bed;   ///< [n_all] elevation
  /// Edges of owned cells. The order in which a cell sums its edges is that of this list, so results do not depend on
  /// the number of ranks if all ranks have their edges in the order of the mesh file.
  std::vector<Edge> edges;
  std::vector<BoundaryEdge> boundary;
};

/// Volumes that have entered the cells of this rank, negative for losses, by cause.
struct FlowVolumes {
  double open = 0, stage = 0, discharge = 0, rain = 0;
};

/// The cells of one rank. A sub-step is: exchange of ghosts by get_cells() and set_cells(), rates(), a minimum over
/// ranks by the caller, update().
class FlowBackend {
 public:
  virtual ~FlowBackend() = default;

  /// Replaces the mesh; the state is undefined until set_state(). Throws LoopError if memory is exhausted.
  virtual void set_mesh(const RankMesh &mesh) = 0;
  /// h, qx, qy of the owned cells: rows of four numbers, of which the last is ignored.
  virtual void set_state(const double *rows) = 0;
  /// h, qx, qy and the elevation of the bed of the owned cells: rows of four numbers.
  virtual void get_state(double *rows) const = 0;
  /// Copies h, qx, qy of n cells to or from [n][3]. The index -1 stands for no cell: zeros are read, nothing is
  /// written.
  virtual void get_cells(const int *cells, int n, double *values) const = 0;
  virtual void set_cells(const int *cells, int n, const double *values) = 0;

  /// [n_owned] Manning coefficients (time / length^(1/3)) and rates of rain (length / time); both 0 after set_mesh().
  virtual void set_manning(const double *manning) = 0;
  virtual void set_rain(const double *rain) = 0;

  /// Computes the fluxes of the present state. `values`: stages and inflows of the boundary. Returns the largest time
  /// step of the owned cells, infinite if nothing limits it. Throws LoopError if a state is not a number.
  virtual double rates(const double *values) = 0;
  /// Advances the owned cells by dt with the fluxes of the last rates(), and adds to `volumes`.
  virtual void update(double dt, FlowVolumes &volumes) = 0;

  virtual int dry_cells() const = 0;
  /// "host, 2 threads, avx2"
  virtual std::string description() const = 0;
  virtual double memory_usage() const = 0;  ///< bytes
};

/// Loops on the host with up to n_threads threads. The results do not depend on the number of threads.
std::unique_ptr<FlowBackend> make_flow_host(const FlowSetup &setup, int n_threads, Isa isa = chosen_isa());

}  // namespace triad

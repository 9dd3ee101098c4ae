// compute profile/triad: temperature, density and other means over the atoms in slabs of the box, in the bins of stock
// compute chunk/atom bin/1d, on the engine's atoms where they are there.
#pragma once

#include <vector>

#include "compute.h"
#include "lammps/run/atom_motion.h"
#include "lammps/run/engine_compute.h"

namespace LAMMPS_NS {

/// A global array with one row per slab: its coordinate, and the values of the command.
class ComputeProfileTriad : public Compute, public EngineCompute {
 public:
  ComputeProfileTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeProfileTriad() override;
  void init() override {}
  void compute_array() override;
  double memory_usage() override;

 private:
  enum class Value { Count, NumberDensity, MassDensity, Temperature, KineticEnergy };
  enum class Origin { Low, Centre, High, Coordinate };
  enum class Units { Box, Lattice, Reduced };

  triad::Slabs slabs() const;
  double value_of(Value value, const triad::SlabSums &sums, double volume) const;

  AtomMotion motion_;
  int axis_ = 0;
  Origin origin_ = Origin::Low;
  Units units_ = Units::Lattice;
  double coordinate_ = 0, width_ = 0;  // of the origin and of a slab, in units of the box or reduced
  std::vector<Value> values_;
};

}  // namespace LAMMPS_NS

// What fixes do to the velocities at the end of the steps of a batch: stock fix heat, ehex, momentum, temp/rescale,
// temp/berendsen and temp/csvr. Each sums over atoms and then changes atoms by numbers that follow from the sums.
#pragma once

#include <cstdint>

#include "dynamics/heat_exchange.h"
#include "dynamics/rescaling.h"
#include "dynamics/temperature_ramp.h"

namespace triad {

/// An exchange of heat, the scaling of velocities to a temperature, or the removal of the momentum.
struct EndOfStep {
  enum class Kind { HeatExchange, Rescaling, MomentumRemoval };
  Kind kind = Kind::HeatExchange;
  int group_bit = 1;     ///< atoms that are changed
  int measured_bit = 1;  ///< atoms that are summed over
  int every = 1;         ///< acts in steps whose LAMMPS number is a multiple of this
  BlockRegion block;     ///< atoms outside are neither summed over nor changed

  // HeatExchange
  double heat = 0;       ///< see heat_exchange()
  double corrected = 0;  ///< the argument `dt` of heat_exchange()
  double ftm2v = 1;
  double fixed_mass = 0;       ///< mass of the atoms, if not 0; otherwise their masses are summed
  double most_factor = 1e300;  ///< the change fails with a larger factor of the velocities

  // Rescaling
  Rescaling rescaling;
  TemperatureRamp target;
  double per_degree = 0;  ///< see temperature_of()

  // MomentumRemoval
  bool along[3] = {false, false, false};  ///< components to be removed
  bool keeps_energy = false;              ///< velocities are scaled so that the kinetic energy stays

  // output
  double factor = 1;    ///< of the velocities in the last change
  bool failed = false;  ///< there is no such factor

  TRIAD_HD bool acts(std::int64_t step) const { return step % every == 0; }

  /// Returns the change of the atoms in a step, from the sums over all atoms.
  TRIAD_HD HeatExchange decide(ExchangeSums sums, std::int64_t step) {
    HeatExchange change;
    if (kind == Kind::HeatExchange) {
      if (fixed_mass > 0) sums.mass = fixed_mass;
      change = heat_exchange(sums, heat, corrected, ftm2v);
    } else if (kind == Kind::Rescaling) {
      rescaling.begin();
      change.factor = rescaling.factor(sums.mvv * per_degree, target.at(step));
      failed = rescaling.failed;
    } else {
      change = momentum_removal(sums, along, keeps_energy);
    }
    if (!(change.factor <= most_factor)) {  // also if not a number
      failed = true;
      change = HeatExchange();
    }
    factor = change.factor;
    return change;
  }
};

}  // namespace triad

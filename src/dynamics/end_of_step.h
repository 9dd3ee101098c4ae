// What fixes do to the velocities at the end of the steps of a batch: stock fix heat, ehex, temp/rescale and
// temp/berendsen. Each sums over atoms and then changes atoms by numbers that follow from the sums.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/portable_math.h"
#include "dynamics/heat_exchange.h"
#include "dynamics/kinetic.h"
#include "dynamics/temperature_ramp.h"

namespace triad {

/// Temperature after the scaling of velocities by a thermostat.
struct RescaledTemperature {
  double window = 0, fraction = 1;  ///< of temp/rescale
  double approach = 0;              ///< of temp/berendsen: time step / relaxation time; 0: temp/rescale

  /// `now`: before, above 0. Updates `target` as the stock fixes do.
  TRIAD_HD double operator()(double now, double &target) const {
    if (approach > 0) return now * (1 + approach * (target / now - 1));
    if (std::fabs(now - target) <= window) return now;
    target = now - fraction * (now - target);
    return target;
  }
};

/// An exchange of heat, or the scaling of velocities.
struct EndOfStep {
  int group_bit = 1;     ///< atoms that are changed
  int measured_bit = 1;  ///< atoms that are summed over
  int every = 1;         ///< acts in steps whose LAMMPS number is a multiple of this

  // heat exchange
  bool exchanges = true;
  BlockRegion block;     ///< atoms outside are neither summed over nor changed
  double heat = 0;       ///< see heat_exchange()
  double corrected = 0;  ///< the argument `dt` of heat_exchange()
  double ftm2v = 1;
  double fixed_mass = 0;  ///< mass of the atoms, if not 0; otherwise their masses are summed

  // scaling to a temperature
  RescaledTemperature rescaled;
  TemperatureRamp target;
  double per_degree = 0;  ///< see temperature_of()

  // output
  double factor = 1;       ///< of the velocities in the last change
  double temperature = 0;  ///< before the last scaling
  double aim = 0;          ///< target of the last scaling
  double cooled = 0;       ///< sum of the differences of temperature before and after
  bool failed = false;     ///< there is no such factor

  TRIAD_HD bool acts(std::int64_t step) const { return step % every == 0; }

  /// Returns the change of the atoms in a step, from the sums over all atoms.
  TRIAD_HD HeatExchange decide(ExchangeSums sums, std::int64_t step) {
    HeatExchange change;
    if (exchanges) {
      if (fixed_mass > 0) sums.mass = fixed_mass;
      change = heat_exchange(sums, heat, corrected, ftm2v);
    } else {
      temperature = sums.mvv * per_degree;
      aim = target.at(step);
      const double then = rescaled(temperature, aim);
      change.factor = then == temperature ? 1 : std::sqrt(then / temperature);
      cooled += temperature - then;
    }
    if (!(change.factor < 1e300)) {  // infinite or not a number
      failed = true;
      change = HeatExchange();
    }
    factor = change.factor;
    return change;
  }
};

}  // namespace triad

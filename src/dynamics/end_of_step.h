// What fixes do to the velocities at the end of the steps of a batch: stock fix heat, ehex, temp/rescale,
// temp/berendsen and temp/csvr. Each sums over atoms and then changes atoms by numbers that follow from the sums.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/portable_math.h"
#include "dynamics/heat_exchange.h"
#include "dynamics/kinetic.h"
#include "dynamics/temperature_ramp.h"

namespace triad {

/// Random numbers of one step of a thermostat with noise: a normal number, and the sum of the squares of `freedom - 1`
/// others.
struct BathNoise {
  double first = 0, others = 0;
};

/// Temperature after the scaling of velocities by a thermostat.
struct RescaledTemperature {
  double window = 0, fraction = 1;  ///< of temp/rescale
  double approach = 0;              ///< of temp/berendsen: time step / relaxation time; 0: another thermostat
  double memory = 0;                ///< of temp/csvr: exp(- time step / relaxation time)
  double freedom = 0;               ///< of temp/csvr: degrees of freedom; 0: another thermostat

  /// `now`: before, above 0. `noise`: only for temp/csvr. Updates `target` as the stock fixes do.
  TRIAD_HD double operator()(double now, double &target, const BathNoise &noise) const {
    if (freedom > 0) {  // G. Bussi, D. Donadio, M. Parrinello, J. Chem. Phys. 126, 014101 (2007), eq. A7
      const double share = (1 - memory) * target / now / freedom;
      return now * (memory + share * (noise.first * noise.first + noise.others) +
                    2 * noise.first * std::sqrt(memory * share));
    }
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
  double per_degree = 0;             ///< see temperature_of()
  const BathNoise *noise = nullptr;  ///< of each action of a batch, for temp/csvr; must stay valid

  // output
  double factor = 1;       ///< of the velocities in the last change
  double temperature = 0;  ///< before the last scaling
  double aim = 0;          ///< target of the last scaling
  double cooled = 0;       ///< sum of the differences of temperature before and after
  int actions = 0;         ///< scalings since the start of the batch
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
      const double then = rescaled(temperature, aim, noise ? noise[actions] : BathNoise());
      ++actions;
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

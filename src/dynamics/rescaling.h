// Thermostats that scale velocities at the end of steps: stock fix temp/rescale, temp/berendsen and temp/csvr.
//
// Sources: H. J. C. Berendsen et al., J. Chem. Phys. 81, 3684 (1984), eq. 11; G. Bussi, D. Donadio, M. Parrinello, J.
// Chem. Phys. 126, 014101 (2007), eq. A7.
#pragma once

#include <cmath>

#include "core/portable_math.h"

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
    if (freedom > 0) {
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

/// Such a thermostat in the steps of a batch.
struct Rescaling {
  RescaledTemperature rescaled;
  const BathNoise *noise = nullptr;  ///< of each scaling of a batch, for temp/csvr; must stay valid

  // output
  double temperature = 0;  ///< before the last scaling
  double aim = 0;          ///< target of the last scaling
  double cooled = 0;       ///< sum of the differences of temperature before and after
  int scalings = 0;        ///< since the start of the batch
  bool failed = false;     ///< there was no factor, since the temperature was 0

  /// Loads the random numbers of the coming scaling.
  TRIAD_HD void begin() {
    if (noise) present_ = noise[scalings];
  }
  /// Returns the factor of the velocities, with the temperature `now` and this target. To be called after begin(). Not
  /// inlined, so that all callers on a device get the same bits.
  TRIAD_HD_NOINLINE double factor(double now, double target) {
    temperature = now;
    aim = target;
    const double then = rescaled(now, aim, present_);
    ++scalings;
    cooled += now - then;
    const double scale = then == now ? 1 : std::sqrt(then / now);
    if (scale < 1e300) return scale;
    failed = true;  // infinite or not a number
    return 1;
  }

 private:
  BathNoise present_;
};

}  // namespace triad

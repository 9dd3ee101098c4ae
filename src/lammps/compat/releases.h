// Members of LAMMPS's classes that differ between the releases against which Triad can be built.
#pragma once

#include "domain.h"
#include "error.h"
#include "input.h"

namespace LAMMPS_NS {

/// The command that LAMMPS executes, or null. Releases of 2024 declare the member as protected.
inline const char *current_command(const Input *input) {
  struct Access : Input {
    static const char *of(const Input *input) { return input->*(&Access::command); }
  };
  return Access::of(input);
}

/// Replaces the vector d[3] by that of the nearest image. Releases of 2025 also take the place of the call.
template <class D>
auto nearest_image(const D *domain, double *d, int) -> decltype(domain->minimum_image(FLERR, d)) {
  domain->minimum_image(FLERR, d);
}
template <class D>
void nearest_image(const D *domain, double *d, long) {
  domain->minimum_image(d);
}
inline void nearest_image(const Domain *domain, double *d) { nearest_image(domain, d, 0); }

}  // namespace LAMMPS_NS

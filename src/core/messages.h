// Error messages that several backends use.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "core/precision.h"

namespace triad {

/// Message about a contribution that is NaN or outside the fixed-point range. x[3]: position of the centre, or null if
/// the position is not known any more.
inline std::string force_out_of_range(const double *x) {
  char where[120] = "of the previous step", text[400];
  if (x) std::snprintf(where, sizeof where, "on or near the atom at (%.6g, %.6g, %.6g)", x[0], x[1], x[2]);
  std::snprintf(text, sizeof text,
                "a force %s is not a number or exceeds the fixed-point range of precision mixed (%g force units per "
                "bond, %d bonds per atom); check for overlapping atoms and for the time step, or use precision double",
                where, double(fixed_point::max_contribution), fixed_point::neighbour_limit - 1);
  return text;
}

inline std::string position_not_a_number(const double *x) {
  char text[200];
  std::snprintf(
      text, sizeof text,
      "the position (%g, %g, %g) of an atom is not a number or too large; check for overlapping atoms and for "
      "the time step",
      x[0], x[1], x[2]);
  return text;
}

/// `where`: "host" or "GPU". `bytes`: size of the failed allocation.
inline std::string out_of_memory(const char *where, const std::string &purpose, std::size_t bytes) {
  return std::string("out of memory on the ") + where + " for " + purpose + " (" +
         (bytes >> 20 ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes) + " bytes") +
         " more needed); use more GPUs or ranks, precision single, or a smaller neighbor skin";
}

}  // namespace triad

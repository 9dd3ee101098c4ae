// What styles need that use the virials of the heat current.
#pragma once

#include "error.h"
#include "force.h"
#include "lammps.h"
#include "pair.h"

namespace LAMMPS_NS {

/// Ends with an error if the pair style has no centroid virials. `style`: as in "Fix hnemd/triad".
inline void require_centroid_virials(LAMMPS *lmp, const char *style) {
  const Pair *const pair = lmp->force->pair;
  if (!pair || pair->centroidstressflag != CENTROID_AVAIL)
    lmp->error->all(FLERR, "{} needs a pair style with centroid virials, such as tersoff/triad", style);
}

}  // namespace LAMMPS_NS

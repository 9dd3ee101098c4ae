// A row of a table of styles.
#pragma once

#include "lammps/plugin_api.h"

namespace LAMMPS_NS {
class LAMMPS;
}

namespace triad {

template <class Style>
void *create1(void *lmp) {
  return new Style(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
}

struct StyleRow {
  const char *kind;
  const char *name;
  const char *info;
  triad_factory1 create;
};

}  // namespace triad

// THE table of styles: one row per style that the plugin registers.
#pragma once

#include "lammps/pair_tersoff_triad.h"
#include "lammps/plugin_api.h"

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

inline constexpr StyleRow styles[] = {
    {"pair", "tersoff/triad", "Tersoff potential on NVIDIA GPUs and on the host",
     &create1<LAMMPS_NS::PairTersoffTriad>},
};

}  // namespace triad

// THE table of styles: one row per style that the plugin registers.
#pragma once

#include "lammps/compute_temp_triad.h"
#include "lammps/fix_langevin_triad.h"
#include "lammps/fix_momentum_triad.h"
#include "lammps/fix_nose_hoover_triad.h"
#include "lammps/pair_tersoff_triad.h"
#include "lammps/plugin_api.h"

namespace triad {

template <class Style>
void *create1(void *lmp) {
  return new Style(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
}

template <class Style>
void *create2(void *lmp, int narg, char **arg) {
  return new Style(static_cast<LAMMPS_NS::LAMMPS *>(lmp), narg, arg);
}

/// One of the two factories is set: the first for styles without arguments, which `pair` is.
struct StyleRow {
  const char *kind;
  const char *name;
  const char *info;
  triad_factory1 create;
  triad_factory2 create_from_arguments = nullptr;
};

template <TersoffVariant variant>
constexpr auto create_tersoff = &create1<LAMMPS_NS::PairTersoffTriadOf<variant>>;

inline constexpr StyleRow styles[] = {
    {"pair", "tersoff/triad", "Tersoff potential", create_tersoff<TersoffVariant::Plain>},
    {"pair", "tersoff/mod/triad", "modified Tersoff potential", create_tersoff<TersoffVariant::Mod>},
    {"pair", "tersoff/mod/c/triad", "modified Tersoff potential with a constant", create_tersoff<TersoffVariant::ModC>},
    {"pair", "tersoff/zbl/triad", "Tersoff potential with ZBL core", create_tersoff<TersoffVariant::Zbl>},
    {"pair", "tersoff/table/triad", "refers to tersoff/triad", &create1<LAMMPS_NS::PairTersoffTableTriad>},
    {"compute", "temp/triad", "temperature", nullptr, &create2<LAMMPS_NS::ComputeTempTriad>},
    {"fix", "langevin/triad", "Langevin thermostat", nullptr, &create2<LAMMPS_NS::FixLangevinTriad>},
    {"fix", "momentum/triad", "removal of linear momentum", nullptr, &create2<LAMMPS_NS::FixMomentumTriad>},
    {"fix", "nvt/triad", "Nose-Hoover thermostat", nullptr, &create2<LAMMPS_NS::FixNoseHooverTriad>},
    {"fix", "npt/triad", "Nose-Hoover thermostat and barostat", nullptr, &create2<LAMMPS_NS::FixNoseHooverTriad>},
};

}  // namespace triad

// The table of styles that triadkkplugin.so registers.
#pragma once

#include "kokkos/fix_pairwise_triad_kokkos.h"
#include "kokkos/pair_tersoff_triad_kokkos.h"
#include "lammps/plugin/style_row.h"

namespace triad {

template <TersoffVariant variant>
constexpr auto on_device = &create1<LAMMPS_NS::PairTersoffTriadOnDevice<variant>>;
template <TersoffVariant variant>
constexpr auto on_host = &create1<LAMMPS_NS::PairTersoffTriadOnHost<variant>>;

template <class DeviceType>
constexpr auto pairwise = &create2<LAMMPS_NS::Fix, LAMMPS_NS::FixPairwiseTriadKokkos<DeviceType>>;

inline constexpr StyleRow kokkos_styles[] = {
    {"pair", "tersoff/triad/kk", "Tersoff potential", on_device<TersoffVariant::Plain>},
    {"pair", "tersoff/triad/kk/device", "Tersoff potential", on_device<TersoffVariant::Plain>},
    {"pair", "tersoff/triad/kk/host", "Tersoff potential", on_host<TersoffVariant::Plain>},
    {"pair", "tersoff/mod/triad/kk", "modified Tersoff potential", on_device<TersoffVariant::Mod>},
    {"pair", "tersoff/mod/triad/kk/device", "modified Tersoff potential", on_device<TersoffVariant::Mod>},
    {"pair", "tersoff/mod/triad/kk/host", "modified Tersoff potential", on_host<TersoffVariant::Mod>},
    {"pair", "tersoff/mod/c/triad/kk", "modified Tersoff potential with a constant", on_device<TersoffVariant::ModC>},
    {"pair", "tersoff/mod/c/triad/kk/device", "modified Tersoff potential with a constant",
     on_device<TersoffVariant::ModC>},
    {"pair", "tersoff/mod/c/triad/kk/host", "modified Tersoff potential with a constant",
     on_host<TersoffVariant::ModC>},
    {"pair", "tersoff/zbl/triad/kk", "Tersoff potential with ZBL core", on_device<TersoffVariant::Zbl>},
    {"pair", "tersoff/zbl/triad/kk/device", "Tersoff potential with ZBL core", on_device<TersoffVariant::Zbl>},
    {"pair", "tersoff/zbl/triad/kk/host", "Tersoff potential with ZBL core", on_host<TersoffVariant::Zbl>},
    {"fix", "pairwise/triad/kk", "pair forces computed once per pair", nullptr, pairwise<LMPDeviceType>},
    {"fix", "pairwise/triad/kk/device", "pair forces computed once per pair", nullptr, pairwise<LMPDeviceType>},
    {"fix", "pairwise/triad/kk/host", "pair forces computed once per pair", nullptr, pairwise<LMPHostType>},
};

}  // namespace triad

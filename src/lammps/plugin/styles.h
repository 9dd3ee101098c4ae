// The table of styles: one row per style that the plugin registers.
#pragma once

#include "lammps/compute/compute_kinetic_triad.h"
#include "lammps/compute/compute_moments_triad.h"
#include "lammps/compute/compute_profile_triad.h"
#include "lammps/compute/compute_reduce_triad.h"
#include "lammps/compute/compute_temp_bias_triad.h"
#include "lammps/compute/compute_temp_triad.h"
#include "lammps/fix/ave_chunk/fix_ave_chunk_triad.h"
#include "lammps/fix/fix_dt_reset_triad.h"
#include "lammps/fix/fix_langevin_triad.h"
#include "lammps/fix/fix_momentum_triad.h"
#include "lammps/fix/fix_nve_triad.h"
#include "lammps/fix/fix_wall_reflect_triad.h"
#include "lammps/fix/flow/fix_flow_triad.h"
#include "lammps/fix/force_change/fix_addforce_triad.h"
#include "lammps/fix/force_change/fix_setforce_triad.h"
#include "lammps/fix/force_change/fix_viscous_triad.h"
#include "lammps/fix/heat/fix_heat_triad.h"
#include "lammps/fix/hnemd/fix_hnemd_triad.h"
#include "lammps/fix/hnemd/fix_spectral_triad.h"
#include "lammps/fix/nose_hoover/fix_nose_hoover_triad.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/fix/rescale/fix_rescale.h"
#include "lammps/fix/tethers/fix_move_triad.h"
#include "lammps/fix/tethers/fix_spring_self_triad.h"
#include "lammps/pair/pair_tersoff_triad.h"
#include "lammps/plugin/style_row.h"
#include "lammps/plugin/suffix.h"
#include "lammps/run/verlet_triad.h"

namespace triad {

template <TersoffVariant variant>
constexpr auto create_tersoff = &create1<LAMMPS_NS::PairTersoffTriadOf<variant>>;

/// LAMMPS unloads the styles in this order and deletes those in use: run styles and fixes before the computes that they
/// use.
inline constexpr StyleRow styles[] = {
    {"pair", "tersoff/triad", "Tersoff potential", create_tersoff<TersoffVariant::Plain>},
    {"pair", "tersoff/mod/triad", "modified Tersoff potential", create_tersoff<TersoffVariant::Mod>},
    {"pair", "tersoff/mod/c/triad", "modified Tersoff potential with a constant", create_tersoff<TersoffVariant::ModC>},
    {"pair", "tersoff/zbl/triad", "Tersoff potential with ZBL core", create_tersoff<TersoffVariant::Zbl>},
    {"pair", "lj/cut/triad", "Lennard-Jones potential beside Tersoff", &LAMMPS_NS::create_lj_cut},
    {"pair", "tersoff/table/triad", "refers to tersoff/triad", &LAMMPS_NS::create_tersoff_table},
    {"run", "verlet/triad", "time steps on the device", nullptr, &LAMMPS_NS::create_run_style},
    {"fix", "nve/triad", "velocity Verlet", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixNVETriad>},
    {"fix", "langevin/triad", "Langevin thermostat", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixLangevinTriad>},
    {"fix", "momentum/triad", "removal of linear momentum", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixMomentumTriad>},
    {"fix", "temp/rescale/triad", "thermostat that rescales velocities", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixTempRescaleTriad>},
    {"fix", "temp/berendsen/triad", "Berendsen thermostat", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixTempBerendsenTriad>},
    {"fix", "temp/csvr/triad", "stochastic thermostat that rescales velocities", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixTempCsvrTriad>},
    {"fix", "setforce/triad", "sets the forces of a group", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixSetForceTriad>},
    {"fix", "aveforce/triad", "averages the forces of a group", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixAveForceTriad>},
    {"fix", "addforce/triad", "adds a force to a group", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixAddForceTriad>},
    {"fix", "viscous/triad", "drag force", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixViscousTriad>},
    {"fix", "spring/self/triad", "ties atoms to their positions", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixSpringSelfTriad>},
    {"fix", "move/triad", "motion of a group with a constant velocity", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixMoveTriad>},
    {"fix", "wall/reflect/triad", "reflecting walls", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixWallReflectTriad>},
    {"fix", "deform/triad", "deformation of the box", nullptr, &LAMMPS_NS::create_deform},
    {"fix", "heat/triad", "exchange of heat with a region", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixHeatTriad>},
    {"fix", "ehex/triad", "exchange of heat with corrected positions", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixEhexTriad>},
    {"fix", "dt/reset/triad", "time step that follows the atoms", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixDtResetTriad>},
    {"fix", "ave/chunk/triad", "profiles of temperature and density", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixAveChunkTriad>},
    {"fix", "hnemd/triad", "thermal conductivity by a driving force", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixHnemdTriad>},
    {"fix", "spectral/triad", "correlation of virials and velocities", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixSpectralTriad>},
    {"fix", "nvt/triad", "Nose-Hoover thermostat", nullptr, &LAMMPS_NS::create_fix<LAMMPS_NS::FixNoseHooverTriad>},
    {"fix", "npt/triad", "Nose-Hoover thermostat and barostat", nullptr,
     &LAMMPS_NS::create_fix<LAMMPS_NS::FixNoseHooverTriad>},
    {"fix", "pairwise/triad", "pair forces computed once per pair", nullptr, &LAMMPS_NS::create_pairwise},
    {"fix", "flow/triad", "shallow water", nullptr, &create2<LAMMPS_NS::Fix, LAMMPS_NS::FixFlowTriad>},
    {"compute", "heat/flux/triad", "heat current", nullptr, &LAMMPS_NS::create_heat_flux},
    {"compute", "ke/triad", "kinetic energy", nullptr, &LAMMPS_NS::create_compute<LAMMPS_NS::ComputeKETriad>},
    {"compute", "momentum/triad", "total momentum", nullptr,
     &create2<LAMMPS_NS::Compute, LAMMPS_NS::ComputeMomentumTriad>},
    {"compute", "com/triad", "centre of mass", nullptr, &create2<LAMMPS_NS::Compute, LAMMPS_NS::ComputeCOMTriad>},
    {"compute", "gyration/triad", "radius of gyration", nullptr,
     &create2<LAMMPS_NS::Compute, LAMMPS_NS::ComputeGyrationTriad>},
    {"compute", "msd/triad", "mean squared displacement", nullptr,
     &LAMMPS_NS::create_compute<LAMMPS_NS::ComputeMSDTriad>},
    {"compute", "reduce/triad", "sums and means of velocities and forces", nullptr,
     &LAMMPS_NS::create_compute<LAMMPS_NS::ComputeReduceTriad>},
    {"compute", "temp/com/triad", "temperature without the motion of the centre of mass", nullptr,
     &create2<LAMMPS_NS::Compute, LAMMPS_NS::ComputeTempComTriad>},
    {"compute", "temp/partial/triad", "temperature of some axes", nullptr,
     &create2<LAMMPS_NS::Compute, LAMMPS_NS::ComputeTempPartialTriad>},
    {"compute", "profile/triad", "profile of temperature and density in slabs", nullptr,
     &create2<LAMMPS_NS::Compute, LAMMPS_NS::ComputeProfileTriad>},
    {"compute", "temp/triad", "temperature", nullptr, &LAMMPS_NS::create_temperature},
};

}  // namespace triad

// LAMMPS's fix deform with the atoms on an engine: LAMMPS's fix computes the box, and the engine moves the atoms.
#pragma once

#include <string>

#include "dynamics/box_path.h"
#include "engine/md_engine.h"
#include "lammps.h"
#include "lmptype.h"

namespace LAMMPS_NS {

class Fix;

/// Returns what an engine does not support of a command `fix deform`, or an empty string: variables, a group other than
/// all, and atoms that stay in place or change their velocities.
std::string unsupported_deformation(LAMMPS *lmp, int narg, char **arg);

/// True for LAMMPS's fix deform if the factory of fix deform/triad has made it.
bool deforms_box(const Fix *fix);

/// True if a heat current of `engine` must be computed from tallies: if the engine has no other way, or if such a fix
/// may move the atoms between the forces of a step and the heat current.
bool heat_current_takes_tallies(const LAMMPS *lmp, const triad::MdEngine &engine);

/// Stops with an error if such a fix acts before `fix`, which reads heat currents at the end of steps.
void require_deformation_behind(const LAMMPS *lmp, const Fix *fix);

/// Calls end_of_step() of such a fix, and moves the engine's atoms with the box. LAMMPS's arrays of atoms stay as they
/// are.
void deform_box(LAMMPS *lmp, triad::MdEngine &engine, Fix *fix);

/// Returns the boxes of at most n steps from step `first` on, as such a fix prescribes them: of fewer steps if the fix
/// may flip the box soon, or changes it in a step so much that displacements_of_corners() exceeds `largest`, length
/// units. After `run pre no`, for instance, LAMMPS's fix returns to the box in which it was defined. n is at least 1.
/// LAMMPS's box stays as it is.
triad::BoxPath path_of_box(LAMMPS *lmp, Fix *fix, bigint first, bigint n, double largest);

/// Sets LAMMPS's box along the axes of the fix, its tilts and its rates to those of path.steps[k]. `first`: argument of
/// path_of_box().
void set_box(LAMMPS *lmp, Fix *fix, bigint first, const triad::BoxPath &path, bigint k);

}  // namespace LAMMPS_NS

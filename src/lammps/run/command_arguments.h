// Arguments of the commands of dumps and of some of LAMMPS's fixes and computes, which LAMMPS does not keep: of the
// sampling fixes (ave/time and others), which say what values a fix reads and in which steps, and of the computes
// whose sums an engine can make.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "lammps.h"

namespace LAMMPS_NS {

class Compute;
class Fix;

/// Replaces the factories of these styles by functions that store the arguments and call the factory. LAMMPS may call
/// these functions after the plugin's styles are unloaded, so the plugin stays in memory (linker option nodelete).
void remember_arguments(LAMMPS *lmp);

/// Return the words of the command from the ID on; empty if the fix, compute or dump was made before the plugin was
/// loaded, or if the plugin has not replaced the factory of its style.
std::vector<std::string> fix_arguments(const LAMMPS *lmp, const Fix *fix);
std::vector<std::string> compute_arguments(const LAMMPS *lmp, const Compute *compute);
std::vector<std::string> dump_arguments(const LAMMPS *lmp, const std::string &id);

/// The lattice spacings along x, y and z when a compute with compute_arguments() was made, length units.
std::array<double, 3> lattice_of_compute(const LAMMPS *lmp, const Compute *compute);

}  // namespace LAMMPS_NS

// Text of an input file on every rank.
#pragma once

#include <cstdio>
#include <string>

#include "pointers.h"

namespace LAMMPS_NS {

/// Reads `file`, which the first rank has opened and this closes, to its end and hands the text to all ranks. `what`
/// names the file in messages, as "tersoff/triad potential file Si.tersoff". A file of more than `most_bytes`, which
/// must fit into an int, is an error; no more than that is read, whatever the file is.
std::string read_on_all_ranks(LAMMPS *lmp, FILE *file, const std::string &what, bigint most_bytes);

/// The text of a potential file on every rank, found and announced as LAMMPS does it: here or in a folder of
/// LAMMPS_POTENTIALS. `what` precedes the name in messages. `conversions`: those of utils::get_supported_conversions()
/// that may be made; `energy_factor` then converts energies of the file to the units of the run. `most_bytes`: as
/// above. Collective.
std::string read_potential_on_all_ranks(LAMMPS *lmp, const std::string &what, const std::string &name, int conversions,
                                        double &energy_factor, bigint most_bytes);

}  // namespace LAMMPS_NS

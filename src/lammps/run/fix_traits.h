// What run_style verlet/triad knows of fixes.
#pragma once

#include "engine/md_engine.h"

namespace LAMMPS_NS {

class Fix;

/// Reads atoms and changes none.
bool only_looks(const Fix *fix);

/// One of those that read values of computes, fixes and variables and may be called without atoms on the host, where
/// none of these values needs them.
bool samples_values(const Fix *fix);

/// The fix of a dynamic group, whose post_force hook LAMMPS calls before all others.
bool is_dynamic_group(const Fix *fix);

/// The fix of `package omp`, which makes LAMMPS build neighbour lists with threads and, before forces, clears arrays
/// for styles of that package alone.
bool serves_threads(const Fix *fix);

/// A fix of ours that can be a part of whole steps: adds it to `batch`.
bool joins(Fix *fix, triad::StepBatch &batch);

}  // namespace LAMMPS_NS

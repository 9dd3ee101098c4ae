// Properties of fixes for run_style verlet/triad.
#pragma once

#include "engine/md_engine.h"

namespace LAMMPS_NS {

class Fix;

/// True for fixes that read atoms but do not change them.
bool only_reads_atoms(const Fix *fix);

/// True for fixes that sample values of computes, fixes and variables. They can be called without current atoms on the
/// host if none of the values needs atoms.
bool samples_values(const Fix *fix);

/// True for the fix of a dynamic group, whose post_force hook LAMMPS calls first.
bool is_dynamic_group(const Fix *fix);

/// True for a fix balance that acts at fixed intervals, in steps in which it makes LAMMPS renew the lists. Between
/// these steps, its hooks before the exchange of atoms and before the lists do nothing.
bool balances_at_times(const Fix *fix);

/// True for the fix of `package omp`, with which LAMMPS builds neighbour lists with threads. Before forces, the fix
/// clears arrays that only styles of that package use.
bool is_package_omp(const Fix *fix);

/// True for fixes that change the box in steps. A shrink-wrapped box, and the parts of the ranks (BOX_CHANGE_DOMAIN),
/// change only when lists are renewed.
bool changes_box(const Fix *fix);

/// Adds a fix of Triad to `batch`. Returns false if the fix is not Triad's or cannot be part of the batch.
bool joins(Fix *fix, triad::StepBatch &batch);

}  // namespace LAMMPS_NS

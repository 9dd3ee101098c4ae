// LAMMPS's arrays of atoms as views.
#pragma once

#include "atom.h"
#include "engine/md_engine.h"

namespace LAMMPS_NS {

/// Returns views of the arrays of this rank, which LAMMPS may move when the number of atoms changes; without crossings.
inline triad::AtomArrays atom_arrays(const Atom *atom) {
  triad::AtomArrays atoms;
  atoms.n_owned = atom->nlocal;
  atoms.n_ghosts = atom->nghost;
  if (atom->nmax) {
    atoms.x = atom->x[0];
    atoms.v = atom->v[0];
    atoms.f = atom->f[0];
  }
  atoms.type = atom->type;
  atoms.mask = atom->mask;
  atoms.tag = atom->tag;
  atoms.mass = atom->mass;
  atoms.rmass = atom->rmass;
  atoms.n_types = atom->ntypes;
  return atoms;
}

}  // namespace LAMMPS_NS

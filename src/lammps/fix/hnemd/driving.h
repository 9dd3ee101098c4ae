// The operations of fix hnemd/triad on atoms, wherever these are: at an engine, or in LAMMPS's arrays.
#pragma once

#include <vector>

#include "dynamics/force_change.h"
#include "dynamics/heat_current.h"
#include "lammps/run/atom_motion.h"
#include "pointers.h"

namespace LAMMPS_NS {

class ComputeHeatFluxTriad;
class Fix;

/// Adds the driving force to the atoms of a group. In LAMMPS's arrays, and at an engine on the host, the driving force
/// comes from the per-atom virials that the compute heat/flux/triad of the fix has requested for this step.
class Driving : protected Pointers {
 public:
  /// `fix` communicates [nghost][3] numbers to owners through pack() and unpack().
  Driving(LAMMPS *lmp, Fix *fix, int groupbit) : Pointers(lmp), fix_(fix), groupbit_(groupbit) {}

  /// f_i += D_i - (m_i / M) sum_k D_k, with the driving forces D in `field` (1/length) and the mass M of the group.
  /// Returns the sums of D_k, atoms and M over all ranks. `engine`: null for LAMMPS's arrays. Collective.
  triad::ForceSums add(triad::MdEngine *engine, const double *field);

  /// Driving forces of this rank's atoms, of the group or not, [nlocal][3] and more, from LAMMPS's arrays. Valid until
  /// the next call. Collective.
  const std::vector<double> &driving_forces(const double *field);

  int pack(int n, int first, double *buffer) const;
  void unpack(int n, const int *list, const double *buffer);

 private:
  triad::GroupMotion group_on_host() const;

  Fix *fix_;
  int groupbit_;
  std::vector<double> force_;  // [nlocal + nghost][3]
};

}  // namespace LAMMPS_NS

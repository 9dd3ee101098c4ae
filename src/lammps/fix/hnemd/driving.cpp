#include "lammps/fix/hnemd/driving.h"

#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "fix.h"
#include "force.h"
#include "lammps/util/atom_arrays.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/thread_choice.h"
#include "pair.h"
#include "update.h"

using namespace LAMMPS_NS;

triad::ForceSums Driving::add(triad::MdEngine *engine, const double *field) {
  const triad::ForceSums mine = engine ? engine->compute_driving_force(groupbit_, field)
                                       : group_on_host().sum_driving_force(driving_forces(field).data());
  const triad::ForceSums all = sum_over_ranks(mine, world);
  if (engine)
    engine->add_driving_force(groupbit_, all);
  else
    group_on_host().add_driving_force(force_.data(), all);
  return all;
}

const std::vector<double> &Driving::driving_forces(const double *field) {
  if (update->vflag_atom != update->ntimestep)
    error->all(FLERR,
               "Per-atom virials were not tallied in step {}, in which fix {} of style {} needs them; unfix the fix "
               "before rerun, and use run without pre no after reset_timestep",
               update->ntimestep, fix_->id, fix_->style);
  const int n_all = atom->nlocal + atom->nghost;
  force_.resize(3 * std::size_t(n_all));
  for (int i = 0; i < n_all; ++i)
    triad::driving_force(field, force->pair->cvatom[i], force_.data() + 3 * std::size_t(i));
  comm->reverse_comm(fix_);
  return force_;
}

triad::GroupMotion Driving::group_on_host() const { return {atom_arrays(atom), groupbit_, threads_of(lmp)}; }

int Driving::pack(int n, int first, double *buffer) const {
  std::copy_n(force_.data() + 3 * std::size_t(first), 3 * std::size_t(n), buffer);
  return 3 * n;
}

void Driving::unpack(int n, const int *list, const double *buffer) {
  for (int k = 0; k < n; ++k)
    for (int d = 0; d < 3; ++d) force_[3 * std::size_t(list[k]) + d] += buffer[3 * k + d];
}

#include "lammps/pair/own_list.h"

#include <cmath>
#include <vector>

#include "atom.h"
#include "comm.h"
#include "core/threads.h"
#include "lammps/util/thread_choice.h"

using namespace LAMMPS_NS;

void OwnList::init() {
  stamp_ = ListStamp();
  skin_ = neighbor->skin;
}

bool OwnList::is_current() const { return stamp_ == ListStamp(*neighbor, atom->nlocal); }

void OwnList::make(const triad::AtomsView &atoms, Positions positions) {
  const bool late = positions == Positions::Later || neighbor->ago != 0;
  std::vector<double> cutoff_squared;
  for (int i = 1; i <= atom->ntypes; ++i)
    for (int j = 1; j <= atom->ntypes; ++j) {
      const double squared = neighbor->cutneighsq[i][j];
      cutoff_squared.push_back(late ? std::pow(triad::late_list_cutoff(std::sqrt(squared), skin_), 2) : squared);
    }
  cells_.build(atoms, cutoff_squared, triad::threads_for(atom->nlocal, triad::usable_threads(threads_of(lmp))));
  stamp_ = ListStamp(*neighbor, atom->nlocal);
  ++count_;
}

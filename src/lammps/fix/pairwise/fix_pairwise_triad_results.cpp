// fix pairwise/triad: copies the results of the backend to LAMMPS's arrays.

#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "force.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"

using namespace LAMMPS_NS;
using triad::PairRange;

double *FixPairwiseTriad::forces() const { return atom->f[0]; }

/// Adds forces and per-atom tallies to those of the owned atoms on any rank.
void FixPairwiseTriad::send_to_owners(const triad::TallyRequest &request) {
  if (settings_.setup.range == PairRange::All) {
    const auto add = [&](const std::vector<double> &all, int width, double *to) {
      const std::vector<double> &mine = comm->nprocs > 1 ? (gathered_.layout().sum(all, summed_, width), summed_) : all;
      for (std::size_t k = 0; k < selected_.size(); ++k)
        for (int c = 0; c < width; ++c) to[std::size_t(selected_[k]) * width + c] += mine[k * width + c];
    };
    add(force_, 3, atom->nlocal ? atom->f[0] : nullptr);
    if (request.atom_energy) add(atom_energy_, 1, eatom);
    if (request.atom_virial) add(atom_virial_, 6, atom->nlocal ? vatom[0] : nullptr);
    return;
  }

  reverse_width_ = 3 + (request.atom_energy ? 1 : 0) + (request.atom_virial ? 6 : 0);
  if (!full_list_) reverse_comm();
  const std::size_t n = atom->nlocal;
  if (n == 0) return;
  const auto add = [](const std::vector<double> &from, std::size_t numbers, double *to) {
    for (std::size_t k = 0; k < numbers; ++k) to[k] += from[k];
  };
  add(force_, 3 * n, atom->f[0]);
  if (request.atom_energy) add(atom_energy_, n, eatom);
  if (request.atom_virial) add(atom_virial_, 6 * n, vatom[0]);
}

/// Sends forces and tallies of ghost atoms to their owners.
void FixPairwiseTriad::reverse_comm() {
  if (force->newton)
    comm->reverse_comm(this, reverse_width_);
  else  // LAMMPS then has no buffers of fixed size
    comm->reverse_comm_variable(this);
}

int FixPairwiseTriad::pack_reverse_comm_size(int n, int) { return n * reverse_width_; }

int FixPairwiseTriad::pack_reverse_comm(int n, int first, double *buffer) {
  double *to = buffer;
  for (std::size_t i = first; i < std::size_t(first) + n; ++i) {
    to = std::copy_n(&force_[3 * i], 3, to);
    if (!atom_energy_.empty()) *to++ = atom_energy_[i];
    if (!atom_virial_.empty()) to = std::copy_n(&atom_virial_[6 * i], 6, to);
  }
  return static_cast<int>(to - buffer);
}

void FixPairwiseTriad::unpack_reverse_comm(int n, int *indices, double *buffer) {
  const double *from = buffer;
  for (int k = 0; k < n; ++k) {
    const std::size_t i = indices[k];
    for (int c = 0; c < 3; ++c) force_[3 * i + c] += *from++;
    if (!atom_energy_.empty()) atom_energy_[i] += *from++;
    if (!atom_virial_.empty())
      for (int c = 0; c < 6; ++c) atom_virial_[6 * i + c] += *from++;
  }
}

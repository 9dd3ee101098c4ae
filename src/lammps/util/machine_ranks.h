// The ranks that share a machine with this rank.
#pragma once

#include "lammps.h"

namespace LAMMPS_NS {

/// Number of ranks on the machine of this rank, of all partitions as far as known. The first call of this function or
/// of gpu_index_of() of a LAMMPS instance is collective over the ranks of its partition.
int ranks_on_machine(LAMMPS *lmp);

/// Number of the GPU of this rank, to be taken modulo the number of GPUs of the machine: the number of this process
/// among the processes of the job on its machine, of all partitions. See ranks_on_machine() for the first call.
int gpu_index_of(LAMMPS *lmp);

/// True if every rank of the partition has a usable GPU. `usable`: this rank has one. The first call of a LAMMPS
/// instance is collective over the ranks of its partition.
bool every_rank_has_gpu(LAMMPS *lmp, bool usable);

/// To be called for a new LAMMPS instance: forgets the ranks of an earlier instance at the same address.
void forget_machine_ranks(const LAMMPS *lmp);

}  // namespace LAMMPS_NS

#include "lammps/fix/pairwise/rank_vectors.h"

#include <algorithm>
#include <numeric>

namespace LAMMPS_NS {

RankLayout::RankLayout(MPI_Comm comm) : comm_(comm) {
  int ranks = 1;
  MPI_Comm_rank(comm, &me_);
  MPI_Comm_size(comm, &ranks);
  count_.assign(ranks, 0);
  offset_.assign(ranks + 1, 0);
}

void RankLayout::set(int mine) {
  MPI_Allgather(&mine, 1, MPI_INT, count_.data(), 1, MPI_INT, comm_);
  std::partial_sum(count_.begin(), count_.end(), offset_.begin() + 1);
}

bool RankLayout::any(bool mine) const {
  int flag = mine;
  MPI_Allreduce(MPI_IN_PLACE, &flag, 1, MPI_INT, MPI_MAX, comm_);
  return flag != 0;
}

void RankLayout::join_bytes(const void *mine, void *all, int bytes_per_entry) const {
  MPI_Datatype entry;  // makes counts numbers of entries, which fit an int
  MPI_Type_contiguous(bytes_per_entry, MPI_BYTE, &entry);
  MPI_Type_commit(&entry);
  MPI_Allgatherv(mine, count_[me_], entry, all, count_.data(), offset_.data(), entry, comm_);
  MPI_Type_free(&entry);
}

void RankLayout::sum(const std::vector<double> &all, std::vector<double> &mine, int width) const {
  std::vector<int> numbers(count_);
  for (int &n : numbers) n *= width;
  mine.resize(numbers[me_]);
  MPI_Reduce_scatter(all.data(), mine.data(), numbers.data(), MPI_DOUBLE, MPI_SUM, comm_);
}

}  // namespace LAMMPS_NS

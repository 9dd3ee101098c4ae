// The number of the GPU of a rank: what the launcher says, and what follows without it.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "lammps/util/gpu_index.h"

namespace LAMMPS_NS {
namespace {

using Environment = std::map<std::string, std::string>;

int local_rank(const Environment &environment) {
  return local_rank_of_launcher([&](const char *name) {
    const auto found = environment.find(name);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

/// GPUs of the ranks of a partition on one machine.
std::vector<int> gpus(const std::vector<int> &launched, int earlier = 0) {
  std::vector<int> found;
  for (std::size_t rank = 0; rank < launched.size(); ++rank)
    found.push_back(gpu_index(launched, static_cast<int>(rank), earlier));
  return found;
}

TEST(GpuIndex, TheLauncherNumbersTheRanksOfAMachine) {
  EXPECT_EQ(local_rank({{"MPI_LOCALRANKID", "3"}, {"MPI_LOCALNRANKS", "4"}, {"PMI_RANK", "7"}}), 3);
  EXPECT_EQ(local_rank({{"OMPI_COMM_WORLD_LOCAL_RANK", "2"}}), 2);
  EXPECT_EQ(local_rank({{"SLURM_LOCALID", "0"}}), 0);
  EXPECT_EQ(local_rank({}), -1);
}

TEST(GpuIndex, MpiexecInAJobOfSlurmComesFirst) {
  EXPECT_EQ(local_rank({{"MPI_LOCALRANKID", "1"}, {"SLURM_LOCALID", "0"}}), 1);
  EXPECT_EQ(local_rank({{"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"SLURM_LOCALID", "0"}}), 1);
}

TEST(GpuIndex, WhatIsNoNumberDoesNotCount) {
  for (const char *const text : {"", " ", "x", "1x", "-1", "1 ", "99999999999"}) {
    EXPECT_EQ(number_of_launcher(text), -1) << text;
    EXPECT_EQ(local_rank({{"MPI_LOCALRANKID", text}, {"SLURM_LOCALID", "5"}}), 5) << text;
  }
  EXPECT_EQ(number_of_launcher(nullptr), -1);
  EXPECT_EQ(number_of_launcher("12"), 12);
}

TEST(GpuIndex, RanksOfOneMachineHaveTheirOwnNumbers) {
  const std::vector<int> in_order = {0, 1, 2, 3};
  EXPECT_EQ(gpus({0, 1, 2, 3}), in_order);
  EXPECT_EQ(gpus({-1, -1, -1, -1}), in_order);
}

TEST(GpuIndex, EachPartitionOfOneRankHasAGpuOfItsOwn) {
  for (int partition = 0; partition < 4; ++partition) {
    EXPECT_EQ(gpus({partition}, partition), std::vector<int>{partition});
    EXPECT_EQ(gpus({-1}, partition), std::vector<int>{partition});
  }
}

TEST(GpuIndex, PartitionsOfSeveralRanksComeOneAfterTheOther) {
  EXPECT_EQ(gpus({2, 3}, 2), (std::vector<int>{2, 3}));
  EXPECT_EQ(gpus({-1, -1}, 2), (std::vector<int>{2, 3}));
}

/// Ranks 0, 2, 4 and 6 of eight are on the first of two machines.
TEST(GpuIndex, RanksThatAreDealtOutToMachinesUseAllGpus) {
  const std::vector<int> in_order = {0, 1, 2, 3};
  EXPECT_EQ(gpus({0, 1, 2, 3}), in_order);
  EXPECT_EQ(gpus({-1, -1, -1, -1}), in_order);
}

/// The script of a batch job has SLURM_LOCALID=0, which the ranks of an unknown launcher inherit.
TEST(GpuIndex, NumbersThatAreTheSameDoNotCount) {
  EXPECT_EQ(gpus({0, 0, 0}), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(gpus({1, 0, 1}, 2), (std::vector<int>{2, 3, 4}));
  EXPECT_EQ(gpus({0, -1}), (std::vector<int>{0, 1}));
}

}  // namespace
}  // namespace LAMMPS_NS

// Finds the owner of each of LAMMPS's ghosts, and exchanges ghosts between ranks through MPI.
#pragma once

#include <array>
#include <vector>

#include "engine/exchange/halo.h"
#include "engine/exchange/rank_status.h"
#include "pointers.h"

namespace LAMMPS_NS {

class Halo final : public triad::HaloExchange, protected Pointers {
 public:
  /// Routes of the exchange. If a route is not possible, the next one is used.
  enum class Route { Devices, DeviceMemory, HostMemory };

  /// Duplicates LAMMPS's communicator. Collective, as is the destructor unless a run has ended with an error.
  Halo(LAMMPS *lmp, Route route);
  ~Halo() override;
  Halo(const Halo &) = delete;
  Halo &operator=(const Halo &) = delete;

  /// Makes the communication usable again after an error of some ranks. Collective.
  void start();
  /// Makes other ranks of this host that wait for this one throw LoopError with the reason `why`.
  void fail(const char *why) noexcept;

  /// Returns the plan of the present ghosts, for any communication style and number of ranks. Requires current
  /// positions of owned atoms and ghosts on the host. Collective.
  triad::HaloPlan make_plan();
  /// Throws what make_plan() would throw if the ghosts are not those of LAMMPS's communication. Collective.
  void check_ghosts();
  /// Throws the LoopError of make_plan() for ghosts that are not those of LAMMPS's communication.
  [[noreturn]] static void throw_other_atoms();

  /// Returns HaloPlan::shift of the last plan in the present box.
  std::vector<double> shifts() const;

  bool takes_device_memory() const override { return device_memory_; }
  bool allows_direct_exchange() const override { return route_ == Route::Devices; }
  void forward(const void *send, void *receive, std::size_t item) override;
  void reverse(const void *receive, void *send, std::size_t item) override;
  void alltoallv(const void *send, const std::vector<int> &send_counts, void *receive,
                 const std::vector<int> &receive_counts, std::size_t item) override;
  std::vector<int> set_send_counts(const std::vector<int> &send_counts) override;
  void allreduce_max(double *values, int n) override;
  int rank() const override;
  int ranks() const override;
  void allgather(const void *mine, void *all, std::size_t bytes) override;

 private:
  using Image = std::array<int, 3>;  // multiples of the box vectors

  double **find_origins();
  Image image_between(const double *owner, const double *ghost) const;
  int index_of(const Image &image);
  void wait(std::vector<MPI_Request> &requests, bool cancels);
  template <class Value, class Start>
  std::vector<Value> of_all(const Value *in, std::size_t n_in, std::size_t n_out, Start &&start);
  MPI_Comm ranks_ = MPI_COMM_NULL;  // a duplicate of `world`
  triad::RankStatus status_;
  bool broken_ = false;  // an error has ended this rank's work or a wait, and messages may be under way
  const Route route_;
  const bool device_memory_;
  std::vector<Image> images_;
  std::vector<int> send_counts_, receive_counts_;  // [nprocs]
};

}  // namespace LAMMPS_NS

// Learns from LAMMPS where each ghost comes from, and carries ghosts between ranks over MPI.
#pragma once

#include <array>
#include <vector>

#include "engine/exchange/halo.h"
#include "pointers.h"

namespace LAMMPS_NS {

class Halo final : public triad::HaloExchange, protected Pointers {
 public:
  /// Ways for ghosts, of which the first takes the others where it cannot be taken.
  enum class Route { Devices, DeviceMemory, HostMemory };

  /// Collective, as is the destructor: messages have a communicator of their own.
  Halo(LAMMPS *lmp, Route route);
  ~Halo() override;
  Halo(const Halo &) = delete;
  Halo &operator=(const Halo &) = delete;

  /// The plan of the present ghosts: any communication style, any number of ranks. Collective. To be called when
  /// positions of owned atoms and ghosts on the host belong together.
  triad::HaloPlan learn();

  /// HaloPlan::shift of the last plan in the present box.
  std::vector<double> shifts() const;

  bool takes_device_memory() const override { return device_memory_; }
  bool may_be_bypassed() const override { return route_ == Route::Devices; }
  void forward(const void *send, void *receive, std::size_t item) override;
  void reverse(const void *receive, void *send, std::size_t item) override;
  void most(double *values, int n) override;
  int rank() const override;
  int ranks() const override;
  void gather(const void *mine, void *all, std::size_t bytes) override;

 private:
  using Image = std::array<int, 3>;  // multiples of the box vectors

  Image image_between(const double *owner, const double *ghost) const;
  int index_of(const Image &image);
  void exchange(const char *out, const std::vector<int> &out_counts, char *in, const std::vector<int> &in_counts,
                std::size_t item);

  MPI_Comm ranks_ = MPI_COMM_NULL;  // a duplicate of `world`
  const Route route_;
  const bool device_memory_;
  std::vector<Image> images_;
  std::vector<int> send_counts_, receive_counts_;  // [nprocs]
};

}  // namespace LAMMPS_NS

// pair_style tersoff/triad/kk and its variants: all arrays are those of LAMMPS's KOKKOS package in the memory of
// DeviceType.
#pragma once

#include "kokkos_base.h"
#include "kokkos_type.h"
#include "lammps/pair/pair_tersoff_triad.h"

namespace LAMMPS_NS {

/// Type of an argument of unpack_reverse_comm_kokkos() and similar functions, which differs between versions of LAMMPS.
template <class Method>
struct CommTypes;
template <class ListType, class BufferType>
struct CommTypes<void (KokkosBase::*)(int, ListType, BufferType)> {
  using List = ListType;
  using Buffer = BufferType;
};
using SendList = CommTypes<decltype(&KokkosBase::unpack_reverse_comm_kokkos)>::List;
using CommBuffer = CommTypes<decltype(&KokkosBase::unpack_reverse_comm_kokkos)>::Buffer;

template <class DeviceType>
class PairTersoffTriadKokkos : public PairTersoffTriad, public KokkosBase {
 public:
  PairTersoffTriadKokkos(LAMMPS *lmp, triad::TersoffVariant variant);

  void compute(int eflag, int vflag) override;
  void init_style() override;

  // With newton off, which KOKKOS requires with `neigh full`, the style itself sends the forces of ghosts to their
  // owners. On one rank the loops do so, after forward communication has sent each ghost the index of its owner.
  int pack_forward_comm(int n, int *list, double *buf, int, int *) override;
  void unpack_forward_comm(int n, int first, double *buf) override;
  int pack_forward_comm_kokkos(int n, SendList list, CommBuffer buf, int, int *) override;
  void unpack_forward_comm_kokkos(int n, int first, CommBuffer buf) override;
  int pack_reverse_comm(int n, int first, double *buf) override;
  void unpack_reverse_comm(int n, int *list, double *buf) override;
  int pack_reverse_comm_kokkos(int n, int first, CommBuffer buf) override;
  void unpack_reverse_comm_kokkos(int n, SendList list, CommBuffer buf) override;

 protected:
  std::unique_ptr<triad::TersoffBackend> new_backend(BackendChoice choice, std::string &note) override;
  bool needs_newton() const override { return false; }
  bool repeats_bits() const override { return !on_gpu; }  // the order of KOKKOS's list varies on a GPU
  void renew_owners() override;
  triad::AtomsView atoms_view() const override;
  triad::NeighborListView rows() const override;
  double *forces() const override;

 private:
  static constexpr bool on_gpu = ExecutionSpaceFromDevice<DeviceType>::space == Device;
  using Forces = Kokkos::DualView<double *[3], Kokkos::LayoutRight, LMPDeviceType>;
  using Indices = Kokkos::DualView<int *, LMPDeviceType>;

  bool loops_send_to_owners() const;
  void clear_before_reverse();
  void reverse();
  void reverse_tally(double *values, int width);
  double *values_on_host();

  Indices k_owner_;          // [n_all] owner of each atom; an owned atom is its own owner
  Forces k_force_;           // [n_all][3] forces of this style alone, used if newton is off
  double *tally_ = nullptr;  // [n_all][width_] array for reverse communication; null: k_force_
  int width_ = 3;
};

template <triad::TersoffVariant variant>
using PairTersoffTriadOnDevice = PairTersoffTriadOf<variant, PairTersoffTriadKokkos<LMPDeviceType>>;
template <triad::TersoffVariant variant>
using PairTersoffTriadOnHost = PairTersoffTriadOf<variant, PairTersoffTriadKokkos<LMPHostType>>;

}  // namespace LAMMPS_NS

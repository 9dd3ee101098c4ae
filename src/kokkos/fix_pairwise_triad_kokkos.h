// fix pairwise/triad/kk: on a GPU the fix uses atoms, lists and forces in the device memory of LAMMPS's KOKKOS package
// if it needs only the atoms of this rank; otherwise it uses host arrays like fix pairwise/triad.
#pragma once

#include <cstdint>

#include "kokkos_type.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"

namespace LAMMPS_NS {

template <class DeviceType>
class FixPairwiseTriadKokkos : public FixPairwiseTriad {
 public:
  FixPairwiseTriadKokkos(LAMMPS *lmp, int narg, char **arg);

  void init() override;
  void setup(int vflag) override;
  double compute_scalar() override;

 protected:
  void choose_atom_location() override;
  bool on_device() const override { return on_device_; }
  std::unique_ptr<triad::PairwiseBackend> new_backend(std::string &note) override;
  bool wants_full_list() const override { return on_device_ || FixPairwiseTriad::wants_full_list(); }
  triad::PairAtomsView rank_atoms(int n) override;
  triad::NeighborListView rows() const override;
  int find_pairs(ListedPairs &pairs, double range) override;
  double *forces() const override;
  tagint tag_of(int index) const override;

 private:
  static constexpr bool on_gpu = ExecutionSpaceFromDevice<DeviceType>::space == Device;

  bool on_device_ = false;
  Kokkos::View<double *, DeviceType> strength_;    // [n] masses of the atoms
  Kokkos::View<std::uint8_t *, DeviceType> side_;  // [n] PairAtomsView::side
  Kokkos::View<int *, DeviceType> owner_;          // [n - n_owned] PairAtomsView::owner, for listed pairs
};

}  // namespace LAMMPS_NS

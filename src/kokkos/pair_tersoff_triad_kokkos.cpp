#include "kokkos/pair_tersoff_triad_kokkos.h"

#include <algorithm>

#include "atom_kokkos.h"
#include "atom_masks.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "kokkos/package_arrays.h"
#include "neigh_request.h"
#include "neighbor.h"
#include "suffix.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

std::unique_ptr<triad::TersoffBackend> make_backend_in(const LMPHostType &space, const triad::TersoffSetup &setup) {
  return triad::make_tersoff_host(setup, space.concurrency());
}
#if defined(LMP_KOKKOS_GPU)
std::unique_ptr<triad::TersoffBackend> make_backend_in(const LMPDeviceType &space, const triad::TersoffSetup &setup) {
  std::string reason;
  if (triad::usable_cuda_devices(reason) == 0) throw triad::LoopError(reason);
  return triad::make_tersoff_device(setup, space.cuda_device(), space.cuda_stream());
}
#endif

// Communication on the device. In reverse communication an atom occurs only once in the list of a swap, so atomics are
// not necessary.

template <class Buffer>
struct PackForces {
  const double *force;  // forces from the first ghost on
  Buffer buffer;
  KOKKOS_INLINE_FUNCTION void operator()(int k) const { buffer(k) = force[k]; }
};

template <class List, class Buffer>
struct UnpackForces {
  double *force;  // [n_all][3]
  List list;
  Buffer buffer;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const {
    const std::size_t at = 3 * static_cast<std::size_t>(list(i));
    for (int axis = 0; axis < 3; ++axis) force[at + axis] += buffer(3 * i + axis);
  }
};

struct NumberAtoms {
  int *owner;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const { owner[i] = static_cast<int>(i); }
};

template <class List, class Buffer>
struct PackOwners {
  const int *owner;
  List list;
  Buffer buffer;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { buffer(i) = owner[list(i)]; }
};

template <class Buffer>
struct UnpackOwners {
  int *owner;  // owners from the first ghost on
  Buffer buffer;
  KOKKOS_INLINE_FUNCTION void operator()(int i) const { owner[i] = static_cast<int>(buffer(i)); }
};

struct AddForces {
  const double *source;
  double *target;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t k) const { target[k] += source[k]; }
};

}  // namespace

template <class DeviceType>
PairTersoffTriadKokkos<DeviceType>::PairTersoffTriadKokkos(LAMMPS *lmp, triad::TersoffVariant variant)
    : PairTersoffTriad(lmp, variant, std::is_same<DeviceType, LMPDeviceType>::value ? "/kk" : "/kk/host") {
  require_kokkos(lmp, "Pair style " + style_);
  suffix_flag |= Suffix::KOKKOS;
  respa_enable = 0;
  kokkosable = 1;
  atomKK = static_cast<AtomKokkos *>(atom);
  execution_space = ExecutionSpaceFromDevice<DeviceType>::space;
  datamask_read = X_MASK | F_MASK | TYPE_MASK;
  datamask_modify = F_MASK;
  reverse_comm_device = 1;
  comm_forward = 1;
  // The maximum width that reverse() sends: a centroid virial. Tiled domains of LAMMPS 2026 read only the first of the
  // two.
  comm_reverse = comm_reverse_off = 9;
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::init_style() {
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "pair_style {}: KOKKOS has no run_style respa; use run_style verlet, or LAMMPS without -k on",
               style_);
  PairTersoffTriad::init_style();
  constexpr bool device = std::is_same<DeviceType, LMPDeviceType>::value;
  NeighRequest *const request = neighbor->find_request(this);
  request->set_kokkos_host(!device);
  request->set_kokkos_device(device);
}

template <class DeviceType>
std::unique_ptr<triad::TersoffBackend> PairTersoffTriadKokkos<DeviceType>::new_backend(BackendChoice choice,
                                                                                       std::string &note) {
  note = std::string(", newton ") + (force->newton_pair ? "on" : "off");
  if (on_gpu && choice == BackendChoice::Host)
    error->all(FLERR, "pair_style {} backend host: KOKKOS keeps the atoms on the GPU; use {}/host, or backend auto",
               style_, style_);
  if (!on_gpu && choice == BackendChoice::Cuda)
    error->all(
        FLERR,
        "pair_style {} backend cuda: KOKKOS keeps the atoms on the host; use a KOKKOS package built for CUDA, or "
        "backend auto",
        style_);
  return make_backend_in(DeviceType(), tersoff());
}

template <class DeviceType>
triad::AtomsView PairTersoffTriadKokkos<DeviceType>::atoms_view() const {
  triad::AtomsView atoms;
  atoms.n_owned = atom->nlocal;
  atoms.n_all = atom->nlocal + atom->nghost;
  atoms.x = rows_of_three(atomKK->k_x.template view<DeviceType>());
  atoms.type = atomKK->k_type.template view<DeviceType>().data();
  if (loops_send_to_owners()) atoms.owner = k_owner_.template view<DeviceType>().data() + atoms.n_owned;
  return atoms;
}

template <class DeviceType>
triad::NeighborListView PairTersoffTriadKokkos<DeviceType>::rows() const {
  triad::NeighborListView rows = table_of<DeviceType>(list, *atom);
  rows.mask = NEIGHMASK;
  rows.cutoff = neighbor->cutneighmax;
  return rows;
}

template <class DeviceType>
double *PairTersoffTriadKokkos<DeviceType>::forces() const {
  if (!force->newton_pair && !loops_send_to_owners()) return k_force_.template view<DeviceType>().data();
  return rows_of_three(atomKK->k_f.template view<DeviceType>());
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::compute(int eflag, int vflag) {
  ev_init(eflag, vflag);
  atomKK->sync(execution_space, datamask_read);
  atomKK->modified(execution_space, datamask_modify);
  if (loops_send_to_owners() || force->newton_pair) {
    add_forces();
  } else {
    clear_before_reverse();
    add_forces();
    reverse();
  }
}

/// On one rank every ghost is an image of an atom of the same rank, so steps need no communication.
template <class DeviceType>
bool PairTersoffTriadKokkos<DeviceType>::loops_send_to_owners() const {
  return on_gpu && !force->newton_pair && comm->nprocs == 1;
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::renew_owners() {
  if (!loops_send_to_owners()) return;
  owner_stamp_.pass(*neighbor, list->inum, [this] {
    const std::size_t n_owned = atom->nlocal, n_all = n_owned + atom->nghost;
    if (k_owner_.extent(0) < n_all) k_owner_ = Indices("triad:owners", n_all + n_all / 16);
    k_owner_.clear_sync_state();
    Kokkos::parallel_for("triad:number atoms", over<DeviceType>(n_owned),
                         NumberAtoms{k_owner_.template view<DeviceType>().data()});
    k_owner_.template modify<DeviceType>();
    comm->forward_comm(this);
    k_owner_.template sync<DeviceType>();
  });
}

template <class DeviceType>
int PairTersoffTriadKokkos<DeviceType>::pack_forward_comm(int n, int *list, double *buf, int, int *) {
  k_owner_.sync_host();
  for (int i = 0; i < n; ++i) buf[i] = k_owner_.view_host()(list[i]);
  return n;
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::unpack_forward_comm(int n, int first, double *buf) {
  k_owner_.sync_host();
  k_owner_.modify_host();
  for (int i = 0; i < n; ++i) k_owner_.view_host()(first + i) = static_cast<int>(buf[i]);
}

template <class DeviceType>
int PairTersoffTriadKokkos<DeviceType>::pack_forward_comm_kokkos(int n, SendList list, CommBuffer buf, int, int *) {
  const auto indices = list.template view<DeviceType>();
  const auto buffer = buf.template view<DeviceType>();
  Kokkos::parallel_for(
      "triad:pack owners", over<DeviceType>(n),
      PackOwners<decltype(indices), decltype(buffer)>{k_owner_.template view<DeviceType>().data(), indices, buffer});
  return n;
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::unpack_forward_comm_kokkos(int n, int first, CommBuffer buf) {
  const auto buffer = buf.template view<DeviceType>();
  Kokkos::parallel_for("triad:unpack owners", over<DeviceType>(n),
                       UnpackOwners<decltype(buffer)>{k_owner_.template view<DeviceType>().data() + first, buffer});
}

/// LAMMPS does not clear the forces of ghosts when newton is off.
template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::clear_before_reverse() {
  const std::size_t n_owned = atom->nlocal, n_all = n_owned + atom->nghost;
  if (k_force_.extent(0) < n_all) k_force_ = Forces("triad:forces", n_all + n_all / 16);
  k_force_.clear_sync_state();
  Kokkos::deep_copy(DeviceType(), k_force_.template view<DeviceType>(), 0.0);
  k_force_.template modify<DeviceType>();
  if (eflag_atom) std::fill(eatom + n_owned, eatom + n_all, 0.0);
  if (vflag_atom && n_all) std::fill(vatom[0] + 6 * n_owned, vatom[0] + 6 * n_all, 0.0);
  if (cvflag_atom && n_all) std::fill(cvatom[0] + 9 * n_owned, cvatom[0] + 9 * n_all, 0.0);
}

/// Sends the forces of ghosts to their owners and adds the forces to LAMMPS's forces.
template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::reverse() {
  comm->reverse_comm(this);
  k_force_.template sync<DeviceType>();
  Kokkos::parallel_for("triad:add forces", over<DeviceType>(3 * static_cast<std::size_t>(atom->nlocal)),
                       AddForces{forces(), rows_of_three(atomKK->k_f.template view<DeviceType>())});
  if (eflag_atom) reverse_tally(eatom, 1);
  if (vflag_atom) reverse_tally(vatom[0], 6);
  if (cvflag_atom) reverse_tally(cvatom[0], 9);
}

/// Per-atom tallies are on the host, where LAMMPS's computes read them.
template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::reverse_tally(double *values, int width) {
  tally_ = values;
  width_ = width;
  reverse_comm_device = 0;
  comm->reverse_comm(this);
  reverse_comm_device = 1;
  width_ = 3;
  tally_ = nullptr;
}

/// For reverse communication through the host, as required by `comm/pair/reverse host` and tiled domains.
template <class DeviceType>
double *PairTersoffTriadKokkos<DeviceType>::values_on_host() {
  if (tally_) return tally_;
  k_force_.sync_host();
  k_force_.modify_host();
  return k_force_.view_host().data();
}

template <class DeviceType>
int PairTersoffTriadKokkos<DeviceType>::pack_reverse_comm(int n, int first, double *buf) {
  const std::size_t width = width_;
  std::copy_n(values_on_host() + width * first, width * n, buf);
  return n * width_;
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::unpack_reverse_comm(int n, int *list, double *buf) {
  const std::size_t width = width_;
  double *const values = values_on_host();
  for (int i = 0; i < n; ++i)
    for (std::size_t k = 0; k < width; ++k) values[width * list[i] + k] += buf[width * i + k];
}

template <class DeviceType>
int PairTersoffTriadKokkos<DeviceType>::pack_reverse_comm_kokkos(int n, int first, CommBuffer buf) {
  const auto buffer = buf.template view<DeviceType>();
  Kokkos::parallel_for("triad:pack forces", over<DeviceType>(3 * static_cast<std::size_t>(n)),
                       PackForces<decltype(buffer)>{forces() + 3 * static_cast<std::size_t>(first), buffer});
  return 3 * n;
}

template <class DeviceType>
void PairTersoffTriadKokkos<DeviceType>::unpack_reverse_comm_kokkos(int n, SendList list, CommBuffer buf) {
  const auto indices = list.template view<DeviceType>();
  const auto buffer = buf.template view<DeviceType>();
  Kokkos::parallel_for("triad:unpack forces", over<DeviceType>(n),
                       UnpackForces<decltype(indices), decltype(buffer)>{forces(), indices, buffer});
}

namespace LAMMPS_NS {
template class PairTersoffTriadKokkos<LMPDeviceType>;
#if defined(LMP_KOKKOS_GPU)
template class PairTersoffTriadKokkos<LMPHostType>;
#endif
}  // namespace LAMMPS_NS

#include "kokkos/fix_pairwise_triad_kokkos.h"

#include "atom_kokkos.h"
#include "atom_masks.h"
#include "comm.h"
#include "error.h"
#include "force.h"
#include "kokkos/package_arrays.h"
#include "neigh_request.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;
using triad::PairRange;

namespace {

template <class Masses, class Types>
struct MassOfType {
  Masses mass;
  Types type;
  double *strength;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const { strength[i] = mass(type(i)); }
};

template <class Masks>
struct SideOf {
  Masks mask;
  int group_bit, group2_bit;
  std::uint8_t *side;
  KOKKOS_INLINE_FUNCTION void operator()(std::size_t i) const {
    side[i] = (mask(i) & group_bit ? 1 : 0) | (mask(i) & group2_bit ? 2 : 0);
  }
};

/// Ensures a size of n elements; growing discards the content.
template <class View>
void grow(View &view, std::size_t n, const char *what) {
  if (view.extent(0) < n) view = View(std::string(what), n + n / 16);
}

std::unique_ptr<triad::PairwiseBackend> make_device_in(const LMPHostType &, const triad::PairwiseSetup &) {
  return nullptr;  // never on an engine
}
#if defined(LMP_KOKKOS_GPU)
std::unique_ptr<triad::PairwiseBackend> make_device_in(const LMPDeviceType &space, const triad::PairwiseSetup &setup) {
  std::string reason;
  if (triad::usable_cuda_devices(reason) == 0) throw triad::LoopError(reason);
  return triad::make_pairwise_device(setup, space.cuda_device(), space.cuda_stream());
}
#endif

}  // namespace

template <class DeviceType>
FixPairwiseTriadKokkos<DeviceType>::FixPairwiseTriadKokkos(LAMMPS *lmp, int narg, char **arg)
    : FixPairwiseTriad(lmp, narg, arg) {
  require_kokkos(lmp, "Fix " + std::string(style));
  kokkosable = 1;
  atomKK = static_cast<AtomKokkos *>(atom);
  datamask_modify = F_MASK;
}

template <class DeviceType>
void FixPairwiseTriadKokkos<DeviceType>::init() {
  if (utils::strmatch(update->integrate_style, "^respa"))
    error->all(FLERR, "{}: KOKKOS has no run_style respa; use run_style verlet, or LAMMPS without -k on", command_);
  if (settings().setup.range == PairRange::Pairs) atomKK->sync(Host, TAG_MASK);  // the host searches the IDs
  FixPairwiseTriad::init();
  if (!on_device_) return;
  atomKK->k_mass.modify_host();
  atomKK->k_mass.template sync<DeviceType>();
  if (settings().setup.range != PairRange::List) return;
  // On a GPU KOKKOS uses bins as large as the cutoff of the pair style. Without a pair style there is a single bin, and
  // building lists costs O(N^2).
  if (!force->pair && neighbor->binsize_user <= 0) {
    neighbor->binsizeflag = 1;
    neighbor->binsize_user = settings().setup.cutoff + neighbor->skin;
  }
  if (settings().setup.kernel == triad::PairKernel::Triangular)
    error->all(FLERR,
               "{} kernel triangular with range list: the lists that KOKKOS builds for it on the GPU have each pair "
               "twice; use kernel auto, or backend host or fix pairwise/triad",
               command_);
  if (NeighRequest *const request = neighbor->find_request(this)) request->set_kokkos_device(true);  // null under rerun
}

/// Right after this function, the command rerun writes forces from the host, but does not synchronise the forces of
/// fixes.
template <class DeviceType>
void FixPairwiseTriadKokkos<DeviceType>::setup(int vflag) {
  FixPairwiseTriad::setup(vflag);
  if (!on_device_) return;
  atomKK->modified(Device, datamask_modify);
  atomKK->sync(Host, datamask_modify);
}

/// Chooses the GPU if all necessary data are there. That excludes atoms or reactions of other ranks, and data that
/// LAMMPS keeps on the host: special bonds of range all, and image flags.
template <class DeviceType>
void FixPairwiseTriadKokkos<DeviceType>::choose_atom_location() {
  const PairRange range = settings().setup.range;
  const bool of_host = range == PairRange::All && (has_scaled_pairs() || (!settings().nearest_image && periodic()));
  const bool possible = range == PairRange::List || (comm->nprocs == 1 && !of_host);
  const bool resident = on_gpu && possible && settings().backend != BackendChoice::Host;
  if (resident != on_device_) backend_.reset();
  on_device_ = resident;
  execution_space = resident ? Device : Host;
  datamask_read = resident ? X_MASK | F_MASK | TYPE_MASK | MASK_MASK | RMASS_MASK : ALL_MASK;
}

template <class DeviceType>
std::unique_ptr<triad::PairwiseBackend> FixPairwiseTriadKokkos<DeviceType>::new_backend(std::string &note) {
  if (on_device_) {
    note = ", atoms in place";
    return make_device_in(DeviceType(), settings().setup);
  }
#if defined(LMP_KOKKOS_GPU)
  if (!on_gpu && settings().backend != BackendChoice::Cuda)
    return triad::make_pairwise_host(settings().setup, DeviceType().concurrency());
#endif
  return FixPairwiseTriad::new_backend(note);
}

template <class DeviceType>
double FixPairwiseTriadKokkos<DeviceType>::compute_scalar() {
  atomKK->sync(execution_space, datamask_read);
  return FixPairwiseTriad::compute_scalar();
}

template <class DeviceType>
triad::PairAtomsView FixPairwiseTriadKokkos<DeviceType>::rank_atoms(int n) {
  if (!on_device_) return FixPairwiseTriad::rank_atoms(n);
  const auto type = atomKK->k_type.template view<DeviceType>();
  triad::PairAtomsView atoms;
  atoms.n = n;
  atoms.x = rows_of_three(atomKK->k_x.template view<DeviceType>());
  atoms.type = type.data();
  if (settings().is_gravity() && atom->rmass) {
    atoms.strength = atomKK->k_rmass.template view<DeviceType>().data();
  } else if (settings().is_gravity()) {
    grow(strength_, n, "triad:strengths");
    const auto mass = atomKK->k_mass.template view<DeviceType>();
    Kokkos::parallel_for("triad:strengths", over<DeviceType>(n),
                         MassOfType<decltype(mass), decltype(type)>{mass, type, strength_.data()});
    atoms.strength = strength_.data();
  }
  if (!all_atoms_interact()) {
    grow(side_, n, "triad:sides");
    const auto mask = atomKK->k_mask.template view<DeviceType>();
    Kokkos::parallel_for("triad:sides", over<DeviceType>(n),
                         SideOf<decltype(mask)>{mask, groupbit, group2_bit_, side_.data()});
    atoms.side = side_.data();
  }
  if (settings().setup.range == PairRange::Pairs) {
    atoms.n_owned = atom->nlocal;
    atoms.owner = owner_.data();
  }
  return atoms;
}

/// The host searches all atoms and finds the owners, which receive the forces on ghosts.
template <class DeviceType>
int FixPairwiseTriadKokkos<DeviceType>::find_pairs(ListedPairs &pairs, double range) {
  if (!on_device_) return FixPairwiseTriad::find_pairs(pairs, range);
  atomKK->sync(Host, X_MASK | TAG_MASK);
  const int line = FixPairwiseTriad::find_pairs(pairs, range);
  grow(owner_, pairs.owner().size(), "triad:owners");
  const Kokkos::View<const int *, LMPHostType, Kokkos::MemoryUnmanaged> found(pairs.owner().data(),
                                                                              pairs.owner().size());
  Kokkos::deep_copy(Kokkos::subview(owner_, std::make_pair(std::size_t(0), pairs.owner().size())), found);
  return line;
}

template <class DeviceType>
triad::NeighborListView FixPairwiseTriadKokkos<DeviceType>::rows() const {
  return on_device_ ? table_of<DeviceType>(list_, *atom) : FixPairwiseTriad::rows();
}

template <class DeviceType>
double *FixPairwiseTriadKokkos<DeviceType>::forces() const {
  return on_device_ ? rows_of_three(atomKK->k_f.template view<DeviceType>()) : FixPairwiseTriad::forces();
}

template <class DeviceType>
tagint FixPairwiseTriadKokkos<DeviceType>::tag_of(int index) const {
  if (on_device_) atomKK->sync(Host, TAG_MASK);
  return FixPairwiseTriad::tag_of(index);
}

namespace LAMMPS_NS {
template class FixPairwiseTriadKokkos<LMPDeviceType>;
#if defined(LMP_KOKKOS_GPU)
template class FixPairwiseTriadKokkos<LMPHostType>;
#endif
}  // namespace LAMMPS_NS

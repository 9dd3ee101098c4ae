// Interface of the pair forces that are computed once per pair: an abstract class with implementations for the host and
// for CUDA devices. This header crosses the boundary between compilers and includes neither LAMMPS nor CUDA headers.
//
//   range All     every pair of atoms. With several ranks, each rank passes all atoms of the group in the same order
//                 and computes a slice of the pairs; the caller sums the forces over ranks. The caller should omit
//                 atoms without interactions, because each atom costs the same.
//   range List    the pairs of a neighbour list within the cutoff. Atoms are owned and ghost atoms of this rank. With a
//                 half list, the caller sends the forces on ghosts to their owners.
//   range Pairs   listed pairs with their own parameters, within the cutoff. Atoms as with List.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "core/error.h"
#include "core/isa.h"
#include "core/precision.h"
#include "core/views.h"
#include "forces/force_backend.h"
#include "potentials/pairwise/law_settings.h"

struct CUstream_st;  // the target of cudaStream_t

namespace triad {

enum class PairRange { All, List, Pairs };

/// Triangular: each pair once, with the reaction added to the other atom. OneSided: each pair from both sides, so a
/// single thread sums the force on an atom. Auto: the faster one according to measurements (core/tuning.h).
enum class PairKernel { Auto, Triangular, OneSided };

/// Settings of a pair force.
struct PairwiseSetup {
  PairLawSettings law;  ///< listed if and only if the range is Pairs
  PairRange range = PairRange::All;
  PairKernel kernel = PairKernel::Auto;
  Precision precision = Precision::Mixed;
  double cutoff = 0;                 ///< List, Pairs: the force is zero from this distance on. Pairs: 0 for no cutoff,
                                     ///< and fixed pairs have none
  double skin = 0;                   ///< Pairs: the possible pairs are filtered to those within cutoff + skin, and
                                     ///< filtered again when an atom has moved half of the skin
  double special[4] = {1, 1, 1, 1};  ///< List: factors selected by the top two bits of a list entry (LAMMPS's sbmask)
  int n_types = 1;                   ///< largest atom type
};

/// Thrown for two atoms at the same position whose law has no softening. The indices are those of PairAtomsView.
class CoincidentAtoms : public LoopError {
 public:
  CoincidentAtoms(int first, int second, const std::string &what) : LoopError(what), i(first), j(second) {}
  int i, j;
};

/// A periodic box for range All, which uses the nearest image of each pair. Edge vectors (xx 0 0), (xy yy 0), (xz yz
/// zz).
struct PairBox {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
  bool periodic[3] = {true, true, true};

  bool operator==(const PairBox &o) const {
    return xx == o.xx && yy == o.yy && zz == o.zz && xy == o.xy && xz == o.xz && yz == o.yz &&
           std::equal(periodic, periodic + 3, o.periodic);
  }
};

/// Atoms of a pair force.
struct PairAtomsView {
  int n = 0;
  const double *x = nullptr;         ///< [n][3] positions
  const int *type = nullptr;         ///< [n] atom types, from 1; for laws with coefficients per type pair
  const double *strength = nullptr;  ///< [n] mass; for gravity
  /// [n] bit 0: in the first group, bit 1: in the second group (the same atoms if there is only one group). A pair
  /// interacts if one atom is in the first group and the other in the second. Null: all pairs interact.
  const std::uint8_t *side = nullptr;
  const PairBox *box = nullptr;  ///< All: null for open boundaries. Elsewhere null: ghosts are the images
  int n_owned = 0;               ///< with `owner`: the number of owned atoms
  const int *owner = nullptr;    ///< List, Pairs, on the device: null, or [n - n_owned] owners of ghosts, to which the
                                 ///< forces on ghosts are added, or -1 for a ghost that keeps its force
};

/// Neighbour list of range List. Half: each pair once over all ranks (LAMMPS's half list with newton on). Full: rows of
/// all owned atoms, without forces on ghosts; each side of a pair contributes half of the pair's energy and virial.
struct PairListView {
  NeighborListView rows;
  bool full = false;
};

/// Range List: true if the kernel that `setup` selects is faster with a full list. A backend accepts both kinds of
/// list.
bool wants_full_list(const PairwiseSetup &setup, bool on_cuda);

/// Range Pairs: possible pairs, each once over all ranks. Both atoms must be among the owned and ghost atoms of this
/// rank.
struct PossiblePairsView {
  long long n = 0;
  const int *i = nullptr, *j = nullptr;        ///< [n] indices of atoms
  const ListedConstants *constants = nullptr;  ///< [n]
};

/// Range All: pairs whose force is scaled (special bonds). Symmetric CSR with one row per atom.
struct ScaledPairsView {
  int n = 0;                          ///< atoms
  const long long *offset = nullptr;  ///< [n + 1]
  const int *partner = nullptr;       ///< [offset[n]]
  const double *factor = nullptr;     ///< [offset[n]]
};

/// Range All: the slice of the pairs that one of several ranks computes. The slices are disjoint and complete, and
/// contain equal amounts of work.
struct RankSlice {
  int index = 0, count = 1;
};

/// Computes forces, energy and virial of a set of atoms. A function that does not belong to the range of the setup
/// throws std::logic_error.
class PairwiseBackend {
 public:
  virtual ~PairwiseBackend() = default;

  /// Range List: sets a new neighbour list with new atoms and ghosts. The list is copied and need not stay valid.
  virtual void set_neighbours(const PairListView &list, const PairAtomsView &atoms);

  /// Range Pairs: sets new possible pairs with new atoms and ghosts. The pairs are copied.
  virtual void set_pairs(const PossiblePairsView &pairs, const PairAtomsView &atoms);

  /// Range All: sets the scaled pairs for later calls of compute() with the same atoms. The pairs are copied. Initially
  /// there are none.
  virtual void set_scaled_pairs(const ScaledPairsView &pairs);

  /// Adds forces and per-atom tallies to `results`, whose arrays are [atoms.n]. Per-atom energy and virial contain half
  /// of each pair; atom_centroid is the pair virial in the nine components of ResultsView. The atoms are those of
  /// set_neighbours() or set_pairs(); types, strengths and sides may have changed. `slice`: range All only. Throws
  /// CoincidentAtoms and other LoopErrors.
  virtual void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
                       RankSlice slice = {}) = 0;

  /// Discards what calls that did not wait may have found to report in the next call. The device must be idle.
  virtual void forget_errors() {}

  /// Returns, for example, "host, 4 threads" or "cuda, NVIDIA H200 (device 0 of 1)" for the log.
  virtual std::string description() const = 0;

  /// Host memory in bytes.
  virtual double memory_usage() const = 0;
};

/// Host backend. The kernels of range All are those of chosen_isa() (core/isa.h). Throws LoopError for settings that do
/// not define a force; what() names the setting.
std::unique_ptr<PairwiseBackend> make_pairwise_host(const PairwiseSetup &setup, int n_threads);
/// Host backend with the kernels of one of usable_isas().
std::unique_ptr<PairwiseBackend> make_pairwise_host(const PairwiseSetup &setup, int n_threads, Isa isa);

/// make_pairwise_host() of range List behind the interface of forces with a neighbour list. The list may be half or
/// full; the forces on ghosts of a half list are left on the ghosts. Throws LoopError.
std::unique_ptr<ForceBackend> make_pair_list_force_host(const PairwiseSetup &setup, int n_threads);

#if defined(TRIAD_HAS_CUDA)
/// CUDA backend on device `index` modulo the number of devices. `n_threads` host threads fill and empty the copy
/// buffers. Throws LoopError.
std::unique_ptr<PairwiseBackend> make_pairwise_cuda(const PairwiseSetup &setup, int index, int n_threads);

/// CUDA backend for atoms that are resident on `device`. Device pointers: all arrays of PairAtomsView except the box,
/// the forces, and a neighbour list in the form of a table (NeighborListView without `neighbour`). Host pointers:
/// per-atom tallies, listed and scaled pairs, and a list of rows. Forces may be null. All work is queued on `stream`,
/// after work that the caller has queued there. A table must stay valid until the next table is set.
///
/// With range All, compute() waits for the forces; otherwise compute() waits only for a check of the atoms unless
/// tallies are requested, and the next call reports a force that is not finite. A caller that queues steps ahead passes
/// `stopped`, a pointer to page-locked memory: compute() with range All then does not wait for the forces either, and
/// computes nothing if a previous kernel has set `stopped`.
std::unique_ptr<PairwiseBackend> make_pairwise_device(const PairwiseSetup &setup, int device, CUstream_st *stream,
                                                      const volatile int *stopped = nullptr);
#endif

}  // namespace triad

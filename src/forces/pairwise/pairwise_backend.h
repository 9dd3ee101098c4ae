// Pair forces computed once per pair, as their callers see them: one abstract class, made for the host or for a CUDA
// device. This header crosses the boundary between compilers; it knows neither LAMMPS nor CUDA.
//
//   range All     every pair of the atoms handed over. With several ranks each hands over all atoms of the group, in
//                 the same order, computes its share of the pairs, and the caller adds the ranks' forces up. Atoms
//                 that take no part are best left out: each costs as much as one that does.
//   range List    the pairs of a neighbour list within the cutoff. Atoms are owned and ghost atoms of this rank; with
//                 a half list forces on ghosts are to be sent to the owners by the caller.
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
#include "potentials/pairwise/law_settings.h"

struct CUstream_st;  // what a cudaStream_t points to

namespace triad {

enum class PairRange { All, List, Pairs };

/// Triangular: each pair once, the reaction added to the other atom. OneSided: each pair from both sides, every sum in
/// one place. Auto: the faster one by measurement (tuning.h).
enum class PairKernel { Auto, Triangular, OneSided };

/// What a pair force is made of.
struct PairwiseSetup {
  PairLawSettings law;  ///< harmonic with range Pairs and only there
  PairRange range = PairRange::All;
  PairKernel kernel = PairKernel::Auto;
  Precision precision = Precision::Mixed;
  double cutoff = 0;                 ///< List, Pairs: no force from this distance on. Pairs: 0 for none
  double skin = 0;                   ///< Pairs: the possible pairs are filtered to those within cutoff + skin, and
                                     ///< anew when an atom has moved half of that
  double special[4] = {1, 1, 1, 1};  ///< List: factors by the top two bits of a list entry (LAMMPS's sbmask)
  int n_types = 1;                   ///< largest atom type
};

/// Two atoms without softening at one point. The indices are those of the atoms handed over.
class CoincidentAtoms : public LoopError {
 public:
  CoincidentAtoms(int first, int second, const std::string &what) : LoopError(what), i(first), j(second) {}
  int i, j;
};

/// A periodic box for range All: the nearest image of each pair. Edge vectors (xx 0 0), (xy yy 0), (xz yz zz).
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
  const double *x = nullptr;           ///< [n][3] positions
  const int *type = nullptr;           ///< [n] atom types, from 1; for laws with coefficients per type pair
  const double *strength = nullptr;    ///< [n] mass; for gravity
  const std::uint8_t *side = nullptr;  ///< [n] bit 0: in the first group, bit 1: in the second (the same atoms where
                                       ///< there is only one). A pair acts if one atom is in the first and the other in
                                       ///< the second. Null: all pairs act
  const PairBox *box = nullptr;        ///< All: null without images. Elsewhere ghosts are the images
  int n_owned = 0;                     ///< with `owner`: the first atoms
  const int *owner = nullptr;  ///< List, Pairs, on the device: [n - n_owned] owned atoms that get what their ghosts
                               ///< would, or null
};

/// Neighbour list of range List. Half: each pair once over all ranks (LAMMPS's half list with newton on). Full: rows
/// for all owned atoms, no force on ghosts, and half of a pair's energy and virial from each of its sides.
struct PairListView {
  NeighborListView rows;
  bool full = false;
};

/// Range List: whether the kernel that `setup` leads to wants a full list. (A backend computes from either.)
bool wants_full_list(const PairwiseSetup &setup, bool on_cuda);

/// Range Pairs: possible pairs, each once over all ranks. Both atoms are among those of this rank.
struct PossiblePairsView {
  long long n = 0;
  const int *i = nullptr, *j = nullptr;  ///< [n] indices of atoms
  const double *K = nullptr;             ///< [n] energy / distance^2
  const double *r0 = nullptr;            ///< [n] distance
};

/// Range All: pairs whose force is scaled (special bonds). Symmetric, one row per atom.
struct ScaledPairsView {
  int n = 0;                          ///< atoms
  const long long *offset = nullptr;  ///< [n + 1]
  const int *partner = nullptr;       ///< [offset[n]]
  const double *factor = nullptr;     ///< [offset[n]]
};

/// Range All: the part of all pairs that one of several ranks computes. The parts are disjoint and complete, and equal
/// in work.
struct RankSlice {
  int index = 0, count = 1;
};

/// Forces, energy and virial of a set of atoms. A function that is not for the range of the setup throws
/// std::logic_error.
class PairwiseBackend {
 public:
  virtual ~PairwiseBackend() = default;

  /// Range List: a new neighbour list, and with it new atoms and ghosts. Copied; need not stay valid.
  virtual void set_neighbours(const PairListView &list, const PairAtomsView &atoms);

  /// Range Pairs: new possible pairs, and with them new atoms and ghosts. Copied.
  virtual void set_pairs(const PossiblePairsView &pairs, const PairAtomsView &atoms);

  /// Range All: the scaled pairs of the following calls of compute(), whose atoms must be those that the rows are for.
  /// Copied. Empty at first.
  virtual void set_scaled_pairs(const ScaledPairsView &pairs);

  /// Adds forces (and per-atom energy, half of a pair's to either end, and virial, likewise) to `results`, whose arrays
  /// are [atoms.n]; atom_centroid is that of pairs, row and column in the order of ResultsView. Same atoms as in
  /// set_neighbours() or set_pairs(); types, strengths and sides may have changed. `share`: range All only.
  /// Throws CoincidentAtoms and other LoopErrors.
  virtual void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
                       RankSlice share = {}) = 0;

  /// "host, 4 threads" or "cuda, NVIDIA H200 (device 0 of 1)": for the log.
  virtual std::string description() const = 0;

  /// Bytes held on the host.
  virtual double memory_usage() const = 0;
};

/// Both throw LoopError for settings that no force can be computed with; what() names the setting. The host's kernels
/// of range All are those of chosen_isa() (host/isa.h).
std::unique_ptr<PairwiseBackend> make_pairwise_host(const PairwiseSetup &setup, int n_threads);
/// The same with the kernels of one of usable_isas().
std::unique_ptr<PairwiseBackend> make_pairwise_host(const PairwiseSetup &setup, int n_threads, Isa isa);

#if defined(TRIAD_HAS_CUDA)
/// On device `index` modulo the number of devices; `n_threads` host threads fill and empty the copy buffers.
std::unique_ptr<PairwiseBackend> make_pairwise_cuda(const PairwiseSetup &setup, int index, int n_threads);

/// For atoms that live on `device` already: all arrays of PairAtomsView but the box, forces and a neighbour list that
/// is a table (NeighborListView without `neighbour`) are pointers to its memory; per-atom tallies, listed and scaled
/// pairs, and a list of rows are on the host. Forces may be null. All work is queued on `stream`, behind what the
/// caller has queued there. A table must stay valid until the next one. compute() with range All waits for the forces,
/// elsewhere for a check of the atoms only, unless tallies are asked for, and a force that is not finite is reported by
/// the next call. So it is with range All too for a caller that goes ahead of what it knows and therefore gives
/// `stopped`, in page-locked memory: if kernels queued before have set it, nothing is computed.
std::unique_ptr<PairwiseBackend> make_pairwise_device(const PairwiseSetup &setup, int device, CUstream_st *stream,
                                                      const volatile int *stopped = nullptr);
#endif

}  // namespace triad

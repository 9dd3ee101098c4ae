// Tersoff forces on the host with OpenMP threads over chunks of rows. One thread packs a chunk, calls the kernel of the
// instruction set and writes the results. Results of boundary atoms, which belong to several chunks, are stored in
// slots and summed in the order of the chunks. The results are therefore bitwise independent of the number of threads
// and of their timing.

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "core/aligned_array.h"
#include "core/messages.h"
#include "core/parallel_errors.h"
#include "core/threads.h"
#include "core/tuning.h"
#include "forces/tersoff/host/row_tally.h"
#include "forces/tersoff/tersoff_backend.h"
#include "forces/tersoff/tersoff_models.h"
#include "neighbor/host/chunk.h"
#include "neighbor/host/pruned_list.h"

namespace triad {
namespace {

/// Energy and virial of a chunk.
struct Totals {
  double energy = 0;
  double virial[6] = {0, 0, 0, 0, 0, 0};
};

template <class Format>
class TersoffHost final : public TersoffBackend {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  using Tally = typename Format::Tally;

  /// Scratch memory of a thread: positions and accumulators of a chunk. The alignment prevents false sharing.
  struct alignas(128) Workspace {
    AlignedArray<double> x;      // [atoms][4]
    AlignedArray<Sum> force;     // [atoms][4]
    AlignedArray<Tally> tally;   // [atoms][tally_width] if requested
    AlignedArray<char> scratch;  // scratch memory of the kernel
    RowTable rows;               // varying rows of this step
    WatchedRows::Divided watched;
    RowSorter sorter;
    RowBlocks varying;
    std::vector<BondRecord<Real>> record;
    std::vector<int> index;
  };

 public:
  TersoffHost(const TersoffSetup &setup, int n_threads, Isa isa)
      : setup_(setup),
        params_(pack_params<Real>(setup.table)),
        cutoff_squared_(cutoff_squared(setup.table, 0)),
        isa_(isa),
        kernel_(chunk_kernel(isa_, setup.precision, setup.table.variant)),
        list_(setup, isa_),
        workspace_(usable_threads(n_threads)) {}

  void set_neighbours(const NeighborListView &rows, const AtomsView &) override {
    list_.announce(rows);
    threads_ = threads_for(rows.n_rows, static_cast<int>(workspace_.size()));
  }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    list_.update(atoms, threads_);
    const std::vector<Chunk> &chunks = list_.chunks();
    const bool per_atom = request.any_per_atom();
    slot_force_.require(3 * std::size_t(list_.n_slots()));
    if (per_atom) slot_tally_.require(tally_width * std::size_t(list_.n_slots()));
    std::vector<Totals> totals(chunks.size());
    std::atomic<int> bad_centre{-1};
    RegionErrors errors;
    const int *left_out = list_.left_out().data(), n_left_out = static_cast<int>(list_.left_out().size());
    WorkStealingRange chunk_range(list_.rows_of_chunks(), threads_);
    const int at_a_time = items_at_a_time(list_.n_boundary(), threads_, 1);
    WorkStealingRange boundary_range((list_.n_boundary() + at_a_time - 1) / at_a_time, threads_);

#pragma omp parallel num_threads(threads_)
    {
      Workspace &w = workspace_[thread_index()];
      errors.guard([&] {
        chunk_range.work([&](int c) {
          const int bad = chunk(atoms, chunks[c], per_atom, request.virial, w, totals[c], results);
          if (bad >= 0) bad_centre = bad;
        });
      });
      if (results.replace_force) {
#pragma omp for schedule(static) nowait
        for (int k = 0; k < n_left_out; ++k) std::fill_n(results.force + 3 * std::size_t(left_out[k]), 3, 0.0);
      }
#pragma omp barrier
      if (bad_centre < 0 && !errors.any())
        boundary_range.work([&](int part) {
          const int end = std::min((part + 1) * at_a_time, list_.n_boundary());
          for (int s = part * at_a_time; s < end; ++s) collect(s, per_atom, results);
        });
    }

    errors.rethrow();
    if (bad_centre >= 0) throw LoopError(force_out_of_range(atoms.x + 3 * std::size_t(bad_centre)));
    results.energy = 0;
    std::fill(results.virial, results.virial + 6, 0.0);
    for (const Totals &t : totals) {
      results.energy += t.energy;
      for (int k = 0; k < 6; ++k) results.virial[k] += t.virial[k];
    }
  }

  bool pruned_list_ends() const override { return list_.ends(); }

  std::string description() const override {
    const auto n = workspace_.size();
    return "host, " + std::to_string(n) + (n == 1 ? " thread, " : " threads, ") + name_of(isa_);
  }

  double memory_usage() const override {
    double bytes = list_.memory_usage() + double(slot_force_.bytes() + slot_tally_.bytes());
    for (const Workspace &w : workspace_)
      bytes += double(w.x.bytes() + w.force.bytes() + w.tally.bytes() + w.scratch.bytes()) + w.rows.bytes() +
               w.varying.bytes() + w.watched.quiet.bytes();
    return bytes;
  }

 private:
  /// Processes one chunk. Returns an atom near which a force is out of range, or -1.
  int chunk(const AtomsView &atoms, const Chunk &chunk, bool per_atom, bool virial, Workspace &w, Totals &totals,
            ResultsView &results) {
    const std::size_t n = chunk.atom.size();
    w.x.require(4 * n);
    w.force.require(4 * n);
    double *const packed = w.x.data();
    const int *atom = chunk.atom.data();
    for (std::size_t a = 0; a < n; ++a) {
      const double *x = atoms.x + 3 * std::size_t(atom[a]);
      for (int k = 0; k < 3; ++k) packed[4 * a + k] = x[k];
      packed[4 * a + 3] = 0;
    }
    std::fill(w.force.data(), w.force.data() + 4 * n, Sum(0));
    if (per_atom) {
      w.tally.require(tally_width * n);
      std::fill(w.tally.data(), w.tally.data() + tally_width * n, Tally(0));
    }
    list_.filter_varying(chunk, packed, w.watched, w.rows);
    w.sorter.sort(w.rows, list_.element_of_rank(), w.varying);

    ChunkView view = {};
    view.x = packed;
    view.params = params_.data();
    view.nelements = setup_.table.nelements();
    view.shift = setup_.table.shift;
    view.want_virial = virial;
    view.force = w.force.data();
    view.bad_centre = -1;
    for (const RowBlocks *blocks : {&chunk.steady, &std::as_const(w.watched.quiet), &std::as_const(w.varying)}) {
      work(*blocks, per_atom, w, view);
      if (view.bad_centre >= 0) return chunk.atom[view.bad_centre];
    }
    totals.energy = view.energy;
    std::copy(view.virial, view.virial + 6, totals.virial);
    write_results(chunk, per_atom, w, results);
    return -1;
  }

  /// Calls the kernel, or the loop row by row in steps with per-atom tallies.
  void work(const RowBlocks &blocks, bool per_atom, Workspace &w, ChunkView &view) const {
    view.n_blocks = static_cast<int>(blocks.block.size());
    view.block = blocks.block.data();
    view.table = blocks.table.data();
    view.element = blocks.element.data();
    if (std::is_same<Sum, fixed_point::Word>::value)
      for (const RowBlock &block : blocks.block)
        if (block.neighbours >= fixed_point::neighbour_limit) {
          view.bad_centre = blocks.table[block.table];
          return;
        }
    w.scratch.require(std::size_t(scratch_bytes_per_neighbour) * blocks.longest);
    view.scratch = w.scratch.data();
    if (!per_atom) return kernel_(view);
    with_general_model<Real>(setup_.table, params_.data(), [&](const auto &model) {
      tally_chunk<Format>(model, view, cutoff_squared_.data(), w.record, w.index, w.tally.data());
    });
  }

  /// Adds results to the interior atoms of a chunk and stores those of its boundary atoms in slots.
  void write_results(const Chunk &chunk, bool per_atom, const Workspace &w, ResultsView &results) {
    const std::size_t n = chunk.atom.size();
    const int *atom = chunk.atom.data();
    const char *on_boundary = chunk.on_boundary.data();
    double *const total = results.force;
    const bool replace = results.replace_force;
    Sum *slot_force = slot_force_.data() + 3 * chunk.first_slot;
    const Sum *force = w.force.data();
    for (std::size_t a = 0; a < n; ++a, force += 4) {
      if (!on_boundary[a]) {
        double *f = total + 3 * std::size_t(atom[a]);
        for (int k = 0; k < 3; ++k) f[k] = (replace ? 0 : f[k]) + from_accumulator(force[k]);
      } else {
        for (int k = 0; k < 3; ++k) slot_force[k] = force[k];
        slot_force += 3;
      }
    }
    if (!per_atom) return;
    Tally *slot_tally = slot_tally_.data() + tally_width * chunk.first_slot;
    const Tally *tally = w.tally.data();
    for (std::size_t a = 0; a < n; ++a, tally += tally_width) {
      if (!on_boundary[a])
        add_tally(atom[a], tally, results);
      else
        slot_tally = std::copy_n(tally, tally_width, slot_tally);
    }
  }

  /// Sums the slots of the s-th boundary atom.
  void collect(int s, bool per_atom, ResultsView &results) const {
    const std::size_t i = list_.boundary_atom(s);
    Sum force[3] = {};
    for (const std::int64_t *slot = list_.slots_begin(s); slot != list_.slots_end(s); ++slot)
      for (int k = 0; k < 3; ++k) force[k] += slot_force_[3 * *slot + k];
    double *f = results.force + 3 * i;
    for (int k = 0; k < 3; ++k) f[k] = (results.replace_force ? 0 : f[k]) + from_accumulator(force[k]);
    if (!per_atom) return;
    Tally tally[tally_width] = {};
    for (const std::int64_t *slot = list_.slots_begin(s); slot != list_.slots_end(s); ++slot)
      for (int k = 0; k < tally_width; ++k) tally[k] += slot_tally_[tally_width * *slot + k];
    add_tally(i, tally, results);
  }

  static void add_tally(std::size_t i, const Tally *tally, ResultsView &results) {
    if (results.atom_energy) results.atom_energy[i] += from_accumulator(tally[tally_energy]);
    for (int k = 0; results.atom_virial && k < 6; ++k)
      results.atom_virial[6 * i + k] += from_accumulator(tally[tally_virial + k]);
    for (int k = 0; results.atom_centroid && k < 9; ++k)
      results.atom_centroid[9 * i + k] += from_accumulator(tally[tally_centroid + k]);
  }

  TersoffSetup setup_;
  std::vector<std::max_align_t> params_;
  std::vector<double> cutoff_squared_;
  Isa isa_;
  ChunkKernel kernel_;
  PrunedList list_;
  std::vector<Workspace> workspace_;  // one per thread
  int threads_ = 1;                   // number of threads for the current number of rows
  AlignedArray<Sum> slot_force_;      // [slots][3]
  AlignedArray<Tally> slot_tally_;    // [slots][tally_width] if requested
};

}  // namespace

ChunkKernel chunk_kernel(Isa isa, Precision precision, TersoffVariant variant) {
  switch (isa) {
#if defined(TRIAD_X86_ISAS)
    case Isa::Avx512:
      return chunk_kernel_avx512(precision, variant);
    case Isa::Avx2:
      return chunk_kernel_avx2(precision, variant);
#endif
    default:
      return chunk_kernel_baseline(precision, variant);
  }
}

std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads, Isa isa) {
  return with_format<TersoffFormats>(setup.precision, [&](auto format) -> std::unique_ptr<TersoffBackend> {
    return std::make_unique<TersoffHost<decltype(format)>>(setup, n_threads, isa);
  });
}

std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads) {
  return make_tersoff_host(setup, n_threads, chosen_isa());
}

}  // namespace triad

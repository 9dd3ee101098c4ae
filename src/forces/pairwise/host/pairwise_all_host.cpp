// All pairs on the host. Atoms in the order of atom tiles (forces/pairwise/tile_order.h) form blocks of one type and
// side. Each pair of blocks is a work item for a kernel of the processor's instruction set (pair_tiles.h). Each thread
// adds to arrays of its own, which are summed in the order of threads, so results depend on the number of threads by
// rounding.
#include <atomic>

#include "core/parallel_errors.h"
#include "core/threads.h"
#include "core/triangle.h"
#include "core/tuning.h"
#include "forces/pairwise/host/pair_blocks.h"
#include "forces/pairwise/host/pair_tiles.h"
#include "forces/pairwise/host/pairwise_host.h"
#include "forces/pairwise/host/point_lanes.h"
#include "forces/pairwise/pair_geometry.h"
#include "forces/pairwise/pairwise_checks.h"
#include "forces/pairwise/pairwise_formats.h"
#include "forces/pairwise/scaled_slots.h"
#include "forces/pairwise/tile_order.h"

namespace triad {
namespace {

template <class Format>
class AllPairsHost final : public PairwiseBackend {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  static constexpr int width = PairTally<double>::width, block = tuning::host_pair_block;

  /// Accumulators of a thread.
  struct Workspace {
    std::vector<Sum> force[3];  // [slots]
    std::vector<double> tally;  // [slots][width] if requested, half of each pair
    PairTally<double> totals;
    alignas(64) Real row_force[3][block], row_tally[width][block], reaction[3][block];
  };

  template <Images images>
  using Points = PointColumns<typename PointOf<Format, images>::type, Real>;

  /// What a computation knows of the law and of the images.
  template <class Law, Images images>
  struct Typed {
    Law law;
    std::vector<typename Law::Coefficients> table;  // for pairs of types
    PairFrame<Real> frame;
    Points<images> points;
  };

  /// A pair of atoms, computed alone.
  struct SinglePair {
    Vec3<Real> separation;
    PairTerm<Real> term;
    Real strength_i, strength_j;
  };

  /// Constant parameters of a computation, without types of the law.
  struct Job {
    const void *typed;  // Typed<Law, images>
    PairTile input;     // of the kernel: law, frame and points
    PairTileKernel kernel;
    void (*compute_pair)(const void *typed, int coefficients, int i, int j, SinglePair &);
    bool by_strength;            // of Law
    const char *table;           // coefficients
    std::size_t entry_size;      // of an entry of the table
    std::vector<double> factor;  // [slots] factor of the sums of each slot
    double common;               // factor without the strength of the atom
    double strength_unit;        // unit of the strengths in points
    double unit;                 // additional factor of energy and virial
  };

 public:
  AllPairsHost(const PairwiseSetup &setup, int n_threads, Isa isa)
      : setup_(setup), isa_(isa), workspace_(usable_threads(n_threads)) {}

  void set_scaled_pairs(const ScaledPairsView &pairs) override {
    scaled_.set(pairs);
    scaled_stale_ = true;
  }

  void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
               RankSlice slice) override {
    check_pair_atoms(setup_, atoms);
    const PairGeometry geometry(atoms, setup_, int(workspace_.size()));
    if (order_.update(atoms.n, goes_by_type(setup_.law) ? atoms.type : nullptr, setup_.n_types, atoms.side)) {
      blocks_.make(order_);
      scaled_stale_ = true;
    }
    if (std::exchange(scaled_stale_, false)) {
      scaled_.sort(order_);
      blocks_.find_scaled(scaled_);
    }
    switch (geometry.images()) {
      case Images::None:
        return run<Images::None>(geometry, atoms, request, results, slice);
      case Images::Orthogonal:
        return run<Images::Orthogonal>(geometry, atoms, request, results, slice);
      default:
        return run<Images::Triclinic>(geometry, atoms, request, results, slice);
    }
  }

  std::string description() const override { return host_description(workspace_.size()) + ", " + name_of(isa_); }

  double memory_usage() const override {
    double bytes = 0;
    for (const auto &w : workspace_)
      bytes += sizeof(Sum) * 3.0 * double(w.force[0].capacity()) + sizeof(double) * double(w.tally.capacity());
    return bytes + 2 * sizeof(int) * double(order_.atoms().size());
  }

 private:
  template <Images images>
  void run(const PairGeometry &geometry, const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
           const RankSlice &slice) {
    const StrengthRange strengths = strengths_of(atoms);
    const bool equal = strengths.common() != 0;
    with_law<Real>(geometry.law(setup_.law), equal, [&](const auto &law, const auto &settings) {
      using Law = std::decay_t<decltype(law)>;
      Typed<Law, images> typed = {law, coefficient_table<Law>(settings), geometry.frame<Real>(), {}};
      Job job = {};
      job.typed = &typed;
      job.compute_pair = &AllPairsHost::compute_pair<Law, images>;
      job.by_strength = Law::by_strength;
      job.table = reinterpret_cast<const char *>(typed.table.data());
      job.entry_size = sizeof typed.table[0];
      job.common = law.scale(settings);
      job.input.law = &typed.law;
      job.input.frame = &typed.frame;
      run_job<images>(job, typed.points, strengths, geometry, atoms, request, results, slice);
    });
  }

  /// The part of run() that is the same for all laws.
  template <Images images>
  __attribute__((noinline)) void run_job(Job &job, Points<images> &points, const StrengthRange &strengths,
                                         const PairGeometry &geometry, const PairAtomsView &atoms,
                                         const TallyRequest &request, ResultsView &results, const RankSlice &slice) {
    const bool equal = strengths.common() != 0;
    job.strength_unit = job.by_strength ? strengths.unit() : 1;
    if (!job.by_strength && equal) job.common *= square(strengths.common());
    job.unit = geometry.unit();
    job.kernel = pair_tile_kernel(
        isa_, {pair_law_kind(setup_.law, equal), setup_.precision, images, !both_sides(), request.any_total()});
    fill<images>(geometry, atoms, job.by_strength, points, job);
    job.input.points = points.data();
    job.input.stride = points.stride();
    job.input.reacts = !both_sides();
    sum_tiles(job, request, slice);
    collect(atoms, job.factor, request, results);
  }

  static double square(double x) { return x * x; }
  bool both_sides() const { return setup_.kernel == PairKernel::OneSided; }

  /// Computes the points and factors of all slots.
  template <Images images>
  void fill(const PairGeometry &geometry, const PairAtomsView &atoms, bool by_strength, Points<images> &points,
            Job &job) const {
    const auto &slots = order_.atoms();
    points.resize(slots.size());
    job.factor.assign(slots.size(), 0);
#pragma omp parallel for num_threads(static_cast <int>(workspace_.size())) \
    schedule(static) if (slots.size() > tuning::threads_pay)
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const int i = slots[s];
      if (i < 0) continue;
      const double strength = atoms.strength ? atoms.strength[i] : 1;
      typename PointOf<Format, images>::type p;
      geometry.maker().make(atoms.x + 3 * std::size_t(i), strength / job.strength_unit, p);
      points.set(s, p);
      job.factor[s] = by_strength ? job.common * job.strength_unit * strength : job.common;
    }
  }

  /// Tiles are pairs of blocks, each pair once or from both sides.
  void sum_tiles(const Job &job, const TallyRequest &request, const RankSlice &slice) {
    const std::int64_t n = blocks_.size();
    const ItemRange range = items_of(slice, both_sides() ? n * n : triangle_size(n));
    const int stride = goes_by_type(setup_.law) ? setup_.n_types : 0;
    RegionErrors errors;
#pragma omp parallel num_threads(static_cast <int>(workspace_.size()))
    {
      share_among_threads(workspace_, [&](Workspace &w) {
        errors.guard([&] {
          for (auto &f : w.force) f.assign(order_.atoms().size(), Sum(0));
          w.tally.assign(request.any_per_atom() ? width * order_.atoms().size() : 0, 0.0);
        });
        w.totals = {};
      });
      Workspace &w = workspace_[thread_index()];
#pragma omp for schedule(static, 1)
      for (std::int64_t t = range.first; t < range.last; ++t) {
        if (errors.any()) continue;
        const TrianglePair tile = both_sides() ? TrianglePair{t / n, t % n} : triangle_pair(t);
        const PairBlock &rows = blocks_[tile.low], &columns = blocks_[tile.high];
        if (!acts(rows.side, columns.side)) continue;
        const int c = rows.type * stride + columns.type;
        if (request.any_per_atom() || blocks_.has_scaled(tile))
          careful_tile(job, c, rows, columns, w);
        else
          whole_tile(job, c, rows, columns, request.any_total(), w);
      }
    }
    errors.rethrow();
  }

  /// Computes a pair of blocks; `coefficients` is an entry of the table.
  void whole_tile(const Job &job, int coefficients, const PairBlock &rows, const PairBlock &columns, bool tallies,
                  Workspace &w) const {
    PairTile tile = job.input;
    tile.coefficients = job.table + coefficients * job.entry_size;
    tile.rows = rows;
    tile.columns = columns;
    tile.row_force = w.row_force;
    tile.row_tally = tallies ? w.row_tally : nullptr;
    tile.reaction = w.reaction;
    job.kernel(tile);
    for (int axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < rows.size(); ++k) w.force[axis][rows.begin + k] += w.row_force[axis][k];
      for (int k = 0; k < columns.size() && !both_sides(); ++k) w.force[axis][columns.begin + k] += w.reaction[axis][k];
    }
    if (!tallies) return;
    const double weight = (both_sides() ? 0.5 : 1) * job.unit;
    for (int v = 0; v < width; ++v)
      for (int k = 0; k < rows.size(); ++k) w.totals.v[v] += weight * job.factor[rows.begin + k] * w.row_tally[v][k];
  }

  /// Computes the pair of the slots i and j. The only part of careful_tile() that is compiled for each law.
  template <class Law, Images images>
  static void compute_pair(const void *typed_of_law, int coefficients, int i, int j, SinglePair &pair) {
    const auto &typed = *static_cast<const Typed<Law, images> *>(typed_of_law);
    const auto p = typed.points.at(i), q = typed.points.at(j);
    pair.separation = separation<images>(p, q, typed.frame);
    pair.term = typed.law(squared(typed.law, pair.separation), typed.table[coefficients]);
    pair.strength_i = Real(p.strength);
    pair.strength_j = Real(q.strength);
  }

  /// Computes pair by pair, for per-atom tallies and scaled pairs.
  void careful_tile(const Job &job, int coefficients, const PairBlock &rows, const PairBlock &columns,
                    Workspace &w) const {
    const bool same = rows.begin == columns.begin;
    for (int i = rows.begin; i < rows.end; ++i)
      for (int j = same && !both_sides() ? i + 1 : columns.begin; j < columns.end; ++j) {
        const double scaling = scaled_.any() ? scaled_.factor_of(i, j) : 1;
        if (i == j || scaling == 0) continue;
        SinglePair single;
        job.compute_pair(job.typed, coefficients, i, j, single);
        const Vec3<Real> &d = single.separation;
        PairTerm<Real> term = single.term;
        term.energy *= Real(scaling);
        term.pull *= Real(scaling);
        const Real on_i = job.by_strength ? term.pull * single.strength_j : term.pull;
        const Real on_j = job.by_strength ? term.pull * single.strength_i : term.pull;
        w.force[0][i] += Sum(on_i * d.x);
        w.force[1][i] += Sum(on_i * d.y);
        w.force[2][i] += Sum(on_i * d.z);
        if (!both_sides()) {
          w.force[0][j] -= Sum(on_j * d.x);
          w.force[1][j] -= Sum(on_j * d.y);
          w.force[2][j] -= Sum(on_j * d.z);
        }
        PairTally<double> pair;
        pair.add(PairTerm<double>{term.energy, term.pull}, Vec3<double>{d.x, d.y, d.z});
        const double strengths =
            job.by_strength ? job.factor[i] * job.factor[j] / square(job.common * job.strength_unit) : 1;
        const double weight = 0.5 * job.unit * job.common * strengths;
        for (int v = 0; v < width; ++v) {
          w.totals.v[v] += (both_sides() ? 1 : 2) * weight * pair.v[v];
          if (w.tally.empty()) continue;
          w.tally[width * std::size_t(i) + v] += weight * pair.v[v];
          if (!both_sides()) w.tally[width * std::size_t(j) + v] += weight * pair.v[v];
        }
      }
  }

  void collect(const PairAtomsView &atoms, const std::vector<double> &factor, const TallyRequest &request,
               ResultsView &results) {
    const auto &slots = order_.atoms();
    std::atomic<int> bad{-1};
#pragma omp parallel for num_threads(static_cast <int>(workspace_.size())) schedule(static)
    for (std::size_t s = 0; s < slots.size(); ++s) {
      if (slots[s] < 0) continue;
      const std::size_t i = slots[s];
      double size = 0;
      for (int axis = 0; axis < 3; ++axis) {
        double sum = 0;
        for (const Workspace &w : workspace_) sum += w.force[axis][s];
        results.force[3 * i + axis] += factor[s] * sum;
        size += std::fabs(factor[s] * sum);
      }
      if (!std::isfinite(size)) bad = slots[s];
      if (request.any_per_atom()) add_tally(sum_of_tallies(workspace_, s), i, results);
    }
    if (bad >= 0) throw_bad_pair_force(setup_, atoms, bad);
    set_totals(sum_of_totals(workspace_), results);
  }

  PairwiseSetup setup_;
  Isa isa_;
  TileOrder order_;
  PairBlocks blocks_;
  ScaledSlotPairs scaled_;
  bool scaled_stale_ = true;
  std::vector<Workspace> workspace_;
};

}  // namespace

std::unique_ptr<PairwiseBackend> make_all_pairs_host(const PairwiseSetup &setup, int n_threads, Isa isa) {
  return with_format<PairFormats>(setup.precision, [&](auto format) -> std::unique_ptr<PairwiseBackend> {
    return std::make_unique<AllPairsHost<decltype(format)>>(setup, n_threads, isa);
  });
}

}  // namespace triad

// All pairs on the host, see pairwise_all_host.h.

#include "loops/pairwise_all_host.h"

#include <atomic>

#include "loops/pairwise_checks.h"
#include "loops/pairwise_host.h"
#include "loops/scaled_slots.h"

namespace triad {
namespace {

template <class Format>
class AllPairsHost final : public PairwiseBackend {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  static constexpr int width = PairTally<double>::width;

  /// What one thread owns.
  struct Workspace {
    std::vector<Sum> force[3];  // [slots]
    std::vector<double> tally;  // [slots][width] when asked for, half of a pair's to either end
    PairTally<double> totals;
    ColumnForces<Real> reaction;
  };

 public:
  AllPairsHost(const PairwiseSetup &setup, int n_threads) : setup_(setup), workspace_(std::max(1, n_threads)) {}

  void set_scaled_pairs(const ScaledPairsView &pairs) override {
    scaled_.set(pairs);
    scaled_stale_ = true;
  }

  void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
               PairShare share) override {
    check_pair_atoms(setup_, atoms);
    const PairGeometry geometry(atoms, setup_.precision, int(workspace_.size()));
    if (order_.update(atoms.n, goes_by_type(setup_.law) ? atoms.type : nullptr, setup_.n_types, atoms.side)) {
      make_blocks();
      scaled_stale_ = true;
    }
    if (std::exchange(scaled_stale_, false)) {
      scaled_.sort(order_);
      find_scaled_tiles();
    }
    switch (geometry.images()) {
      case Images::None:
        return run<Images::None>(geometry, atoms, request, results, share);
      case Images::Orthogonal:
        return run<Images::Orthogonal>(geometry, atoms, request, results, share);
      default:
        return run<Images::Triclinic>(geometry, atoms, request, results, share);
    }
  }

  std::string description() const override { return host_description(workspace_.size()); }

  double memory_usage() const override {
    double bytes = 0;
    for (const auto &w : workspace_)
      bytes += sizeof(Sum) * 3.0 * double(w.force[0].capacity()) + sizeof(double) * double(w.tally.capacity());
    return bytes + 2 * sizeof(int) * double(order_.atoms().size());
  }

 private:
  void make_blocks() {
    blocks_.clear();
    block_of_slot_.assign(order_.atoms().size(), -1);
    const auto &strips = order_.strips();
    constexpr int most = tuning::host_pair_block / strip_width;
    for (int s = 0; s < order_.n_strips();) {
      const int first = s;
      int end = s * strip_width;
      while (s < order_.n_strips() && s < first + most && strips[s].type == strips[first].type &&
             strips[s].side == strips[first].side) {
        end = s * strip_width + strips[s].count;
        ++s;
      }
      std::fill(block_of_slot_.begin() + first * strip_width, block_of_slot_.begin() + end, int(blocks_.size()));
      blocks_.push_back({first * strip_width, end, strips[first].type, strips[first].side});
    }
  }

  /// Numbers of the pairs of blocks between which there are scaled pairs.
  void find_scaled_tiles() {
    scaled_tiles_.clear();
    for (std::size_t slot = 0; scaled_.any() && slot < block_of_slot_.size(); ++slot)
      for (long long k = scaled_.offset()[slot]; k < scaled_.offset()[slot + 1]; ++k) {
        const int a = block_of_slot_[slot], b = block_of_slot_[scaled_.partner()[k]];
        if (a <= b) scaled_tiles_.push_back(triangle_number({a, b}));
      }
    std::sort(scaled_tiles_.begin(), scaled_tiles_.end());
  }

  template <Images images>
  void run(const PairGeometry &geometry, const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results,
           const PairShare &share) {
    const bool equal = StrengthRange(atoms).common() != 0;
    with_law<Real>(setup_.law, equal, [&](const auto &law, const auto &settings) {
      using Law = std::decay_t<decltype(law)>;
      const double common = law.scale(settings) * (equal && !Law::by_strength ? square(atoms.strength[0]) : 1);
      PointColumns<typename PointOf<Format, images>::type> points;
      const std::vector<double> factor = fill<Law, images>(geometry, atoms, common, points);
      const HostPairJob<Law, Format, images> job = {law, geometry.frame<Real>(), points.view()};
      sum_tiles(job, coefficient_table<Law>(settings), factor, common, request, share);
      collect(atoms, factor, request, results);
    });
  }

  static double square(double x) { return x * x; }

  /// Points by slots, with a width of lanes more; returns what the sums of each slot are to be multiplied with.
  template <class Law, Images images, class Points>
  std::vector<double> fill(const PairGeometry &geometry, const PairAtomsView &atoms, double common,
                           Points &points) const {
    const auto &slots = order_.atoms();
    points.resize(slots.size() + pair_lanes);
    std::vector<double> factor(slots.size());
    for (std::size_t s = 0; s < slots.size(); ++s) {
      const int i = slots[s];
      if (i < 0) continue;
      const double strength = atoms.strength ? atoms.strength[i] : 1;
      typename PointOf<Format, images>::type p;
      geometry.maker().make(atoms.x + 3 * std::size_t(i), strength, p);
      points.set(s, p);
      factor[s] = Law::by_strength ? common * strength : common;
    }
    return factor;
  }

  /// Tiles are pairs of blocks: each once, or each from both sides.
  template <class Law, Images images>
  void sum_tiles(const HostPairJob<Law, Format, images> &job, const std::vector<typename Law::Coefficients> &table,
                 const std::vector<double> &factor, double common, const TallyRequest &request,
                 const PairShare &share) {
    const bool both_sides = setup_.kernel == PairKernel::OneSided;
    const std::int64_t n = std::int64_t(blocks_.size());
    const ItemRange range = items_of(share, both_sides ? n * n : triangle_size(n));
    const int stride = goes_by_type(setup_.law) ? setup_.n_types : 0;
#pragma omp parallel num_threads(static_cast <int>(workspace_.size()))
    {
      Workspace &w = workspace_[omp_get_thread_num()];
      for (auto &f : w.force) f.assign(order_.atoms().size(), Sum(0));
      w.tally.assign(request.any_per_atom() ? width * order_.atoms().size() : 0, 0.0);
      w.totals = {};
#pragma omp for schedule(static, 1)
      for (std::int64_t t = range.first; t < range.last; ++t) {
        const TrianglePair tile = both_sides ? TrianglePair{t / n, t % n} : triangle_pair(t);
        const PairBlock &rows = blocks_[tile.low], &columns = blocks_[tile.high];
        if (!acts(rows.side, columns.side)) continue;
        const auto &c = table[rows.type * stride + columns.type];
        const std::int64_t number = triangle_number({std::min(tile.low, tile.high), std::max(tile.low, tile.high)});
        if (request.any_per_atom() || std::binary_search(scaled_tiles_.begin(), scaled_tiles_.end(), number))
          careful_tile(job, c, rows, columns, both_sides, factor, common, w);
        else if (both_sides)
          request.any_total() ? tile_sums<false, true>(job, c, rows, columns, factor, w)
                              : tile_sums<false, false>(job, c, rows, columns, factor, w);
        else
          request.any_total() ? tile_sums<true, true>(job, c, rows, columns, factor, w)
                              : tile_sums<true, false>(job, c, rows, columns, factor, w);
      }
    }
  }

  template <bool reacts, bool tallies, class Law, Images images>
  void tile_sums(const HostPairJob<Law, Format, images> &job, const typename Law::Coefficients &c,
                 const PairBlock &rows, const PairBlock &columns, const std::vector<double> &factor,
                 Workspace &w) const {
    const bool same = rows.begin == columns.begin;
    if (reacts) w.reaction = {};
    for (int row = rows.begin; row < rows.end; ++row) {
      const auto against = [&](int begin, int end) {
        if (begin >= end) return;
        RowSums<Real> sums;
        row_against_columns<reacts, tallies>(job, c, row, columns.begin, begin, end, &w.reaction, sums);
        add_row<reacts, tallies>(row, sums, factor[row], w);
      };
      if (!reacts && same) against(columns.begin, row);
      against(same ? row + 1 : columns.begin, columns.end);
    }
    if (!reacts) return;
    for (int j = columns.begin; j < columns.end; ++j) {
      w.force[0][j] += w.reaction.x[j - columns.begin];
      w.force[1][j] += w.reaction.y[j - columns.begin];
      w.force[2][j] += w.reaction.z[j - columns.begin];
    }
  }

  template <bool reacts, bool tallies>
  static void add_row(int row, const RowSums<Real> &sums, double factor, Workspace &w) {
    for (int l = 0; l < pair_lanes; ++l) {
      w.force[0][row] += sums.x[l];
      w.force[1][row] += sums.y[l];
      w.force[2][row] += sums.z[l];
    }
    if (!tallies) return;
    for (int v = 0; v < width; ++v) {
      double sum = 0;
      for (int l = 0; l < pair_lanes; ++l) sum += sums.tally[v][l];
      w.totals.v[v] += (reacts ? 1 : 0.5) * factor * sum;
    }
  }

  /// Pair by pair, for per-atom tallies and scaled pairs.
  template <class Law, Images images>
  void careful_tile(const HostPairJob<Law, Format, images> &job, const typename Law::Coefficients &c,
                    const PairBlock &rows, const PairBlock &columns, bool both_sides, const std::vector<double> &factor,
                    double common, Workspace &w) const {
    const bool same = rows.begin == columns.begin;
    for (int i = rows.begin; i < rows.end; ++i)
      for (int j = same && !both_sides ? i + 1 : columns.begin; j < columns.end; ++j) {
        const double scaling = scaled_.any() ? scaled_.factor_of(i, j) : 1;
        if (i == j || scaling == 0) continue;
        const auto p = job.points.at(i), q = job.points.at(j);
        const Vec3<Real> d = separation<images>(p, q, job.frame);
        PairTerm<Real> term = job.law(squared(job.law, d), c);
        term.energy *= Real(scaling);
        term.pull *= Real(scaling);
        const Real on_i = Law::by_strength ? term.pull * Real(q.strength) : term.pull;
        const Real on_j = Law::by_strength ? term.pull * Real(p.strength) : term.pull;
        w.force[0][i] += Sum(on_i * d.x);
        w.force[1][i] += Sum(on_i * d.y);
        w.force[2][i] += Sum(on_i * d.z);
        if (!both_sides) {
          w.force[0][j] -= Sum(on_j * d.x);
          w.force[1][j] -= Sum(on_j * d.y);
          w.force[2][j] -= Sum(on_j * d.z);
        }
        PairTally<double> pair;
        pair.add(PairTerm<double>{term.energy, term.pull}, Vec3<double>{d.x, d.y, d.z});
        const double weight = 0.5 * (Law::by_strength ? factor[i] * factor[j] / common : common);
        for (int v = 0; v < width; ++v) {
          w.totals.v[v] += (both_sides ? 1 : 2) * weight * pair.v[v];
          if (w.tally.empty()) continue;
          w.tally[width * std::size_t(i) + v] += weight * pair.v[v];
          if (!both_sides) w.tally[width * std::size_t(j) + v] += weight * pair.v[v];
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
      if (request.any_per_atom()) {
        PairTally<double> tally;
        for (const Workspace &w : workspace_)
          for (int v = 0; v < width; ++v) tally.v[v] += w.tally[width * s + v];
        add_tally(tally, i, results);
      }
    }
    if (bad >= 0) throw_bad_pair_force(setup_, atoms, bad);
    PairTally<double> totals;
    for (const Workspace &w : workspace_)
      for (int v = 0; v < width; ++v) totals.v[v] += w.totals.v[v];
    set_totals(totals, results);
  }

  PairwiseSetup setup_;
  StripOrder order_;
  std::vector<PairBlock> blocks_;
  std::vector<int> block_of_slot_;
  ScaledSlotPairs scaled_;
  bool scaled_stale_ = true;
  std::vector<std::int64_t> scaled_tiles_;
  std::vector<Workspace> workspace_;
};

}  // namespace

std::unique_ptr<PairwiseBackend> make_all_pairs_host(const PairwiseSetup &setup, int n_threads) {
  switch (setup.precision) {
    case Precision::Single:
      return std::make_unique<AllPairsHost<PairSingle>>(setup, n_threads);
    case Precision::Mixed:
      return std::make_unique<AllPairsHost<PairMixed>>(setup, n_threads);
    default:
      return std::make_unique<AllPairsHost<PairDouble>>(setup, n_threads);
  }
}

}  // namespace triad

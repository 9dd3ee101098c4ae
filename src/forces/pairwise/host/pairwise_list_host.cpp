// Pair forces from neighbour lists and from lists of pairs on the host. Threads process blocks of rows with
// accumulators of their own, which are summed in the order of threads. Differences of positions are computed in fp64.

#include <atomic>

#include "core/parallel_errors.h"
#include "core/threads.h"
#include "core/tuning.h"
#include "forces/pairwise/host/formula_batch.h"
#include "forces/pairwise/host/pairwise_host.h"
#include "forces/pairwise/pair_list_csr.h"
#include "forces/pairwise/pairwise_checks.h"
#include "forces/pairwise/pairwise_formats.h"
#include "forces/pairwise/tile_order.h"

namespace triad {
namespace {

template <class Format>
class PairListHost final : public PairwiseBackend {
  using Sum = typename Format::Sum;
  static constexpr int width = PairTally<double>::width;

  /// Accumulators of a thread.
  struct Workspace {
    std::vector<Sum> force;     // [n][3]
    std::vector<double> tally;  // [n][width] if requested, half of each pair
    PairTally<double> totals;
  };

 public:
  PairListHost(const PairwiseSetup &setup, int n_threads) : setup_(setup), workspace_(usable_threads(n_threads)) {}

  void set_neighbours(const PairListView &list, const PairAtomsView &atoms) override {
    if (setup_.range != PairRange::List) return PairwiseBackend::set_neighbours(list, atoms);
    rows_.set_neighbours(list);
  }

  void set_pairs(const PossiblePairsView &pairs, const PairAtomsView &atoms) override {
    if (setup_.range != PairRange::Pairs) return PairwiseBackend::set_pairs(pairs, atoms);
    possible_.set_pairs(pairs, atoms.n, setup_.kernel == PairKernel::OneSided);
    reference_.clear();
  }

  void compute(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results, RankSlice) override {
    check_pair_atoms(setup_, atoms);
    const PairGeometry geometry(without_box(atoms), setup_, int(workspace_.size()));
    const bool equal = strengths_of(atoms).common() != 0;
    if (setup_.range == PairRange::Pairs) {
      filter_pairs(atoms);
      // In fp32 the extension of a bond would lose digits.
      using Real = std::conditional_t<std::is_same<Format, PairSingle>::value, float, double>;
      const ListedLaw<Real> law{ListedSettings()};
      sum_rows(law, {}, atoms, 1, request);
    } else {
      with_list_law<typename Format::Real>(setup_.law, equal, [&](const auto &law, const auto &settings) {
        using Law = std::decay_t<decltype(law)>;
        const double common = law.scale(settings) * (equal && !Law::by_strength ? square(atoms.strength[0]) : 1);
        sum_rows(law, coefficient_table<Law>(settings), atoms, common, request);
      });
    }
    collect(atoms, request, results);
  }

  std::string description() const override { return host_description(workspace_.size()); }

  double memory_usage() const override {
    double bytes = rows_.bytes() + possible_.bytes();
    for (const auto &w : workspace_)
      bytes += sizeof(Sum) * double(w.force.capacity()) + sizeof(double) * double(w.tally.capacity());
    return bytes;
  }

 private:
  static double square(double x) { return x * x; }

  static PairAtomsView without_box(PairAtomsView atoms) {
    atoms.box = nullptr;  // the ghosts are the images
    return atoms;
  }

  static double distance_squared(const double *a, const double *b) {
    const Vec3<double> d = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return dot(d, d);
  }

  /// Filters the possible pairs to those within cutoff + skin if an atom has moved half of the skin.
  void filter_pairs(const PairAtomsView &atoms) {
    if (setup_.cutoff == 0) {
      if (reference_.empty()) rows_ = possible_;
      reference_.assign(1, 0.0);
      return;
    }
    const std::size_t n = 3 * std::size_t(atoms.n);
    bool stale = reference_.size() != n;
    const double limit = 0.25 * setup_.skin * setup_.skin;
    for (std::size_t k = 0; k < n && !stale; k += 3)
      stale = distance_squared(atoms.x + k, reference_.data() + k) > limit;
    if (!stale && n > 0) return;
    reference_.assign(atoms.x, atoms.x + n);
    const double cutoff = setup_.cutoff + setup_.skin;
    rows_.filter(possible_, [&](int i, int j) {
      return distance_squared(atoms.x + 3 * std::size_t(i), atoms.x + 3 * std::size_t(j)) < cutoff * cutoff;
    });
  }

  template <class Law>
  static constexpr bool by_steps = std::is_same<Law, FormulaLaw<typename Law::Real>>::value;
  template <class Law>
  using BatchOf = typename std::conditional<by_steps<Law>, FormulaBatch<typename Law::Real>, NoBatch>::type;

  template <class Law>
  void sum_rows(const Law &law, const std::vector<typename Law::Coefficients> &table, const PairAtomsView &atoms,
                double common, const TallyRequest &request) {
    const int block = tuning::host_list_rows_per_block;
    const int n_blocks = (rows_.n_rows() + block - 1) / block;
    RegionErrors errors;
#pragma omp parallel num_threads(static_cast <int>(workspace_.size()))
    {
      share_among_threads(workspace_, [&](Workspace &w) {
        errors.guard([&] {
          w.force.assign(3 * std::size_t(atoms.n), Sum(0));
          w.tally.assign(request.any_per_atom() ? width * std::size_t(atoms.n) : 0, 0.0);
        });
        w.totals = {};
      });
      Workspace &w = workspace_[thread_index()];
      BatchOf<Law> batch(law);
#pragma omp for schedule(static)
      for (int b = 0; b < n_blocks; ++b) {
        if (errors.any()) continue;
        for (int row = b * block; row < std::min(rows_.n_rows(), (b + 1) * block); ++row)
          request.any() ? sum_row<true>(law, table, row, atoms, common, w, batch)
                        : sum_row<false>(law, table, row, atoms, common, w, batch);
      }
    }
    errors.rethrow();
  }

  template <bool tallies, class Law>
  void sum_row(const Law &law, const std::vector<typename Law::Coefficients> &table, int row,
               const PairAtomsView &atoms, double common, Workspace &w, BatchOf<Law> &batch) const {
    using Real = typename Law::Real;
    const int i = rows_.centre(row);
    const double *xi = atoms.x + 3 * std::size_t(i);
    const double cutoff2 = setup_.cutoff > 0 ? setup_.cutoff * setup_.cutoff : std::numeric_limits<double>::infinity();
    const bool full = rows_.both_sides();
    Vec3<Sum> own = {0, 0, 0};
    const auto add = [&](int j, const Vec3<Real> &d, double weight, const PairTerm<Real> &term) {
      const Sum pull = Sum(weight * term.pull);
      own.x += pull * d.x;
      own.y += pull * d.y;
      own.z += pull * d.z;
      if (!full) {
        Sum *f = w.force.data() + 3 * std::size_t(j);
        f[0] -= pull * d.x;
        f[1] -= pull * d.y;
        f[2] -= pull * d.z;
      }
      if (tallies) {
        PairTally<double> pair;
        pair.add(PairTerm<double>{0.5 * weight * term.energy, 0.5 * weight * term.pull}, Vec3<double>{d.x, d.y, d.z});
        for (int v = 0; v < width; ++v) {
          w.totals.v[v] += (full ? 1 : 2) * pair.v[v];
          if (w.tally.empty()) continue;
          w.tally[width * std::size_t(i) + v] += pair.v[v];
          if (!full) w.tally[width * std::size_t(j) + v] += pair.v[v];
        }
      }
    };
    const auto add_batch = [&] {
      if constexpr (by_steps<Law>)
        batch.finish(tallies, [&](const auto &p, const PairTerm<Real> &term) { add(p.partner, p.d, p.weight, term); });
    };
    for (long long k = rows_.begin(row); k < rows_.begin(row + 1); ++k) {
      const int j = rows_.partner(k);
      constexpr bool listed = std::is_same<Law, ListedLaw<Real>>::value;
      const double factor = listed ? common : common * setup_.special[rows_.special(k)];
      if (factor == 0 || (atoms.side && !acts(atoms.side[i], atoms.side[j]))) continue;
      const double *xj = atoms.x + 3 * std::size_t(j);
      const Vec3<double> exact = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
      const double exact_squared = dot(exact, exact);
      bool act = exact_squared < cutoff2;
      if constexpr (listed) act = act || rows_.constants(k).fixed;
      if (!act) continue;
      const Vec3<Real> d = {Real(exact.x), Real(exact.y), Real(exact.z)};
      typename Law::Coefficients c;
      if constexpr (listed)
        c = typename Law::Coefficients(rows_.constants(k));
      else if constexpr (!std::is_empty<decltype(c)>::value)
        c = table[(atoms.type[i] - 1) * setup_.n_types + (atoms.type[j] - 1)];
      const double weight = Law::by_strength ? factor * atoms.strength[i] * atoms.strength[j] : factor;
      if constexpr (by_steps<Law>) {
        batch.add({j, d, weight}, squared(law, d), c);
        if (batch.full()) add_batch();
      } else {
        add(j, d, weight, law(squared(law, d), c));
      }
    }
    add_batch();
    Sum *f = w.force.data() + 3 * std::size_t(i);
    f[0] += own.x;
    f[1] += own.y;
    f[2] += own.z;
  }

  void collect(const PairAtomsView &atoms, const TallyRequest &request, ResultsView &results) {
    std::atomic<int> bad{-1};
#pragma omp parallel for num_threads(static_cast <int>(workspace_.size())) schedule(static)
    for (int i = 0; i < atoms.n; ++i) {
      double size = 0;
      for (std::size_t k = 3 * std::size_t(i); k < 3 * (std::size_t(i) + 1); ++k) {
        double sum = 0;
        for (const Workspace &w : workspace_) sum += w.force[k];
        results.force[k] += sum;
        size += std::fabs(sum);
      }
      if (!std::isfinite(size)) bad = i;
      if (request.any_per_atom()) add_tally(sum_of_tallies(workspace_, i), i, results);
    }
    if (bad >= 0) throw_bad_pair_force(setup_, without_box(atoms), bad);
    set_totals(sum_of_totals(workspace_), results);
  }

  PairwiseSetup setup_;
  PairListCsr rows_;               // current list of pairs
  PairListCsr possible_;           // range Pairs
  std::vector<double> reference_;  // positions at the last filtering; empty before the first
  std::vector<Workspace> workspace_;
};

}  // namespace

std::unique_ptr<PairwiseBackend> make_pair_list_host(const PairwiseSetup &setup, int n_threads) {
  return with_format<PairFormats>(setup.precision, [&](auto format) -> std::unique_ptr<PairwiseBackend> {
    return std::make_unique<PairListHost<decltype(format)>>(setup, n_threads);
  });
}

std::unique_ptr<PairwiseBackend> make_pairwise_host(const PairwiseSetup &setup, int n_threads, Isa isa) {
  check_pairwise_setup(setup);
  return setup.range == PairRange::All ? make_all_pairs_host(setup, n_threads, isa)
                                       : make_pair_list_host(setup, n_threads);
}

std::unique_ptr<PairwiseBackend> make_pairwise_host(const PairwiseSetup &setup, int n_threads) {
  return make_pairwise_host(setup, n_threads, chosen_isa());
}

}  // namespace triad

// Tersoff forces on the host: rows shared out over OpenMP threads, every thread with accumulators of its own that are
// summed in the order of the threads. Totals are summed by blocks of rows, so they do not depend on the number of
// threads; in `mixed` the forces do not either.

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "loops/messages.h"
#include "loops/tersoff_backend.h"
#include "loops/tersoff_models.h"
#include "loops/tuning.h"

namespace triad {
namespace {

/// Energy and virial of a block of rows.
struct Totals {
  double energy = 0;
  Tensor6 virial;
};

/// The bond along d in the arithmetic of a format; `mixed` keeps what fp32 loses of the distance.
template <class Format, class Real = typename Format::Real>
Bond<Real> bond_along(const Vec3<double> &d, Real shift) {
  if constexpr (Format::exact_distances)
    return round_bond(make_bond(d, double(shift)));
  else
    return make_bond(Vec3<Real>{Real(d.x), Real(d.y), Real(d.z)}, shift);
}

template <class Format>
class TersoffHost final : public TersoffBackend {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  using Tally = typename Format::Tally;

  /// What one thread owns.
  struct Workspace {
    std::vector<Sum> force;            // [n_all][3]
    std::vector<Tally> atom_energy;    // [n_all] when asked for
    std::vector<Tally> atom_virial;    // [n_all][6] when asked for
    std::vector<Tally> atom_centroid;  // [n_all][9] when asked for
    std::vector<int> index;            // neighbours of the current centre
    std::vector<BondRecord<Real>> record;
  };

 public:
  TersoffHost(const TersoffSetup &setup, int n_threads)
      : setup_(setup),
        params_(pack_params<Real>(setup.table)),
        reach_squared_(reach_squared(setup.table, 0)),
        workspace_(std::max(1, n_threads)) {}

  void set_neighbours(const RowsView &rows, const AtomsView &) override { rows_ = rows; }

  void compute(const AtomsView &atoms, const TallyRequest &request, ResultsView &results) override {
    with_model<Real>(setup_.table, params_.data(), [&](const auto &model) {
      if (request.any_per_atom())
        run<true>(model, atoms, request, results);
      else
        run<false>(model, atoms, request, results);
    });
  }

  std::string description() const override {
    const auto n = workspace_.size();
    return "host, " + std::to_string(n) + (n == 1 ? " thread" : " threads");
  }

  double memory_usage() const override {
    double bytes = 0;
    for (const auto &w : workspace_)
      bytes += sizeof(Sum) * double(w.force.capacity()) +
               sizeof(Tally) * double(w.atom_energy.capacity() + w.atom_virial.capacity() + w.atom_centroid.capacity());
    return bytes;
  }

 private:
  template <bool PerAtom, class Model>
  void run(const Model &model, const AtomsView &atoms, const TallyRequest &request, ResultsView &results) {
    const int block = tuning::host_rows_per_block;
    const int n_blocks = (rows_.n_rows + block - 1) / block;
    std::vector<Totals> totals(n_blocks);
    std::atomic<int> bad_centre{-1};

#pragma omp parallel num_threads(static_cast <int>(workspace_.size()))
    {
      Workspace &w = workspace_[omp_get_thread_num()];
      w.force.assign(3 * std::size_t(atoms.n_all), Sum(0));
      if (PerAtom) {
        w.atom_energy.assign(std::size_t(atoms.n_all), Tally(0));
        w.atom_virial.assign(6 * std::size_t(atoms.n_all), Tally(0));
        w.atom_centroid.assign(9 * std::size_t(atoms.n_all), Tally(0));
      }
#pragma omp for schedule(static)
      for (int b = 0; b < n_blocks; ++b) {
        const int end = std::min(rows_.n_rows, (b + 1) * block);
        for (int row = b * block; row < end; ++row)
          if (!centre<PerAtom>(model, atoms, rows_.centre[row], request, w, totals[b])) bad_centre = rows_.centre[row];
      }
      const int used = omp_get_num_threads();
#pragma omp for schedule(static)
      for (int i = 0; i < atoms.n_all; ++i) collect<PerAtom>(i, used, results);
    }

    if (bad_centre >= 0) throw LoopError(force_out_of_range(atoms.x + 3 * std::size_t(bad_centre)));
    results.energy = 0;
    std::fill(results.virial, results.virial + 6, 0.0);
    for (const Totals &t : totals) {
      results.energy += t.energy;
      for (int k = 0; k < 6; ++k) results.virial[k] += t.virial.v[k];
    }
  }

  /// Sums what the threads hold for atom i, in the order of the threads.
  template <bool PerAtom>
  void collect(std::size_t i, int used, ResultsView &results) const {
    const auto add = [&](double *target, const auto &member, std::size_t width) {
      for (std::size_t k = width * i; k < width * (i + 1); ++k) {
        auto sum = (workspace_[0].*member)[k];
        for (int t = 1; t < used; ++t) sum += (workspace_[t].*member)[k];
        target[k] += from_accumulator(sum);
      }
    };
    add(results.force, &Workspace::force, 3);
    if (PerAtom && results.atom_energy) add(results.atom_energy, &Workspace::atom_energy, 1);
    if (PerAtom && results.atom_virial) add(results.atom_virial, &Workspace::atom_virial, 6);
    if (PerAtom && results.atom_centroid) add(results.atom_centroid, &Workspace::atom_centroid, 9);
  }

  /// Everything that centre i contributes. False if a force is out of the range of the accumulator.
  template <bool PerAtom, class Model>
  bool centre(const Model &model, const AtomsView &atoms, int i, const TallyRequest &request, Workspace &w,
              Totals &totals) {
    const int ei = setup_.type_to_element[atoms.type[i]];
    if (ei < 0) return true;
    gather(model, atoms, i, ei, w);
    const int n = static_cast<int>(w.index.size());
    if (n >= fixed_point::max_contributions && std::is_same<Sum, fixed_point::Word>::value) return false;

    Vec3<Sum> own = {0, 0, 0};
    bool ok = true;
    const auto emit = [&](int j, const Vec3<Real> &gradient) {
      if constexpr (std::is_same<Sum, fixed_point::Word>::value) ok = ok && fixed_point::in_range(gradient);
      if (!ok) return false;
      Sum *f = w.force.data() + 3 * std::size_t(w.index[j]);
      const Vec3<Sum> g = {to_accumulator<Sum>(gradient.x), to_accumulator<Sum>(gradient.y),
                           to_accumulator<Sum>(gradient.z)};
      f[0] -= g.x;
      f[1] -= g.y;
      f[2] -= g.z;
      own = own + g;
      if (request.virial) totals.virial.add_outer(-1.0, w.record[j].bond.vector(), gradient);
      return true;
    };

    if (n == 4 && !PerAtom) {
      unrolled<4>(model, ei, w, totals, emit);
    } else {
      general<PerAtom>(model, i, ei, w, totals, emit);
    }
    Sum *f = w.force.data() + 3 * std::size_t(i);
    f[0] += own.x;
    f[1] += own.y;
    f[2] += own.z;
    return ok;
  }

  /// Neighbours of centre i within the reach of the potential.
  template <class Model>
  void gather(const Model &model, const AtomsView &atoms, int i, int ei, Workspace &w) const {
    const double *xi = atoms.x + 3 * std::size_t(i);
    const double *reach2 = reach_squared_.data() + std::size_t(ei) * setup_.table.elements.size();
    const int *neighbour = rows_.first(i);
    w.index.clear();
    w.record.clear();
    for (int s = 0; s < rows_.length[i]; ++s) {
      const int j = neighbour[s * rows_.entry_stride] & rows_.mask;
      const int ej = setup_.type_to_element[atoms.type[j]];
      if (ej < 0) continue;
      const double *xj = atoms.x + 3 * std::size_t(j);
      const Vec3<double> d = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
      if (dot(d, d) >= reach2[ej]) continue;
      w.index.push_back(j);
      w.record.push_back(make_record(model, ei, ej, bond_along<Format>(d, model.shift)));
    }
  }

  template <int N, class Model, class Emit>
  void unrolled(const Model &model, int ei, const Workspace &w, Totals &totals, Emit &&emit) const {
    int element[N];
    Bond<Real> bond[N];
    Vec3<Real> gradient[N];
    for (int j = 0; j < N; ++j) {
      element[j] = w.record[j].element;
      bond[j] = w.record[j].bond;
    }
    totals.energy += tersoff_unrolled<N>(model, ei, element, bond, gradient);
    for (int j = 0; j < N; ++j) emit(j, gradient[j]);
  }

  template <bool PerAtom, class Model, class Emit>
  void general(const Model &model, int i, int ei, Workspace &w, Totals &totals, Emit &&emit) const {
    const int n = static_cast<int>(w.record.size());
    BondRecord<Real> *record = w.record.data();
    for (int j = 0; j < n; ++j) {
      record[j].energy = general_bond_energy(model, ei, j, n, record);
      totals.energy += record[j].energy.energy;
    }
    for (int j = 0; j < n; ++j) {
      AtomShares shares;
      const bool ok = emit(j, general_gradient<PerAtom>(model, ei, j, n, record, &shares));
      if (PerAtom && ok) tally(i, w.index[j], shares, w);
    }
  }

  static void tally(std::size_t i, std::size_t j, const AtomShares &shares, Workspace &w) {
    w.atom_energy[i] += to_accumulator<Tally>(shares.energy);
    w.atom_energy[j] += to_accumulator<Tally>(shares.energy);
    for (int k = 0; k < 6; ++k) {
      w.atom_virial[6 * i + k] += to_accumulator<Tally>(shares.centre_virial.v[k]);
      w.atom_virial[6 * j + k] += to_accumulator<Tally>(shares.neighbour_virial.v[k]);
    }
    for (int k = 0; k < 9; ++k) {
      w.atom_centroid[9 * i + k] += to_accumulator<Tally>(shares.centre_centroid.v[k]);
      w.atom_centroid[9 * j + k] += to_accumulator<Tally>(shares.neighbour_centroid.v[k]);
    }
  }

  TersoffSetup setup_;
  std::vector<std::max_align_t> params_;
  std::vector<double> reach_squared_;
  std::vector<Workspace> workspace_;
  RowsView rows_;
};

}  // namespace

std::unique_ptr<TersoffBackend> make_tersoff_host(const TersoffSetup &setup, int n_threads) {
  switch (setup.precision) {
    case Precision::Single:
      return std::make_unique<TersoffHost<SingleFormat>>(setup, n_threads);
    case Precision::Mixed:
      return std::make_unique<TersoffHost<MixedFormat>>(setup, n_threads);
    default:
      return std::make_unique<TersoffHost<DoubleFormat>>(setup, n_threads);
  }
}

}  // namespace triad

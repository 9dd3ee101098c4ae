// Every backend, precision and kernel of pair forces as a test parameter, and the comparison with the reference.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "forces/backends.h"
#include "forces/device_pairs.h"
#include "testing/pair_systems.h"

namespace triad {

struct PairBackend {
  Backend::Location location;
  Precision precision;
  PairKernel kernel;
  int threads = 2;
  Isa isa = usable_isas().back();  ///< for the host

  std::unique_ptr<PairwiseBackend> make(PairwiseSetup setup) const {
    setup.precision = precision;
    setup.kernel = kernel;
#if defined(TRIAD_HAS_CUDA)
    if (location == Backend::Cuda) return make_pairwise_cuda(setup, 0, threads);
    if (location == Backend::Device) return make_device_pairs_with_copies(setup);
#endif
    return make_pairwise_host(setup, threads, isa);
  }
};

inline std::ostream &operator<<(std::ostream &out, const PairBackend &b) {
  out << Backend{b.location, b.precision, b.threads, b.isa};
  return out << (b.kernel == PairKernel::Auto         ? "Auto"
                 : b.kernel == PairKernel::Triangular ? "Triangular"
                                                      : "OneSided");
}

inline std::vector<PairBackend> pair_backends_on(Backend::Location location) {
  std::vector<PairBackend> list;
  for (const Precision precision : all_precisions)
    for (const PairKernel kernel : {PairKernel::Triangular, PairKernel::OneSided})
      list.push_back({location, precision, kernel});
  return list;
}
/// Host backends with each instruction set below the highest.
inline std::vector<PairBackend> pair_backends_of_lower_isas() {
  std::vector<PairBackend> list;
  for (PairBackend backend : pair_backends_on(Backend::Host))
    for (const Isa isa : usable_isas())
      if (isa != usable_isas().back()) {
        backend.isa = isa;
        list.push_back(backend);
      }
  return list;
}
inline std::vector<PairBackend> all_pair_backends() {
  std::vector<PairBackend> list = pair_backends_on(Backend::Host);
#if defined(TRIAD_HAS_CUDA)
  for (const auto location : {Backend::Cuda, Backend::Device}) {
    const std::vector<PairBackend> on_cuda = pair_backends_on(location);
    list.insert(list.end(), on_cuda.begin(), on_cuda.end());
  }
#endif
  return list;
}

class PairBackendTest : public testing::TestWithParam<PairBackend> {
 protected:
  void SetUp() override {
    const std::string reason = why_not({GetParam().location, GetParam().precision});
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  const PairBackend &backend = GetParam();
};

inline void set_lists(PairwiseBackend &loops, const PairSystem &system, bool full) {
  if (system.setup.range == PairRange::Pairs) {
    std::vector<int> i, j;
    std::vector<ListedConstants> constants;
    for (const auto &p : system.pairs) {
      i.push_back(p.i);
      j.push_back(p.j);
      constants.push_back(p.constants);
    }
    loops.set_pairs({static_cast<long long>(i.size()), i.data(), j.data(), constants.data()}, system.atoms());
  } else if (system.setup.range == PairRange::List) {
    const NeighbourList list(full ? system.full_rows : system.rows);
    PairListView view;
    view.rows = list.rows();
    view.rows.cutoff = system.setup.cutoff + 0.5;
    view.full = full;
    loops.set_neighbours(view, system.atoms());
  } else {
    std::vector<long long> offset = {0};
    std::vector<int> partner;
    std::vector<double> factor;
    for (int i = 0; i < system.n(); ++i) {
      for (const auto &s : system.scaled)
        if (s.i == i || s.j == i) {
          partner.push_back(s.i == i ? s.j : s.i);
          factor.push_back(s.factor);
        }
      offset.push_back(static_cast<long long>(partner.size()));
    }
    loops.set_scaled_pairs({system.n(), offset.data(), partner.data(), factor.data()});
  }
}

/// Returns the results for the current positions.
inline Results compute(PairwiseBackend &loops, const PairSystem &system, const TallyRequest &request = everything,
                       RankSlice slice = {}, double initial = 0) {
  return results_of(system.n(), request, initial,
                    [&](ResultsView &view) { loops.compute(system.atoms(), request, view, slice); });
}

inline Results compute_once(const PairBackend &backend, const PairSystem &system,
                            const TallyRequest &request = everything) {
  const auto loops = backend.make(system.setup);
  set_lists(*loops, system, backend.kernel == PairKernel::OneSided);
  return compute(*loops, system, request);
}

/// Error relative to the sum of the absolute values of an atom's pair forces. In fp32 the rounding of separations (1e-7
/// of the extent in single) enters a twelfth power. Measured on the host in test_pairwise: 4.7e-14 in double, 1.7e-6 in
/// mixed, 3.7e-6 in single; not measured on a GPU.
inline double pair_error(Precision precision) {
  return precision == Precision::Double ? 1e-13 : precision == Precision::Mixed ? 5e-6 : 1.1e-5;
}

inline void expect_matches(const Results &results, const PairSystem &system, const PairReference &expected,
                           Precision precision, const TallyRequest &request = everything, double initial = 0) {
  const double allowed = pair_error(precision), floor = 64 * std::numeric_limits<double>::epsilon() * std::abs(initial);
  Errors &largest = ErrorRecord::of(Backend{Backend::Host, precision});
  double largest_force = 0;
  for (const auto size : expected.force_size) largest_force = std::max(largest_force, double(size));
  const double energy_size = double(expected.energy_size), virial_size = double(expected.virial_size) + largest_force;
  const auto share = [&](double value, PairReference::Number reference, double size, double &record) {
    return error_relative_to(value, reference, size + 1e-300, floor, record);
  };
  for (int i = 0; i < system.n(); ++i) {
    for (int axis = 0; axis < 3; ++axis)
      ASSERT_LE(share(results.force[3 * i + axis] - initial, expected.force[i][axis], double(expected.force_size[i]),
                      largest.force),
                allowed)
          << "force on atom " << i << " of " << system.n() << " axis " << axis;
    if (request.atom_energy) {
      ASSERT_LE(share(results.atom_energy[i] - initial, expected.atom_energy[i], energy_size, largest.atom_energy),
                allowed)
          << "atom " << i;
    }
    for (int v = 0; v < 6 && request.atom_virial; ++v)
      ASSERT_LE(
          share(results.atom_virial[6 * i + v] - initial, expected.atom_virial[i][v], virial_size, largest.atom_virial),
          allowed)
          << "atom " << i << " component " << v;
    static constexpr int of_centroid[9] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
    for (int v = 0; v < 9 && request.atom_centroid; ++v)
      ASSERT_LE(share(results.atom_centroid[9 * i + v] - initial, expected.atom_virial[i][of_centroid[v]], virial_size,
                      largest.atom_centroid),
                allowed)
          << "atom " << i << " component " << v;
  }
  if (request.energy) {
    EXPECT_LE(share(results.energy, expected.energy, energy_size, largest.energy), allowed);
  }
  for (int v = 0; v < 6 && request.virial; ++v)
    EXPECT_LE(share(results.virial[v], expected.virial[v], virial_size, largest.virial), allowed) << "component " << v;
}
inline void expect_matches(const Results &results, const PairSystem &system, Precision precision,
                           const TallyRequest &request = everything, double initial = 0) {
  expect_matches(results, system, system.reference(), precision, request, initial);
}

}  // namespace triad

// Every backend and precision as a test parameter, and the comparison of results with the reference.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "core/isa.h"
#include "forces/device_backend.h"
#include "forces/systems.h"
#include "forces/tersoff/tersoff_backend.h"

namespace triad {

struct Backend {
  enum Location { Host, Cuda, Device } location;
  Precision precision;
  int threads = 2;
  Isa isa = Isa::Baseline;  ///< for the host

  std::unique_ptr<TersoffBackend> make(const System &system) const {
    const TersoffSetup setup = {system.table, system.type_to_element, precision};
#if defined(TRIAD_HAS_CUDA)
    if (location == Cuda) return make_tersoff_cuda(setup, 0, threads);
    if (location == Device) return make_device_with_copies(setup);
#endif
    return make_tersoff_host(setup, threads, isa);
  }
};

inline std::ostream &operator<<(std::ostream &out, const Backend &backend) {
  const char *const host[] = {"Host", "HostAvx2", "HostAvx512"};
  out << (backend.location == Backend::Host   ? host[int(backend.isa)]
          : backend.location == Backend::Cuda ? "Cuda"
                                              : "Device");
  switch (backend.precision) {
    case Precision::Single:
      return out << "Single";
    case Precision::Mixed:
      return out << "Mixed";
    default:
      return out << "Double";
  }
}

/// The backends of this build for the given precisions; one per usable instruction set on the host.
inline std::vector<Backend> backends_of(const std::vector<Precision> &precisions) {
  std::vector<Backend> backends;
  for (const Isa isa : usable_isas())
    for (const Precision precision : precisions) backends.push_back({Backend::Host, precision, 2, isa});
#if defined(TRIAD_HAS_CUDA)
  for (const auto location : {Backend::Cuda, Backend::Device})
    for (const Precision precision : precisions) backends.push_back({location, precision});
#endif
  return backends;
}
inline std::vector<Backend> all_backends() {
  return backends_of({Precision::Single, Precision::Mixed, Precision::Double});
}

/// Returns the reason why this machine cannot run a test of this backend, or an empty string.
inline std::string why_not(const Backend &backend) {
  std::string reason;
#if defined(TRIAD_HAS_CUDA)
  if (backend.location != Backend::Host) usable_cuda_devices(reason);
#else
  (void)backend;
#endif
  return reason;
}

/// Fixture of tests with a backend as their parameter.
class BackendTest : public testing::TestWithParam<Backend> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(GetParam());
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
};

constexpr TallyRequest forces_only = {false, false, false, false, false};
constexpr TallyRequest totals = {true, true, false, false, false};
constexpr TallyRequest everything = {true, true, true, true, true};

struct Results {
  std::vector<double> force, atom_energy, atom_virial, atom_centroid;
  double energy = 0;
  std::array<double, 6> virial = {};
};
inline bool operator==(const Results &a, const Results &b) {
  return a.force == b.force && a.atom_energy == b.atom_energy && a.atom_virial == b.atom_virial &&
         a.atom_centroid == b.atom_centroid && a.energy == b.energy && a.virial == b.virial;
}

/// Returns the results of run(view) for `n` atoms in arrays initialised with `initial`; arrays that are not requested
/// are passed as null.
template <class Run>
Results results_of(std::size_t n, const TallyRequest &request, double initial, Run &&run) {
  Results results = {std::vector<double>(3 * n, initial), std::vector<double>(n, initial),
                     std::vector<double>(6 * n, initial), std::vector<double>(9 * n, initial)};
  ResultsView view;
  view.force = results.force.data();
  view.atom_energy = request.atom_energy ? results.atom_energy.data() : nullptr;
  view.atom_virial = request.atom_virial ? results.atom_virial.data() : nullptr;
  view.atom_centroid = request.atom_centroid ? results.atom_centroid.data() : nullptr;
  run(view);
  if (request.energy) results.energy = view.energy;
  if (request.virial) std::copy(view.virial, view.virial + 6, results.virial.begin());
  return results;
}

/// Returns the results for the current positions, in arrays initialised with `initial`. `owner`: owners of ghosts
/// (AtomsView).
inline Results compute(TersoffBackend &backend, const System &system, const TallyRequest &request, double initial = 0,
                       const int *owner = nullptr) {
  AtomsView atoms = system.atoms();
  atoms.owner = owner;
  return results_of(system.n_all(), request, initial,
                    [&](ResultsView &view) { backend.compute(atoms, request, view); });
}

/// Returns the results of a new backend with the given list.
inline Results compute_once(const Backend &backend, const System &system, const NeighbourList &list,
                            const TallyRequest &request = everything) {
  const auto loops = backend.make(system);
  loops->set_neighbours(list.rows(), system.atoms());
  return compute(*loops, system, request);
}

/// Error of a precision, relative to the sum of the absolute values of all terms of an atom.
inline double relative_error(Precision precision) { return precision == Precision::Double ? 5e-14 : 4e-6; }

/// Fails at the first atom whose force, energy or virial differs from the reference.
inline void expect_matches(const Results &results, const System &system, Precision precision,
                           const TallyRequest &request = everything, double initial = 0) {
  const ReferenceTersoff expected = system.reference();
  const double error = relative_error(precision), cutoff = system.table.cutoff();
  const double floor = 64 * fixed_point::quantum;  // one rounding per term
  const auto near = [](double value, ReferenceTersoff::Number reference, double tolerance) {
    return std::abs(value - double(reference)) <= tolerance;  // false for NaN
  };
  double all_energy = floor, all_virial = floor;
  for (int i = 0; i < system.n_all(); ++i) {
    const double force_error = floor + error * double(expected.force_size[i]);
    const double energy_error = floor + error * double(expected.energy_size[i]);
    all_energy += energy_error;
    all_virial += cutoff * force_error;
    for (int axis = 0; axis < 3; ++axis)
      ASSERT_TRUE(near(results.force[3 * i + axis] - initial, expected.force[i][axis], force_error))
          << "force " << results.force[3 * i + axis] - initial << " on atom " << i << " axis " << axis << ", reference "
          << double(expected.force[i][axis]) << ", tolerance " << force_error << ", " << expected.bonds[i] << " bonds";
    if (request.atom_energy) {
      ASSERT_TRUE(near(results.atom_energy[i] - initial, expected.atom_energy[i], energy_error))
          << "energy " << results.atom_energy[i] - initial << " of atom " << i << ", reference "
          << double(expected.atom_energy[i]) << ", tolerance " << energy_error;
    }
    for (int v = 0; v < 6 && request.atom_virial; ++v)
      ASSERT_TRUE(near(results.atom_virial[6 * i + v] - initial, expected.atom_virial[i][v], cutoff * force_error))
          << "virial " << results.atom_virial[6 * i + v] - initial << " of atom " << i << " component " << v
          << ", reference " << double(expected.atom_virial[i][v]) << ", tolerance " << cutoff * force_error;
    // Third atoms are up to one and a half bond lengths from the midpoint of a bond.
    for (int v = 0; v < 9 && request.atom_centroid; ++v)
      ASSERT_TRUE(
          near(results.atom_centroid[9 * i + v] - initial, expected.atom_centroid[i][v], 1.5 * cutoff * force_error))
          << "centroid virial " << results.atom_centroid[9 * i + v] - initial << " of atom " << i << " component " << v
          << ", reference " << double(expected.atom_centroid[i][v]) << ", tolerance " << 1.5 * cutoff * force_error;
  }
  if (request.energy) {
    EXPECT_NEAR(results.energy, double(expected.energy), all_energy);
  }
  for (int v = 0; v < 6 && request.virial; ++v)
    EXPECT_NEAR(results.virial[v], double(expected.virial[v]), all_virial) << "component " << v;
}

}  // namespace triad

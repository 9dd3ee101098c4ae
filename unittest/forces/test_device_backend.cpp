// Features of the device backend alone: forces on ghosts are added to their owners.
#include <gtest/gtest.h>

#include "forces/backends.h"

namespace triad {
namespace {

class DeviceBackend : public BackendTest {};

INSTANTIATE_TEST_SUITE_P(, DeviceBackend,
                         testing::Values(Backend{Backend::Device, Precision::Single},
                                         Backend{Backend::Device, Precision::Mixed},
                                         Backend{Backend::Device, Precision::Double}),
                         testing::PrintToStringParamName());

/// Sums `width` numbers per atom over an owned atom and its ghosts; ghosts keep the initial value.
std::vector<double> returned_to_owners(std::vector<double> values, const std::vector<int> &owner, int n_owned,
                                       int width, double initial) {
  for (std::size_t g = 0; g < owner.size(); ++g)
    for (int k = 0; k < width; ++k) {
      double &ghost = values[(n_owned + g) * width + k];
      values[std::size_t(owner[g]) * width + k] += ghost - initial;
      ghost = initial;
    }
  return values;
}

void expect_near(const std::vector<double> &found, const std::vector<double> &expected, double relative) {
  double largest = 1;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(found[k], expected[k], relative * largest) << k;
}

/// Compares with the same backend without owners. Several ghosts have the same owner, and some atoms have no ghosts.
TEST_P(DeviceBackend, AddsGhostForcesToOwners) {
  System system = random_cluster(three_elements(), 90, 9, 1.4, 31);
  system.n_owned = 40;
  const NeighbourList list(system);
  std::vector<int> owner;
  for (int g = 0; g < system.n_all() - system.n_owned; ++g) owner.push_back((7 * g) % 33);
  const double initial = 0.5, relative = relative_error(GetParam());
  for (const TallyRequest &request : {forces_only, totals, everything}) {
    const auto with_owners = GetParam().make(system), without = GetParam().make(system);
    with_owners->set_neighbours(list.rows(), system.atoms());
    without->set_neighbours(list.rows(), system.atoms());
    for (int repeat = 0; repeat < 2; ++repeat) {
      const Results expected = compute(*without, system, request, initial);
      const Results found = compute(*with_owners, system, request, initial, owner.data());
      expect_near(found.force, returned_to_owners(expected.force, owner, system.n_owned, 3, initial), relative);
      expect_near(found.atom_energy, returned_to_owners(expected.atom_energy, owner, system.n_owned, 1, initial),
                  relative);
      expect_near(found.atom_virial, returned_to_owners(expected.atom_virial, owner, system.n_owned, 6, initial),
                  relative);
      expect_near(found.atom_centroid, returned_to_owners(expected.atom_centroid, owner, system.n_owned, 9, initial),
                  relative);
      EXPECT_NEAR(found.energy, expected.energy, relative * std::abs(expected.energy));
    }
  }
}

}  // namespace
}  // namespace triad

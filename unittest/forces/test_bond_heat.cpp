// Compares the heat current summed over bonds with that from per-atom energies and virials.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "forces/tersoff/tersoff_atom.h"
#include "forces/tersoff/tersoff_models.h"
#include "testing/systems.h"

namespace triad {
namespace {

/// A centre with randomly placed neighbours, and velocities of all atoms.
template <class Model>
struct Centre {
  const Model &model;
  int element;
  Vec3<double> v;
  std::vector<Vec3<double>> neighbour_v;
  std::vector<BondRecord<double>> record;

  Centre(const Model &model, int n, int nelements, Random &random) : model(model), element(n % nelements) {
    const auto vector = [&](double most) {
      return Vec3<double>{random(-most, most), random(-most, most), random(-most, most)};
    };
    v = vector(5);
    while (int(record.size()) < n) {
      const Vec3<double> d = vector(2.9);
      if (dot(d, d) < 2) continue;
      neighbour_v.push_back(vector(5));
      record.push_back(make_record(model, element, int(record.size()) % nelements, make_bond(d, model.shift)));
    }
    for (int j = 0; j < n; ++j) record[j].energy = general_bond_energy(model, element, j, n, record.data());
  }
  int n() const { return int(record.size()); }

  HeatCurrent by_bonds() const {
    HeatCurrent sum;
    for (int j = 0; j < n(); ++j)
      add_bond_heat(
          model, element, j, n(), record.data(), v, [&](int k) { return neighbour_v[k]; }, sum);
    return sum;
  }
  HeatCurrent by_atoms() const {
    HeatFlow sum;
    for (int j = 0; j < n(); ++j) {
      BondTally tally;
      general_gradient<true>(model, element, j, n(), record.data(), &tally);
      const Vec3<double> u = neighbour_v[j];
      const double of_centre[3] = {v.x, v.y, v.z}, of_neighbour[3] = {u.x, u.y, u.z};
      add_heat_flow(sum, of_centre, tally.energy, tally.centre_centroid.v);
      add_heat_flow(sum, of_neighbour, tally.energy, tally.neighbour_centroid.v);
    }
    return current_of(sum);
  }
};

TEST(BondHeat, IsThatOfAtoms) {
  Random random(7);
  for (const TersoffTable &table : {one_element(silicon_t3()), one_element(silicon_t3_lambda3()), three_elements(),
                                    mod(), mod_c(0.1), silicon_carbide_zbl()}) {
    const auto packed = pack_params<double>(table);
    with_model<double>(table, packed.data(), [&](const auto &model) {
      for (int n = 1; n < 9; ++n) {
        const Centre centre(model, n, table.nelements(), random);
        const HeatCurrent bonds = centre.by_bonds(), atoms = centre.by_atoms();
        for (int d = 0; d < 3; ++d) {
          EXPECT_NEAR(bonds.total[d], atoms.total[d], 1e-11 * (1 + std::abs(atoms.total[d]))) << n << " neighbours";
          EXPECT_NEAR(bonds.convective[d], atoms.convective[d], 1e-11 * (1 + std::abs(atoms.convective[d])));
        }
      }
    });
  }
}

}  // namespace
}  // namespace triad

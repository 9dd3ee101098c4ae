// Compares the heat current summed over bonds, and the driving forces of bonds, with those from per-atom energies and
// virials.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "forces/tersoff/bond_driving.h"
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

  template <AtomVirial Kind>
  HeatFlow by_bonds() const {
    HeatFlow sum;
    for (int j = 0; j < n(); ++j)
      add_bond_heat<Kind>(
          model, element, j, n(), record.data(), v, [&](int k) { return neighbour_v[k]; }, sum);
    return sum;
  }
  HeatFlow by_atoms(AtomVirial kind) const {
    HeatFlow sum;
    for (int j = 0; j < n(); ++j) {
      BondTally tally;
      general_gradient<true>(model, element, j, n(), record.data(), &tally);
      const Vec3<double> u = neighbour_v[j];
      const double of_centre[3] = {v.x, v.y, v.z}, of_neighbour[3] = {u.x, u.y, u.z};
      if (kind == AtomVirial::Centroid) {
        add_tallied_flow(sum, of_centre, tally.energy, tally.centre_centroid.v, 9);
        add_tallied_flow(sum, of_neighbour, tally.energy, tally.neighbour_centroid.v, 9);
      } else {
        add_tallied_flow(sum, of_centre, tally.energy, tally.centre_virial.v, 6);
        add_tallied_flow(sum, of_neighbour, tally.energy, tally.neighbour_virial.v, 6);
      }
    }
    return sum;
  }
};

void expect_flow(const HeatFlow &bonds, const HeatFlow &atoms, int n) {
  for (int c = 0; c < 9; ++c)
    EXPECT_NEAR(bonds.flow[c], atoms.flow[c], 1e-11 * (1 + std::abs(atoms.flow[c]))) << n << " neighbours";
  for (int d = 0; d < 3; ++d)
    EXPECT_NEAR(bonds.convective[d], atoms.convective[d], 1e-11 * (1 + std::abs(atoms.convective[d])));
}

TEST(BondHeat, IsThatOfAtoms) {
  Random random(7);
  for (const TersoffTable &table : {one_element(silicon_t3()), one_element(silicon_t3_lambda3()), three_elements(),
                                    mod(), mod_c(0.1), silicon_carbide_zbl()}) {
    const auto packed = pack_params<double>(table);
    with_model<double>(table, packed.data(), [&](const auto &model) {
      for (int n = 1; n < 9; ++n) {
        const Centre centre(model, n, table.nelements(), random);
        expect_flow(centre.template by_bonds<AtomVirial::Centroid>(), centre.by_atoms(AtomVirial::Centroid), n);
        expect_flow(centre.template by_bonds<AtomVirial::Thirds>(), centre.by_atoms(AtomVirial::Thirds), n);
      }
    });
  }
}

template <class Model>
void expect_driving_of_tallies(const Model &model, const TersoffTable &table, int n, Random &random) {
  const Centre centre(model, n, table.nelements(), random);
  const Vec3<double> field = {random(-0.1, 0.1), random(-0.1, 0.1), random(-0.1, 0.1)};
  const double along[3] = {field.x, field.y, field.z};
  std::vector<Vec3<double>> unrolled(4, {0, 0, 0});
  Vec3<double> sum = {0, 0, 0}, unrolled_sum = {0, 0, 0};
  if (n <= 4) {
    int element[4] = {};
    Bond<double> bond[4];
    BondDriving<double> driving[4], with_forces[4];
    for (int k = 0; k < 4; ++k) {
      element[k] = k < n ? centre.record[k].element : centre.element;
      bond[k] = k < n ? centre.record[k].bond : no_bond(1.01 * table.cutmax());
    }
    driving_unrolled<4, false>(model, centre.element, element, bond, field, driving);
    driving_unrolled<4, true>(model, centre.element, element, bond, field, with_forces);
    Vec3<double> force[4], force_on_centre = {0, 0, 0}, both = {0, 0, 0};
    double energy[4];
    tersoff_unrolled<4>(model, centre.element, element, bond, force, energy);
    for (int k = 0; k < n; ++k) {
      const Vec3<double> gradient = driving[k].gradient;
      unrolled[k] = -1.0 * gradient;
      EXPECT_NEAR(with_forces[k].gradient.x, gradient.x + force[k].x, 1e-12 * (1 + std::abs(force[k].x)));
      EXPECT_NEAR(with_forces[k].gradient.z, gradient.z + force[k].z, 1e-12 * (1 + std::abs(force[k].z)));
      unrolled_sum = unrolled_sum + driving[k].centre;
      both = both + with_forces[k].centre;
      force_on_centre = force_on_centre + force[k];
    }
    EXPECT_NEAR(both.y, unrolled_sum.y + force_on_centre.y, 1e-11);
    EXPECT_NEAR(both.z, unrolled_sum.z + force_on_centre.z, 1e-11);
  }
  const auto expect = [&](const Vec3<double> &found, const double *expected) {
    EXPECT_NEAR(found.x, expected[0], 1e-12 * (1 + std::abs(expected[0]))) << n << " neighbours";
    EXPECT_NEAR(found.y, expected[1], 1e-12 * (1 + std::abs(expected[1]))) << n << " neighbours";
    EXPECT_NEAR(found.z, expected[2], 1e-12 * (1 + std::abs(expected[2]))) << n << " neighbours";
  };
  Tensor9 of_centre;
  double expected[3];
  for (int j = 0; j < n; ++j) {
    BondTally tally;
    general_gradient<true>(model, centre.element, j, n, centre.record.data(), &tally);
    const auto found = bond_driving<false>(model, centre.element, j, n, centre.record.data(), field);
    driving_force(along, tally.neighbour_centroid.v, expected);
    expect(-1.0 * found.gradient, expected);
    if (n <= 4) expect(unrolled[j], expected);
    for (int c = 0; c < 9; ++c) of_centre.v[c] += tally.centre_centroid.v[c];
    sum = sum + found.centre;
  }
  driving_force(along, of_centre.v, expected);
  expect(sum, expected);
  if (n <= 4) expect(unrolled_sum, expected);
}

TEST(BondDriving, IsFieldTimesVirial) {
  Random random(11);
  for (const TersoffTable &table : {one_element(silicon_t3()), one_element(silicon_t3_lambda3()), three_elements(),
                                    mod(), mod_c(0.1), silicon_carbide_zbl()}) {
    const auto packed = pack_params<double>(table);
    with_model<double>(table, packed.data(), [&](const auto &model) {
      for (int n = 1; n < 9; ++n) expect_driving_of_tallies(model, table, n, random);
    });
  }
}

}  // namespace
}  // namespace triad

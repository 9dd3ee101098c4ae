// Compares pair forces of every law, range, kernel, backend and precision with a double loop.

#include "forces/pair_backends.h"
#include "forces/pair_cases.h"

namespace triad {
namespace {

using Pairwise = PairBackendTest;
INSTANTIATE_TEST_SUITE_P(, Pairwise, testing::ValuesIn(all_pair_backends()), testing::PrintToStringParamName());

void expect_all_pairs(const PairBackend &backend) {
  for (const int n : {0, 1, 2, 3, 31, 32, 33, 97, 260, 533})
    for (const auto &[system, reference] : all_pairs_of(n)) {
      SCOPED_TRACE(system.name + ", " + std::to_string(n) + " atoms");
      const auto loops = backend.make(system.setup);
      set_lists(*loops, system, false);
      for (const TallyRequest &request : {forces_only, totals, everything})
        expect_matches(compute(*loops, system, request), system, reference, backend.precision, request);
    }
}
TEST_P(Pairwise, AgreeWithTheDoubleLoopForAllPairs) { expect_all_pairs(backend); }

using PairwiseByInstructionSet = PairBackendTest;
INSTANTIATE_TEST_SUITE_P(, PairwiseByInstructionSet, testing::ValuesIn(pair_backends_of_lower_isas()),
                         testing::PrintToStringParamName());
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PairwiseByInstructionSet);  // a machine may have a single instruction set
TEST_P(PairwiseByInstructionSet, AgreeWithTheDoubleLoopForAllPairs) { expect_all_pairs(backend); }

TEST_P(Pairwise, AgreeWithTheDoubleLoopForLists) {
  for (const int n : {0, 1, 2, 3, 33, 150, 301})
    for (const auto &[system, reference] : listed_of(n))
      for (const bool full : {false, true}) {
        if (full && system.setup.range == PairRange::Pairs) continue;
        SCOPED_TRACE(system.name + ", " + std::to_string(n) + (full ? " atoms, full list" : " atoms"));
        const auto loops = backend.make(system.setup);
        set_lists(*loops, system, full);
        for (const TallyRequest &request : {forces_only, totals, everything})
          expect_matches(compute(*loops, system, request), system, reference, backend.precision, request);
      }
}

/// The slices of several ranks add up to the full result.
TEST_P(Pairwise, AddUpOverRanks) {
  for (const auto &[system, reference] : all_pairs_of(170))
    for (const int ranks : {2, 3, 7}) {
      SCOPED_TRACE(system.name + ", " + std::to_string(ranks) + " ranks");
      Results sum = {std::vector<double>(3 * system.n()), std::vector<double>(system.n()),
                     std::vector<double>(6 * system.n()), std::vector<double>(9 * system.n())};
      const auto add = [](std::vector<double> &a, const std::vector<double> &b) {
        for (std::size_t k = 0; k < a.size(); ++k) a[k] += b[k];
      };
      for (int rank = 0; rank < ranks; ++rank) {
        const auto loops = backend.make(system.setup);
        set_lists(*loops, system, false);
        const Results part = compute(*loops, system, everything, {rank, ranks});
        add(sum.force, part.force);
        add(sum.atom_energy, part.atom_energy);
        add(sum.atom_virial, part.atom_virial);
        add(sum.atom_centroid, part.atom_centroid);
        sum.energy += part.energy;
        for (int v = 0; v < 6; ++v) sum.virial[v] += part.virial[v];
      }
      expect_matches(sum, system, reference, backend.precision);
    }
}

TEST_P(Pairwise, AddToWhatIsThere) {
  const PairSystem system = lennard_jones(70);
  const auto loops = backend.make(system.setup);
  const Results results = compute(*loops, system, everything, {}, 3);
  expect_matches(results, system, backend.precision == Precision::Double ? Precision::Mixed : backend.precision,
                 everything, 3);
}

/// Momentum is conserved to the rounding of each sum.
TEST_P(Pairwise, KeepMomentum) {
  for (const PairSystem &system :
       {gravity(700), coulomb(700), lennard_jones(700), from_list(lennard_jones(300), 2.5), harmonic(300)}) {
    const Results results = compute_once(backend, system, forces_only);
    double total[3] = {0, 0, 0}, size = 0;
    for (int i = 0; i < system.n(); ++i)
      for (int axis = 0; axis < 3; ++axis) {
        total[axis] += results.force[3 * i + axis];
        size += std::fabs(results.force[3 * i + axis]);
      }
    for (const double t : total)
      EXPECT_NEAR(t, 0, size * (backend.precision == Precision::Double ? 1e-15 : 3e-7)) << system.name;
  }
}

/// A single backend as used by LAMMPS: atoms appear, vanish, move and change types, strengths and sides.
TEST_P(Pairwise, FollowChangesOfAtoms) {
  const auto loops = backend.make(with_sides(coulomb(10)).setup);
  unsigned seed = 40;
  for (const int n : {40, 0, 1, 300, 299, 65, 301}) {
    PairSystem system = coulomb(n, seed++);
    system.setup.law = coulomb(10).setup.law;
    expect_matches(compute(*loops, system), system, backend.precision);
    for (int i = 0; i < n; i += 3) system.x[3 * i] += 0.25;
    for (int i = 0; i < n; i += 5) system.type[i] = 1 + system.type[i] % 3;
    expect_matches(compute(*loops, system, forces_only), system, backend.precision, forces_only);
    system = with_sides(system, seed);
    expect_matches(compute(*loops, system), system, backend.precision);
  }
}

TEST_P(Pairwise, FollowChangesOfMasses) {
  PairSystem system = gravity(100, 50, 0.05, true);
  const auto loops = backend.make(system.setup);
  expect_matches(compute(*loops, system), system, backend.precision);
  system.strength[17] = 3;
  expect_matches(compute(*loops, system), system, backend.precision);
}

/// Forces, energies and virials of the same bodies in units from atoms to galaxies, whose values exceed the range of
/// fp32.
TEST_P(Pairwise, ComputeGravityInAnyUnits) {
  for (const double length : {1e-22, 1e-9, 1e9, 1e26})
    for (const double mass : {1e-30, 1e36})
      for (PairSystem system :
           {gravity(50), gravity(50, 1, 0.05, true), gravity(50, 1, 0), in_box(gravity(50, 13), {5, 6, 7}),
            in_box(gravity(50, 16), {6, 7, 6.5, -2.5, 0, 1, {true, true, true}})}) {
        SCOPED_TRACE(system.name + ", lengths of " + std::to_string(length) + ", masses of " + std::to_string(mass));
        for (double &x : system.x) x *= length;
        for (double &m : system.strength) m *= mass;
        if (system.box)
          for (double *edge :
               {&system.box->xx, &system.box->yy, &system.box->zz, &system.box->xy, &system.box->xz, &system.box->yz})
            *edge *= length;
        std::get<GravitySettings>(system.setup.law).eps *= length;
        const PairReference reference = system.reference();
        const auto loops = backend.make(system.setup);
        for (const TallyRequest &request : {forces_only, everything})
          expect_matches(compute(*loops, system, request), system, reference, backend.precision, request);
      }
}

/// Masses from asteroids to stars.
TEST_P(Pairwise, ComputeGravityOfVeryDifferentMasses) {
  for (const double ratio : {1e5, 1e7, 1e20}) {
    PairSystem system = gravity(120);
    for (int i = 0; i < system.n(); i += 2) system.strength[i] *= ratio;
    expect_matches(compute_once(backend, system), system, backend.precision);
  }
}

TEST_P(Pairwise, RefuseExtentsThatTheFormatsDoNotHold) {
  PairSystem system = lennard_jones(40);
  system.x[3] = 2e12;
  const auto loops = backend.make(system.setup);
  if (backend.precision == Precision::Double) {
    EXPECT_NO_THROW(compute(*loops, system));
  } else {
    EXPECT_THROW(compute(*loops, system), LoopError);
  }
}

/// Positions change between list updates; sides change too, as with dynamic groups.
TEST_P(Pairwise, UseAListUntilTheNext) {
  PairSystem system = from_list(with_sides(lennard_jones(200, 51)), 2.0);
  const auto loops = backend.make(system.setup);
  set_lists(*loops, system, backend.kernel == PairKernel::OneSided);
  Random random(52);
  for (int step = 0; step < 4; ++step) {
    for (double &x : system.x) x += random(-0.03, 0.03);
    for (int i = step; i < system.n(); i += 7) system.side[i] = std::uint8_t(random.below(4));
    expect_matches(compute(*loops, system), system, backend.precision);
  }
}

/// Displaces all atoms by up to `near` in each step and by up to `far` in every `period`-th one, and compares all
/// steps.
void expect_renewed(const PairBackend &backend, PairSystem system, unsigned seed, int steps, int period, double near,
                    double far) {
  const auto loops = backend.make(system.setup);
  set_lists(*loops, system, false);
  Random random(seed);
  for (int step = 0; step < steps; ++step) {
    const double most = step % period == period - 1 ? far : near;
    for (double &x : system.x) x += random(-most, most);
    SCOPED_TRACE(step);
    expect_matches(compute(*loops, system, totals), system, backend.precision, totals);
  }
}

/// The filtered list of pairs is renewed when atoms have moved too far.
TEST_P(Pairwise, RefreshTheFilteredPairs) { expect_renewed(backend, harmonic(250, 53), 54, 30, 10, 0.05, 1.0); }

TEST_P(Pairwise, RefreshTheCandidatesAndKeepTheBonds) {
  expect_renewed(backend, any_law(250, 63), 64, 12, 4, 0.02, 0.4);
}

/// Distances below the first point of a table, and FENE bonds of twice their greatest length.
TEST_P(Pairwise, RefuseDistancesWithoutAForce) {
  PairSystem close = tabulated(40);
  for (int axis = 0; axis < 3; ++axis) close.x[3 * 7 + axis] = close.x[3 * 4 + axis] + 0.1;
  PairSystem torn = any_law(40, 65);
  torn.pairs.push_back({3, 9, {{30, 0.3, 1, 1}, ListedKind::Fene, true}});
  for (const PairSystem &system : {close, torn})
    EXPECT_THROW(
        {
          const auto loops = backend.make(system.setup);
          set_lists(*loops, system, false);
          compute(*loops, system);
        },
        LoopError);
}

TEST_P(Pairwise, AcceptNewPairs) {
  const auto loops = backend.make(harmonic(2).setup);
  unsigned seed = 55;
  for (const int n : {50, 3, 0, 120}) {
    const PairSystem system = harmonic(n, seed++);
    set_lists(*loops, system, false);
    expect_matches(compute(*loops, system), system, backend.precision);
  }
}

TEST_P(Pairwise, NameCoincidentAtoms) {
  for (PairSystem system : {gravity(150, 56, 0), lennard_jones(150, 57), from_list(lennard_jones(150, 58), 2.5)}) {
    SCOPED_TRACE(system.name);
    for (int axis = 0; axis < 3; ++axis) system.x[3 * 98 + axis] = system.x[3 * 41 + axis];
    if (system.setup.range == PairRange::List) system.list_neighbours();
    try {
      compute_once(backend, system, forces_only);
      ADD_FAILURE() << "no error";
    } catch (const CoincidentAtoms &e) {
      EXPECT_EQ(e.i, 41);
      EXPECT_EQ(e.j, 98);
    } catch (const LoopError &e) {  // reported one step later, when the atoms have moved on
      EXPECT_EQ(backend.location, Backend::Device);
      EXPECT_EQ(system.setup.range, PairRange::List);
      EXPECT_NE(std::string(e.what()).find("overlapping atoms"), std::string::npos) << e.what();
    }
  }
}

TEST_P(Pairwise, StayFiniteWhereSoftenedAtomsMeet) {
  for (PairSystem system : {gravity(150, 59), coulomb(150, 60), harmonic(100, 61)}) {
    SCOPED_TRACE(system.name);
    for (int axis = 0; axis < 3; ++axis) system.x[3 * 98 + axis] = system.x[3 * 41 + axis];
    if (system.setup.range == PairRange::Pairs) system.pairs.push_back({41, 98, spring(3, 1.2)});
    expect_matches(compute_once(backend, system), system, backend.precision);
  }
}

TEST_P(Pairwise, RefuseAPositionThatIsNotANumber) {
  for (PairSystem system :
       {gravity(50), in_box(gravity(50), {5, 5, 5}), from_list(lennard_jones(50), 2.5), harmonic(50)}) {
    const auto loops = backend.make(system.setup);
    set_lists(*loops, system, false);
    system.x[50] = std::nan("");
    EXPECT_THROW(compute(*loops, system), LoopError);
  }
}

/// Far from the origin fp32 would lose the separations if the differences were not taken first.
TEST_P(Pairwise, KeepSeparationsFarFromTheOrigin) {
  for (PairSystem system : {gravity(90), lennard_jones(90), from_list(lennard_jones(90), 2.5)}) {
    for (double &x : system.x) x += 1048576;
    if (system.setup.range == PairRange::List) system.list_neighbours();
    expect_matches(compute_once(backend, system), system, backend.precision);
  }
}

#if defined(TRIAD_HAS_CUDA)
using PairwiseOnTheDevice = PairBackendTest;
INSTANTIATE_TEST_SUITE_P(, PairwiseOnTheDevice, testing::ValuesIn(pair_backends_on(Backend::Cuda)),
                         testing::PrintToStringParamName());

/// More atoms than a double loop can handle, so that the kernels for many atoms are used. The reference is the fp64
/// backend, which the cases above compare with the double loop.
TEST_P(PairwiseOnTheDevice, AgreesForManyAtoms) {
  const PairBackend host = {Backend::Host, Precision::Double, PairKernel::Triangular};
  const PairBackend onesided = {Backend::Cuda, Precision::Double, PairKernel::OneSided};
  const struct {
    PairSystem system;
    PairBackend reference;
  } cases[] = {{with_sides(gravity(6500, 30)), host},
               {in_box(lennard_jones(6200, 31), {26, 26, 27, 3, 0, -2}), host},
               {gravity(17000, 32, 0.05, true), host},
               {gravity(66000, 33), onesided},
               {with_sides(coulomb(66000, 34)), onesided}};
  for (const auto &[system, reference] : cases) {
    SCOPED_TRACE(system.name + ", " + std::to_string(system.n()) + " atoms");
    const Results exact = compute_once(reference, system, forces_only);
    const Results results = compute_once(backend, system, forces_only);
    double squares = 0;
    for (const double f : exact.force) squares += f * f;
    const double size = std::sqrt(squares / system.n());
    for (std::size_t k = 0; k < exact.force.size(); ++k)
      ASSERT_NEAR(results.force[k], exact.force[k],
                  pair_error(backend.precision) * (20 * size + 5 * std::abs(exact.force[k])))
          << "atom " << k / 3;
  }
}

using DevicePairs = PairBackendTest;
INSTANTIATE_TEST_SUITE_P(, DevicePairs, testing::ValuesIn(pair_backends_on(Backend::Device)),
                         testing::PrintToStringParamName());

/// Compares with the same backend without owners. Several ghosts have the same owner, and some atoms have no ghosts.
TEST_P(DevicePairs, AddGhostForcesToOwners) {
  const double initial = 0.5;
  for (const PairSystem &system : {harmonic(90), with_sides(harmonic(90, 27)), from_list(lennard_jones(90), 2.5)}) {
    const int n_owned = 40, n = system.n();
    std::vector<int> owner;
    for (int g = 0; g < n - n_owned; ++g) owner.push_back((7 * g) % 33);
    PairAtomsView atoms = system.atoms();
    atoms.n_owned = n_owned;
    atoms.owner = owner.data();
    for (const TallyRequest &request : {forces_only, totals, everything}) {
      const auto loops = backend.make(system.setup), without = backend.make(system.setup);
      set_lists(*loops, system, false);
      set_lists(*without, system, false);
      Results expected = compute(*without, system, request, {}, initial);
      const auto send = [&](std::vector<double> &values, int width) {
        for (int g = 0; g < n - n_owned; ++g)
          for (int k = 0; k < width; ++k) {
            double &ghost = values[(n_owned + g) * width + k];
            values[owner[g] * width + k] += ghost - initial;
            ghost = initial;
          }
      };
      send(expected.force, 3);
      send(expected.atom_energy, 1);
      send(expected.atom_virial, 6);
      for (int repeat = 0; repeat < 2; ++repeat) {
        const Results found =
            results_of(n, request, initial, [&](ResultsView &view) { loops->compute(atoms, request, view); });
        const auto expect_near = [&](const std::vector<double> &a, const std::vector<double> &b) {
          double largest = 1;
          for (const double value : b) largest = std::max(largest, std::abs(value));
          for (std::size_t k = 0; k < b.size(); ++k)
            ASSERT_NEAR(a[k], b[k], pair_error(backend.precision) * largest) << system.name << " " << k;
        };
        expect_near(found.force, expected.force);
        expect_near(found.atom_energy, expected.atom_energy);
        expect_near(found.atom_virial, expected.atom_virial);
        EXPECT_NEAR(found.energy, expected.energy, pair_error(backend.precision) * std::abs(expected.energy));
      }
    }
  }
}
#endif

TEST(PairwiseSetup, NamesWhatIsWrong) {
  const auto message = [](PairwiseSetup setup) {
    try {
      make_pairwise_host(setup, 1);
    } catch (const LoopError &e) {
      return std::string(e.what());
    }
    return std::string();
  };
  PairwiseSetup setup = gravity(1).setup;
  EXPECT_EQ(message(setup), "");
  setup.law = GravitySettings{1, -1};
  EXPECT_NE(message(setup).find("gravity eps is -1"), std::string::npos);
  setup = coulomb(1).setup;
  std::get<CoulombPowerSettings>(setup.law).pairs.set(1, 3, {1, -0.5, 2});
  EXPECT_NE(message(setup).find("c2 of types 1 and 3 is -0.5"), std::string::npos);
  setup.n_types = 4;
  EXPECT_NE(message(setup).find("there are coefficients for 3 atom types"), std::string::npos);
  setup = lennard_jones(1).setup;
  setup.range = PairRange::List;
  EXPECT_NE(message(setup).find("cutoff is 0"), std::string::npos);
  setup.range = PairRange::Pairs;
  EXPECT_NE(message(setup).find("listed pairs"), std::string::npos);
  setup = harmonic(1).setup;
  setup.range = PairRange::All;
  EXPECT_NE(message(setup).find("listed pairs"), std::string::npos);
}

}  // namespace
}  // namespace triad

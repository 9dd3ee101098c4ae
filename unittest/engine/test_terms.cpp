// Compares engines that compute several forces with the sum of these forces in fp64.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "dynamics/heat_current.h"
#include "engine/make_engine.h"
#include "forces/backends.h"
#include "testing/periodic_box.h"

namespace triad {
namespace {

constexpr double a = 5.432, edge[3] = {3 * a, 3 * a, 3 * a};

/// A silicon crystal of atoms of types 1 and 2 in a random order.
System two_types() {
  TersoffTable table = one_element(silicon_t3());
  const TersoffEntry silicon = table.triplets[0];
  table.elements = {"Si", "X"};
  table.triplets.assign(8, silicon);
  System system(table);
  const System crystal = diamond(silicon_t3(), 3, 0.1);
  Random random(11);
  for (int i = 0; i < crystal.n_all(); ++i)
    system.add({crystal.x[3 * i], crystal.x[3 * i + 1], crystal.x[3 * i + 2]}, 1 + random.below(2));
  return system;
}

/// Which pairs of types belong to which term: a Tersoff potential for either type, and Lennard-Jones for the others.
struct Case {
  const char *name;
  bool first_tersoff, second_tersoff, pairs;
};
std::ostream &operator<<(std::ostream &out, const Case &c) { return out << c.name; }

/// The forces of an engine with all tallies: per-atom ones of owned atoms and ghosts, and totals.
struct PerAtomTallies {
  PerAtomTallies(std::size_t n_all, MdEngine &engine) : energy(n_all, 0), virial(6 * n_all, 0), centroid(9 * n_all, 0) {
    results.atom_energy = energy.data();
    results.atom_virial = virial.data();
    results.atom_centroid = centroid.data();
    engine.compute_forces(everything, results);
  }
  std::vector<double> energy, virial, centroid;  // [n_all] times 1, 6 and 9
  ResultsView results;
};

class Terms : public testing::TestWithParam<std::tuple<Backend, Case>> {
 protected:
  void SetUp() override {
    const std::string reason = why_not(backend);
    if (!reason.empty()) GTEST_SKIP() << reason;
  }
  const Backend backend = std::get<0>(GetParam());
  const Case chosen = std::get<1>(GetParam());
  const double error = course_error(backend.precision);
  PeriodicBox box{two_types(), edge, 8}, other{two_types(), edge, 8};

  ForceTerms terms() const {
    ForceTerms all;
    const TersoffTable silicon = one_element(silicon_t3());
    if (chosen.first_tersoff) all.term.push_back(TersoffSetup{silicon, {-1, 0, -1}, backend.precision});
    if (chosen.pairs) all.term.push_back(pair_setup());
    if (chosen.second_tersoff) all.term.push_back(TersoffSetup{silicon, {-1, -1, 0}, backend.precision});
    return all;
  }
  PairwiseSetup pair_setup() const {
    LennardJonesCutSettings law;
    law.pairs = TypePairTable<LennardJonesCutSettings::Entry>(2);
    law.pairs.set(1, 2, {0.3, 2.2, 3.1, 0.01});
    law.pairs.set(2, 2, {0.1, 2.0, 2.7, 0});
    PairwiseSetup setup;
    setup.law = law;
    setup.range = PairRange::List;
    setup.cutoff = 3.1;
    setup.n_types = 2;
    setup.precision = backend.precision;
    return setup;
  }
  std::unique_ptr<MdEngine> engine() const {
#if defined(TRIAD_HAS_CUDA)
    if (backend.location == Backend::Cuda) return make_engine_cuda(terms(), 0, backend.threads);
#endif
    return make_engine_host(terms(), backend.threads);
  }
  std::size_t n_terms() const { return std::size_t(chosen.first_tersoff) + chosen.pairs + chosen.second_tersoff; }
  void send(PeriodicBox &of, MdEngine &to) const {
    TermLists lists;
    lists.list.assign(n_terms(), of.list.rows());
    to.set_atoms(of.arrays(), lists, of.halo);
  }

  /// Forces of each term in fp64 on the owned atoms, [terms]; totals by term.
  std::vector<std::vector<double>> expected(PeriodicBox &of, std::vector<ForceTotals> &totals) const {
    std::vector<std::vector<double>> forces;
    ForceTerms all = terms();
    for (ForceTerm &term : all.term) {
      std::unique_ptr<ForceBackend> loops;
      if (auto *pairs = std::get_if<PairwiseSetup>(&term)) {
        pairs->precision = Precision::Double;
        loops = make_pair_list_force_host(*pairs, 1);
      } else {
        auto &tersoff = std::get<TersoffSetup>(term);
        tersoff.precision = Precision::Double;
        loops = make_tersoff_host(tersoff, 1);
      }
      loops->set_neighbours(of.list.rows(), of.system.atoms());
      std::vector<double> force(3 * std::size_t(of.n_all()), 0);
      ResultsView results;
      results.force = force.data();
      loops->compute(of.system.atoms(), triad::totals, results);
      totals.push_back(totals_of(results));
      for (std::size_t g = 0; g < of.halo.owner.size(); ++g)
        for (int k = 0; k < 3; ++k) force[3 * of.halo.owner[g] + k] += force[3 * (of.n_owned() + g) + k];
      force.resize(of.v.size());
      forces.push_back(force);
    }
    return forces;
  }
  void expect_forces(PeriodicBox &of, MdEngine &from) const {
    std::vector<ForceTotals> parts;
    const auto forces = expected(of, parts);
    from.sync_host(field_f);
    for (std::size_t k = 0; k < of.v.size(); ++k) {
      double sum = 0;
      for (const auto &force : forces) sum += force[k];
      ASSERT_NEAR(of.f[k], sum, 300 * error) << "force on atom " << k / 3;
    }
    ASSERT_EQ(from.term_totals().size(), parts.size());
    for (std::size_t t = 0; t < parts.size(); ++t) {
      const double scale = 1 + std::fabs(parts[t].energy);
      EXPECT_NEAR(from.term_totals()[t].energy, parts[t].energy, 30 * error * scale) << "term " << t;
      for (int k = 0; k < 6; ++k)
        EXPECT_NEAR(from.term_totals()[t].virial[k], parts[t].virial[k], 300 * error * scale) << "term " << t;
    }
  }
};

INSTANTIATE_TEST_SUITE_P(
    , Terms,
    testing::Combine(testing::ValuesIn(all_backends()),
                     testing::Values(Case{"TersoffAndPairs", true, false, true}, Case{"TwoTersoffs", true, true, false},
                                     Case{"All", true, true, true}, Case{"PairsAlone", false, false, true})),
    [](const auto &info) { return testing::PrintToString(std::get<0>(info.param)) + std::get<1>(info.param).name; });

TEST_P(Terms, AddUp) {
  const auto engine = this->engine();
  send(box, *engine);
  ResultsView results;
  engine->compute_forces(totals, results);
  expect_forces(box, *engine);
  EXPECT_NEAR(results.energy, sum_of(engine->term_totals()).energy, 1e-9 * (1 + std::fabs(results.energy)));
}

TEST_P(Terms, HavePerAtomTallies) {
  const auto engine = this->engine();
  send(box, *engine);
  auto [energy, virial, centroid, results] = PerAtomTallies(box.n_all(), *engine);
  expect_forces(box, *engine);
  const double scale = 1 + std::fabs(results.energy);
  EXPECT_NEAR(std::accumulate(energy.begin(), energy.end(), 0.0), results.energy, 30 * error * scale);
  for (int k = 0; k < 6; ++k) {
    double sum = 0;
    for (int i = 0; i < box.n_all(); ++i) sum += virial[6 * i + k];
    EXPECT_NEAR(sum, results.virial[k], 300 * error * scale);
  }
}

/// The sums of the tallies that an engine keeps are those of the tallies that it gives to the caller.
TEST_P(Terms, SumTheTalliesThatTheyKeep) {
  const auto engine = this->engine();
  send(box, *engine);
  auto [energy, virial, centroid, results] = PerAtomTallies(box.n_all(), *engine);
  ResultsView nowhere;
  engine->compute_forces(everything, nowhere);

  for (std::size_t g = 0; g < box.halo.owner.size(); ++g) {
    const int i = box.n_owned() + static_cast<int>(g), owner = box.halo.owner[g];
    energy[owner] += energy[i];
    for (int k = 0; k < 6; ++k) virial[6 * owner + k] += virial[6 * i + k];
    for (int k = 0; k < 9; ++k) centroid[9 * owner + k] += centroid[9 * i + k];
  }
  Slabs slabs;
  slabs.high = edge[2];
  slabs.width = edge[2] / 5;
  slabs.count = 5;
  constexpr double kinetic_factor = 0.01;
  const auto in_group = [&](int i) { return (box.mask[i] & 2) != 0; };
  std::vector<SlabVirials> expected(slabs.count);
  HeatFlow thirds, of_centroids;
  double size = 0, flow_size = 0;
  for (int i = 0; i < box.n_owned(); ++i) {
    const double *const v = &box.v[3 * i], m = box.mass_of(i);
    for (int k = 0; k < 6; ++k) size += std::fabs(virial[6 * i + k]);
    for (int k = 0; k < 9; ++k) flow_size += std::fabs(centroid[9 * i + k] * v[k % 3]);
    if (!in_group(i)) continue;
    expected[slabs.of(&box.system.x[3 * i])].add(&virial[6 * i], kinetic_factor * m, v);
    const double e = energy[i] + kinetic_factor * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    add_tallied_flow(thirds, v, e, &virial[6 * i], 6);
    add_tallied_flow(of_centroids, v, e, &centroid[9 * i], 9);
  }
  for (int call = 0; call < 2; ++call) {  // sums must not change what is kept
    std::vector<SlabVirials> sums = engine->sum_slab_virials(2, slabs, kinetic_factor);
    ASSERT_EQ(sums.size(), expected.size());
    for (int s = 0; s < slabs.count; ++s)
      for (int k = 0; k < 6; ++k)
        EXPECT_NEAR(sums[s][k], expected[s][k], 1e-2 * error * size) << "slab " << s << " component " << k;
    for (const AtomVirial kind : {AtomVirial::Thirds, AtomVirial::Centroid}) {
      const HeatCurrent found = engine->heat_current(2, kinetic_factor, kind, true);
      const HeatCurrent wanted = current_of(kind == AtomVirial::Thirds ? thirds : of_centroids);
      for (int d = 0; d < 3; ++d) {
        EXPECT_NEAR(found.total[d], wanted.total[d], 1e-2 * error * flow_size);
        EXPECT_NEAR(found.convective[d], wanted.convective[d], 1e-2 * error * flow_size);
      }
    }
  }
}

TEST_P(Terms, AreTheSameInBatchesAndByHooks) {
  const auto batches = engine(), hooks = engine();
  ResultsView results;
  for (auto [of, to] : {std::pair(&box, batches.get()), std::pair(&other, hooks.get())}) {
    send(*of, *to);
    to->compute_forces({}, results);
  }
  StepBatch batch;
  batch.groups = {all_atoms};
  batch.last = totals;
  batch.first_step = 0;
  TotalsSampling sampling;
  sampling.steps = {20, 21, 38};
  for (const int steps : {1, 12, 27}) {
    batch.n_steps = steps;
    if (steps == 27 && batches->samples_totals()) batch.totals_sampling = &sampling;
    EXPECT_EQ(batches->run_steps(batch).completed, steps);
    batch.first_step += steps;
  }
  EXPECT_EQ(batches->samples_totals(), chosen.first_tersoff || backend.location != Backend::Cuda);
  ASSERT_EQ(sampling.sums.size(), batches->samples_totals() ? sampling.steps.size() : 0);
  for (int s = 0; s < 40; ++s) {
    const int index = batches->samples_totals() ? sampling.index_of(s) : -1;
    hooks->queue_kick(1, all_atoms.half_kick);
    hooks->queue_drift(1, all_atoms.drift);
    hooks->compute_forces(s == 39 || index >= 0 ? totals : TallyRequest(), results);
    hooks->queue_kick(1, all_atoms.half_kick);
    for (std::size_t t = 0; t < n_terms() && index >= 0; ++t) {
      const ForceTotals &wanted = hooks->term_totals()[t], &found = sampling.sums[index].at(t);
      EXPECT_NEAR(found.energy, wanted.energy, 30 * error * (1 + std::fabs(wanted.energy))) << "step " << s;
      for (int k = 0; k < 6; ++k)
        EXPECT_NEAR(found.virial[k], wanted.virial[k], 300 * error * (1 + std::fabs(wanted.energy))) << "step " << s;
    }
  }
  batches->sync_host(field_state);
  hooks->sync_host(field_state);
  for (std::size_t k = 0; k < box.v.size(); ++k) {
    ASSERT_NEAR(box.system.x[k], other.system.x[k], error) << "atom " << k / 3;
    ASSERT_NEAR(box.v[k], other.v[k], 100 * error) << "atom " << k / 3;
  }
  for (std::size_t t = 0; t < n_terms(); ++t)
    EXPECT_NEAR(batches->term_totals()[t].energy, hooks->term_totals()[t].energy,
                30 * error * (1 + std::fabs(hooks->term_totals()[t].energy)));
}

/// Lists that the engine makes hold only pairs of the types of a term.
TEST_P(Terms, HaveTheirOwnLists) {
  const auto engine = this->engine();
  ListBox edges;
  for (int d = 0; d < 3; ++d) edges.edge[d][d] = edge[d];
  edges.cutoff = box.system.table.cutoff() + box.skin;
  if (!engine->makes_lists(edges, box.n_owned())) {
    EXPECT_NE(backend.location, Backend::Cuda);
    GTEST_SKIP() << "on the host, LAMMPS builds the lists";
  }
  TermLists lists;
  for (const ForceTerm &term : terms().term) {
    NeighborListView none;
    const bool pairs = std::holds_alternative<PairwiseSetup>(term);
    none.cutoff = pairs ? 3.1 + box.skin : edges.cutoff;
    lists.list.push_back(none);
    const int n_types = box.arrays().n_types;
    ASSERT_EQ(n_types, 3);
    const std::vector<char> all(16, 1), unlike_and_second = {0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0};
    lists.types.push_back(pairs ? unlike_and_second : all);
  }
  edges.cutoff = lists.cutoff();
  std::vector<int> crossings(box.v.size(), 0);
  AtomArrays arrays = box.arrays();
  arrays.n_ghosts = 0;
  arrays.crossings = crossings.data();
  HaloPlan no_ghosts;
  no_ghosts.shift = {0, 0, 0};
  engine->set_atoms(arrays, lists, no_ghosts);
  ASSERT_TRUE(engine->make_list(edges));
  ResultsView results;
  engine->compute_forces(totals, results);
  expect_forces(box, *engine);
}

}  // namespace
}  // namespace triad

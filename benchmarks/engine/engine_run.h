// A sample of atoms on an engine on the GPU, which makes its own lists and advances whole steps without LAMMPS.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "engine/md_engine.h"
#include "testing/atom_arrays.h"
#include "testing/structures.h"

namespace triad {
namespace bench {

/// Atoms, their box and their potential.
struct Sample {
  std::vector<double> x, v, mass = {0};
  std::vector<int> type;
  double edge[3] = {0, 0, 0};
  TersoffTable table;
  double melt = 0;  ///< K at which the sample is melted before it is brought to the temperature of the run; 0: never
  double temperature = 300;

  int n() const { return static_cast<int>(type.size()); }
};

/// Normal velocities without net momentum.
inline void set_velocities(Sample &s, double temperature) {
  const int n = s.n();
  s.v.resize(3 * std::size_t(n));
  double momentum[3] = {0, 0, 0}, mass = 0;
  for (int i = 0; i < n; ++i) {
    const double m = s.mass[s.type[i]], sigma = std::sqrt(boltzmann * temperature / (m * mass_to_energy));
    for (int d = 0; d < 3; ++d) momentum[d] += m * (s.v[3 * i + d] = sigma * gaussian(7, 3 * std::size_t(i) + d));
    mass += m;
  }
  for (int i = 0; i < n; ++i)
    for (int d = 0; d < 3; ++d) s.v[3 * i + d] -= momentum[d] / mass;
}

/// A sample on an engine, with steps of 1 fs.
class EngineRun {
 public:
  /// `skin`: of the neighbour list, Angstrom.
  explicit EngineRun(Sample &sample, Precision precision, double skin = 1) : s_(sample), skin_(skin) {
    TersoffSetup setup = {s_.table, {-1}, precision};
    for (int e = 0; e < s_.table.nelements(); ++e) setup.type_to_element.push_back(e);
    engine_ = make_engine_cuda(setup, 0, 1);
    for (int d = 0; d < 3; ++d) box_.edge[d][d] = s_.edge[d];
    box_.cutoff = s_.table.cutoff() + skin_;
    f_.assign(s_.x.size(), 0);
    crossings_.assign(s_.x.size(), 0);
    for (int i = 0; i < s_.n(); ++i) {
      mask_.push_back(1);
      tag_.push_back(i + 1);
    }
    AtomArrays a = views_of(s_.n(), s_.x, s_.v, f_, s_.type, mask_, tag_, s_.mass);
    a.crossings = crossings_.data();
    NeighborListView rows;
    rows.cutoff = box_.cutoff;
    HaloPlan halo;
    halo.shift = {0, 0, 0};
    engine_->set_atoms(a, rows, halo);
    if (!engine_->make_list(box_)) throw std::runtime_error("atoms are outside the box");
    ResultsView results;
    engine_->compute_forces({}, results);
  }

  BatchResult steps(long long n, double temperature = 0) {
    StepBatch batch;
    batch.n_steps = n;
    batch.first_step = step_;
    batch.groups = {{1, 0.5 * dt * conversion, dt}};
    const std::vector<LangevinTerms> terms(s_.mass.size(),
                                           langevin_terms(0.05, dt, boltzmann, mass_to_energy, conversion));
    if (temperature > 0) {
      LangevinThermostat langevin;
      langevin.force = {1, terms.data(), 0, 0, 4711};
      langevin.target = {temperature, temperature, 0, 1};
      batch.langevin.push_back(langevin);
    }
    batch.list.check = true;
    batch.list.limit = 0.5 * skin_;
    batch.list.ago = age_;
    batch.list.box = &box_;
    batch.list.own_until = n;
    batch.last.energy = true;
    const BatchResult result = engine_->run_steps(batch);
    if (result.completed != n) throw std::runtime_error("steps ended early");
    step_ += n;
    age_ = result.lists ? n - result.last_list : age_ + n;
    return result;
  }

  double temperature() {
    KineticSums sums = engine_->kinetic(1);
    return mass_to_energy * (sums[0] + sums[1] + sums[2]) / (3 * boltzmann * s_.n());
  }
  MdEngine &engine() { return *engine_; }
  /// A hash of positions, velocities and forces.
  std::uint64_t hash() {
    engine_->sync_host(field_state);
    std::uint64_t h = 1469598103934665603ull;
    for (const auto *array : {&s_.x, &s_.v, &f_})
      for (const double value : *array) {
        std::uint64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 1099511628211ull;
      }
    return h;
  }

 private:
  static constexpr double dt = 0.001, conversion = 1 / mass_to_energy;

  Sample &s_;
  double skin_;
  std::unique_ptr<MdEngine> engine_;
  ListBox box_;
  std::vector<double> f_;
  std::vector<int> mask_, tag_, crossings_;
  std::int64_t step_ = 1;
  long long age_ = 0;
};

}  // namespace bench
}  // namespace triad

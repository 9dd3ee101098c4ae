#include "host/systems.h"

#include <cmath>
#include <numeric>

#include "testing/mixed_tables.h"

namespace triad {
namespace bench {
namespace {

constexpr int cells = 16;
/// Standard deviation of the displacements at room temperature on one axis, Angstrom: approximately the square root of
/// B / (8 pi^2) with the Debye-Waller factor B = 0.46 A^2 of silicon, and less for the stiffer carbide.
constexpr double displacement_silicon = 0.076, displacement_carbide = 0.05;

constexpr double time_step = 0.001;  // ps
constexpr double skin = 1.0;         // Angstrom

/// Runs `steps` steps at `temperature` (K); velocities are rescaled at every list build.
void run_hot(Structure &s, std::vector<double> &v, double temperature, int steps) {
  constexpr int steps_per_list = 10;  // at 4000 K no atom moves half the skin in 10 fs
  constexpr double kick = time_step / (silicon_mass * mass_to_energy);
  const std::size_t n = s.x.size();
  for (int done = 0; done < steps; done += steps_per_list) {
    for (double &x : s.x) x -= s.length * std::floor(x / s.length);
    HostSystem system(s, silicon_table(), skin);
    const auto backend = make_tersoff_host(system.setup(Precision::Double), 1);
    backend->set_neighbours(system.rows(), system.atoms());
    double *x = system.positions();
    const GhostImages &ghosts = system.ghosts();
    for (int step = 0; step < steps_per_list; ++step) {
      std::vector<double> force(3 * std::size_t(system.atoms().n_all), 0.0);
      ResultsView results;
      results.force = force.data();
      backend->compute(system.atoms(), TallyRequest(), results);
      for (std::size_t k = 0; k < 3 * ghosts.size(); ++k) force[3 * ghosts.owner[k / 3] + k % 3] += force[n + k];
      for (std::size_t k = 0; k < n; ++k) {
        v[k] += kick * force[k];
        x[k] += time_step * v[k];
      }
      for (std::size_t k = 0; k < 3 * ghosts.size(); ++k)
        x[n + k] = x[3 * ghosts.owner[k / 3] + k % 3] + ghosts.shift[k];
    }
    s.x.assign(x, x + n);
    const double square = std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
    const double now = silicon_mass * mass_to_energy * square / (double(n) * boltzmann);
    for (double &component : v) component *= std::sqrt(temperature / now);
  }
}

/// `times`^3 adjacent copies.
Structure replicated(const Structure &s, int times) {
  Structure big;
  big.length = times * s.length;
  for (int z = 0; z < times; ++z)
    for (int y = 0; y < times; ++y)
      for (int x = 0; x < times; ++x) {
        const double shift[3] = {x * s.length, y * s.length, z * s.length};
        for (std::size_t k = 0; k < s.x.size(); ++k) big.x.push_back(s.x[k] + shift[k % 3]);
        big.element.insert(big.element.end(), s.element.begin(), s.element.end());
      }
  return big;
}

}  // namespace

HostSystem::HostSystem(const Structure &structure, const TersoffTable &table, double skin)
    : table_(table),
      atoms_(with_ghosts(structure, table.cutmax() + skin)),
      rows_(neighbour_rows(atoms_, table.cutmax() + skin)) {
  for (const int element : atoms_.element) type_.push_back(element + 1);
  for (int i = 0; i < atoms_.n_owned; ++i) {
    centre_.push_back(i);
    length_.push_back(rows_.length(i));
    neighbour_.push_back(rows_.neighbour.data() + rows_.offset[i]);
  }
}

TersoffSetup HostSystem::setup(Precision precision) const {
  TersoffSetup setup;
  setup.table = table_;
  setup.type_to_element = {-1};
  for (int e = 0; e < table_.nelements(); ++e) setup.type_to_element.push_back(e);
  setup.precision = precision;
  return setup;
}

AtomsView HostSystem::atoms() const {
  AtomsView view;
  view.n_owned = atoms_.n_owned;
  view.n_all = atoms_.n_all();
  view.x = atoms_.x.data();
  view.type = type_.data();
  return view;
}

NeighborListView HostSystem::rows() const {
  NeighborListView view;
  view.n_rows = atoms_.n_owned;
  view.centre = centre_.data();
  view.length = length_.data();
  view.neighbour = neighbour_.data();
  return view;
}

double HostSystem::mean_neighbours() const {
  long long bonds = 0;
  for (int i = 0; i < atoms_.n_owned; ++i)
    for (long long s = rows_.offset[i]; s < rows_.offset[i + 1]; ++s) {
      const int j = rows_.neighbour[s];
      const double *xi = atoms_.x.data() + 3 * std::size_t(i), *xj = atoms_.x.data() + 3 * std::size_t(j);
      const double cutoff = table_.cutoff(atoms_.element[i], atoms_.element[j]);
      bonds += std::hypot(xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]) < cutoff;
    }
  return double(bonds) / atoms_.n_owned;
}

Structure warm_silicon() {
  Structure s = make_diamond(cells, silicon_lattice);
  displace(s, displacement_silicon, 1);
  return s;
}

Structure liquid_silicon() {
  constexpr int copies = 4;
  constexpr double lattice = 5.256;  // Angstrom: the density of the melt, 2.57 g/cm^3
  Structure s = make_diamond(cells / copies, lattice);
  std::vector<double> v = thermal_velocities(s.size(), 8000, 1);
  run_hot(s, v, 4000, 1500);  // far above the melting point of the model, about 2550 K
  run_hot(s, v, 3000, 500);
  return replicated(s, copies);
}

Structure warm_silicon_carbide() {
  Structure s = make_diamond(cells, silicon_carbide_lattice, 1);
  displace(s, displacement_carbide, 1);
  return s;
}

}  // namespace bench
}  // namespace triad

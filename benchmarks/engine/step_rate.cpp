// Whole steps of the engine without LAMMPS: the rate of velocity Verlet on atoms that stay on the GPU, which makes its
// own lists.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/options.h"
#include "common/run_guarded.h"
#include "engine/engine_run.h"
#include "io/tersoff_file.h"
#include "testing/structures.h"

namespace triad {
namespace bench {
namespace {

struct Site {
  double x, y, z;
  int type;
};

TersoffTable read_table(const std::string &file, const std::vector<std::string> &elements) {
  std::ifstream in(file);
  if (!in) throw std::invalid_argument("cannot read " + file);
  std::stringstream text;
  text << in.rdbuf();
  return read_tersoff_table(text.str(), file, elements);
}

/// The systems of in.systems with about `atoms` atoms; files of potentials lie in `folder`.
Sample make_sample(const std::string &system, int atoms, const std::string &folder) {
  Sample s;
  double lattice = 5.432, cell[3] = {1, 1, 1};
  std::vector<Site> sites;
  for (const auto &site : diamond_basis) sites.push_back({site[0], site[1], site[2], 1});
  const auto second_half = [&](int type) {
    for (std::size_t k = 4; k < 8; ++k) sites[k].type = type;
  };
  std::string file = "Si_T3.tersoff";
  std::vector<std::string> elements = {"Si"};
  s.mass.push_back(silicon_mass);
  const std::vector<Site> wurtzite = {{0, 0, 0, 1},           {.5, .5, 0, 1},       {.5, .166667, .5, 1},
                                      {0, .666667, .5, 1},    {0, 0, .375, 2},      {.5, .5, .375, 2},
                                      {.5, .166667, .875, 2}, {0, .666667, .875, 2}};
  if (system == "sic") {
    lattice = 4.36;
    second_half(2);
    file = "SiC.tersoff";
    elements = {"Si", "C"};
    s.mass.push_back(12.011);
  } else if (system == "gan") {
    lattice = 3.19;
    cell[1] = 1.7320508;
    cell[2] = 1.63;
    sites = wurtzite;
    file = "GaN.tersoff";
    elements = {"Ga", "N"};
    s.mass = {0, 69.723, 14.007};
  } else if (system == "bnc") {
    lattice = 3.615;
    second_half(2);
    file = "BNC.tersoff";
    elements = {"B", "N", "C"};
    s.mass = {0, 10.811, 14.007, 12.011};
  } else if (system == "graphene") {
    lattice = 2.46;
    cell[1] = 1.7320508;
    cell[2] = 3;
    sites = {{0, 0, .5, 1}, {.5, .5, .5, 1}, {.5, .166667, .5, 1}, {0, .666667, .5, 1}};
    file = "SiC.tersoff";
    elements = {"C"};
    s.mass = {0, 12.011};
  } else if (system == "melt") {
    lattice = 5.256;
    s.melt = 8000;
    s.temperature = 3000;
  } else if (system != "si") {
    throw std::invalid_argument("--system takes si, sic, gan, bnc, graphene, melt");
  }
  s.table = read_table(folder + "/" + file, elements);
  const int cells = std::max(2, static_cast<int>(std::lround(std::cbrt(double(atoms) / sites.size()))));
  for (int z = 0; z < cells; ++z)
    for (int y = 0; y < cells; ++y)
      for (int x = 0; x < cells; ++x)
        for (const Site &site : sites) {
          s.x.push_back(lattice * cell[0] * (x + site.x));
          s.x.push_back(lattice * cell[1] * (y + site.y));
          s.x.push_back(lattice * cell[2] * (z + site.z));
          const bool carbon = system == "bnc" && uniform(5, s.type.size()) < 0.333;
          s.type.push_back(carbon ? 3 : site.type);
        }
  for (int d = 0; d < 3; ++d) s.edge[d] = lattice * cell[d] * cells;
  return s;
}

/// Puts the atoms into the box and into the order in which LAMMPS sorts them by default: by bins of half the cutoff of
/// the neighbour list, those along x first.
void sort_atoms(Sample &s, double list_cutoff) {
  int bins[3];
  for (int d = 0; d < 3; ++d) bins[d] = std::max(1, static_cast<int>(s.edge[d] / (0.5 * list_cutoff)));
  std::vector<std::pair<long long, int>> order;  // bin and atom
  for (int i = 0; i < s.n(); ++i) {
    int bin[3];
    for (int d = 0; d < 3; ++d) {
      double &x = s.x[3 * std::size_t(i) + d];
      x -= s.edge[d] * std::floor(x / s.edge[d]);
      bin[d] = std::min(bins[d] - 1, static_cast<int>(x / s.edge[d] * bins[d]));
    }
    order.emplace_back((static_cast<long long>(bin[2]) * bins[1] + bin[1]) * bins[0] + bin[0], i);
  }
  std::sort(order.begin(), order.end());
  const Sample before = s;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t i = order[k].second;
    s.type[k] = before.type[i];
    std::copy_n(&before.x[3 * i], 3, &s.x[3 * k]);
    std::copy_n(&before.v[3 * i], 3, &s.v[3 * k]);
  }
}

/// Melts a sample and brings it to the temperature of the run.
void melt(Sample &sample, Precision precision, double skin) {
  EngineRun run(sample, precision, skin);
  run.steps(1000, sample.melt / 2);
  run.steps(1000, sample.temperature);
  run.engine().sync_host(field_state);
}

/// Time a run of one system in one precision.
void time_run(const std::string &system, int atoms, Precision precision, const Options &options) {
  Sample sample = make_sample(system, atoms, options.text("potentials"));
  if (sample.melt == 0) sample.temperature = options.number("temperature");
  const double skin = options.number("skin");
  set_velocities(sample, sample.melt > 0 ? sample.melt : sample.temperature);
  if (sample.melt > 0) melt(sample, precision, skin);
  sort_atoms(sample, sample.table.cutoff() + skin);
  EngineRun run(sample, precision, skin);
  run.steps(options.number("warmup"));
  const int n_steps = options.number("steps");
  double best = 1e300;
  BatchResult result;
  for (int repeat = 0; repeat < options.number("repeats"); ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    result = run.steps(n_steps);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    best = std::min(best, seconds.count());
  }
  std::printf(
      "%-8s %8d %-6s %7.3f G  %8.2f us/step  force %4.1f %% move %4.1f %% list %4.1f %%  pruned %lld (late %lld) lists "
      "%lld (late %lld)  T %.0f  "
      "pe %.5f  hash %016llx\n",
      system.c_str(), sample.n(), name_of(precision), 1e-9 * sample.n() * n_steps / best, 1e6 * best / n_steps,
      100 * result.force_seconds / best, 100 * result.integrate_seconds / best, 100 * result.list_seconds / best,
      result.pruned_lists, result.late_pruned_lists, result.lists, result.late_lists, run.temperature(),
      result.totals.energy / sample.n(),
      static_cast<unsigned long long>(options.text("hash") == "yes" ? run.hash() : 0));
  std::fflush(stdout);
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  using namespace triad::bench;
  return run_guarded("step_rate", [&] {
    const Options options(argc, argv,
                          {{"system", "si"},
                           {"atoms", "1000000"},
                           {"precision", "single,mixed,double"},
                           {"steps", "1000"},
                           {"warmup", "200"},
                           {"temperature", "300"},
                           {"skin", "1"},
                           {"repeats", "2"},
                           {"hash", "no"},
                           {"potentials", "."}});
    for (const std::string &system : options.words("system"))
      for (const int atoms : options.numbers("atoms"))
        for (const triad::Precision precision : options.precisions()) time_run(system, atoms, precision, options);
  });
}

// The ablation study of the source paper with this project's terms: crystalline silicon, fp32, NVE at 1 fs, the paper's
// four cumulative optimisation steps at its five sizes, and as a fifth column the engine of this project in precision
// single, which gathers forces. The program prints seconds per 1000 steps and gains beside those of the paper, and
// fails if a variant computes wrong forces.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "ablation/crystal.cuh"
#include "common/options.h"
#include "engine/engine_run.h"

namespace triad {
namespace bench {
namespace {

constexpr int n_variants = 4;  // of the paper

/// Tolerance of the difference from the fp64 forces, eV/Angstrom. The rounding error of the nearest image in the
/// largest box (1.5e-5 A) times the stiffness of a bond gives up to 5e-4; a missing or duplicated term gives more than
/// 0.1.
constexpr double force_tolerance = 2e-3;

/// Tolerance of the difference of the total energies of two runs from the same state, eV per atom. Potential energies
/// are not compared: the engine has made more steps, and the temperature of a crystal that starts on the lattice sites
/// falls from 300 K to 140 K within 600 steps and then oscillates between 140 K and 152 K.
constexpr double energy_tolerance = 2e-5;

/// Seconds per 1000 steps on one V100 (Lin et al. 2023) at the sizes of paper_cells.
constexpr double paper_seconds[paper_cells.size()][n_variants] = {{0.076, 0.063, 0.052, 0.045},
                                                                  {0.430, 0.330, 0.280, 0.240},
                                                                  {1.540, 1.190, 0.860, 0.780},
                                                                  {3.100, 2.400, 1.840, 1.660},
                                                                  {6.290, 4.830, 3.720, 3.310}};
constexpr double paper_energy = -4.61019;  // eV per atom

const double *paper_row(int cells) {
  const auto at = std::find(paper_cells.begin(), paper_cells.end(), cells);
  return at == paper_cells.end() ? nullptr : paper_seconds[at - paper_cells.begin()];
}

struct SizeResult {
  int cells, atoms;
  std::vector<double> seconds;         // per 1000 steps, by variant, and of the engine
  double engine_energy, engine_total;  // eV per atom
  std::vector<Crystal::Observation> seen;
};

/// Whole steps of the engine, from the same positions and velocities.
void measure_engine(SizeResult &result, int steps, int warm_up, int repeats) {
  const Structure structure = make_diamond(result.cells, silicon_lattice);
  Sample sample;
  sample.x.assign(structure.x.begin(), structure.x.end());
  sample.mass.push_back(silicon_mass);
  sample.type.assign(structure.size(), 1);
  for (double &edge : sample.edge) edge = structure.length;
  sample.table = silicon_table();
  sample.v = thermal_velocities(structure.size(), start_temperature, 1);
  EngineRun run(sample, Precision::Single);
  const auto begin = std::chrono::steady_clock::now();
  do run.steps(warm_up);  // until the GPU has left the low clocks at which it waits for the host
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(300));
  std::vector<double> seconds;
  for (int r = 0; r < repeats; ++r) {
    const auto start = std::chrono::steady_clock::now();
    const BatchResult batch = run.steps(steps);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    seconds.push_back(wall.count() * 1000 / steps);
    result.engine_energy = batch.totals.energy / result.atoms;
  }
  result.seconds.push_back(median(seconds));
  result.engine_total = result.engine_energy + 1.5 * boltzmann * run.temperature();
  std::printf(
      "%9d atoms  %-11s  %8.4f s per 1000 steps  %6.2f G atom-steps/s  %.6f eV/atom, of which potential %.5f, %.0f K\n",
      result.atoms, "engine", result.seconds.back(), 1e-6 * result.atoms / result.seconds.back(), result.engine_total,
      result.engine_energy, run.temperature());
  std::fflush(stdout);
  const double apart = std::fabs(result.engine_total - result.seen.back().total_energy);
  if (!(apart <= energy_tolerance))
    throw LoopError("the total energies of the engine and of the variants differ by " + std::to_string(apart) +
                    " eV per atom at " + std::to_string(result.atoms) + " atoms");
}

SizeResult measure(int cells, int steps, int warm_up, int repeats, cudaStream_t stream) {
  Crystal crystal(cells, stream);
  crystal.equilibrate(warm_up);
  SizeResult result = {cells, crystal.size(), {}, 0, 0, {}};
  for (const Variant variant : variants) {
    const char *name = variant_name[static_cast<int>(variant)];
    std::vector<double> seconds;
    for (int r = 0; r < repeats; ++r) seconds.push_back(crystal.time(variant, steps) * 1000 / steps);
    const Crystal::Observation seen = crystal.observe();
    std::printf(
        "%9d atoms  %-11s  %8.4f s per 1000 steps  %6.2f G atom-steps/s  %.6f eV/atom, of which potential %.5f, "
        "%.0f K, force error %.1e eV/A\n",
        result.atoms, name, median(seconds), 1e-6 * result.atoms / median(seconds), seen.total_energy,
        seen.potential_energy, seen.temperature, seen.force_error);
    std::fflush(stdout);
    if (!(seen.force_error <= force_tolerance))
      throw LoopError(std::string("variant '") + name + "' computes wrong forces at " + std::to_string(result.atoms) +
                      " atoms: they differ from fp64 by " + std::to_string(seen.force_error) + " eV/A");
    result.seconds.push_back(median(seconds));
    result.seen.push_back(seen);
  }
  measure_engine(result, steps, warm_up, repeats);
  return result;
}

/// One line of the final table: seconds, gain of each step over the one before, total gain of the paper's steps.
std::string table_row(int atoms, const char *where, const double *seconds, double engine) {
  char cell[64];
  std::snprintf(cell, sizeof cell, "| %d | %s | %.4f |", atoms, where, seconds[0]);
  std::string row = cell;
  for (int v = 1; v < n_variants; ++v) {
    std::snprintf(cell, sizeof cell, " %.4f (%.2fx) |", seconds[v], seconds[v - 1] / seconds[v]);
    row += cell;
  }
  std::snprintf(cell, sizeof cell, " %.2fx |", seconds[0] / seconds[n_variants - 1]);
  row += cell;
  if (engine > 0) std::snprintf(cell, sizeof cell, " %.4f (%.2fx) |", engine, seconds[0] / engine);
  return row + (engine > 0 ? cell : " |");
}

void print_table(const std::vector<SizeResult> &results, const std::string &device) {
  std::printf(
      "\nSeconds per 1000 steps (gain over the step before); the paper's on one V100.\n\n"
      "| atoms | device | baseline | + coalesced | + unrolled | + atomic | total gain | engine (over baseline) |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const SizeResult &r : results) {
    std::printf("%s\n", table_row(r.atoms, device.c_str(), r.seconds.data(), r.seconds.back()).c_str());
    if (const double *paper = paper_row(r.cells))
      std::printf("%s\n", table_row(r.atoms, "paper, V100", paper, 0).c_str());
  }
  if (!results.empty())
    std::printf("\nPotential energy per atom %.5f eV, the paper's %.5f eV.\n",
                results.back().seen.back().potential_energy, paper_energy);
}

Json as_json(const SizeResult &r) {
  std::vector<Json> by_variant;
  for (int v = 0; v < n_variants; ++v)
    by_variant.push_back(Json::object({{"variant", variant_name[v]},
                                       {"seconds_per_1000_steps", r.seconds[v]},
                                       {"atom_steps_per_s", r.atoms * 1000.0 / r.seconds[v]},
                                       {"force_error_eV_per_A", r.seen[v].force_error},
                                       {"potential_energy_eV_per_atom", r.seen[v].potential_energy},
                                       {"total_energy_eV_per_atom", r.seen[v].total_energy},
                                       {"temperature_K", r.seen[v].temperature}}));
  std::vector<std::pair<std::string, Json>> members = {{"atoms", r.atoms},
                                                       {"total_gain", r.seconds.front() / r.seconds[n_variants - 1]},
                                                       {"variants", by_variant},
                                                       {"engine_seconds_per_1000_steps", r.seconds.back()},
                                                       {"engine_potential_energy_eV_per_atom", r.engine_energy},
                                                       {"engine_total_energy_eV_per_atom", r.engine_total}};
  if (const double *paper = paper_row(r.cells)) {
    members.push_back({"paper_seconds_per_1000_steps", std::vector<double>(paper, paper + n_variants)});
    members.push_back({"paper_total_gain", paper[0] / paper[n_variants - 1]});
  }
  return Json::object(members);
}

void run(int argc, char **argv) {
  const Options options(argc, argv,
                        {{"cells", "16,32,50,64,80"},
                         {"steps", "1000"},
                         {"warm-up", "200"},
                         {"repeats", "3"},
                         {"json", "ablation.json"},
                         {"commit", ""}});
  const int steps = options.number("steps"), warm_up = options.number("warm-up"), repeats = options.number("repeats");
  const DeviceFacts facts = device_facts();
  const cuda::Stream stream;
  std::printf("%s, %s\n", facts.name.c_str(), facts.driver.c_str());
  std::vector<SizeResult> results;
  std::vector<Json> lines;
  for (const int cells : options.numbers("cells")) {
    results.push_back(measure(cells, steps, warm_up, repeats, stream));
    lines.push_back(as_json(results.back()));
    auto members = result_header("ablation", facts, options.text("commit"));
    members.insert(members.end(), {{"precision", "fp32"},
                                   {"steps", steps},
                                   {"repeats", repeats},
                                   {"paper_potential_energy_eV_per_atom", paper_energy},
                                   {"results", Json::lines(lines)}});
    Json::object(members, true).write(options.text("json"));  // after each size, so that an early end loses one
  }
  print_table(results, facts.name);
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("ablation", [&] { triad::bench::run(argc, argv); });
}

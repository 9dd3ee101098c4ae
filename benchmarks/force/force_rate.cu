// Rate of the Tersoff force computation on device arrays, silicon T3 at 300 K, in every precision:
//   kernels   the force kernels alone, for one set of positions and its pruned list
//   upkeep    the force computation of each step, including the storage and check of positions and the rebuilds of the
//             pruned list that the motion of the atoms requires
// The first and last forces are compared with an fp64 reference; a difference beyond the tolerance is a failure.

#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "common/options.h"
#include "common/reference.cuh"
#include "force/trajectory.cuh"

namespace triad {
namespace bench {
namespace {

/// Targets of a precision in G atom-steps/s, for 1,000,000 atoms on an H200, and its tolerance.
template <class Format>
struct Expectation;
template <>
struct Expectation<SingleFormat> {
  static constexpr const char *name = "single";
  static constexpr double kernels = 15, upkeep = 12, tolerance = 1e-4;  // eV/Angstrom
};
template <>
struct Expectation<MixedFormat> {
  static constexpr const char *name = "mixed";
  static constexpr double kernels = 9, upkeep = 8, tolerance = 1e-4;
};
template <>
struct Expectation<DoubleFormat> {
  static constexpr const char *name = "double";
  static constexpr double kernels = 4, upkeep = 3.5, tolerance = 1e-9;
};
constexpr int target_atoms = 1000000;

struct Result {
  const char *precision;
  int atoms, ghosts, four, general;
  double kernel_rate, upkeep_rate, step_rate;  // atom-steps/s; step_rate of full steps by wall-clock time
  double kernel_bytes, upkeep_bytes;           // bytes/s
  double rebuilds_per_1000_steps, seconds_per_rebuild;
  double force_error, temperature;
  double kernel_target, upkeep_target;
};

/// Minimum device memory traffic of one force computation: the list of every centre once, every position once, every
/// accumulator read and written once.
template <class Format>
double bytes_of_kernels(double n_owned, double n_all) {
  const double position = sizeof(typename cuda::PositionOf<Format>::type);
  const double accumulator = sizeof(typename Format::Sum) * cuda::ForceArray<Format>::elements(1);
  return n_owned * 4 * sizeof(int) + n_all * (position + 2 * accumulator);
}

/// Minimum traffic of storing the positions (x, element and reference read, position written).
template <class Format>
double bytes_of_storing(double n_all) {
  return n_all * (3 * sizeof(double) + sizeof(int) + 2 * sizeof(typename cuda::PositionOf<Format>::type));
}

/// Minimum traffic of building the pruned list of a crystal: list, offsets and positions read, counts and table
/// written, reference positions copied.
template <class Format>
double bytes_of_rebuild(double n_owned, double n_all, double entries) {
  return entries * sizeof(int) + n_owned * (sizeof(long long) + 5 * sizeof(int)) +
         3 * n_all * sizeof(typename cuda::PositionOf<Format>::type);
}

template <class Format>
double force_error(Trajectory<Format> &trajectory, Reference &reference) {
  const double error =
      largest_difference(trajectory.forces(), reference.compute(trajectory.positions(), trajectory.n_all()).force);
  if (!(error <= Expectation<Format>::tolerance))
    throw LoopError(std::string("precision ") + Expectation<Format>::name + ": forces differ from the reference by " +
                    std::to_string(error) + " eV/A");
  return error;
}

struct Plan {
  int equilibration, steps, launches, repeats;
};

template <class Format>
Result measure(const Crystal &crystal, Reference &reference, const Plan &plan, cudaStream_t stream) {
  using Expected = Expectation<Format>;
  const double n = crystal.atoms.n_owned, n_all = crystal.atoms.n_all();
  Trajectory<Format> trajectory(crystal, stream);
  trajectory.advance(plan.equilibration);
  trajectory.renew_list();
  const double first_error = force_error(trajectory, reference);
  const cuda::PrunedListView list = trajectory.pruned_list();

  trajectory.time_forces(plan.launches);
  std::vector<double> kernel_seconds, upkeep_seconds, step_seconds;
  for (int r = 0; r < plan.repeats; ++r) kernel_seconds.push_back(trajectory.time_forces(plan.launches));
  int rebuilds = 0;
  for (int r = 0; r < plan.repeats; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    const auto times = trajectory.advance(plan.steps);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    upkeep_seconds.push_back(times.forces / plan.steps);
    step_seconds.push_back(wall.count() / plan.steps);
    rebuilds += times.n_rebuilds;
  }
  const double last_error = force_error(trajectory, reference);
  trajectory.check_displacements();

  const double rebuilds_per_step = double(rebuilds) / (plan.steps * plan.repeats);
  const double entries = double(crystal.rows.neighbour.size());
  Result result;
  result.precision = Expected::name;
  result.atoms = crystal.atoms.n_owned;
  result.ghosts = crystal.atoms.n_all() - crystal.atoms.n_owned;
  result.four = list.n_rows - list.n_general;
  result.general = list.n_general;
  result.kernel_rate = n / median(kernel_seconds);
  result.upkeep_rate = n / median(upkeep_seconds);
  result.step_rate = n / median(step_seconds);
  result.kernel_bytes = bytes_of_kernels<Format>(n, n_all) / median(kernel_seconds);
  result.upkeep_bytes = (bytes_of_kernels<Format>(n, n_all) + bytes_of_storing<Format>(n_all) +
                         rebuilds_per_step * bytes_of_rebuild<Format>(n, n_all, entries)) /
                        median(upkeep_seconds);
  result.rebuilds_per_1000_steps = 1000 * rebuilds_per_step;
  result.seconds_per_rebuild = trajectory.time_rebuild(10);
  result.force_error = std::max(first_error, last_error);
  result.temperature = trajectory.temperature();
  result.kernel_target = crystal.atoms.n_owned == target_atoms ? Expected::kernels : 0;
  result.upkeep_target = crystal.atoms.n_owned == target_atoms ? Expected::upkeep : 0;
  return result;
}

std::string with_target(double rate, double target) {
  char text[48];
  if (target > 0)
    std::snprintf(text, sizeof text, "%.2f (target %g)", 1e-9 * rate, target);
  else
    std::snprintf(text, sizeof text, "%.2f", 1e-9 * rate);
  return text;
}

void print_header() {
  std::printf(
      "G atom-steps/s; in brackets GB/s of the memory traffic that is needed at least, and its share of the "
      "peak\n\n"
      "| atoms | precision | force kernels | | with upkeep | | rebuilds per 1000 steps | ms per rebuild | "
      "whole step | rows not of four | force error eV/A | K |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
}

void print_row(const Result &r, double peak) {
  std::printf("| %d | %s | %s | (%.0f, %.0f %%) | %s | (%.0f, %.0f %%) | %.0f | %.3f | %.2f | %d | %.1e | %.0f |\n",
              r.atoms, r.precision, with_target(r.kernel_rate, r.kernel_target).c_str(), 1e-9 * r.kernel_bytes,
              100 * r.kernel_bytes / peak, with_target(r.upkeep_rate, r.upkeep_target).c_str(), 1e-9 * r.upkeep_bytes,
              100 * r.upkeep_bytes / peak, r.rebuilds_per_1000_steps, 1e3 * r.seconds_per_rebuild, 1e-9 * r.step_rate,
              r.general, r.force_error, r.temperature);
  std::fflush(stdout);
}

Json as_json(const Result &r) {
  std::vector<std::pair<std::string, Json>> members = {{"atoms", r.atoms},
                                                       {"ghosts", r.ghosts},
                                                       {"precision", r.precision},
                                                       {"rows_of_four", r.four},
                                                       {"rows_of_others", r.general},
                                                       {"kernel_atom_steps_per_s", r.kernel_rate},
                                                       {"kernel_GB_per_s", 1e-9 * r.kernel_bytes},
                                                       {"upkeep_atom_steps_per_s", r.upkeep_rate},
                                                       {"upkeep_GB_per_s", 1e-9 * r.upkeep_bytes},
                                                       {"rebuilds_per_1000_steps", r.rebuilds_per_1000_steps},
                                                       {"seconds_per_rebuild", r.seconds_per_rebuild},
                                                       {"fused_step_atom_steps_per_s", r.step_rate},
                                                       {"force_error_eV_per_A", r.force_error},
                                                       {"temperature_K", r.temperature}};
  if (r.kernel_target > 0) {
    members.push_back({"kernel_target_atom_steps_per_s", 1e9 * r.kernel_target});
    members.push_back({"upkeep_target_atom_steps_per_s", 1e9 * r.upkeep_target});
  }
  return Json::object(members);
}

void run(int argc, char **argv) {
  const Options options(argc, argv,
                        {{"cells", "16,32,50,64,80"},
                         {"precision", "single,mixed,double"},
                         {"equilibration", "300"},
                         {"steps", "200"},
                         {"launches", "100"},
                         {"repeats", "5"},
                         {"json", "force_rate.json"},
                         {"commit", ""}});
  const Plan plan = {options.number("equilibration"), options.number("steps"), options.number("launches"),
                     options.number("repeats")};
  const std::vector<Precision> precisions = options.precisions();

  const DeviceFacts facts = device_facts();
  const cuda::Stream stream;
  std::printf("%s, %s\n", facts.name.c_str(), facts.driver.c_str());
  print_header();
  std::vector<Json> lines;
  for (const int cells : options.numbers("cells")) {
    const Crystal crystal(cells);
    Reference reference(silicon_table(), crystal.rows.offset, crystal.rows.neighbour, 0, stream);
    for (const Precision precision : precisions) {
      const Result result = with_format<TersoffFormats>(
          precision, [&](auto format) { return measure<decltype(format)>(crystal, reference, plan, stream); });
      print_row(result, facts.peak_bandwidth);
      lines.push_back(as_json(result));
    }
  }
  auto members = result_header("force_rate", facts, options.text("commit"));
  members.insert(
      members.end(),
      {{"steps", plan.steps}, {"launches", plan.launches}, {"repeats", plan.repeats}, {"results", Json::lines(lines)}});
  Json::object(members, true).write(options.text("json"));
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("force_rate", [&] { triad::bench::run(argc, argv); });
}

// run_style verlet/triad: lines in the log about the location of atoms and about copies.
#include <algorithm>
#include <utility>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "fix.h"
#include "lammps/run/box_deformation.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/run_log.h"
#include "library.h"
#include "modify.h"
#include "neighbor.h"
#include "output.h"
#include "platform.h"
#include "update.h"

using namespace LAMMPS_NS;
using namespace FixConst;

std::string VerletTriad::name_of_fix(const Fix *fix) {
  constexpr std::size_t prefix = 6;  // LAMMPS calls the fix of the dynamic group "hot" GROUP_hot
  return is_dynamic_group(fix) ? fmt::format("dynamic group {}", fix->id + prefix)
                               : fmt::format("fix {} ({})", fix->id, fix->style);
}

/// Returns for example "compute k (ke) for fix mean (ave/time)".
std::string VerletTriad::name_of_reader(const std::string &reader, const Fix *fix) {
  return reader.empty() ? name_of_fix(fix) : reader + " for " + name_of_fix(fix);
}

std::string VerletTriad::dump_name(int index) const {
  char id[200] = "";
  lammps_id_name(lmp, "dump", index, id, sizeof id);
  return std::string("dump ") + id;
}

/// Returns what the next output is, if that reads atoms: dumps, restart files, or the thermo output.
std::string VerletTriad::output_cause() const {
  const bigint step = update->ntimestep;
  for (int i = 0; i < output->ndump; ++i)
    if (output->next_dump[i] == step) return dump_name(i);
  if (output->next_restart == step) return "a restart file";
  return thermo_reader_ + " in thermo output";
}

/// Returns the causes of copies to LAMMPS's arrays with their intervals in steps, as far as these are known before the
/// run.
std::vector<std::pair<bigint, std::string>> VerletTriad::expected_copies() {
  std::vector<std::pair<bigint, std::string>> all;
  AtomReaders readers(lmp, false);
  for (const std::string &name : pairs_.on_host()) all.emplace_back(1, "pair style " + name);
  for (int i = 0; i < modify->nfix; ++i) {
    const Fix *fix = modify->fix[i];
    const int mask = modify->fmask[i];
    if (is_package_omp(fix) || as_engine_fix(fix) || deforms_box(fix)) continue;
    if (is_dynamic_group(fix) || (mask & hooks_of_every_step)) {
      all.emplace_back(1, name_of_fix(fix));
    } else if (mask & END_OF_STEP) {
      const std::string reader = samples_values(fix) ? readers.in_samples(fix) : "";
      if (!samples_values(fix) || !reader.empty())
        all.emplace_back(SamplingSteps(lmp, fix).interval(fix->nevery), name_of_reader(reader, fix));
    }
  }
  for (int i = 0; i < output->ndump; ++i)
    if (output->every_dump[i] > 0) all.emplace_back(output->every_dump[i], dump_name(i));
  for (const int every : {output->restart_every_single, output->restart_every_double})
    if (every > 0) all.emplace_back(every, "restart files");
  const std::string in_thermo = readers.in_thermo();
  if (output->thermo_every > 0 && !in_thermo.empty())
    all.emplace_back(output->thermo_every, in_thermo + " in thermo output");
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) { return a.first < b.first; });
  return all;
}

/// Returns the line about the location of atoms in this run and about what copies them.
std::string VerletTriad::location_line() {
  std::string copies;
  for (const auto &[every, name] : expected_copies())
    copies += (copies.empty() ? "" : ", ") + name +
              (every == 1 ? std::string(" in every step") : fmt::format(" every {} steps", every));
  const bool makes_lists = engine_makes_lists();
  const std::string target = on_cuda() ? "to the host" : "to LAMMPS's arrays";
  const std::string traffic =
      copies.empty() ? fmt::format("{} copies atoms {}", makes_lists ? "no command" : "nothing else", target)
                     : fmt::format("atoms are copied {} by {}", target, copies);
  return fmt::format("Triad: atoms stay on {}; neighbor lists are {}; {}\n", engine_->description(),
                     makes_lists ? "made there" : "renewed by way of LAMMPS's arrays", traffic);
}

/// `with_neighbors`: also makes LAMMPS's ghosts and lists current.
void VerletTriad::sync_host_for(const std::string &cause, unsigned fields, bool with_neighbors) {
  const bool stale = fields_.need_sync_host(fields);
  const double start = platform::walltime();
  if (with_neighbors)
    sync_host_and_lists(fields);
  else
    fields_.sync_host_owned(fields);
  if (stale) copies_.add(cause, platform::walltime() - start);
}

/// For output, and for a fix that only reads atoms.
void VerletTriad::sync_host_for_reader(const std::string &cause) {
  sync_host_for(cause, triad::field_state, reads_neighbors_);
}

void VerletTriad::sync_host(unsigned fields) {
  sync_host_for(in_hook_of_ ? name_of_fix(in_hook_of_) : "a command or compute", fields);
}

void VerletTriad::start_counters() {
  first_step_ = update->ntimestep;
  copies_.clear();
  pruned_lists_ = late_pruned_lists_ = lists_made_ = lists_renewed_ = 0;
  steps_ = batched_steps_ = 0;
  atoms_counted_ = atom->natoms;
  atoms_lost_ = 0;
  renewal_seconds_ = batch_seconds_ = single_seconds_ = wait_seconds_ = 0;
}

/// Returns the lines about the runs since init().
std::string VerletTriad::summary() const {
  const std::string steps = fmt::format("in steps {} to {}", first_step_, update->ntimestep);
  std::string lines = fmt::format("Triad: run_style verlet/triad made {} steps on {}, {} of them in batches ({:.3g} s)",
                                  steps_, on_cuda() ? "cuda" : "host", batched_steps_, batch_seconds_);
  if (batched_steps_ < steps_) {
    lines += fmt::format(", the others one by one ({:.3g} s)", single_seconds_);
    if (!obstacle_to_batches_.empty()) lines += ", because of " + obstacle_to_batches_;
  }
  lines += "\n";
  lines += copies_.lines(steps);
  const std::string ghosts = engine_->ghost_transport();
  if (!ghosts.empty()) lines += fmt::format("Triad: ghosts of other ranks travel {}\n", ghosts);
  // the work of all ranks, one after the other, takes less time than a rank's share of it with the waits
  const double work_seconds = batch_seconds_ - wait_seconds_;
  if (comm->nprocs > 1 && batched_steps_ >= 100 && wait_seconds_ > (comm->nprocs - 1) * work_seconds)
    lines += fmt::format(
        "Triad: rank 0 works for {:.1f} us per step and waits {:.1f} us for other ranks; fewer ranks are probably "
        "faster\n",
        1e6 * work_seconds / batched_steps_, 1e6 * wait_seconds_ / batched_steps_);
  if (lists_made_) lines += fmt::format("Triad: {} neighbor lists were made on the GPU alone {}\n", lists_made_, steps);
  if (lists_renewed_)
    lines += fmt::format("Triad: {} neighbor lists were renewed by way of LAMMPS's arrays {}, {:.3g} s\n",
                         lists_renewed_, steps, renewal_seconds_);
  if (atoms_lost_) lines += fmt::format("Triad: {} atoms were lost {}\n", atoms_lost_, steps);
  if (pairs_.is_one_tersoff() && atom->nlocal) lines += list_line(engine_->listed_neighbours(), atom->nlocal);
  if (pruned_lists_)
    lines += fmt::format("Triad: pruned list of rank 0 renewed {} times {}, {} of them late\n", pruned_lists_, steps,
                         late_pruned_lists_);
  if (atom->nlocal && engine_->device_bytes() > 0)
    lines += fmt::format("Triad: {:.0f} bytes of device memory per atom of rank 0\n",
                         engine_->device_bytes() / atom->nlocal);
  return lines;
}

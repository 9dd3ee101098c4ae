// run_style verlet/triad: profiles that are sampled within batches of steps. The engine keeps the sums of the steps
// with samples, and LAMMPS's fixes ave/time read them after the batch, as if each step had just been made.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "fix.h"
#include "lammps/compute/compute_profile_triad.h"
#include "lammps/run/command_arguments.h"
#include "lammps/run/verlet_triad.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

/// Largest number of slabs in all samples of a batch. A slab has at most three sums in fp64, 96 MB in all.
constexpr double most_slabs = 4e6;

}  // namespace

/// Finds the fixes ave/time that sample nothing but columns of profiles and act behind all actions that are part of
/// batches.
void VerletTriad::find_profile_fixes() {
  profile_fixes_.clear();
  triad::StepBatch any;
  every_fix_joins(any);           // finds ends_in_batches_
  if (any.changes_box()) return;  // slabs would have to follow the box
  for (int i = modify->nfix - 1; i >= 0; --i) {
    Fix *const fix = modify->fix[i];
    if (ends_in_batches_.count(fix)) return;
    if (std::strcmp(fix->style, "ave/time") != 0) continue;
    const std::vector<std::string> words = fix_arguments(lmp, fix);
    std::vector<ComputeProfileTriad *> profiles;
    for (std::size_t k = 6; k < words.size() && words[k].size() > 2 && words[k][1] == '_'; ++k) {
      auto *const profile =
          dynamic_cast<ComputeProfileTriad *>(modify->get_compute_by_id(words[k].substr(2, words[k].find('[') - 2)));
      if (words[k][0] != 'c' || !profile || !profile->samples_in_batches()) {
        profiles.clear();
        break;
      }
      profiles.push_back(profile);
    }
    if (!profiles.empty()) profile_fixes_[fix] = profiles;
  }
}

/// The most steps whose samples fit in memory if each step has one.
bigint VerletTriad::most_sampled_steps() const {
  double slabs = 0;
  for (const auto &[fix, profiles] : profile_fixes_)
    for (const ComputeProfileTriad *profile : profiles) slabs += profile->size_array_rows;
  return slabs > 0 ? std::max(bigint(1), static_cast<bigint>(most_slabs / slabs)) : MAXBIGINT;
}

/// Adds the samples of these fixes to a batch, except those of the last step: other fixes may act at its end.
void VerletTriad::plan_samples(triad::StepBatch &batch) {
  sampled_profiles_.clear();
  for (int i = 0; i < modify->nfix; ++i) {
    Fix *const fix = modify->fix[i];
    const auto found = profile_fixes_.find(fix);
    if (found == profile_fixes_.end()) continue;
    for (ComputeProfileTriad *profile : found->second) {
      if (std::find(sampled_profiles_.begin(), sampled_profiles_.end(), profile) == sampled_profiles_.end()) {
        sampled_profiles_.push_back(profile);
        batch.samplings.push_back(&profile->start_sampling());
      }
      std::vector<std::int64_t> &steps = profile->sampling().steps;
      const std::size_t known = steps.size();
      for (bigint step = batch.first_step; step < batch.first_step + batch.n_steps - 1; ++step)
        if (samples_in(fix, step)) steps.push_back(step);
      std::inplace_merge(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(known), steps.end());
      steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    }
  }
}

bool VerletTriad::samples_in(const Fix *fix, bigint step) const {
  return step % fix->nevery == 0 && sampling_steps_.at(fix).includes(step);
}

/// True if these fixes sample profiles in a step. With each sample, fix ave/time asks for the energy and the virial of
/// the next one too; profiles do not read them, and whatever else does ends the batch in that step.
bool VerletTriad::is_sampled(bigint step) const {
  return std::any_of(profile_fixes_.begin(), profile_fixes_.end(),
                     [&](const auto &fix) { return samples_in(fix.first, step); });
}

/// Calls the fixes for the complete steps of a batch that it has sampled.
void VerletTriad::use_samples(const triad::StepBatch &batch, bigint completed) {
  if (sampled_profiles_.empty()) return;
  const bigint before = update->ntimestep, last = before + batch.n_steps;
  for (bigint step = before + 1; step <= before + completed && step < last; ++step)
    for (int i = 0; i < modify->nfix; ++i) {
      Fix *const fix = modify->fix[i];
      if (!profile_fixes_.count(fix) || !samples_in(fix, step)) continue;
      update->ntimestep = step;
      for (ComputeProfileTriad *profile : sampled_profiles_) profile->take_sample(step);
      fix->end_of_step();
    }
  update->ntimestep = before;
  for (ComputeProfileTriad *profile : sampled_profiles_) profile->take_sample(-1);
}

// run_style verlet/triad: values of computes that are sampled within batches of steps. The engine keeps the sums of the
// steps with samples, and LAMMPS's sampling fixes read them after the batch, as if each step had just been made.
#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compute.h"
#include "domain.h"
#include "fix.h"
#include "lammps/run/command_arguments.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/formula_words.h"
#include "lammps/run/sampled_compute.h"
#include "lammps/run/variable_text.h"
#include "lammps/run/verlet_triad.h"
#include "lammps/util/domain_box.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

/// Most fp64 numbers that the samples of a batch may have, 96 MB.
constexpr double most_numbers = 12e6;

/// Restores LAMMPS's numbers of steps, and ends the use of samples, also if a fix throws.
class SampledSteps {
 public:
  SampledSteps(Update &update, const std::vector<SampledCompute *> &computes)
      : update_(update),
        now_(update.ntimestep),
        energy_(update.eflag_global),
        virial_(update.vflag_global),
        computes_(computes) {}
  ~SampledSteps() {
    take(-1);
    update_.ntimestep = now_;
    update_.eflag_global = energy_;
    update_.vflag_global = virial_;
  }
  void take(bigint step) {
    update_.ntimestep = step;
    for (SampledCompute *compute : computes_) compute->take_sample(step);
  }

 private:
  Update &update_;
  const bigint now_, energy_, virial_;
  const std::vector<SampledCompute *> &computes_;
};

}  // namespace

/// Adds a compute to `found` if the engine can sample it; returns false if not.
bool VerletTriad::add_sampled(SampledCompute *compute, std::vector<SampledCompute *> &found) {
  if (!compute || !compute->samples_in_batches(*engine_)) return false;
  if (box_changes_ && !compute->samples_in_changing_box()) return false;
  if (std::find(found.begin(), found.end(), compute) == found.end()) found.push_back(compute);
  return true;
}

/// Adds all computes of temperatures: LAMMPS does not tell which one a pressure compute or its thermo output uses.
bool VerletTriad::add_sampled_temperatures(std::vector<SampledCompute *> &found) {
  const std::vector<Compute *> computes = modify->get_compute_list();
  return std::all_of(computes.begin(), computes.end(), [&](Compute *compute) {
    return !compute->tempflag || add_sampled(dynamic_cast<SampledCompute *>(compute), found);
  });
}

/// Adds the computes on which the value of a thermo keyword depends, as add_sampled() does.
bool VerletTriad::add_sampled_keyword(const std::string &keyword, std::vector<SampledCompute *> &found) {
  if (is_keyword_after_batch(keyword)) return true;
  const KeywordSources from = sources_of_keyword(keyword);
  if (!from.any() || counts_coupling(keyword)) return false;
  if ((from.energy || from.pressure) && !add_sampled(&totals_, found)) return false;
  return !(from.temperature || from.pressure) || add_sampled_temperatures(found);
}

/// Adds the computes on which a value c_ID or v_NAME depends. Returns false if the value may depend on anything else
/// that changes within a batch than computes that are SampledCompute and can be sampled by the engine. `visited`:
/// variables.
bool VerletTriad::add_sampled(const std::string &reference, std::vector<SampledCompute *> &found,
                              std::set<std::string> &visited) {
  const std::string id = reference.substr(2);
  if (reference[0] == 'c' || reference[0] == 'C') {
    Compute *const compute = modify->get_compute_by_id(id);
    if (!compute) return false;
    const std::string style = compute->style;
    if (style == "pe" || style == "pair") return add_sampled(&totals_, found);
    if (style == "pressure") return add_sampled(&totals_, found) && add_sampled_temperatures(found);
    return add_sampled(dynamic_cast<SampledCompute *>(compute), found);
  }
  if (reference[0] != 'v') return false;
  const VariableText text = variable_text(lmp, id);
  if (text.kind != VariableText::Kind::Formula) return text.kind == VariableText::Kind::Constant;
  if (!visited.insert(id).second) return true;
  const std::vector<FormulaWord> words = words_of_formula(text.formula);
  return std::all_of(words.begin(), words.end(), [&](const FormulaWord &word) {
    if (word.is_reference()) return add_sampled(word.text, found, visited);
    if (is_plain_word(word.text)) return true;
    return word.next != '(' && word.next != '[' && add_sampled_keyword(word.text, found);
  });
}

/// The computes on which the values that a fix samples depend, if add_sampled() is true for all values.
std::optional<std::vector<SampledCompute *>> VerletTriad::sampled_by(Fix *fix) {
  static const std::map<std::string, std::size_t> first_value = {
      {"ave/time", 6}, {"ave/correlate", 6}, {"ave/correlate/long", 5}, {"vector", 4}};
  std::vector<SampledCompute *> computes;
  if (auto *const ours = dynamic_cast<SamplingFix *>(fix)) {
    if (!add_sampled(&ours->sampled(), computes)) return {};
    return computes;
  }
  const auto first = first_value.find(fix->style);
  const std::vector<std::string> words = fix_arguments(lmp, fix);
  if (first == first_value.end() || words.size() <= first->second) return {};
  std::set<std::string> visited;
  for (std::size_t k = first->second; k < words.size() && words[k].size() > 2 && words[k][1] == '_'; ++k)
    if (!add_sampled(words[k].substr(0, words[k].find('[')), computes, visited)) return {};
  return computes;
}

/// Finds the fixes whose samples can be part of batches and which act behind all actions that are part of batches.
void VerletTriad::find_sampling_fixes() {
  sampling_fixes_.clear();
  triad::StepBatch any;
  join_fixes(any);  // finds ends_in_batches_
  const std::vector<Fix *> fixes = modify->get_fix_list();
  box_changes_ = std::any_of(fixes.begin(), fixes.end(), changes_box);
  for (int i = modify->nfix - 1; i >= 0; --i) {
    Fix *const fix = modify->fix[i];
    if (ends_in_batches_.count(fix)) return;
    if (auto computes = sampled_by(fix)) sampling_fixes_[fix] = std::move(*computes);
  }
}

/// Leaves out the fixes whose samples the engine cannot make of its present atoms. plan() may have made their computes
/// forget the next sample.
void VerletTriad::check_sampling_fixes() {
  const auto cannot = [&](const SampledCompute *compute) { return !compute->samples_in_batches(*engine_); };
  for (auto it = sampling_fixes_.begin(); it != sampling_fixes_.end();) {
    if (std::none_of(it->second.begin(), it->second.end(), cannot)) {
      ++it;
      continue;
    }
    const bigint every = it->first->nevery;
    bigint next = (update->ntimestep / every + 1) * every;
    while (!samples_in(it->first, next)) next += every;
    modify->addstep_compute_all(next);
    it = sampling_fixes_.erase(it);
  }
}

/// The most steps whose samples fit in memory if each step has one.
bigint VerletTriad::most_sampled_steps() const {
  double numbers = 0;
  for (const auto &[fix, computes] : sampling_fixes_)
    for (const SampledCompute *compute : computes) numbers += compute->numbers_per_sample();
  return numbers > 0 ? std::max(bigint(1), static_cast<bigint>(most_numbers / numbers)) : MAXBIGINT;
}

/// Adds the samples of these fixes to a batch, except those of the last step: other fixes may act at its end. The
/// computes have the order of the fixes, which is the same on all ranks, as the exchanges of their samples must have.
void VerletTriad::plan_samples(triad::StepBatch &batch) {
  std::vector<SampledCompute *> computes;
  std::map<SampledCompute *, std::set<std::int64_t>> steps_of;
  for (int i = 0; i < modify->nfix; ++i) {
    const auto found = sampling_fixes_.find(modify->fix[i]);
    if (found == sampling_fixes_.end()) continue;
    for (SampledCompute *compute : found->second) {
      if (!steps_of.count(compute)) computes.push_back(compute);
      std::set<std::int64_t> &steps = steps_of[compute];
      for (bigint step = batch.first_step; step < batch.first_step + batch.n_steps - 1; ++step)
        if (samples_in(found->first, step)) steps.insert(step);
    }
  }
  batch.samples_boxes = batch.has_barostat() && !sampling_fixes_.empty();
  sampled_computes_.clear();
  for (SampledCompute *compute : computes) {
    const std::set<std::int64_t> &steps = steps_of[compute];
    if (steps.empty()) continue;
    sampled_computes_.push_back(compute);
    compute->add_samples(batch, {steps.begin(), steps.end()});
  }
}

bool VerletTriad::samples_in(const Fix *fix, bigint step) const {
  return step % fix->nevery == 0 && sampling_steps_.at(fix).includes(step);
}

/// True if a fix of sampling_fixes_ samples in a step. With each sample, LAMMPS asks all computes for values in the
/// step of the next one. These requests do not end a batch: the samples read only what the engine keeps, and a batch
/// ends anyway in a step in which another fix or output reads computes.
bool VerletTriad::is_sampled(bigint step) const {
  return std::any_of(sampling_fixes_.begin(), sampling_fixes_.end(),
                     [&](const auto &fix) { return samples_in(fix.first, step); });
}

/// True if a fix of sampling_fixes_ samples energies or pressures in a step.
bool VerletTriad::samples_totals_in(bigint step) const {
  return std::any_of(sampling_fixes_.begin(), sampling_fixes_.end(), [&](const auto &fix) {
    const std::vector<SampledCompute *> &computes = fix.second;
    return samples_in(fix.first, step) && std::find(computes.begin(), computes.end(), &totals_) != computes.end();
  });
}

/// Calls the fixes for the complete steps of a batch that it has sampled, with the box that they would find: a fix
/// deform changes the box in its place among the fixes.
void VerletTriad::use_samples(const triad::StepBatch &batch, const triad::BatchResult &result) {
  if (sampling_fixes_.empty()) return;
  const bigint before = update->ntimestep, count = std::min<bigint>(result.completed, batch.n_steps - 1);
  SampledSteps steps(*update, sampled_computes_);
  std::optional<KeptBox> kept;
  if (batch.changes_box()) kept.emplace(domain);
  for (bigint k = 1; k <= count; ++k) {
    bool deformed = false;
    for (int i = 0; i < modify->nfix; ++i) {
      Fix *const fix = modify->fix[i];
      deformed = deformed || fix == deformation_;
      if (!sampling_fixes_.count(fix) || !samples_in(fix, before + k)) continue;
      steps.take(before + k);
      if (batch.changes_box()) {
        triad::Box box = batch.has_barostat() ? result.boxes.at(k - 1) : box_of(domain);
        if (batch.box_path)
          set_axes_of_path(batch.box_path->deforms, batch.box_path->steps[deformed ? k : k - 1].box, box);
        set_box_of(domain, box);
      }
      fix->end_of_step();
    }
  }
}

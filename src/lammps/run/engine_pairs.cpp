#include "lammps/run/engine_pairs.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "atom.h"
#include "force.h"
#include "lammps/util/machine_ranks.h"
#include "lammps/util/thread_choice.h"
#include "neighbor.h"

using namespace LAMMPS_NS;

EnginePairs::EnginePairs(LAMMPS *lmp) : lmp_(lmp), style_(lmp->force->pair) {
  Force *const force = lmp->force;
  if (!style_ || lmp->kokkos) return;
  if (auto *const alone = dynamic_cast<EnginePair *>(style_)) {
    ours_ = {alone};
    return;
  }
  if (std::strcmp(force->pair_style, "hybrid") != 0 && std::strcmp(force->pair_style, "hybrid/overlay") != 0) return;
  // LAMMPS gives access to sub-styles by their names only.
  std::vector<const Pair *> found;
  for (const auto &[name, creator] : *force->pair_map)
    for (int instance = 1;; ++instance) {
      Pair *const pair = force->pair_match(name, 1, instance);
      if (!pair || pair == style_ || std::find(found.begin(), found.end(), pair) != found.end()) break;
      found.push_back(pair);
      if (auto *const ours = dynamic_cast<EnginePair *>(pair))
        ours_.push_back(ours);
      else
        on_host_.push_back(name);
    }
  std::stable_partition(ours_.begin(), ours_.end(), [](const EnginePair *pair) { return pair->manybody_flag; });
}

bool EnginePairs::has(const Pair *pair) const { return std::find(ours_.begin(), ours_.end(), pair) != ours_.end(); }

bool EnginePairs::are_of_present_style() const {
  return style_ == lmp_->force->pair && (empty() || EnginePairs(lmp_).ours_ == ours_);
}

std::string EnginePairs::obstacle() const {
  for (const EnginePair *pair : ours_) {
    const EnginePair &first = *ours_[0];
    std::string why = pair->obstacle();
    if (!why.empty()) return why;
    if (!pair->compute_flag) return "pair_modify compute no";
    if (pair->precision() != first.precision())
      return fmt::format("pair styles {} and {} have different precisions", first.name(), pair->name());
    if (pair->on_cuda() != first.on_cuda())
      return fmt::format("pair styles {} and {} have different backends", first.name(), pair->name());
  }
  return "";
}

int EnginePairs::revision() const {
  int latest = 0;
  for (const EnginePair *pair : ours_) latest = std::max(latest, pair->revision());
  return latest;
}

std::unique_ptr<triad::MdEngine> EnginePairs::make_engine() const {
  triad::ForceTerms terms;
  for (EnginePair *pair : ours_) terms.term.push_back(pair->term());
#if defined(TRIAD_HAS_CUDA)
  if (on_cuda()) return triad::make_engine_cuda(terms, gpu_index_of(lmp_), threads_of(lmp_));
#endif
  return triad::make_engine_host(terms, threads_of(lmp_));
}

void EnginePairs::set_on_engine(bool on_engine) const {
  for (EnginePair *pair : ours_) pair->set_on_engine(on_engine);
}

bool EnginePairs::on_engine() const {
  return std::all_of(ours_.begin(), ours_.end(), [](const EnginePair *pair) { return pair->on_engine(); });
}

void EnginePairs::take_run_style() const {
  for (EnginePair *pair : ours_) pair->take_run_style();
}

triad::TermLists EnginePairs::lists() const {
  triad::TermLists lists;
  for (EnginePair *pair : ours_) lists.list.push_back(pair->list_pairs());
  return lists;
}

bool EnginePairs::engine_may_make_lists() const {
  return !empty() && on_host_.empty() &&
         std::all_of(ours_.begin(), ours_.end(), [](const EnginePair *pair) { return pair->engine_may_make_lists(); });
}

triad::TermLists EnginePairs::lists_to_make(double skin) const {
  triad::TermLists lists;
  for (const EnginePair *pair : ours_) {
    triad::NeighborListView none;
    none.cutoff = ours_.size() == 1 ? lmp_->neighbor->cutneighmax : pair->force_cutoff() + skin;
    lists.list.push_back(none);
    lists.types.push_back(pair->listed_types());
  }
  return lists;
}

void EnginePairs::forget_pairs() const {
  for (EnginePair *pair : ours_) pair->forget_pairs();
}

void EnginePairs::compute_next_by(const Work &work) {
  engine_ = nullptr;
  for (std::size_t k = 0; k < ours_.size(); ++k)
    ours_[k]->compute_next_by([this, k, work] {
      if (!engine_) engine_ = &work(*ours_[k]);
      ours_[k]->add_totals(engine_->term_totals().at(k));
    });
}

void EnginePairs::forget_work() const {
  for (EnginePair *pair : ours_) pair->compute_next_by(nullptr);
}

void EnginePairs::compute_on(triad::MdEngine &engine, EnginePair &first, const triad::TallyRequest &kept) {
  triad::ResultsView results = first.results();
  triad::TallyRequest request = first.request();
  request.add(kept);
  engine.compute_forces(request, results);
}

void EnginePairs::take_totals(const std::vector<triad::ForceTotals> &totals, int eflag, int vflag) {
  for (std::size_t k = 0; k < ours_.size(); ++k)
    ours_[k]->compute_next_by([&totals, pair = ours_[k], k] { pair->add_totals(totals.at(k)); });
  style_->compute(eflag, vflag);
}

// run_style verlet/triad: LAMMPS's velocity-Verlet loop with the atoms on an engine. Steps in which the host has
// nothing to do run in batches. In other steps, each hook gets current data in the arrays that it reads.
#pragma once

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "atom.h"
#include "engine/md_engine.h"
#include "fix.h"
#include "lammps/compat/verlet_api.h"
#include "lammps/run/atom_readers.h"
#include "lammps/run/copy_counts.h"
#include "lammps/run/engine_fix.h"
#include "lammps/run/engine_pairs.h"
#include "lammps/run/field_sync.h"
#include "lammps/run/halo.h"
#include "lammps/run/run_state.h"
#include "lammps/run/sampled_totals.h"
#include "lammps/util/loop_errors.h"
#include "lammps/util/run_log.h"

namespace LAMMPS_NS {

class Compute;
class Fix;
class FixPairwiseTriad;

class VerletTriad : public Verlet, public EngineRun {
 public:
  VerletTriad(LAMMPS *lmp, int narg, char **arg);
  ~VerletTriad() override;

  void init() override;
  void setup(int flag) override;
  void setup_minimal(int flag) override;
  void run(int n) override;
  void cleanup() override;
  double memory_usage() override;

  triad::MdEngine &engine() override { return *engine_; }
  triad::MdEngine &current_engine() override;
  int engine_revision() const override { return engine_revision_; }
  bool on_cuda() const override;
  bool sums_over_ranks() const override;
  bool atoms_stay_outside() const override;
  triad::MdEngine *engine_ahead_in(unsigned fields) override;
  void sync_engine(unsigned fields) override { fields_.sync_engine(fields); }
  void sync_host(unsigned fields) override;  ///< counts a copy for the fix whose hook is running

 private:
  static constexpr int hooks_of_every_step = FixConst::INITIAL_INTEGRATE | FixConst::POST_INTEGRATE |
                                             FixConst::PRE_FORCE | FixConst::PRE_REVERSE | FixConst::POST_FORCE |
                                             FixConst::FINAL_INTEGRATE;

  // ---- verlet_triad_location.cpp: whether a run is made on an engine
  std::string obstacle() const;
  std::string obstacle_without_potential() const;
  static std::string obstacle_line(const std::string &why);
  bool has_no_forces() const;
  FixPairwiseTriad *pairwise_fix() const;
  void set_on_engine(bool on_engine) const;
  bool is_on_engine() const;
  bool has_pre_force() const;
  bool has_forces_on_host() const { return has_pre_force() || !pairs_.on_host().empty(); }

  // ---- verlet_triad_setup.cpp: the start and the end of a run
  template <class Work>
  void with_pair_on_engine(Work &&work);
  /// Calls work() and converts a LoopError to an error of LAMMPS.
  template <class Work>
  void reporting_errors(Work &&work) {
    reporting_loop_errors(
        lmp, [] { return "run_style verlet/triad"; }, [this](int i) { return atom->tag[i]; },
        [&] { notifying_ranks(work); });
  }
  /// Calls work(). If work() throws, tells the ranks that wait for this one.
  template <class Work>
  void notifying_ranks(Work &&work) {
    try {
      work();
    } catch (const std::exception &e) {
      halo_.fail(e.what());
      if (engine_) engine_->fail(e.what());
      throw;
    }
  }
  void check_all_ranks();
  void start_in_setup();
  triad::MdEngine &compute_in_setup(EnginePair &first);
  unsigned fields_changed_in_setup() const;
  std::vector<double> forces_on_host() const;
  void add_forces_on_host(const std::vector<double> &forces);
  bool engine_is_outdated() const;
  bool renew_engine();
  void start_on_engine();
  void find_readers();
  void finish_run();

  // ---- verlet_triad.cpp: the steps
  std::vector<int> acting_fixes() const;
  std::vector<double> atoms_and_box() const;
  void make_steps(int n);
  void keep_atoms() noexcept;
  int run_step();
  void compute_forces(const triad::TallyRequest &kept);
  void finish_step();
  void end_step();
  template <class OnEngine, class OnHost>
  void call_fixes(int hook, OnEngine &&on_engine, OnHost &&on_host);
  template <class Call>
  void call_on_host(Fix *fix, Call &&call);

  // ---- verlet_triad_batches.cpp: batches of steps, which the engine makes alone
  triad::StepBatch plan(int done, int wanted);
  bigint plan_box(bigint n);
  bigint steps_to_end_of_step(const Fix *fix, bigint most) const;
  void want_virial(bigint step);
  void add_virial(bigint step);
  int run_batch(const triad::StepBatch &batch);
  void stamp_timer(const triad::BatchResult &result);
  void count_own_lists(const triad::BatchResult &result);
  std::string join_fixes(triad::StepBatch &batch);
  bool allows_changing_box(const triad::StepBatch &batch) const;
  std::string join_ends_of_steps(triad::StepBatch &batch);
  static bool needs_groups_apart(const triad::StepBatch &batch);
  bool groups_are_apart(const triad::StepBatch &batch) const;
  bool a_fix_knows_the_host_only() const;
  void finish_batch(bool whole) const;

  // ---- verlet_triad_lists.cpp: neighbour lists, of LAMMPS or of the engine
  bool a_fix_needs_every_list() const;
  bool a_fix_forces_list() const;
  bool engine_makes_lists() const;
  bool only_pair_styles_read_lists() const;
  bigint steps_to_forced_list() const;
  bool list_is_due();
  triad::TermLists no_pairs() const;
  triad::AtomArrays engine_arrays();
  void take_atoms();
  bool take_atoms_for_own_list();
  void note_engine_list(bool made_by_engine, bool late);
  void note_new_list();
  void note_lammps_list();
  bigint next_sort() const;
  bool make_list();
  void renew_list();
  void count_atoms();
  void sync_lammps_lists();
  /// FieldSync::sync_host(), which also makes LAMMPS's ghosts and lists those of the new positions.
  void sync_host_and_lists(unsigned fields) {
    if (fields & triad::field_x) sync_lammps_lists();
    fields_.sync_host(fields);
  }

  // ---- verlet_triad_box.cpp: the box of the lists, and the displacements that it allows
  double displacement_limit() const;
  bool checks_displacements() const;
  void update_box_of_engine();
  triad::ListBox list_box() const;
  void fit_lists_to_box() const;

  // ---- verlet_triad_tallies.cpp: computes of per-atom energies and virials
  void choose_tally_computes();
  void take_tally_computes();
  void set_tally_flags(bigint step);
  void want_tallies_of(const Compute *compute, bigint step);
  void tally_early_end();
  bool tallies_are_due(bigint step, triad::TallyRequest &request);
  triad::TallyRequest tallies_of(const Compute *compute) const;
  bool may_be_written(bigint step) const;
  bool is_idle(Compute *compute, bigint step) const;
  void tallies_on_engine();

  // ---- verlet_triad_samples.cpp: samples within batches
  bool add_sampled(SampledCompute *compute, std::vector<SampledCompute *> &found);
  bool add_sampled_temperatures(std::vector<SampledCompute *> &found);
  bool add_sampled_keyword(const std::string &keyword, std::vector<SampledCompute *> &found);
  bool add_sampled(const std::string &reference, std::vector<SampledCompute *> &found, std::set<std::string> &visited);
  std::optional<std::vector<SampledCompute *>> sampled_by(Fix *fix);
  void find_sampling_fixes();
  void check_sampling_fixes();
  bigint most_sampled_steps() const;
  bool samples_in(const Fix *fix, bigint step) const;
  bool is_sampled(bigint step) const;
  bool samples_totals_in(bigint step) const;
  void plan_samples(triad::StepBatch &batch);
  void use_samples(const triad::StepBatch &batch, const triad::BatchResult &result);

  // ---- verlet_triad_report.cpp: what the log says, and which copies were made for whom
  void sync_host_for(const std::string &cause, unsigned fields, bool with_neighbors = true);
  void sync_host_for_reader(const std::string &cause);
  static std::string name_of_fix(const Fix *fix);
  static std::string name_of_reader(const std::string &reader, const Fix *fix);
  std::string dump_name(int index) const;
  std::string output_cause() const;
  std::vector<std::pair<bigint, std::string>> expected_copies();
  std::string location_line();
  void start_counters();
  std::string summary() const;

  EnginePairs pairs_;  // empty if all forces are those of fixes pairwise/triad
  int pair_revision_ = -1;
  std::unique_ptr<triad::MdEngine> engine_;
  int engine_revision_ = 0;
  RunState state_;
  FieldSync fields_;
  mutable Halo halo_;              // its queries are collective
  std::vector<double> after_run_;  // atoms_and_box() at the end of the last run; empty after init()

  double skin_ = 0;  // skin of the present lists; a script may change LAMMPS's skin before `run pre no`
  bigint list_step_ = -1, list_count_ = -1;
  bool lammps_lists_unbuilt_ = false;            // renew_list() has not built LAMMPS's lists for its present atoms
  std::string thermo_reader_ = "output";         // what in the thermo output reads atoms; empty if nothing
  std::map<const Fix *, std::string> samplers_;  // the same for each fix that samples values
  bool reads_neighbors_ = true;                  // may_read_neighbors() in this run
  std::vector<int> fixes_of_setup_;              // acting_fixes() of the last setup
  std::map<const Fix *, SamplingSteps> sampling_steps_;            // of all fixes that only_reads_atoms()
  std::set<const Fix *> ends_in_batches_;                          // fixes whose end_of_step() is part of batches
  std::map<Fix *, std::vector<SampledCompute *>> sampling_fixes_;  // whose samples are part of batches
  std::vector<SampledCompute *> sampled_computes_;                 // those of the present batch
  bool box_changes_ = false;                                       // a fix of this run changes_box()
  SampledTotals totals_{lmp, pairs_};                              // samples of energy and virial
  triad::ChangingBoxLimit box_limit_;                              // if the box changes
  bool a_fix_reads_virial_ = false;                                // of each step
  bool sums_over_ranks_ = false;              // MdEngine::sums_over_ranks() at the start of the run
  bool groups_apart_ = true;                  // see groups_are_apart()
  std::string obstacle_to_batches_;           // of join_fixes() at the start of the run
  const Fix *in_hook_of_ = nullptr;           // our fix whose hook is running
  std::vector<Compute *> tally_computes_;     // computes that take tallies from the engine
  std::set<Compute *> unread_computes_;       // those of them that nothing reads in steps without output
  std::vector<Compute *> replaced_computes_;  // LAMMPS's, see TallyCompute::replaced_computes()
  unsigned changed_in_setup_ = 0;             // fields that setup() changes after the forces
  triad::ListBox box_;                        // ListRule::box, or that of the engine's last list
  Fix *deformation_ = nullptr;                // fix deform of a batch, and the boxes that it prescribes
  triad::BoxPath box_path_;

  RunLog log_{lmp};
  std::string logged_obstacle_;                      // obstacle() of the last setup()
  bigint first_step_ = 0;                            // step of the last init(), from which on the following count
  bigint steps_ = 0, batched_steps_ = 0;             // steps made on the engine
  bigint pruned_lists_ = 0, late_pruned_lists_ = 0;  // renewals of the pruned list of this rank
  bigint lists_made_ = 0;                            // lists that the engine has made
  CopyCounts copies_;
  bigint lists_renewed_ = 0;                       // lists that LAMMPS has renewed
  bigint atoms_counted_ = 0, atoms_lost_ = 0;      // atoms of all ranks at LAMMPS's last list; lost until then
  double batch_seconds_ = 0, single_seconds_ = 0;  // time of steps in batches, and of the others
  double wait_seconds_ = 0;                        // part of batch_seconds_: waits for ghosts of other ranks
  double renewal_seconds_ = 0;                     // time of the renewals by LAMMPS
};

}  // namespace LAMMPS_NS

// Base class of our pair styles: their place among LAMMPS's arrays, and what run_style verlet/triad needs to compute
// their forces on an engine.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/precision.h"
#include "core/views.h"
#include "engine/force_terms.h"
#include "engine/pair_force.h"
#include "lammps/util/backend_choice.h"
#include "lammps/util/list_stamp.h"
#include "lammps/util/run_log.h"
#include "pair.h"

namespace LAMMPS_NS {

class EnginePair : public Pair {
 public:
  /// `style`: the name of the style for messages.
  EnginePair(LAMMPS *lmp, std::string style) : Pair(lmp), style_(std::move(style)) {}

  void compute(int eflag, int vflag) override;
  void add_tally_callback(Compute *compute) override;

  /// The name of the style.
  const std::string &name() const { return style_; }
  /// True if the backend is on a GPU. Valid after init_style().
  bool on_cuda() const { return on_cuda_; }
  virtual triad::Precision precision() const = 0;
  /// Returns the reason why an engine cannot compute the forces, or an empty string. Valid after init_style().
  virtual std::string obstacle() const { return ""; }

  /// The force for an engine. Valid after Pair::init().
  virtual triad::ForceTerm term() = 0;
  /// Increases whenever existing engines become invalid, and differs between styles.
  int revision() const { return revision_; }
  /// Under the suffix, chooses run_style verlet/triad at the first call for this pair style if all of its sub-styles
  /// are ours. A later choice of the script is kept.
  virtual void take_run_style() {}

  /// List of all pairs that can come within the cutoff until LAMMPS renews its lists. Must be called after each build
  /// by LAMMPS; valid until the next build.
  virtual triad::NeighborListView list_pairs() = 0;
  /// True if no other style depends on this style's list, so that the engine may make one of its own.
  virtual bool engine_may_make_lists() const = 0;
  /// The largest distance of interacting atoms. Valid after Pair::init().
  virtual double force_cutoff() const = 0;
  /// [(n_types + 1)^2] for a list that the engine makes: 1 if atoms of these types interact by this style. Empty if all
  /// do. Valid after the first list of LAMMPS.
  virtual std::vector<char> listed_types() const;

  /// True: the engine computes the forces of the steps, and a call of compute() is for other positions. False after
  /// init_style().
  virtual void set_on_engine(bool on_engine) { on_engine_ = on_engine; }
  bool on_engine() const { return on_engine_; }
  /// To be called after a build by LAMMPS that class Neighbor does not count.
  virtual void forget_pairs() { atoms_stamp_ = ListStamp(); }

  /// Makes the next compute() call `other` after it has cleared the tallies, unless `other` is null. Not for calls by
  /// fixes that have displaced atoms.
  void compute_next_by(std::function<void()> other) { other_ = std::move(other); }
  /// The tallies of the present compute().
  triad::TallyRequest request() const;
  /// The arrays of the per-atom tallies among these.
  triad::ResultsView results() const;
  /// Adds totals to those of the present compute().
  void add_totals(const triad::ForceTotals &totals);

 protected:
  /// compute() after ev_init(): forces and tallies of this step.
  virtual void add_forces() = 0;
  void renew_revision();
  /// Error for a style that was created after the setup of a run and has no list.
  void require_init() const;
  /// True if LAMMPS excludes no pairs from its lists.
  bool all_pairs_listed() const;
  /// True if LAMMPS's list would hold all pairs within the cutoff, so that another list can replace it. False with
  /// fixes that renew lists at any time (Monte Carlo), since they may exclude pairs later, and for moved atoms between
  /// the build of lists and the forces (rRESPA).
  bool all_pairs_count() const;

  const std::string style_;
  RunLog log_{lmp};
  BackendChoice choice_ = BackendChoice::Auto;
  bool on_cuda_ = false;  // of the present backend
  bool initialised_ = false, on_engine_ = false;

 private:
  void check_atoms();

  ListStamp atoms_stamp_;  // of the last list, with the number of owned atoms and ghosts
  int revision_ = 0;
  std::function<void()> other_;
};

}  // namespace LAMMPS_NS

// Base class of the fixes that change the forces of a group after their computation. Under run_style verlet/triad the
// engine changes the forces, in batches of steps too.
#pragma once

#include <string>
#include <vector>

#include "dynamics/force_change.h"
#include "fix.h"
#include "lammps/fix/stock_fallback.h"
#include "lammps/run/atom_motion.h"

namespace LAMMPS_NS {

class FixForceChange : public Fix, public EngineFix, public StockFallback {
 public:
  FixForceChange(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void setup(int vflag) override { post_force(vflag); }
  void min_setup(int vflag) override { post_force(vflag); }
  void post_force(int vflag) override;
  void min_post_force(int vflag) override { post_force(vflag); }
  double compute_vector(int n) override;  ///< total force on the group before the change

  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  void engine_post_force(triad::MdEngine &engine, int vflag) override;

  std::string needs_stock() const override;
  std::vector<std::string> stock_arguments() const override;

 protected:
  /// Returns the first word of a fix command with a setting that only stock fixes support: a variable or one of
  /// `keywords`; otherwise an empty string.
  static std::string unsupported_word(int narg, char **arg, const std::vector<std::string> &keywords);
  /// Declares a global vector of the three components of the total force.
  void declare_force_vector();
  /// Called in each step whose virial or output may be read, with the sums of this rank before the change.
  virtual void take_sums(const triad::ForceSums &, int /*vflag*/) {}
  /// The sums of the last step over all ranks. Collective.
  const triad::ForceSums &sums_of_all_ranks();

  triad::ForceChange change_;
  triad::ForceSumKind sums_ = triad::ForceSumKind::Forces;
  AtomMotion motion_;

 private:
  void take(const triad::ForceSums &mine, int vflag);

  const std::vector<std::string> arguments_;  // of the fix command
  triad::ForceChangeBatch batch_;
  int vflag_of_batch_ = 0;
  triad::ForceSums mine_, all_;  // sums of the last step
  bool summed_ = false;          // all_ belongs to mine_
};

}  // namespace LAMMPS_NS

// pair_style tersoff/triad and its relatives: read settings, hand LAMMPS's arrays to the loops, give energy and virial
// back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/md_engine.h"
#include "forces/tersoff/tersoff_backend.h"
#include "lammps/pair/own_list.h"
#include "lammps/util/backend_choice.h"
#include "lammps/util/list_stamp.h"
#include "pair.h"

namespace LAMMPS_NS {

class PairTersoffTriad : public Pair {
 public:
  /// `suffix` follows the name of the style, such as "/kk".
  PairTersoffTriad(LAMMPS *lmp, triad::TersoffVariant variant, const char *suffix = "");
  ~PairTersoffTriad() override;

  void compute(int eflag, int vflag) override;
  void settings(int narg, char **arg) override;
  void coeff(int narg, char **arg) override;
  void init_style() override;
  void init_list(int id, NeighList *list) override;
  double init_one(int i, int j) override;
  double memory_usage() override;
  void add_tally_callback(Compute *compute) override;

  // For run_style verlet/triad, which keeps atoms at an engine.

  /// Under the suffix makes run_style verlet/triad the run style, the first time that it is called for this pair style:
  /// what the script chooses later stays.
  void take_run_style();
  /// A engine with this potential on the backend of this pair style. Throws LoopError.
  std::unique_ptr<triad::MdEngine> make_engine();
  /// Whether it will be on a GPU; known after init_style().
  bool on_cuda() const { return on_cuda_; }
  /// Grows whenever engines made before do not fit any more.
  int revision() const { return revision_; }
  /// All pairs that can come within the cutoff until LAMMPS renews its lists: listed by all threads, or by LAMMPS where
  /// LAMMPS leaves some out. To be called after every build of lists by LAMMPS. Valid until the next build.
  triad::NeighborListView list_pairs();
  /// Tells whether the engine computes the forces of the steps, and whoever calls compute() wants those of other
  /// positions. False after init_style().
  void set_on_engine(bool on_engine) { on_engine_ = on_engine; }
  /// To be called after a build of lists by LAMMPS that Neighbor does not count.
  void forget_pairs() { pairs_.forget(); }
  /// Whether that is a list of all pairs within the cutoff, of which LAMMPS has none.
  bool lists_all_pairs() const { return own_list_ && all_pairs_listed(); }
  /// Lets the next compute() be done by `other`, if that is not null. Fixes that call compute() themselves, for atoms
  /// that they have moved, are not meant.
  void compute_next_by(std::function<void(int eflag, int vflag)> other) { other_ = std::move(other); }
  /// compute() on the engine's atoms, which also keeps the tallies that its heat_current() needs. Throws LoopError.
  void compute_resident(triad::MdEngine &engine, int eflag, int vflag, bool heat_current);
  /// Energy and virial of forces that an engine computed on its own.
  void take_totals(const triad::ForceTotals &totals, int eflag, int vflag);

 protected:
  // Where atoms, forces and lists are, and what computes there, is for derived styles to change.

  /// The backend that `choice` asks for; `note` is what the log says besides its name. Throws triad::LoopError.
  virtual std::unique_ptr<triad::TersoffBackend> new_backend(BackendChoice choice, std::string &note);
  virtual bool needs_newton() const { return true; }
  /// Whether two runs of the same input on the same layout of ranks give the same bits with the backend made last: sums
  /// in fixed point do not depend on the order of threads, and those of the host have one order.
  virtual bool repeats_bits() const { return !on_cuda_ || setup_.precision == triad::Precision::Mixed; }
  virtual triad::AtomsView atoms_view() const;
  virtual triad::NeighborListView rows() const;  ///< LAMMPS's list
  virtual double *forces() const;                ///< [n_all][3], added to

  /// compute() after ev_init(): forces and tallies of this step.
  void add_forces();

  const triad::TersoffSetup &tersoff() const { return setup_; }
  const std::string style_;

 private:
  void allocate();
  double coulomb_constant() const;
  std::string read_potential_file(const char *name, double &energy_factor);
  void make_backend();
  bool all_pairs_count() const;
  bool all_pairs_listed() const;
  void make_pairs(const triad::AtomsView &atoms, OwnList::Positions positions);
  void pass_neighbours(const triad::AtomsView &atoms);
  void require_init() const;
  triad::TallyRequest request() const;
  triad::ResultsView results() const;
  void add_totals(double energy, const double *virial);

  void say_that_atoms_travel();

  RunLog log_{lmp};
  bool run_style_taken_ = false;
  std::string said_travel_;  // to which backend, if that has been said
  BackendChoice choice_ = BackendChoice::Auto;
  triad::TersoffSetup setup_;
  std::unique_ptr<triad::TersoffBackend> backend_;
  int backend_threads_ = 0;
  bool deterministic_ = false;  // the user insists on repeats_bits()
  std::function<void(int, int)> other_;
  bool on_cuda_ = false;  // the backend chosen last
  int revision_ = 0;      // of settings, coefficients and backend
  bool initialised_ = false;
  ListStamp stamp_;  // of LAMMPS's list at the backend
  bool own_list_ = false, on_engine_ = false;
  OwnList pairs_;
  bigint passed_ = -1;  // the count of the own list at the backend
};

/// One style per variant.
template <triad::TersoffVariant variant, class Base = PairTersoffTriad>
class PairTersoffTriadOf : public Base {
 public:
  explicit PairTersoffTriadOf(LAMMPS *lmp) : Base(lmp, variant) {}
};

/// tersoff/table/triad: says what to use instead.
class PairTersoffTableTriad : public Pair {
 public:
  [[noreturn]] explicit PairTersoffTableTriad(LAMMPS *lmp);
  void compute(int, int) override {}
  void settings(int, char **) override {}
  void coeff(int, char **) override {}
};

}  // namespace LAMMPS_NS

// pair_style tersoff/triad and its variants: read settings, pass LAMMPS's arrays to the backend, return energy and
// virial.
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
  /// `suffix`: appended to the name of the style, for example "/kk".
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

  // For run_style verlet/triad, which keeps the atoms in an engine.

  /// Under the suffix, chooses run_style verlet/triad at the first call for this pair style. A later choice of the
  /// script is kept.
  void take_run_style();
  /// Makes an engine with this potential on the backend of this pair style. Throws LoopError.
  std::unique_ptr<triad::MdEngine> make_engine();
  /// True if the backend is on a GPU. Valid after init_style().
  bool on_cuda() const { return on_cuda_; }
  /// Increases whenever existing engines become invalid.
  int revision() const { return revision_; }
  /// List of all pairs that can come within the cutoff until LAMMPS renews its lists. All threads make it, unless
  /// LAMMPS excludes pairs; then it is LAMMPS's list. Must be called after each build by LAMMPS; valid until the next
  /// build.
  triad::NeighborListView list_pairs();
  /// True: the engine computes the forces of the steps, and a call of compute() is for other positions. False after
  /// init_style().
  void set_on_engine(bool on_engine) { on_engine_ = on_engine; }
  /// To be called after a build by LAMMPS that class Neighbor does not count.
  void forget_pairs() { pairs_.forget(); }
  /// True if list_pairs() returns our list of all pairs, and LAMMPS makes none.
  bool lists_all_pairs() const { return own_list_ && all_pairs_listed(); }
  /// Makes the next compute() call `other`, unless that is null. Not for calls by fixes that have displaced atoms.
  void compute_next_by(std::function<void(int eflag, int vflag)> other) { other_ = std::move(other); }
  /// compute() for the engine's atoms. `heat_current`: keeps the tallies that MdEngine::heat_current() uses. Throws
  /// LoopError.
  void compute_resident(triad::MdEngine &engine, int eflag, int vflag, bool heat_current);
  /// Takes energy and virial of forces that an engine has computed in a batch.
  void take_totals(const triad::ForceTotals &totals, int eflag, int vflag);

 protected:
  // Derived styles (KOKKOS) override where atoms, forces and lists are stored, and the backend.

  /// Makes the backend for `choice`; `note`: output, addition to the line in the log. Throws triad::LoopError.
  virtual std::unique_ptr<triad::TersoffBackend> new_backend(BackendChoice choice, std::string &note);
  virtual bool needs_newton() const { return true; }
  /// True if two runs of the same input with the same ranks give the same bits with the present backend: sums in fixed
  /// point do not depend on the order of threads, and those of the host have a fixed order.
  virtual bool repeats_bits() const { return !on_cuda_ || setup_.precision == triad::Precision::Mixed; }
  virtual triad::AtomsView atoms_view() const;
  virtual triad::NeighborListView rows() const;  ///< LAMMPS's list
  virtual double *forces() const;                ///< [n_all][3]; forces are added

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
  std::string said_travel_;  // description of the backend for which the log has said that atoms travel
  BackendChoice choice_ = BackendChoice::Auto;
  triad::TersoffSetup setup_;
  std::unique_ptr<triad::TersoffBackend> backend_;
  int backend_threads_ = 0;
  bool deterministic_ = false;  // the user requires repeats_bits()
  std::function<void(int, int)> other_;
  bool on_cuda_ = false;  // of the present backend
  int revision_ = 0;      // see revision()
  bool initialised_ = false;
  ListStamp stamp_;  // identifies the list of LAMMPS that the backend has
  bool own_list_ = false, on_engine_ = false;
  OwnList pairs_;
  bigint passed_ = -1;  // OwnList::count() of the list that the backend has
};

/// Pair style of one variant.
template <triad::TersoffVariant variant, class Base = PairTersoffTriad>
class PairTersoffTriadOf : public Base {
 public:
  explicit PairTersoffTriadOf(LAMMPS *lmp) : Base(lmp, variant) {}
};

/// tersoff/table/triad: ends with an error that names the styles to use.
class PairTersoffTableTriad : public Pair {
 public:
  [[noreturn]] explicit PairTersoffTableTriad(LAMMPS *lmp);
  void compute(int, int) override {}
  void settings(int, char **) override {}
  void coeff(int, char **) override {}
};

}  // namespace LAMMPS_NS

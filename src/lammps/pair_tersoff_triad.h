// pair_style tersoff/triad and its relatives: read settings, hand LAMMPS's arrays to the loops, give energy and virial
// back.
#pragma once

#include <memory>
#include <string>

#include "lammps/backend_choice.h"
#include "lammps/list_stamp.h"
#include "loops/tersoff_backend.h"
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

 protected:
  // Where atoms, forces and lists are, and what computes there, is for derived styles to change.

  /// The backend that `choice` asks for; `note` is what the log says besides its name. Throws triad::LoopError.
  virtual std::unique_ptr<triad::TersoffBackend> new_backend(BackendChoice choice, std::string &note);
  virtual bool needs_newton() const { return true; }
  virtual triad::AtomsView atoms_view() const;
  virtual triad::RowsView rows() const;
  virtual double *forces() const;  ///< [n_all][3], added to

  /// compute() after ev_init(): forces and tallies of this step.
  void add_forces();

  const triad::TersoffSetup &tersoff() const { return setup_; }
  const std::string style_;

 private:
  void allocate();
  double coulomb_constant() const;
  std::string read_potential_file(const char *name, double &energy_factor);
  void make_backend();
  void pass_neighbours(const triad::AtomsView &atoms);

  BackendChoice choice_ = BackendChoice::Auto;
  triad::TersoffSetup setup_;
  std::unique_ptr<triad::TersoffBackend> backend_;
  int backend_threads_ = 0;
  ListStamp stamp_;
};

/// One style per variant.
template <triad::TersoffVariant variant, class Base = PairTersoffTriad>
class PairTersoffTriadOf final : public Base {
 public:
  explicit PairTersoffTriadOf(LAMMPS *lmp) : Base(lmp, variant) {}
};

/// tersoff/table/triad: says what to use instead.
class PairTersoffTableTriad final : public Pair {
 public:
  [[noreturn]] explicit PairTersoffTableTriad(LAMMPS *lmp);
  void compute(int, int) override {}
  void settings(int, char **) override {}
  void coeff(int, char **) override {}
};

}  // namespace LAMMPS_NS

// pair_style tersoff/triad and its variants: read settings, pass LAMMPS's arrays to the backend, return energy and
// virial.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forces/tersoff/tersoff_backend.h"
#include "lammps/pair/engine_pair.h"
#include "lammps/pair/own_list.h"
#include "lammps/util/list_stamp.h"

namespace LAMMPS_NS {

class PairTersoffTriad : public EnginePair {
 public:
  /// `suffix`: appended to the name of the style, for example "/kk".
  PairTersoffTriad(LAMMPS *lmp, triad::TersoffVariant variant, const char *suffix = "");
  ~PairTersoffTriad() override;

  void settings(int narg, char **arg) override;
  void coeff(int narg, char **arg) override;
  void init_style() override;
  void init_list(int id, NeighList *list) override;
  double init_one(int i, int j) override;
  double memory_usage() override;

  // Forward communication sends each ghost the index of its owner.

  int pack_forward_comm(int n, int *list, double *buf, int, int *) override;
  void unpack_forward_comm(int n, int first, double *buf) override;

  // For run_style verlet/triad, which keeps the atoms in an engine.

  void take_run_style() override;
  triad::Precision precision() const override { return setup_.precision; }
  triad::ForceTerm term() override;
  /// All threads make the list, unless LAMMPS excludes pairs or the style is one of several; then it is LAMMPS's list.
  triad::NeighborListView list_pairs() override;
  bool engine_may_make_lists() const override { return list_replaceable_ && all_pairs_listed(); }
  double force_cutoff() const override;
  void forget_pairs() override {
    EnginePair::forget_pairs();
    pairs_.forget();
  }

 protected:
  // Derived styles (KOKKOS) override where atoms, forces and lists are stored, and the backend.

  /// Makes the backend for `choice`; `note`: output, addition to the line in the log. Throws triad::LoopError.
  virtual std::unique_ptr<triad::TersoffBackend> new_backend(BackendChoice choice, std::string &note);
  virtual bool needs_newton() const { return true; }
  /// True if two runs of the same input with the same ranks give the same bits with the present backend: sums in fixed
  /// point do not depend on the order of threads, and those of the host have a fixed order.
  virtual bool repeats_bits() const { return !on_cuda_ || setup_.precision == triad::Precision::Mixed; }
  /// Finds the owners of ghosts if the backend adds forces on ghosts to them. Called before each computation.
  virtual void renew_owners();
  virtual triad::AtomsView atoms_view() const;
  virtual triad::NeighborListView rows() const;  ///< LAMMPS's list
  virtual double *forces() const;                ///< [n_all][3]; forces are added

  void add_forces() override;

  const triad::TersoffSetup &tersoff() const { return setup_; }

  ListStamp owner_stamp_;  // identifies the ghosts whose owners are known

 private:
  void allocate();
  double coulomb_constant() const;
  void make_backend();
  void make_pairs(const triad::AtomsView &atoms, OwnList::Positions positions);
  void pass_neighbours(const triad::AtomsView &atoms);
  void say_that_atoms_travel();

  bool run_style_taken_ = false;
  std::string said_travel_;  // description of the backend for which the log has said that atoms travel
  triad::TersoffSetup setup_;
  std::unique_ptr<triad::TersoffBackend> backend_;
  int backend_threads_ = 0;
  bool deterministic_ = false;     // the user requires repeats_bits()
  ListStamp stamp_;                // identifies the list of LAMMPS that the backend has
  bool own_list_ = false;          // all threads make the list
  bool list_replaceable_ = false;  // all_pairs_count() at the last initialisation
  OwnList pairs_;
  bigint passed_ = -1;      // OwnList::count() of the list that the backend has
  std::vector<int> owner_;  // [n_all] owner of each atom: an owned atom itself; empty if forces stay on ghosts
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

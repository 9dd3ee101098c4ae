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
  PairTersoffTriad(LAMMPS *lmp, triad::TersoffVariant variant);
  ~PairTersoffTriad() override;

  void compute(int eflag, int vflag) override;
  void settings(int narg, char **arg) override;
  void coeff(int narg, char **arg) override;
  void init_style() override;
  void init_list(int id, NeighList *list) override;
  double init_one(int i, int j) override;
  double memory_usage() override;
  void add_tally_callback(Compute *compute) override;

 private:
  void allocate();
  double coulomb_constant() const;
  std::string read_potential_file(const char *name, double &energy_factor);
  void make_backend();
  void pass_neighbours(const triad::AtomsView &atoms);

  const std::string style_;
  BackendChoice choice_ = BackendChoice::Auto;
  triad::TersoffSetup setup_;
  std::unique_ptr<triad::TersoffBackend> backend_;
  int backend_threads_ = 0;
  ListStamp stamp_;
};

/// One style per variant.
template <triad::TersoffVariant variant>
class PairTersoffTriadOf final : public PairTersoffTriad {
 public:
  explicit PairTersoffTriadOf(LAMMPS *lmp) : PairTersoffTriad(lmp, variant) {}
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

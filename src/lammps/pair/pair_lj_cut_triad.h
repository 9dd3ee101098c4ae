// pair_style lj/cut/triad: the 12-6 Lennard-Jones potential of pair_style lj/cut, for pair_style hybrid with
// tersoff/triad on an engine.
#pragma once

#include <cstdio>
#include <memory>

#include "forces/pairwise/pairwise_backend.h"
#include "lammps/pair/engine_pair.h"
#include "lammps/util/list_stamp.h"

namespace LAMMPS_NS {

class PairLJCutTriad : public EnginePair {
 public:
  explicit PairLJCutTriad(LAMMPS *lmp);
  ~PairLJCutTriad() override;

  void settings(int narg, char **arg) override;
  void coeff(int narg, char **arg) override;
  void init_style() override;
  void init_list(int id, NeighList *list) override;
  double init_one(int i, int j) override;
  double single(int i, int j, int itype, int jtype, double rsq, double factor_coul, double factor_lj,
                double &fforce) override;
  void *extract(const char *name, int &dim) override;
  double memory_usage() override;

  // The records of stock lj/cut.
  void write_restart(FILE *file) override;
  void read_restart(FILE *file) override;
  void write_restart_settings(FILE *file) override;
  void read_restart_settings(FILE *file) override;
  void write_data(FILE *file) override;
  void write_data_all(FILE *file) override;

  // See EnginePair.
  triad::Precision precision() const override { return setup_.precision; }
  std::string obstacle() const override;
  triad::ForceTerm term() override;
  triad::NeighborListView list_pairs() override;
  bool engine_may_make_lists() const override { return list_replaceable_ && all_pairs_listed(); }
  double force_cutoff() const override { return setup_.cutoff; }
  std::vector<char> listed_types() const override;

 protected:
  void add_forces() override;

 private:
  using Entry = triad::LennardJonesCutSettings::Entry;

  void allocate();
  Entry entry_of(int i, int j) const;
  void set_entry(int i, int j, const Entry &entry);
  void add_tail_correction(int i, int j);
  void make_backend();
  template <class Value>
  void read_number(Value &value, FILE *file);

  double cut_global_ = 0;
  double **cut_ = nullptr, **epsilon_ = nullptr, **sigma_ = nullptr;  // [n_types + 1]^2, of type pairs i <= j
  triad::PairwiseSetup setup_;
  std::unique_ptr<triad::PairwiseBackend> backend_;
  int backend_threads_ = 0;
  bool full_list_ = false;         // of LAMMPS's present list
  bool list_replaceable_ = false;  // all_pairs_count() at the last initialisation
  ListStamp stamp_;                // identifies the list of LAMMPS that the backend has
  std::string logged_;             // the last line about the backend
};

}  // namespace LAMMPS_NS

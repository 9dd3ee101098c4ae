// fix pairwise/triad: pair forces computed once per pair. Reads settings, brings the atoms together, hands them to the
// loops, and gives forces, energy and virial back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fix.h"
#include "lammps/atom_stamp.h"
#include "lammps/gathered_atoms.h"
#include "lammps/list_stamp.h"
#include "lammps/listed_pairs.h"
#include "lammps/pairwise_settings.h"
#include "lammps/special_pairs.h"

namespace LAMMPS_NS {

class FixPairwiseTriad final : public Fix {
 public:
  FixPairwiseTriad(LAMMPS *lmp, int narg, char **arg);

  int setmask() override;
  void init() override;
  void init_list(int id, NeighList *list) override;
  void setup(int vflag) override;
  void min_setup(int vflag) override;
  void post_force(int vflag) override;
  void min_post_force(int vflag) override;
  void setup_pre_force_respa(int vflag, int level) override;
  void post_force_respa(int vflag, int level, int iteration) override;
  double compute_scalar() override;
  int pack_reverse_comm_size(int n, int first) override;
  int pack_reverse_comm(int n, int first, double *buffer) override;
  void unpack_reverse_comm(int n, int *indices, double *buffer) override;
  double memory_usage() override;

 private:
  static constexpr int most_reversed = 3 + 1 + 6;  // force, energy, virial of an atom

  void check_atoms();
  void check_range();
  void request_list();
  void make_backend();

  void evaluate(const triad::TallyRequest &request, bool deliver);
  triad::PairAtomsView all_atoms();
  triad::PairAtomsView near_atoms();
  triad::PairAtomsView rank_atoms(int n);
  bool select_atoms(bool unwrap);
  void pass_special_pairs(bool atoms_changed);
  void pass_neighbours(const triad::PairAtomsView &atoms);
  void pass_pairs(const triad::PairAtomsView &atoms);
  const triad::PairBox *periodic_box();
  bool periodic() const;
  bool all_take_part() const;
  bool has_scaled_pairs() const;
  double strength(int i) const;
  std::uint8_t side(int i) const;
  tagint tag_of(int index) const;

  void send_home(const triad::TallyRequest &request);
  void reverse_comm();

  PairwiseSettings settings_;
  const std::string command_;
  std::unique_ptr<triad::PairwiseBackend> backend_;
  int backend_threads_ = 0;
  bool on_cuda_ = false, full_list_ = false;
  int group2_bit_ = 0;
  double ghost_range_ = 0;  // within which an atom of this rank sees all images of others

  ListStamp stamp_;       // of what the backend holds
  AtomStamp atom_stamp_;  // of strengths_ and sides_, or of selected_ and mine_

  // range list and listed pairs
  NeighList *list_ = nullptr;
  ListedPairs listed_;
  bool ids_checked_ = false;
  std::vector<double> strengths_;
  std::vector<std::uint8_t> sides_;

  // range all
  bool in_place_ = false;      // LAMMPS's own arrays serve as they are
  std::vector<int> selected_;  // atoms of this rank that take part
  PairAtomArrays mine_;
  GatheredAtoms gathered_;
  SpecialPairs special_;
  triad::PairBox box_;

  // results, of all atoms that the loops saw
  std::vector<double> force_, atom_energy_, atom_virial_;
  std::vector<double> home_;  // summed over ranks, of the selected atoms
  int reverse_width_ = 0;
  double energy_ = 0;           // of this rank, or of all
  bigint energy_step_ = -1;     // -1: not of the current positions
  bool energy_summed_ = false;  // over ranks
  int respa_levels_ = 0;
};

}  // namespace LAMMPS_NS

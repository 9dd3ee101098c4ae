// fix pairwise/triad: pair forces computed once per pair. Reads settings, brings the atoms together, hands them to the
// loops, and gives forces, energy and virial back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/pairwise/gathered_atoms.h"
#include "lammps/fix/pairwise/listed_pairs.h"
#include "lammps/fix/pairwise/pairwise_settings.h"
#include "lammps/fix/pairwise/special_pairs.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/atom_stamp.h"
#include "lammps/util/list_stamp.h"
#include "lammps/util/loop_errors.h"
#include "lammps/util/run_log.h"

namespace LAMMPS_NS {

class FixPairwiseTriad : public Fix, public EngineFix {
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

  // For run_style verlet/triad.

  /// What keeps the atoms of this fix from being a engine's, to follow "since it", or null.
  const char *why_on_host() const;
  /// Whether its settings lead to a GPU. An error if they ask for one and there is none.
  bool wants_cuda() const;
  /// A engine for atoms without a potential. Throws triad::LoopError.
  std::unique_ptr<triad::MdEngine> make_engine();

  void set_on_engine(bool on_engine) override;
  bool on_engine() const override { return on_engine_; }
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  void engine_post_force(triad::MdEngine &engine, int vflag) override;

 protected:
  // Where atoms, forces and lists are, and what computes there, is for derived styles to change.

  /// Chooses for the next run, whose group2_bit_ and factors of special bonds are known.
  virtual void choose_atom_location() {}
  /// Whether the loops take atoms, lists and forces from where LAMMPS has them on a device.
  virtual bool on_device() const { return false; }
  /// The backend that the settings ask for; `note` is what the log says besides its name. Throws triad::LoopError.
  virtual std::unique_ptr<triad::PairwiseBackend> new_backend(std::string &note);
  /// Range list: whether to ask LAMMPS for a full list.
  virtual bool wants_full_list() const;
  /// The first n atoms in the order of LAMMPS.
  virtual triad::PairAtomsView rank_atoms(int n);
  virtual triad::NeighborListView rows() const;
  /// ListedPairs::find() for the atoms of now.
  virtual int find_pairs(ListedPairs &pairs, double range);
  virtual double *forces() const;
  /// ID of an atom that the loops saw.
  virtual tagint tag_of(int index) const;

  bool periodic() const;
  bool all_take_part() const;
  bool has_scaled_pairs() const;
  const PairwiseSettings &settings() const { return settings_; }

  const std::string command_;
  std::unique_ptr<triad::PairwiseBackend> backend_;
  int group2_bit_ = 0;
  NeighList *list_ = nullptr;

 private:
  static constexpr int most_reversed = 3 + 1 + 6;  // force, energy, virial of an atom

  void check_atoms();
  void check_ids();
  void check_range();
  void request_list();
  bool alone_initialised() const;
  void check_list() const;
  void make_backend();
  bool may_be_on_engine();

  triad::TallyRequest begin_step(int vflag);
  triad::TallyRequest request_of(bigint step) const;
  void evaluate(const triad::TallyRequest &request, bool deliver);
  void evaluate_at(triad::MdEngine &engine, const triad::TallyRequest &request, triad::PairForce::Target target);
  triad::PairForce &at(triad::MdEngine &engine);
  void take_totals(const triad::TallyRequest &request, const triad::ForceTotals &totals);
  /// Calls work() and turns an error of the loops into one of LAMMPS.
  template <class Work>
  void reporting_errors(Work &&work) {
    reporting_loop_errors(
        lmp, [this] { return command_; }, [this](int i) { return tag_of(i); }, work);
  }
  triad::PairAtomsView all_atoms();
  triad::PairAtomsView near_atoms();
  bool select_atoms(bool unwrap);
  void pass_special_pairs(bool atoms_changed);
  void pass_neighbours(const triad::PairAtomsView &atoms);
  bool keep_attributes(int n);
  triad::PairAtomsView kept_atoms(int n) const;
  triad::PairListView list_rows() const;
  bool renew_pairs();
  void find_listed_pairs();
  const triad::PairBox *periodic_box();
  double strength(int i) const;
  std::uint8_t side(int i) const;

  void send_to_owners(const triad::TallyRequest &request);
  void reverse_comm();

  RunLog log_{lmp};
  PairwiseSettings settings_;
  int backend_threads_ = 0;
  bool on_cuda_ = false, full_list_ = false;
  double ghost_range_ = 0;  // within which an atom of this rank sees all images of others

  // at a engine
  bool on_engine_ = false;
  std::unique_ptr<triad::PairForce> pair_force_;
  int engine_revision_ = -1;  // of its maker
  triad::PairForceBatch batch_;
  std::string logged_;  // where it was said to be

  ListStamp stamp_;       // of what the backend or pair_force_ holds
  AtomStamp atom_stamp_;  // of strengths_ and sides_, or of selected_ and mine_

  // range list and listed pairs
  ListedPairs listed_;
  bool ids_checked_ = false;
  std::vector<double> strengths_;
  std::vector<std::uint8_t> sides_;

  // range all
  bool in_place_ = false;      // LAMMPS's own arrays serve as they are (also of a device)
  std::vector<int> selected_;  // atoms of this rank that take part
  PairAtomArrays mine_;
  GatheredAtoms gathered_;
  SpecialPairs special_;
  triad::PairBox box_;

  // results, of all atoms that the loops saw
  std::vector<double> force_, atom_energy_, atom_virial_;
  std::vector<double> summed_;  // summed over ranks, of the selected atoms
  int reverse_width_ = 0;
  double energy_ = 0;           // of this rank, or of all
  bigint energy_step_ = -1;     // -1: not of the current positions
  bool energy_summed_ = false;  // over ranks
  int respa_levels_ = 0;
};

}  // namespace LAMMPS_NS

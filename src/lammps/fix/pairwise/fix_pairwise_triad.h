// fix pairwise/triad: pair forces computed once per pair. The fix reads settings, collects the atoms, calls the
// backend, and adds forces, energy and virial to LAMMPS's arrays.
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
  void post_run() override;
  void setup_pre_force_respa(int vflag, int level) override;
  void post_force_respa(int vflag, int level, int iteration) override;
  double compute_scalar() override;
  int pack_reverse_comm_size(int n, int first) override;
  int pack_reverse_comm(int n, int first, double *buffer) override;
  void unpack_reverse_comm(int n, int *indices, double *buffer) override;
  double memory_usage() override;

  // Functions for run_style verlet/triad.

  /// Returns the reason why the atoms of this fix cannot be on an engine, as a clause after "because it", or null.
  const char *why_on_host() const;
  /// True if the settings select a GPU. Error if the settings require a GPU and there is none.
  bool wants_cuda() const;
  /// Creates an engine for atoms without a potential. Throws triad::LoopError.
  std::unique_ptr<triad::MdEngine> make_engine();

  void set_on_engine(bool on_engine) override;
  bool on_engine() const override { return on_engine_; }
  unsigned fields_changed_in_setup() const override { return triad::field_f; }
  bool join(triad::StepBatch &batch) override;
  void finish_batch(bool whole) override;
  void engine_post_force(triad::MdEngine &engine, int vflag) override;

 protected:
  // Derived styles override the following functions to change where atoms, forces, lists and computation are.

  /// Chooses the location for the next run; group2_bit_ and the factors of special bonds are set.
  virtual void choose_atom_location() {}
  /// True if the backend reads atoms, lists and forces from LAMMPS's device arrays.
  virtual bool on_device() const { return false; }
  /// Returns the backend that the settings select; `note` receives an addition for the log. Throws triad::LoopError.
  virtual std::unique_ptr<triad::PairwiseBackend> new_backend(std::string &note);
  /// Range list: true if the fix requests a full list.
  virtual bool wants_full_list() const;
  /// Returns the first n atoms in the order of LAMMPS.
  virtual triad::PairAtomsView rank_atoms(int n);
  virtual triad::NeighborListView rows() const;
  /// Calls ListedPairs::find() for the current atoms.
  virtual int find_pairs(ListedPairs &pairs, double range);
  virtual double *forces() const;
  /// Returns the ID of an atom of the backend.
  virtual tagint tag_of(int index) const;

  bool periodic() const;
  bool all_atoms_interact() const;
  bool has_scaled_pairs() const;
  const PairwiseSettings &settings() const { return settings_; }

  const std::string command_;
  std::unique_ptr<triad::PairwiseBackend> backend_;
  int group2_bit_ = 0;
  NeighList *list_ = nullptr;

 private:
  static constexpr int most_reversed = 3 + 1 + 6;  // force, energy and virial of an atom

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
  void find_energy();
  void evaluate(const triad::TallyRequest &request, bool deliver);
  void evaluate_at(triad::MdEngine &engine, const triad::TallyRequest &request, triad::PairForce::Target target);
  triad::PairForce &at(triad::MdEngine &engine);
  void take_totals(const triad::TallyRequest &request, const triad::ForceTotals &totals);
  /// Calls work() and converts a LoopError to an error of LAMMPS.
  template <class Work>
  void reporting_errors(Work &&work) {
    reporting_loop_errors(
        lmp, [this] { return command_; }, [this](int i) { return tag_of(i); }, work);
  }
  triad::PairAtomsView all_atoms();
  triad::PairAtomsView near_atoms();
  void take_attributes(bool all);
  bool select_atoms(bool unwrap);
  triad::PairAtomsView gathered_attributes() const;
  void pass_special_pairs(bool atoms_changed);
  void pass_neighbours(const triad::PairAtomsView &atoms);
  bool keep_attributes(int n);
  triad::PairAtomsView kept_atoms(int n) const;
  triad::PairListView list_rows() const;
  void pass_pairs();
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
  double ghost_range_ = 0;  // distance within which a rank has all images of the atoms of other ranks

  // State on an engine.
  bool on_engine_ = false;
  std::unique_ptr<triad::PairForce> pair_force_;
  int engine_revision_ = -1;  // revision of the engine's owner
  triad::PairForceBatch batch_;
  std::string logged_;  // location in the last log message

  ListStamp stamp_;       // list that the backend or pair_force_ holds
  AtomStamp atom_stamp_;  // state of strengths_ and sides_, or of selected_ and mine_

  // Range list and listed pairs.
  ListedPairs listed_;
  bool ids_checked_ = false;
  std::vector<double> strengths_;
  std::vector<std::uint8_t> sides_;

  // Range all.
  bool in_place_ = false;      // the backend uses LAMMPS's own arrays (host or device) directly
  std::vector<int> selected_;  // atoms of this rank that interact
  PairAtomArrays mine_;
  GatheredAtoms gathered_;
  SpecialPairs special_;
  triad::PairBox box_;

  // Results for all atoms of the backend.
  std::vector<double> force_, atom_energy_, atom_virial_;
  std::vector<double> summed_;  // sums over ranks for the selected atoms
  int reverse_width_ = 0;
  double energy_ = 0;           // of this rank, or of all ranks if energy_summed_
  bigint energy_step_ = -1;     // step of energy_; -1: there is no energy
  bool energy_summed_ = false;  // true if energy_ is summed over ranks
  int respa_levels_ = 0;
};

}  // namespace LAMMPS_NS

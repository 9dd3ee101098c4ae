// fix flow/triad: one-layer shallow water on cells that are atoms. The fix reads settings and the mesh, connects the
// cells of each rank, exchanges ghosts, steers the sub-steps, and keeps the state with the atoms.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fix.h"
#include "lammps/fix/flow/flow_settings.h"
#include "lammps/util/atom_callbacks.h"
#include "lammps/util/loop_errors.h"
#include "lammps/util/run_log.h"

namespace LAMMPS_NS {

class FixFlowTriad : public Fix, private triad::FlowRanks {
 public:
  FixFlowTriad(LAMMPS *lmp, int narg, char **arg);
  ~FixFlowTriad() override;

  int setmask() override;
  void init() override;
  void reset_dt() override;
  void setup(int vflag) override;
  void initial_integrate(int vflag) override;
  void pre_neighbor() override;
  void end_of_step() override;

  double compute_scalar() override;
  double compute_vector(int n) override;
  double memory_usage() override;

  void grow_arrays(int n) override;
  void copy_arrays(int i, int j, int delflag) override;
  void set_arrays(int i) override;
  int pack_exchange(int i, double *buffer) override;
  int unpack_exchange(int i, double *buffer) override;
  int pack_restart(int i, double *buffer) override;
  void unpack_restart(int i, int nth) override;
  int size_restart(int i) override;
  int maxsize_restart() override;
  void write_restart(FILE *file) override;
  void restart(char *buffer) override;

  int pack_forward_comm(int n, int *list, double *buffer, int pbc_flag, int *pbc) override;
  void unpack_forward_comm(int n, int first, double *buffer) override;

 private:
  static constexpr int width = 4;  // h, qx, qy, elevation of the bed

  /// Calls work(); errors of the backend become errors of LAMMPS.
  template <class Work>
  void guarded(Work &&work) {
    reporting_loop_errors(
        lmp, [this] { return command_; }, work);
  }
  void make_backend();

  void index_cells();
  int cell_index(tagint id) const;
  double mesh_checksum() const;
  void set_initial_state();
  void connect();
  void connect_if_needed();
  void find_cells();
  [[noreturn]] void report_missing_cell() const;
  [[noreturn]] void report_missing_ghosts(int edge) const;
  void add_edges(triad::RankMesh &rank_mesh);
  void find_sent_cells(int n_all);
  double *state_of(int i);
  void pass_state();
  void take_state();
  void take_volumes();

  double start_of_step() const;
  void evaluate_field(const FlowSettings::Field &field, const char *keyword, bool not_negative,
                      std::vector<double> &of_cell);
  void update_fields();
  double rates(double time);
  void exchange(triad::FlowBackend &mine) override;
  double least(double mine) override;
  void advance(double span);
  [[noreturn]] void report_stuck(const triad::SubSteps &steps) const;
  void check_sole_time_step() const;
  void set_lammps_step();

  const std::string command_;
  FlowSettings settings_;
  AtomCallbacks callbacks_;
  RunLog log_{lmp};
  std::unique_ptr<triad::FlowBackend> backend_;
  int backend_threads_ = 0;

  // The whole mesh; the same on all ranks.
  std::vector<std::pair<tagint, int>> index_;   // IDs in ascending order with the index of the cell
  bool ids_are_indices_ = false;                // the ID of cell c is c + 1
  std::vector<int> edge_begin_, edge_of_cell_;  // edges of each cell, in the order of the file

  // The cells of this rank. Backends count owned cells first, then ghosts.
  bool connected_ = false;
  std::vector<int> cell_of_atom_;  // [nlocal + nghost] cell of the backend, or -1
  std::vector<int> atom_of_cell_;  // [owned cells] local index of the atom
  std::vector<int> mesh_cell_;     // [owned cells] index in the mesh
  std::vector<int> rank_cell_;     // [cells of the mesh] cell of the backend, or -1
  bool atoms_are_cells_ = false;   // atom i is cell i of the backend
  bool rates_current_ = false;     // the backend has the fluxes of the present state
  std::vector<double> rows_, of_cell_;

  // Exchange of ghosts: the sent cells of this rank, then its ghosts, h, qx, qy of each.
  std::vector<double> exchanged_;
  std::vector<int> place_;  // [cells of the backend] index in exchanged_, or -1
  int n_sent_ = 0;
  bool finding_sent_ = false;  // forward communication only marks the sent cells in place_

  double user_step_ = 0, set_step_ = 0;  // step cfl: limit of the script, and what was set last
  double step_ = 0;                      // of the last sub-step
  bigint sub_steps_ = 0, all_sub_steps_ = 0;
  triad::FlowVolumes volumes_;  // of this rank since the first run, without those that the backend still has
};

}  // namespace LAMMPS_NS

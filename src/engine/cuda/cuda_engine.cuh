// The engine on a CUDA device.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/cuda/lists/uploaded_neighbor_list.cuh"
#include "engine/cuda/pair_force.cuh"
#include "engine/cuda/state/atom_ops.cuh"
#include "engine/cuda/state/heat_current_kernel.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/cuda/step/fused_steps.cuh"
#include "engine/cuda/step/persistent_step_kernel.cuh"
#include "engine/cuda/step/step_graph.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "engine/exchange/cuda/peer_halo.cuh"
#include "engine/md_engine.h"
#include "forces/tersoff/cuda/tersoff_device.cuh"
#include "neighbor/cuda/cell_neighbor_list.cuh"

namespace triad {
namespace cuda {

template <class Format>
class StepsAhead;

template <class Format>
class CudaEngine final : public MdEngine {
 public:
  CudaEngine(const TersoffSetup &setup, int device, int n_threads);

  void set_atoms(const AtomArrays &atoms, const NeighborListView &rows, const HaloPlan &halo) override;
  bool makes_lists(const ListBox &box, int n_owned) const override;
  bool make_list(const ListBox &box) override;
  void set_box(const ListBox &box) override { set_shifts(list_cells_.shifts(box)); }
  bool crossed() const override { return crossed_; }
  void set_arrays(const AtomArrays &atoms) override;
  void set_shifts(const std::vector<double> &shift) override;
  void sync_host(unsigned fields) override;
  void from_host(unsigned fields) override;
  void queue_kick(int group_bit, double half_kick) override;
  void queue_drift(int group_bit, double drift) override;
  void queue_scale_velocities(int group_bit, const double factor[3]) override;
  void add_velocity(int group_bit, const double difference[3]) override;
  void queue_dilate(const double fixed[3], const double factor[3]) override;
  void add_langevin(const LangevinForce &force) override;
  KineticSums kinetic(int group_bit) override;
  bool moved(double limit) override;
  void compute_forces(const TallyRequest &request, ResultsView &results) override;
  std::unique_ptr<PairForce> make_pair_force(const PairwiseSetup &setup) override;
  bool heat_current_takes_tallies() const override { return false; }
  HeatCurrent heat_current(int group_bit, double kinetic_factor) override;
  BatchResult run_steps(const StepBatch &batch) override;
  std::string description() const override;
  std::string ghosts_travel() const override;
  void fail(const char *why) noexcept override { peer_halo_.fail(why); }
  double host_bytes() const override;
  double device_bytes() const override;

 private:
  friend class PairForceOnDevice<Format>;
  friend class StepsAhead<Format>;

  using Position = typename PositionOf<Format>::type;
  using Velocity = typename Coordinates<Format>::Velocity;
  using Sum = typename Format::Sum;
  using State = DeviceState<Format>;

  /// Words in page-locked memory through which kernels report to the host. StepGuard has those of a batch of steps.
  /// Zero means that there is nothing to report; the words that name an atom hold 1 + its index.
  struct Reports {
    int moved, beyond_limit, outside, crossed, bad_position, wild_atom, bad_pair_force;
    StepProgress progress;
    StepGuard guard;
    BlockTotals totals;
  };

  void select() const;
  State state() const;
  template <class Op>
  void for_group(int group_bit, const Op &op, const char *what);
  template <class Op>
  void for_each(std::size_t n, const Op &op, const char *what);
  bool reported(int &report);

  std::vector<DeviceLangevin> langevin_on_device(const std::vector<LangevinForce> &forces);
  Motion &motion_of(int group_bit, bool too_late);
  MotionOp<Format> take_motion();
  void flush();
  void read_attributes();
  template <class Move>
  void by_chunks(Move &&move);
  void positions_changed() { checked_ = false; }
  [[noreturn]] void throw_bad_position(int i);
  void check_motion();
  void check_forces();

  // ghosts
  void forward_halo();
  void reverse_halo();
  bool on_any_rank(bool flag) const { return halo_.exchange ? halo_.exchange->any(flag) : flag; }
  bool alone() const { return layout_.host_ghost.empty() && !halo_.exchange; }
  /// True if the device can make the steps of a batch without the host: no ghosts, or ghosts that travel between GPUs.
  bool runs_ahead() const { return alone() || with_peers_; }

  // steps
  bool two_lists() const { return rows_.boundary().second_to > 0; }
  void build_pruned_list() { tersoff_.build_pruned_list(rows_.view(), rows_.boundary()); }
  void keep_pruned_list();
  ListCells cells_of(const ListBox &box, int n_owned) const;
  void give_crossings();
  void add_tallies(const TallyRequest &request, ResultsView &results);
  ForceTotals read_totals();
  StepJob<Format> step_job(const StepBatch &batch);
  void start_guard(const StepGuard &guard);
  StepGuard read_guard();
  template <bool Ends, bool Starts>
  void launch_move(StepJob<Format> job);
  void start_thermostat(const StepBatch &batch, StepJob<Format> &job);
  void launch_thermostat(const StepBatch &batch, StepJob<Format> job, bool last, const Peers &peers);
  void step_thermostat(const StepBatch &batch, const StepJob<Format> &job, long long step);
  void read_thermostat(const StepBatch &batch);
  bool add_pair_forces(const StepBatch &batch, long long step);
  bool rows_of_four() const;
  bool fused_steps_fit(const StepBatch &batch, long long steps) const;
  bool persistent_step(const StepBatch &batch, const StepJob<Format> &job) const;
  bool list_expired(const StepBatch &batch, int reasons);
  void throw_stop(const StepGuard &guard);
  void agree_on_list_life();
  void send_to_peers(const Peers &peers, cudaStream_t stream);
  void return_to_peers(const Peers &peers, cudaStream_t stream);
  long long timed_waits_every(long long n_steps) const;
  void wait_for_ghosts(bool timed);
  double median_wait();
  void advance_with_ghosts(const StepBatch &batch, const StepJob<Format> &job, BatchResult &result);

  TersoffSetup setup_;
  int device_, n_threads_;
  Stream stream_;
  TersoffDevice<Format> tersoff_;
  UploadedNeighborList rows_;
  CellNeighborList cell_rows_;
  ListCells list_cells_ = {};  // the cells that cell_rows_ was made with
  AtomArrays atoms_;
  HaloPlan halo_;
  GhostLayout layout_;

  Motion motion_;             // motion that is queued; flush() carries it out
  KineticSums sums_;          // kinetic sums of the group summed_bit_
  int summed_bit_ = 0;        // bit of that group; 0 once velocities have changed by more than a scaling
  double uniform_mass_ = 0;   // the mass of all atoms, or 0 if masses differ
  bool checked_ = false;      // ghosts have current positions, and no atom has left the limits of the pruned list
  bool listed_ = false;       // the pruned list is of the present atoms
  double coarse_limit_ = -1;  // displacement for which coarse_reference_ was made
  CoarseReference coarse_ = {};
  FusedSteps<Format> fused_steps_;
  PeerHalo peer_halo_;
  Stream halo_stream_{true};
  Event moved_, exchanged_;         // in the present step: atoms are moved, ghosts are exchanged
  std::array<Interval, 16> waits_;  // samples of the time that a step waits for ghosts
  int n_waits_ = 0;
  bool with_peers_ = false;        // ghosts travel between GPUs
  bool chains_ = false;            // the device supports programmatic dependent launch
  bool records_ = false;           // the driver can capture such launches into CUDA graphs
  bool all_refilter_ = true;       // every rank can renew its pruned list before the list expires
  long long list_age_ = 0;         // steps since the pruned list was made
  double list_life_ = 1e9;         // estimated steps after which the pruned list must be renewed
  double step_ns_ = 1e5;           // estimated time of a step in ns
  bool counts_crossings_ = false;  // crossings_ counts since the last copy of positions to the host
  bool crossed_ = false;           // some of these counts are not zero
  std::vector<int> type_;          // [n_owned] types whose elements are on the device

  DeviceBuffer<Velocity> v_{"velocities"};
  DeviceBuffer<unsigned> lower_{"positions"};
  DeviceBuffer<double> anchor_{"positions"}, mass_{"masses"}, rows_of_three_{"copies of fields"};
  DeviceBuffer<int> mask_{"groups"}, element_{"elements"}, type_device_{"types"},
      crossings_{"atoms that crossed the box"};
  DeviceBuffer<std::int64_t> tag_{"atom IDs"};
  std::vector<std::int64_t> tags_;  // host copy of tag_
  bool identified_ = false;         // type_device_ and tag_ are those of the present atoms
  DeviceBuffer<Position> list_reference_{"positions of LAMMPS's list"}, shift_{"shifts of ghosts"};
  DeviceBuffer<unsigned> coarse_reference_{"positions of LAMMPS's list"};
  DeviceBuffer<LangevinTerms> langevin_{"thermostat"};
  std::vector<LangevinTerms> langevin_host_;  // [thermostats][types + 1] host copy of langevin_
  DeviceBuffer<DeviceThermostat> thermostat_{"thermostat"};
  PinnedBuffer<DeviceThermostat> thermostat_host_{"thermostat"};
  DeviceBuffer<KineticSums> kinetic_{"kinetic energies"};
  DeviceBuffer<StepGuard> guard_{"the state of steps"};
  DeviceBuffer<double> tally_{"per-atom tallies"};
  DeviceBuffer<double> sent_velocities_{"velocities of ghosts"}, ghost_velocities_{"velocities of ghosts"};
  PinnedBuffer<double> sent_velocities_host_{"velocities of ghosts"}, ghost_velocities_host_{"velocities of ghosts"};
  DeviceBuffer<HeatCurrent> heat_current_{"the heat current"};
  PinnedBuffer<HeatCurrent> heat_current_host_{"the heat current"};
  DeviceBuffer<int> send_{"ghosts"}, send_image_{"ghosts"}, copied_{"ghosts"}, copied_image_{"ghosts"};
  DeviceBuffer<Position> sent_positions_{"ghosts"};
  DeviceBuffer<Sum> ghost_forces_{"forces on ghosts"}, sent_forces_{"forces on ghosts"};
  PinnedBuffer<Position> sent_positions_host_{"ghosts"}, arriving_positions_host_{"ghosts"};
  PinnedBuffer<Sum> ghost_forces_host_{"forces on ghosts"}, sent_forces_host_{"forces on ghosts"};
  PinnedBuffer<Position> shift_host_{"shifts of ghosts"};
  Event shifts_copied_;
  PinnedBuffer<double> chunk_{"copies of fields"};
  PinnedBuffer<Reports> reports_{"reports of kernels"};
  PinnedBuffer<KineticSums> kinetic_host_{"kinetic energies"};
};

template <class Format>
std::unique_ptr<MdEngine> make_engine_cuda_format(const TersoffSetup &setup, int device, int n_threads);

}  // namespace cuda
}  // namespace triad

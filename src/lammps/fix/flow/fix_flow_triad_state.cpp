// The state of the cells with their atoms: exchange, restart, output.

#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "io/flow_record.h"
#include "io/sealed_record.h"
#include "lammps/fix/flow/fix_flow_triad.h"
#include "lammps/util/restart_record.h"
#include "memory.h"
#include "update.h"

using namespace LAMMPS_NS;

// ---- between atoms and backend

/// Returns the state of an atom; one that was created after the fix gets the initial state of its cell.
double *FixFlowTriad::state_of(int i) {
  if (std::isnan(array_atom[i][3])) set_arrays(i);
  return array_atom[i];
}

void FixFlowTriad::pass_state() {
  rows_.resize(width * atom_of_cell_.size());
  for (std::size_t c = 0; c < atom_of_cell_.size(); ++c) {
    double *const row = state_of(atom_of_cell_[c]);
    row[3] = settings_.mesh.cells[mesh_cell_[c]].bed;
    std::copy_n(row, width, &rows_[width * c]);
  }
  guarded([&] { backend_->set_state(rows_.data()); });
}

void FixFlowTriad::take_state() {
  if (atom_of_cell_.empty()) return;
  double *const rows = atoms_are_cells_ ? array_atom[0] : rows_.data();
  guarded([&] { backend_->get_state(rows); });
  if (atoms_are_cells_) return;
  for (std::size_t c = 0; c < atom_of_cell_.size(); ++c)
    std::copy_n(&rows_[width * c], width, array_atom[atom_of_cell_[c]]);
}

/// Adds the volumes that the backend has counted to volumes_.
void FixFlowTriad::take_volumes() {
  if (backend_) guarded([&] { volumes_ += backend_->take_volumes(); });
}

// ---- between ranks

/// Copies the sent cells of each rank to the ghosts of the others. Collective.
void FixFlowTriad::exchange(triad::FlowBackend &mine) {
  guarded([&] { mine.get_sent(exchanged_.data()); });
  comm->forward_comm(this);
  guarded([&] { mine.set_ghosts(exchanged_.data() + 3 * std::size_t(n_sent_)); });
}

int FixFlowTriad::pack_forward_comm(int n, int *list, double *buffer, int, int *) {
  for (int k = 0; k < n; ++k) {
    const int cell = cell_of_atom_[list[k]];
    const int place = cell < 0 ? -1 : place_[cell];
    if (finding_sent_ && cell >= 0) place_[cell] = 0;
    for (int v = 0; v < 3; ++v) *buffer++ = place < 0 || finding_sent_ ? 0 : exchanged_[3 * std::size_t(place) + v];
  }
  return 3 * n;
}

/// An atom that is an image of an owned cell receives the values that this rank has sent.
void FixFlowTriad::unpack_forward_comm(int n, int first, double *buffer) {
  if (finding_sent_) return;
  for (int k = 0; k < n; ++k) {
    const int cell = cell_of_atom_[first + k];
    if (cell >= 0 && place_[cell] >= 0)
      std::copy_n(buffer + 3 * std::size_t(k), 3, &exchanged_[3 * std::size_t(place_[cell])]);
  }
}

// ---- arrays of atoms

void FixFlowTriad::grow_arrays(int n) { memory->grow(array_atom, n, width, "flow/triad:state"); }

void FixFlowTriad::copy_arrays(int i, int j, int) { std::copy_n(array_atom[i], width, array_atom[j]); }

/// The initial state of a cell; an atom without a cell has no water. NaN marks an atom that has no ID yet.
void FixFlowTriad::set_arrays(int i) {
  if (atom->tag[i] == 0) {
    std::fill_n(array_atom[i], width, std::numeric_limits<double>::quiet_NaN());
    return;
  }
  const int c = cell_index(atom->tag[i]);
  const triad::FlowCell *const cell = c < 0 ? nullptr : &settings_.mesh.cells[c];
  const double row[width] = {cell ? cell->h : 0, cell ? cell->qx : 0, cell ? cell->qy : 0, cell ? cell->bed : 0};
  std::copy_n(row, width, array_atom[i]);
}

int FixFlowTriad::pack_exchange(int i, double *buffer) {
  std::copy_n(state_of(i), width - 1, buffer);
  return width - 1;
}

int FixFlowTriad::unpack_exchange(int i, double *buffer) {
  const int c = cell_index(atom->tag[i]);
  std::copy_n(buffer, width - 1, array_atom[i]);
  array_atom[i][3] = c < 0 ? 0 : settings_.mesh.cells[c].bed;
  return width - 1;
}

// ---- restart. The record of an atom: number of values, version, h, qx, qy.

namespace {
constexpr int flow_restart_values = 5;
constexpr double flow_restart_version = 1;
}  // namespace

int FixFlowTriad::pack_restart(int i, double *buffer) {
  buffer[0] = flow_restart_values;
  buffer[1] = flow_restart_version;
  std::copy_n(state_of(i), width - 1, buffer + 2);
  return flow_restart_values;
}

void FixFlowTriad::unpack_restart(int i, int nth) {
  const double *record = atom->extra[i];
  for (int k = 0; k < nth; ++k) record += static_cast<int>(record[0]);
  const bool valid = record[0] == flow_restart_values && record[1] == flow_restart_version && record[2] >= 0 &&
                     std::isfinite(record[2] + record[3] + record[4]);
  if (!valid)
    error->one(FLERR,
               "The restart file has no valid state of atom {} for fix {} of style {}; the file is damaged, or another "
               "version wrote it. Give the fix another ID to start without it",
               atom->tag[i], id, style);
  std::copy_n(record + 2, width - 1, array_atom[i]);
}

int FixFlowTriad::size_restart(int) { return flow_restart_values; }
int FixFlowTriad::maxsize_restart() { return flow_restart_values; }

/// Returns the checksum of what a state depends on: the cells and edges, without the initial state and the boundary.
double FixFlowTriad::mesh_checksum() const {
  std::vector<double> numbers;
  for (const auto &cell : settings_.mesh.cells) numbers.insert(numbers.end(), {double(cell.id), cell.area, cell.bed});
  for (const auto &e : settings_.mesh.edges)
    numbers.insert(numbers.end(), {double(e.left), double(e.right), e.nx, e.ny, e.length});
  return triad::record_checksum(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(double));
}

/// Collective.
void FixFlowTriad::write_restart(FILE *file) {
  triad::FlowRecord record;
  record.cells = double(settings_.mesh.cells.size());
  record.edges = double(settings_.mesh.edges.size());
  record.mesh_checksum = mesh_checksum();
  record.sub_steps = double(all_sub_steps_);
  record.last_sub_steps = double(sub_steps_);
  record.last_step = step_;
  record.user_step = user_step_;
  record.set_step = set_step_;
  take_volumes();
  const double mine[4] = {volumes_.open, volumes_.stage, volumes_.discharge, volumes_.rain};
  MPI_Allreduce(mine, record.volumes, 4, MPI_DOUBLE, MPI_SUM, world);
  if (comm->me != 0) return;
  write_restart_record(file, triad::pack_flow_record(record));
}

void FixFlowTriad::restart(char *buffer) {
  const triad::FlowRecord record = read_restart_record(lmp, id, style, buffer, triad::unpack_flow_record);
  if (record.cells != double(settings_.mesh.cells.size()) || record.edges != double(settings_.mesh.edges.size()))
    error->all(
        FLERR,
        "The restart file has the state of fix {} for a mesh of {} cells and {} edges, and {} has {} and {}; give "
        "the mesh of that run, or give the fix another ID to start without it",
        id, record.cells, record.edges, settings_.mesh_file, settings_.mesh.cells.size(), settings_.mesh.edges.size());
  if (record.mesh_checksum != mesh_checksum())
    error->all(FLERR,
               "The restart file has the state of fix {} for another mesh than {}: IDs, areas, beds or edges differ; "
               "give the mesh of that run, or give the fix another ID to start without it",
               id, settings_.mesh_file);
  all_sub_steps_ = bigint(record.sub_steps);
  sub_steps_ = bigint(record.last_sub_steps);
  step_ = record.last_step;
  user_step_ = record.user_step;
  set_step_ = record.set_step;
  volumes_ = {};
  if (comm->me == 0) volumes_ = {record.volumes[0], record.volumes[1], record.volumes[2], record.volumes[3]};
}

// ---- output

/// Returns the volume of water.
double FixFlowTriad::compute_scalar() {
  double mine = 0, all = 0;
  for (int i = 0; i < atom->nlocal; ++i) {
    const int c = atom->mask[i] & groupbit ? cell_index(atom->tag[i]) : -1;
    if (c >= 0) mine += state_of(i)[0] * settings_.mesh.cells[c].area;
  }
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

/// Last time step, sub-steps of the last LAMMPS step, all sub-steps, dry cells, and the volumes that entered through
/// open, stage and discharge boundaries and as rain.
double FixFlowTriad::compute_vector(int n) {
  if (n == 0) return step_;
  if (n == 1) return double(sub_steps_);
  if (n == 2) return double(all_sub_steps_);
  if (n == 3) {
    double dry = 0, all = 0;
    for (int i = 0; i < atom->nlocal; ++i) dry += (atom->mask[i] & groupbit) && state_of(i)[0] <= settings_.setup.dry;
    MPI_Allreduce(&dry, &all, 1, MPI_DOUBLE, MPI_SUM, world);
    return all;
  }
  take_volumes();
  const double volumes[4] = {volumes_.open, volumes_.stage, volumes_.discharge, volumes_.rain};
  double all = 0;
  MPI_Allreduce(&volumes[n - 4], &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

double FixFlowTriad::memory_usage() {
  const triad::FlowMesh &mesh = settings_.mesh;
  double bytes = double(atom->nmax) * width * sizeof(double) + (backend_ ? backend_->memory_usage() : 0);
  bytes += double(mesh.cells.size()) * (sizeof(triad::FlowCell) + sizeof(int)) +
           double(mesh.edges.size()) * (sizeof(triad::FlowEdge) + 2 * sizeof(int));
  return bytes;
}

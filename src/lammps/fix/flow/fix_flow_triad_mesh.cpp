// The cells of a rank: which atoms they are, their edges, and their ghosts.

#include <mpi.h>

#include <algorithm>
#include <cmath>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "lammps/compat/releases.h"
#include "lammps/fix/flow/fix_flow_triad.h"

using namespace LAMMPS_NS;

/// Sorts the IDs of the mesh and lists the edges of each cell.
void FixFlowTriad::index_cells() {
  const triad::FlowMesh &mesh = settings_.mesh;
  const int n = int(mesh.cells.size());
  ids_are_indices_ = true;
  for (int c = 0; c < n; ++c) ids_are_indices_ = ids_are_indices_ && mesh.cells[c].id == c + 1;
  if (!ids_are_indices_) {
    for (int c = 0; c < n; ++c) index_.emplace_back(tagint(mesh.cells[c].id), c);
    std::sort(index_.begin(), index_.end());
  }
  edge_begin_.assign(n + 1, 0);
  for (const auto &e : mesh.edges) ++edge_begin_[e.left + 1], ++edge_begin_[e.right + 1];
  for (int c = 0; c < n; ++c) edge_begin_[c + 1] += edge_begin_[c];
  edge_of_cell_.resize(edge_begin_[n]);
  std::vector<int> next(edge_begin_.begin(), edge_begin_.end() - 1);
  for (std::size_t e = 0; e < mesh.edges.size(); ++e)
    for (const int c : {mesh.edges[e].left, mesh.edges[e].right}) edge_of_cell_[next[c]++] = int(e);
}

/// Returns the cell of the mesh with an ID, or -1.
int FixFlowTriad::cell_index(tagint id) const {
  const tagint n = tagint(settings_.mesh.cells.size());
  if (ids_are_indices_) return id >= 1 && id <= n ? int(id - 1) : -1;
  const auto found = std::lower_bound(index_.begin(), index_.end(), std::pair(id, 0));
  return found != index_.end() && found->first == id ? found->second : -1;
}

void FixFlowTriad::set_initial_state() {
  for (int i = 0; i < atom->nlocal; ++i) FixFlowTriad::set_arrays(i);
}

void FixFlowTriad::connect_if_needed() {
  if (connected_) return;
  connect();
  connected_ = true;
  rates_current_ = false;
}

/// Finds the cells of this rank and its ghosts, and passes mesh and state to the backend. Collective.
void FixFlowTriad::connect() {
  const triad::FlowMesh &mesh = settings_.mesh;
  find_cells();
  const int n = int(atom_of_cell_.size());
  triad::RankMesh rank_mesh;
  rank_mesh.n_owned = n;
  for (const int c : mesh_cell_) {
    rank_mesh.area.push_back(mesh.cells[c].area);
    rank_mesh.bed.push_back(mesh.cells[c].bed);
  }
  add_edges(rank_mesh);
  rank_mesh.series = mesh.series;
  for (const auto &b : mesh.boundary) {
    const int cell = rank_cell_[b.cell];
    if (cell < 0 || cell >= n) continue;
    rank_mesh.boundary.push_back({cell, b.nx, b.ny, b.length, b.kind, b.series, b.value});
  }
  take_volumes();
  guarded([&] { backend_->set_mesh(rank_mesh); });
  if (comm->nprocs > 1) find_sent_cells(rank_mesh.n_all);

  of_cell_.resize(n);
  for (int c = 0; c < n; ++c)
    of_cell_[c] = settings_.manning.given ? settings_.manning.value : mesh.cells[mesh_cell_[c]].manning;
  guarded([&] { backend_->set_manning(of_cell_.data()); });
  of_cell_.assign(n, settings_.rain.value);
  guarded([&] { backend_->set_rain(of_cell_.data()); });
  pass_state();
}

/// Finds the owned cells that LAMMPS's communication of ghosts sends, and the place of each sent or ghost cell in
/// exchanged_. Collective.
void FixFlowTriad::find_sent_cells(int n_all) {
  const int n = int(atom_of_cell_.size());
  place_.assign(n_all, -1);
  finding_sent_ = true;
  comm->forward_comm(this);
  finding_sent_ = false;
  std::vector<int> sent;
  for (int c = 0; c < n; ++c) {
    if (place_[c] < 0) continue;
    place_[c] = int(sent.size());
    sent.push_back(c);
  }
  n_sent_ = int(sent.size());
  for (int c = n; c < n_all; ++c) place_[c] = n_sent_ + c - n;
  exchanged_.assign(3 * std::size_t(n_sent_ + n_all - n), 0.0);
  guarded([&] { backend_->set_sent(sent); });
}

/// Finds the atom of each cell.
void FixFlowTriad::find_cells() {
  const int nlocal = atom->nlocal, nall = nlocal + atom->nghost;
  cell_of_atom_.assign(nall, -1);
  rank_cell_.assign(settings_.mesh.cells.size(), -1);
  atom_of_cell_.clear();
  mesh_cell_.clear();
  for (int i = 0; i < nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    const int c = cell_index(atom->tag[i]);
    if (c < 0)
      error->one(FLERR,
                 "{}: atom {} has no cell in {}; add it to the section Cells, or give the fix a group without it",
                 command_, atom->tag[i], settings_.mesh_file);
    cell_of_atom_[i] = rank_cell_[c] = int(atom_of_cell_.size());
    atom_of_cell_.push_back(i);
    mesh_cell_.push_back(c);
  }
  atoms_are_cells_ = int(atom_of_cell_.size()) == nlocal;
  const bigint mine = atom_of_cell_.size();
  bigint all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_LMP_BIGINT, MPI_SUM, world);
  if (all != bigint(settings_.mesh.cells.size())) report_missing_cell();
}

void FixFlowTriad::report_missing_cell() const {
  std::vector<int> mine(rank_cell_.size()), all(rank_cell_.size());
  for (std::size_t c = 0; c < mine.size(); ++c) mine[c] = rank_cell_[c] >= 0;
  MPI_Allreduce(mine.data(), all.data(), int(mine.size()), MPI_INT, MPI_MAX, world);
  const auto &cell = settings_.mesh.cells[std::find(all.begin(), all.end(), 0) - all.begin()];
  error->all(FLERR, "{}: {}:{}: there is no atom with ID {} in the group of the fix; cells are atoms of the same ID",
             command_, settings_.mesh_file, cell.line, cell.id);
}

/// Adds the edges of owned cells in the order of the file, and the ghosts beyond them.
void FixFlowTriad::add_edges(triad::RankMesh &rank_mesh) {
  const triad::FlowMesh &mesh = settings_.mesh;
  const int n = int(mesh_cell_.size());
  std::vector<int> edges;
  for (const int c : mesh_cell_)
    edges.insert(edges.end(), edge_of_cell_.begin() + edge_begin_[c], edge_of_cell_.begin() + edge_begin_[c + 1]);
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

  int ghosts = n;
  if (comm->nprocs > 1)
    for (int i = atom->nlocal; i < atom->nlocal + atom->nghost; ++i) {
      if (!(atom->mask[i] & groupbit)) continue;
      const int c = cell_index(atom->tag[i]);
      if (c < 0) continue;
      if (rank_cell_[c] < 0) {
        rank_cell_[c] = ghosts++;
        rank_mesh.bed.push_back(mesh.cells[c].bed);
      }
      // Also for images of owned cells: LAMMPS passes ghosts on to other ranks, and this rank receives its own values.
      cell_of_atom_[i] = rank_cell_[c];
    }
  rank_mesh.n_all = ghosts;

  int missing = -1;
  for (const int e : edges) {
    const triad::FlowEdge &edge = mesh.edges[e];
    const int left = rank_cell_[edge.left], right = rank_cell_[edge.right];
    if (left < 0 || right < 0) {
      missing = e;
      break;
    }
    rank_mesh.edges.push_back({left, right, edge.nx, edge.ny, edge.length});
  }
  int any = missing;
  MPI_Allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, world);
  if (any >= 0) report_missing_ghosts(any);
}

/// Error for a rank that lacks one cell of edge `edge`; the message names the necessary ghost cutoff. Collective.
void FixFlowTriad::report_missing_ghosts(int edge) const {
  const triad::FlowMesh &mesh = settings_.mesh;
  std::vector<double> mine(3 * mesh.cells.size()), x(mine.size());
  for (std::size_t k = 0; k < atom_of_cell_.size(); ++k)
    std::copy_n(atom->x[atom_of_cell_[k]], 3, &mine[3 * std::size_t(mesh_cell_[k])]);
  MPI_Allreduce(mine.data(), x.data(), int(mine.size()), MPI_DOUBLE, MPI_SUM, world);
  double farthest = 0;
  for (const auto &e : mesh.edges) {
    double d[3];
    for (int axis = 0; axis < 3; ++axis)
      d[axis] = x[3 * std::size_t(e.right) + axis] - x[3 * std::size_t(e.left) + axis];
    nearest_image(domain, d);
    farthest = std::max(farthest, std::hypot(d[0], d[1], d[2]));
  }
  error->all(
      FLERR,
      "{}: {}:{}: the cells {} and {} are farther apart than ghost atoms reach; use comm_modify cutoff {:.6g} or "
      "more",
      command_, settings_.mesh_file, mesh.edges[edge].line, mesh.cells[mesh.edges[edge].left].id,
      mesh.cells[mesh.edges[edge].right].id, 1.01 * farthest);
}

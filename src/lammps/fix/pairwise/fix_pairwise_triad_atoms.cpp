// fix pairwise/triad: the atoms that the backend uses, and their attributes.

#include <mpi.h>

#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "domain.h"
#include "error.h"
#include "group.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/util/list_rows.h"
#include "neighbor.h"
#include "update.h"

using namespace LAMMPS_NS;
using triad::PairRange;

double FixPairwiseTriad::strength(int i) const { return atom->rmass ? atom->rmass[i] : atom->mass[atom->type[i]]; }

std::uint8_t FixPairwiseTriad::side(int i) const {
  return (atom->mask[i] & groupbit ? 1 : 0) | (atom->mask[i] & group2_bit_ ? 2 : 0);
}

tagint FixPairwiseTriad::tag_of(int index) const {
  return settings_.setup.range == PairRange::All && !in_place_ ? gathered_.all().tag[index] : atom->tag[index];
}

// ---- range all

/// Returns all atoms of the groups. On one rank these are LAMMPS's own arrays if all atoms interact.
triad::PairAtomsView FixPairwiseTriad::all_atoms() {
  const bool unwrap = !settings_.nearest_image && periodic();
  const bool in_place = on_device() || (comm->nprocs == 1 && all_atoms_interact() && !unwrap && !has_scaled_pairs());
  if (in_place != in_place_) atom_stamp_ = AtomStamp();  // the stamp belongs to the other arrays
  in_place_ = in_place;
  triad::PairAtomsView view;
  if (in_place_) {
    view = rank_atoms(atom->nlocal);
  } else {
    const bool changed = gathered_.gather(mine_, select_atoms(unwrap));
    view = gathered_attributes();
    view.x = gathered_.all().x.data();
    if (has_scaled_pairs()) pass_special_pairs(changed);
    if (groupbit == group2_bit_) view.side = nullptr;  // only interacting atoms were selected
  }
  view.box = periodic_box();
  return view;
}

bool FixPairwiseTriad::periodic() const { return domain->xperiodic || domain->yperiodic || domain->zperiodic; }

bool FixPairwiseTriad::all_atoms_interact() const {
  const int all_bit = group->bitmask[0];
  return groupbit == all_bit && group2_bit_ == all_bit;
}

bool FixPairwiseTriad::has_scaled_pairs() const {
  const double *const factor = settings_.setup.special;
  return atom->molecular == Atom::MOLECULAR && std::any_of(factor, factor + 4, [](double f) { return f != 1; });
}

/// Fills the arrays of mine_, except positions: with `all` for all atoms of this rank, otherwise for those that
/// interact.
void FixPairwiseTriad::take_attributes(bool all) {
  selected_.clear();
  mine_.clear();
  for (int i = 0; i < atom->nlocal; ++i) {
    const std::uint8_t in = side(i);
    if (!in && !all) continue;
    selected_.push_back(i);
    mine_.side.push_back(in);
    mine_.type.push_back(atom->type[i]);
    mine_.tag.push_back(atom->tag[i]);
    if (settings_.is_gravity()) mine_.strength.push_back(strength(i));
  }
}

/// The atoms of all ranks without positions.
triad::PairAtomsView FixPairwiseTriad::gathered_attributes() const {
  const PairAtomArrays &all = gathered_.all();
  // Results and MPI counts have int indices.
  if (bigint(all.size()) * most_reversed > MAXSMALLINT)
    error->all(FLERR, "{}: range all has too many atoms ({})", command_, all.size());
  triad::PairAtomsView view;
  view.n = all.size();
  view.type = all.type.data();
  view.strength = settings_.is_gravity() ? all.strength.data() : nullptr;
  view.side = all.side.data();
  return view;
}

/// Fills mine_ with the interacting atoms of this rank; returns true if they differ from those of the last step.
bool FixPairwiseTriad::select_atoms(bool unwrap) {
  const bool changed = atom_stamp_.pass(*atom, atom->nlocal, [&] {
    take_attributes(false);
    mine_.x.resize(3 * selected_.size());
  });
  double *to = mine_.x.data();
  for (const int i : selected_) {
    if (unwrap)
      domain->unmap(atom->x[i], atom->image[i], to);
    else
      std::copy_n(atom->x[i], 3, to);
    to += 3;
  }
  return changed;
}

/// Updates the scaled pairs: special bonds may change when LAMMPS rebuilds its lists, and indices when the atoms
/// change.
void FixPairwiseTriad::pass_special_pairs(bool atoms_changed) {
  if (atoms_changed) stamp_ = ListStamp();
  stamp_.pass(*neighbor, 0, [&] {
    special_ = gather_special_pairs(lmp, selected_, gathered_.all().tag, settings_.setup.special);
    backend_->set_scaled_pairs(special_.view());
  });
}

/// Returns null if nearest images are not used.
const triad::PairBox *FixPairwiseTriad::periodic_box() {
  if (!settings_.nearest_image || !periodic()) return nullptr;
  box_ = {};
  box_.xx = domain->xprd;
  box_.yy = domain->yprd;
  box_.zz = domain->zprd;
  if (domain->triclinic) {
    box_.xy = domain->xy;
    box_.xz = domain->xz;
    box_.yz = domain->yz;
  }
  std::copy_n(domain->periodicity, 3, box_.periodic);
  return &box_;
}

// ---- range list and listed pairs

triad::PairAtomsView FixPairwiseTriad::near_atoms() {
  const bool list = settings_.setup.range == PairRange::List;
  if (!list) pass_pairs();
  const triad::PairAtomsView view = rank_atoms(atom->nlocal + atom->nghost);
  if (list) pass_neighbours(view);
  return view;
}

triad::PairAtomsView FixPairwiseTriad::rank_atoms(int n) {
  if ((settings_.is_gravity() && !atom->rmass) || !all_atoms_interact()) keep_attributes(n);
  return kept_atoms(n);
}

/// Copies the attributes of the first n atoms except types; returns false if nothing has changed.
bool FixPairwiseTriad::keep_attributes(int n) {
  return atom_stamp_.pass(*atom, n, [&] {
    const bool by_type = settings_.is_gravity() && !atom->rmass, sided = !all_atoms_interact();
    strengths_.resize(by_type ? n : 0);
    sides_.resize(sided ? n : 0);
    for (int i = 0; i < n && by_type; ++i) strengths_[i] = strength(i);
    for (int i = 0; i < n && sided; ++i) sides_[i] = side(i);
  });
}

triad::PairAtomsView FixPairwiseTriad::kept_atoms(int n) const {
  triad::PairAtomsView view;
  view.n = n;
  view.x = n ? atom->x[0] : nullptr;
  view.type = atom->type;
  if (settings_.is_gravity()) view.strength = atom->rmass ? atom->rmass : strengths_.data();
  if (!all_atoms_interact()) view.side = sides_.data();
  return view;
}

/// Passes the list to the backend if LAMMPS has rebuilt it since the last call.
void FixPairwiseTriad::pass_neighbours(const triad::PairAtomsView &atoms) {
  stamp_.pass(*neighbor, list_->inum, [&] { backend_->set_neighbours(list_rows(), atoms); });
}

/// True if the list belongs to a fix of this style, whose lists always have the necessary cutoff.
static bool is_of_fix_pairwise(const NeighList *list) {
  return list->requestor_type == NeighList::FIX &&
         dynamic_cast<const FixPairwiseTriad *>(static_cast<const Fix *>(list->requestor));
}

/// Reports lists that lack pairs as errors. LAMMPS derives half lists from full lists with smaller cutoffs for some
/// types; before 2025 it did so for all lists. KOKKOS, and LAMMPS before 2025, leave a list empty that they derive from
/// a list with a cutoff of its own.
void FixPairwiseTriad::check_list() const {
  const auto source = [](const NeighList *list) { return list->listcopy ? list->listcopy : list->listfull; };
  const double cutoff = settings_.setup.cutoff + neighbor->skin;
  if (list_->trim && source(list_) && !is_of_fix_pairwise(source(list_)) && cutoff > neighbor->cutneighmin)
    error->all(FLERR,
               "{}: LAMMPS would take the pairs from the list of the pair style, which ends before the cutoff {} for "
               "some types; {}raise those cutoffs of the pair style",
               command_, settings_.setup.cutoff, full_list_ ? "" : "use kernel onesided, or ");
  for (int n = 0; n < neighbor->nlist; ++n) {
    const NeighList *const other = neighbor->lists[n];
    if (other->trim && source(other) == list_ && other->requestor_type == NeighList::PAIR &&
        (other->kokkos || lmp->num_ver < 20250722))
      error->all(FLERR,
                 "{}: this LAMMPS would derive the list of the pair style from that of the fix and leave it empty; use "
                 "LAMMPS 22 Jul 2025 or newer without KOKKOS, or another kernel or backend for the fix",
                 command_);
  }
}

triad::PairListView FixPairwiseTriad::list_rows() const {
  check_list();
  triad::PairListView view;
  view.full = full_list_;
  view.rows = rows();
  view.rows.cutoff = std::max(neighbor->cutneighmax, settings_.setup.cutoff + neighbor->skin);
  return view;
}

triad::NeighborListView FixPairwiseTriad::rows() const { return rows_of(*list_); }

/// Passes the listed pairs of this rank to the backend if atoms may have moved to other ranks since the last call.
void FixPairwiseTriad::pass_pairs() {
  stamp_.pass(*neighbor, atom->nlocal, [&] {
    find_listed_pairs();
    backend_->set_pairs(listed_.view(), rank_atoms(atom->nlocal + atom->nghost));
  });
}

/// Collective. Every pair that acts at every distance must be found by some rank.
void FixPairwiseTriad::find_listed_pairs() {
  const bool has_cutoff = settings_.setup.cutoff > 0;
  const int line = find_pairs(listed_, ghost_range_);
  if (listed_.fixed(has_cutoff) == 0) return;
  int far = 0;
  MPI_Allreduce(&line, &far, 1, MPI_INT, MPI_MAX, world);
  if (far)
    error->all(
        FLERR,
        "{} at step {}: {}:{}: the distance of the atoms of this pair exceeds the communication range {}, or one "
        "was lost; use a larger comm_modify cutoff{}",
        command_, update->ntimestep, settings_.pair_file, far, ghost_range_, has_cutoff ? "" : ", or keyword cutoff");
  const bigint mine = listed_.fixed_found();
  bigint all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_LMP_BIGINT, MPI_SUM, world);
  if (all < listed_.fixed(has_cutoff)) check_ids();  // there is a pair whose first atom no rank owns
}

int FixPairwiseTriad::find_pairs(ListedPairs &pairs, double range) {
  return pairs.find(lmp, range, settings_.setup.cutoff > 0);
}

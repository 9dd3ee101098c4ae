#include "engine/host/host_pair_force.h"

#include <algorithm>

namespace triad {

HostPairForce::HostPairForce(const PairwiseSetup &setup, int n_threads, HostAtoms &atoms)
    : all_pairs_(setup.range == PairRange::All), atoms_(atoms), backend_(make_pairwise_host(setup, n_threads)) {}

void HostPairForce::set_atoms(const PairAtomsView &atoms) {
  view_ = atoms;
  const auto keep = [&](auto &kept, auto &array) {
    if (!array) return;
    kept.assign(array, array + atoms.n);
    array = kept.data();
  };
  keep(type_, view_.type);
  keep(strength_, view_.strength);
  keep(side_, view_.side);
  if (atoms.box) view_.box = &(box_ = *atoms.box);
  HaloExchange *const exchange = atoms_.halo().exchange;
  const bool gathers = all_pairs_ && exchange;
  if (gathers) slice_ = {exchange->rank(), exchange->ranks()};
  const RowPlan rows =
      gathers ? all_rows(*exchange, atoms_.n_owned()) : rows_with_ghosts(atoms_.halo(), atoms_.n_owned());
  first_ = rows.first;
  rows_.take(rows.plan);
}

void HostPairForce::compute(const TallyRequest &request, ResultsView &results, Target target) {
  const std::size_t n = view_.n;
  x_.resize(3 * n);
  atoms_.give_positions(!all_pairs_, x_.data() + 3 * std::size_t(first_));
  if (all_pairs_) rows_.forward(x_.data());
  view_.x = x_.data();
  ResultsView computed;
  const auto clear = [&](bool wanted, int width, std::vector<double> &array) {
    array.assign(wanted ? width * n : 0, 0.0);
    return wanted ? array.data() : nullptr;
  };
  computed.force = clear(true, 3, force_);
  computed.atom_energy = clear(request.atom_energy, 1, atom_energy_);
  computed.atom_virial = clear(request.atom_virial, 6, atom_virial_);
  backend_->compute(view_, request, computed, slice_);
  results.energy = computed.energy;
  std::copy_n(computed.virial, 6, results.virial);
  if (target == Target::MdEngine) {
    send_to_owners(force_, 3);
    atoms_.add_forces(force_.data() + 3 * std::size_t(first_));
  } else if (target == Target::Caller) {
    deliver(force_, 3, results.force);
  }
  if (request.atom_energy) deliver(atom_energy_, 1, results.atom_energy);
  if (request.atom_virial) deliver(atom_virial_, 6, results.atom_virial);
}

/// Adds the values of ghosts to their owners. Collective.
void HostPairForce::send_to_owners(std::vector<double> &values, int width) {
  const std::vector<int> &owner = atoms_.halo().owner;
  const std::size_t w = width, owned = atoms_.n_owned(), ghosts = all_pairs_ ? 0 : owner.size();
  for (std::size_t g = 0; g < ghosts; ++g)
    if (owner[g] != HaloPlan::remote)
      for (std::size_t k = 0; k < w; ++k) values[w * owner[g] + k] += values[w * (owned + g) + k];
  rows_.reverse(values.data(), width);
}

/// Adds the values of owned atoms, and of ghosts to their owners, to `target`. Collective.
void HostPairForce::deliver(std::vector<double> &values, int width, double *target) {
  send_to_owners(values, width);
  const double *const own = values.data() + std::size_t(width) * first_;
  for (std::size_t k = 0; k < std::size_t(width) * atoms_.n_owned(); ++k) target[k] += own[k];
}

double HostPairForce::host_bytes() const {
  return backend_->memory_usage() + sizeof(int) * double(type_.capacity()) + double(side_.capacity()) +
         sizeof(double) * double(strength_.capacity() + x_.capacity() + force_.capacity() + atom_energy_.capacity() +
                                 atom_virial_.capacity());
}

}  // namespace triad

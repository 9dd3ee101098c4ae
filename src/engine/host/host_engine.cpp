// HostEngine: fields of the atoms, and the operations that hooks of fixes call.
#include "engine/host/host_engine.h"

#include <algorithm>
#include <cmath>

namespace triad {

HostEngine::HostEngine(const ForceTerms &terms, int n_threads) : most_threads_(usable_threads(n_threads)) {
  for (const ForceTerm &term : terms.term) {
    if (const auto *pairs = std::get_if<PairwiseSetup>(&term))
      terms_.push_back(make_pair_list_force_host(*pairs, n_threads));
    else if (const auto &tersoff = std::get<TersoffSetup>(term); tersoff.table.nelements())
      terms_.push_back(make_tersoff_host(tersoff, n_threads));
  }
  term_totals_.resize(terms_.size());
}

void HostEngine::set_atoms(const AtomArrays &atoms, const TermLists &lists, const HaloPlan &halo) {
  atoms_ = atoms;
  halo_ = halo;
  new_atoms_ = true;
  renew_pruned_list_ = false;  // after an error, ranks may differ
  threads_ = threads_for(atoms.n_owned, most_threads_);
  const std::size_t n_all = std::size_t(atoms.n_owned) + atoms.n_ghosts;
  AtomsView callers;
  callers.n_owned = atoms.n_owned;
  callers.n_all = atoms.n_owned + atoms.n_ghosts;
  callers.x = atoms.x;
  order_.take(callers, !terms_.empty(), threads_);
  ghosts_.take(halo, atoms.n_owned, order_.index_map(), threads_);
  type_.require(n_all);
  for (AlignedArray<double> *array : {&x_, &f_}) array->require(3 * n_all);
  for (AlignedArray<double> *array : {&v_, &reference_}) array->require(3 * std::size_t(atoms.n_owned));
  mass_.require(atoms.n_owned);
  mask_.require(atoms.n_owned);
  sync_engine(field_all);
  fill(3 * std::size_t(atoms.n_owned), reference_.data(), [&](std::size_t k) { return x_[k]; });
  since_list_ = 0;
  centre_.resize(terms_.size());
  listed_neighbours_ = 0;
  for (std::size_t k = 0; k < terms_.size(); ++k) {
    const NeighborListView &list = lists.list.at(k);
    for (int row = 0; row < list.n_rows; ++row) listed_neighbours_ += list.length[list.centre[row]];
    terms_[k]->set_neighbours(order_.rows(list, centre_[k]), view());
  }
}

void HostEngine::set_shifts(const std::vector<double> &shift) {
  ghosts_.set_shifts(shift);
  moved_by(unknown);
}

void HostEngine::sync_host(unsigned fields) {
  if (fields & field_x) order_.to_caller(x_.data(), 3, atoms_.x);
  if (fields & field_v) order_.to_caller(v_.data(), 3, atoms_.v);
  if (fields & field_f) order_.to_caller(f_.data(), 3, atoms_.f);
}

void HostEngine::sync_engine(unsigned fields) {
  if (fields & field_x) {
    order_.from_caller(atoms_.x, 3, x_.data());
    ++tether_revision_;
  }
  if (fields & field_v) order_.from_caller(atoms_.v, 3, v_.data());
  if (fields & field_f) order_.from_caller(atoms_.f, 3, f_.data());
  if (fields & (field_x | field_attributes)) moved_by(unknown);
  if (!(fields & field_attributes)) return;
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int k = 0; k < atoms_.n_owned + atoms_.n_ghosts; ++k) {
    const int i = order_[k];
    type_[k] = atoms_.type[i];
    if (k >= atoms_.n_owned) continue;
    mask_[k] = atoms_.mask[i];
    mass_[k] = atoms_.rmass ? atoms_.rmass[i] : atoms_.mass[atoms_.type[i]];
  }
  span_ = describe_spans(atoms_.n_owned, mass_.data(), mask_.data());
}

AtomArrays HostEngine::owned() {
  AtomArrays atoms;
  atoms.n_owned = atoms_.n_owned;
  atoms.n_ghosts = atoms_.n_ghosts;
  atoms.x = x_.data();
  atoms.v = v_.data();
  atoms.f = f_.data();
  atoms.type = type_.data();
  atoms.mask = mask_.data();
  atoms.rmass = mass_.data();
  return atoms;
}

void HostEngine::queue_kick(int group_bit, double half_kick) {
  group(group_bit).kick(half_kick);
  step_.half_kick = half_kick;
}

void HostEngine::queue_drift(int group_bit, double drift) {
  group(group_bit).drift(drift);
  step_.drift = drift;
  moved_by(unknown);
}

void HostEngine::queue_scale_velocities(int group_bit, const double factor[3]) {
  group(group_bit).scale_velocities(factor);
}

void HostEngine::add_velocity(int group_bit, const double difference[3]) { group(group_bit).add_velocity(difference); }

void HostEngine::queue_box_change(const BoxChange &change) {
#pragma omp parallel for num_threads(threads_) schedule(static)
  for (int i = 0; i < atoms_.n_owned; ++i) {
    double *const x = x_.data() + 3 * std::size_t(i);
    const Vec3<double> by = change.displacement({x[0], x[1], x[2]});
    x[0] += by.x;
    x[1] += by.y;
    x[2] += by.z;
  }
  moved_by(unknown);
}

void HostEngine::add_langevin(const LangevinForce &thermostat) {
  double *kept = nullptr;
  if (thermostat.tally >= 0) {
    if (langevin_force_.size() <= std::size_t(thermostat.tally)) langevin_force_.resize(thermostat.tally + 1);
    langevin_force_[thermostat.tally].require(3 * std::size_t(atoms_.n_owned));
    kept = langevin_force_[thermostat.tally].data();
  }
  group(thermostat.group_bit)
      .add_langevin(
          thermostat, [this](int i) { return atoms_.tag[order_[i]]; }, kept);
}

void HostEngine::exchange_heat(int group_bit, const BlockRegion &block, const HeatExchange &exchange) {
  group(group_bit).exchange_heat(block, exchange);
  if (exchange.moves) moved_by(unknown);
}

void HostEngine::set_tethers(int number, const double *points, const double (&)[3][3]) {
  if (tethers_.size() <= std::size_t(number)) tethers_.resize(number + 1);
  tethers_[number].require(3 * std::size_t(atoms_.n_owned));
  order_.from_caller(points, 3, tethers_[number].data());
}

void HostEngine::place(const LinearMotion &motion) {
  LinearMotion with_points = motion;
  with_points.tether = tethers_[motion.tethers].data();
  group(motion.group_bit).place(with_points);
  moved_by(unknown);
}

ForceSums HostEngine::sum_forces(int group_bit, bool /*positions*/) { return group(group_bit).sum_forces(); }

void HostEngine::change_forces(const ForceChange &change) {
  group(change.group_bit).change_forces(with_tethers(change));
}

KineticSums HostEngine::kinetic(int group_bit) { return group(group_bit).kinetic(); }

bool HostEngine::moved(double limit) {
  if (since_list_ < (1 - 1e-9) * limit) return false;  // the sum has rounding errors
  int found = 0;
  double farthest = 0;
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(| : found) reduction(max : farthest)
  for (int i = 0; i < atoms_.n_owned; ++i) {
    double squared = 0;
    for (std::size_t k = 3 * std::size_t(i); k < 3 * std::size_t(i) + 3; ++k)
      squared += (x_[k] - reference_[k]) * (x_[k] - reference_[k]);
    found |= !(squared <= limit * limit);  // true for NaN, which the caller then reports
    farthest = std::max(farthest, squared);
  }
  since_list_ = std::sqrt(farthest);
  return found;
}

double HostEngine::host_bytes() const {
  double bytes = double(mask_.bytes() + type_.bytes()) + order_.bytes() + ghosts_.bytes() + expected_paths_.bytes() +
                 sizeof(ForceTotals) * double(term_totals_.capacity());
  for (const auto &term : terms_) bytes += term->memory_usage();
  for (const std::vector<int> &centre : centre_) bytes += sizeof(int) * double(centre.capacity());
  for (const AlignedArray<double> *array :
       {&x_, &f_, &v_, &reference_, &mass_, &atom_energy_, &atom_virial_, &atom_centroid_, &ghost_velocity_,
        &driving_force_, &virial_rows_[0], &virial_rows_[1]})
    bytes += double(array->bytes());
  for (const auto *arrays : {&langevin_force_, &tethers_})
    for (const AlignedArray<double> &array : *arrays) bytes += double(array.bytes());
  return bytes;
}

std::unique_ptr<MdEngine> make_engine_host(const ForceTerms &terms, int n_threads) {
  return std::make_unique<HostEngine>(terms, n_threads);
}

}  // namespace triad

// What fix hnemd/triad computes from its samples: output, the warning of a strong field, and the state in restart
// files.
#include <algorithm>
#include <cmath>

#include "comm.h"
#include "domain.h"
#include "error.h"
#include "fmt/format.h"
#include "group.h"
#include "io/sealed_record.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/fix/hnemd/fix_hnemd_triad.h"
#include "lammps/util/restart_record.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

constexpr const char *record_kind = "TRIADHNE";
constexpr double record_version = 2;

/// A unit of the conductivity, and the factor from energy / (time distance temperature).
struct ConductivityUnit {
  double factor;
  const char *name;
};

ConductivityUnit conductivity_unit(const std::string &units) {
  if (units == "metal") return {1602.176634, "W/(m K)"};
  if (units == "real") return {69476.95, "W/(m K)"};
  if (units == "si") return {1, "W/(m K)"};
  return {1, "energy / (time distance temperature)"};
}

}  // namespace

double FixHnemdTriad::temperature_of(const std::vector<double> &means) const {
  return (means[of_temperature] + means[of_temperature + 1] + means[of_temperature + 2]) / domain->dimension;
}

/// Conductivity per unit of current: 1 / (T V |field|); 0 without a sample.
double FixHnemdTriad::per_current(const std::vector<double> &means) const {
  const double product = temperature_of(means) * means[of_volume] * std::sqrt(field_squared_);
  return product > 0 ? 1 / product : 0;
}

/// Along the field.
double FixHnemdTriad::kappa_of(const std::vector<double> &means) const {
  return along_field(means.data() + of_flow) / std::sqrt(field_squared_) * per_current(means);
}

/// At the ends of runs: a conductivity that grows, or a temperature that depends on the direction, are signs of a field
/// outside of the linear regime. A difference counts beyond four standard errors.
void FixHnemdTriad::post_run() {
  target_ = last_target();
  constexpr int least_blocks = 16;
  const int n = means_.blocks();
  if (warned_ || n < least_blocks) return;
  const auto kappa = [this](const std::vector<double> &means) { return kappa_of(means); };
  const double first = kappa_of(means_.mean_of_blocks(0, n / 2)), second = kappa_of(means_.mean_of_blocks(n / 2, n));
  const double errors[] = {means_.standard_error(kappa, 0, n / 2), means_.standard_error(kappa, n / 2, n)};
  const auto [watts, unit] = conductivity_unit(update->unit_style);
  const double error_of_difference = std::sqrt(errors[0] * errors[0] + errors[1] * errors[1]);
  std::string sign;
  if (second - first > std::max(4 * error_of_difference, 0.25 * std::abs(first)))
    sign = fmt::format(
        "the mean conductivity grew from {:.4g} in the first half of the samples to {:.4g} {} in the second",
        watts * first, watts * second, unit);
  const auto anisotropy = [this](const std::vector<double> &means) {
    double along = 0;
    for (int d = 0; d < 3; ++d) along += field_[d] * field_[d] / field_squared_ * means[of_temperature + d];
    return along / temperature_of(means) - 1;
  };
  const double excess = anisotropy(means_.mean());
  if (sign.empty() && std::abs(excess) > std::max(0.05, 4 * means_.standard_error(anisotropy, 0, n)))
    sign = fmt::format("the kinetic temperature along the field differs from the mean temperature by {:.1f} %",
                       100 * excess);
  if (sign.empty()) return;
  warned_ = true;
  log_.keep(
      fmt::format("Triad: WARNING: fix {} ({}): {}; the driving field is too strong, or the run too short for "
                  "its steady state. Choose a weaker field and compare\n",
                  id, style, sign));
}

/// Minus the energy that the driving force has added, as LAMMPS counts the energies of thermostats.
double FixHnemdTriad::compute_scalar() { return -work_; }

double FixHnemdTriad::compute_vector(int n) {
  const std::vector<double> mean = means_.mean();
  const double per = per_current(mean), length = std::sqrt(field_squared_);
  const auto current = [&](const std::vector<double> &sample, int axis) {
    double sum = 0;
    for (int k = 0; k < 9; ++k)
      if (triad::HeatFlow::row[k] == axis) sum += sample[of_flow + k];
    return sum;
  };
  if (n == 0) return kappa_of(now_);
  if (n == 1) return kappa_of(mean);
  if (n == 2) {
    const auto kappa = [this](const std::vector<double> &means) { return kappa_of(means); };
    const double error = means_.standard_error(kappa, 0, means_.blocks());
    return std::isfinite(error) ? error : 0;
  }
  if (n < 6) return current(mean, n - 3) * per;
  if (n < 9) {  // contributions of the velocities along x, y and z
    double sum = 0;
    for (int k = 0; k < 9; ++k)
      if (triad::HeatFlow::column[k] == n - 6) sum += field_[triad::HeatFlow::row[k]] / length * mean[of_flow + k];
    return sum * per;
  }
  if (n < 12) return current(now_, n - 9);
  if (n < 15) return now_[of_convective + n - 12];
  if (n == 15) return temperature_of(mean);
  if (n == 16) return static_cast<double>(means_.samples());
  return mean[of_parts + n - 17] * per;
}

/// Returns the checksum of the names of the groups of the fix and its parts.
double FixHnemdTriad::groups_checksum() const {
  std::string names = group->names[igroup];
  for (const Part &part : parts_) names += " " + part.name;
  return triad::record_checksum(names.data(), names.size());
}

void FixHnemdTriad::write_restart(FILE *file) {
  if (comm->me != 0) return;
  std::vector<double> numbers = {
      field_[0],     field_[1],         field_[2],       given_volume_, double(nevery),
      last_target(), groups_checksum(), atoms_in_group_, work_,         double(driven_steps_)};
  const std::vector<double> means = means_.pack();
  numbers.insert(numbers.end(), means.begin(), means.end());
  write_restart_record(file, triad::seal_record(record_kind, record_version, numbers));
}

/// Collective. The means go on if all that they depend on is the same; otherwise they start anew. The target
/// temperature is compared in the first sample, when the thermostat is defined.
void FixHnemdTriad::restart(char *buffer) {
  constexpr std::size_t size = 10;
  const auto numbers = read_restart_record(lmp, id, style, buffer, [](const char *bytes, std::size_t n) {
    auto sealed = triad::unseal_record(record_kind, record_version, bytes, n);
    if (sealed.size() < size) throw triad::RestartRecordError("it ends too early");
    return sealed;
  });
  std::string other;
  const auto compare = [&](bool same, const char *name) {
    if (!same) other += (other.empty() ? "" : ", ") + std::string(name);
  };
  compare(std::equal(field_, field_ + 3, numbers.begin()), "driving field");
  compare(given_volume_ == numbers[3], "volume");
  compare(nevery == numbers[4], "every");
  compare(groups_checksum() == numbers[6], "group or parts");
  compare(static_cast<double>(group->count(igroup)) == numbers[7], "number of atoms");
  if (!other.empty() || !means_.unpack({numbers.begin() + size, numbers.end()})) {
    if (comm->me == 0)
      error->warning(FLERR, "Fix {} of style {} starts new means: the restart file has those of another {}", id, style,
                     other.empty() ? "number of quantities" : other);
    return;
  }
  target_ = numbers[5];
  work_ = numbers[8];
  driven_steps_ = static_cast<bigint>(numbers[9]);
}

// The state of fix nvt/triad and npt/triad in restart files and for the replacement by the stock fix.
#include <algorithm>

#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "fmt/format.h"
#include "io/setting_reader.h"
#include "lammps/fix/nose_hoover/fix_nose_hoover_triad.h"
#include "lammps/util/restart_record.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

std::vector<double> FixNoseHooverTriad::stock_record() const {
  triad::NoseHooverRecord record;
  record.chain = thermostats_.record();
  record.has_barostat = s_.barostat;
  triad::BarostatRecord &b = record.barostat = restored_;
  std::copy_n(barostat_.strain, 3, b.strain);
  std::copy_n(barostat_.rate, 3, b.rate);
  const triad::UpperTriangular &r = barostat_.reference_inverse;
  const double inverse[6] = {r.xx, r.yy, r.zz, r.yz, r.xz, r.xy};
  std::copy_n(inverse, 6, b.reference_inverse);
  b.reference_volume = barostat_.reference_volume;
  b.chain = barostat_thermostats_.record();
  b.has_reference_box = s_.deviatoric;
  return pack_nose_hoover_record(record);
}

void FixNoseHooverTriad::write_restart(FILE *file) {
  if (comm->me != 0) return;
  write_restart_record(file, stock_record());
}

/// Reads the state. A chain of another length starts at rest. If the record has no reference box and this fix needs
/// one, the fix takes the box of the next run. Collective.
void FixNoseHooverTriad::restart(char *buffer) {
  const auto record = read_restart_record(lmp, id, style, buffer, [&](const char *bytes, std::size_t size) {
    return triad::unpack_nose_hoover_record(bytes, size, s_.barostat);
  });
  thermostats_.restore(record.chain);
  if (!s_.barostat) return;
  restored_ = record.barostat;
  barostat_thermostats_.restore(restored_.chain);
  std::copy_n(restored_.strain, 3, barostat_.strain);
  std::copy_n(restored_.rate, 3, barostat_.rate);
  barostat_.reference_volume = s_.deviatoric && !restored_.has_reference_box ? 0 : restored_.reference_volume;
  const double *const inverse = restored_.reference_inverse;
  barostat_.reference_inverse = {inverse[0], inverse[1], inverse[2], inverse[3], inverse[4], inverse[5]};
}

std::string FixNoseHooverTriad::needs_stock() const {
  if (utils::strmatch(update->integrate_style, "^respa")) return "run_style respa";
  for (const Fix *other : modify->get_fix_list())
    if (utils::strmatch(other->style, "^grem")) return fmt::format("fix {} of style grem", other->id);
  const std::string what = unsupported_temperature();
  return what.empty() && s_.barostat ? unsupported_box() : what;
}

std::string FixNoseHooverTriad::unsupported_temperature() const {
  const Compute *temperature = modify->get_compute_by_id(id_temperature_);
  return temperature && temperature->tempbias ? "a temperature with bias (compute " + id_temperature_ + ")" : "";
}

/// Returns the property of the box that npt/triad does not support, or an empty string.
std::string FixNoseHooverTriad::unsupported_box() const {
  for (const Fix *other : modify->get_fix_list())
    if (other->rigid_flag) return fmt::format("the rigid bodies of fix {}", other->id);
  for (const Fix *other : modify->get_fix_list())
    if (other->box_change & BOX_CHANGE_SHAPE) return fmt::format("a box whose tilts fix {} changes", other->id);
  return NoseHooverSettings::tilted_too_far(domain);
}

std::vector<std::string> FixNoseHooverTriad::stock_arguments() const {
  std::vector<std::string> all = arguments_;
  all[2] = triad::stock_command(style);
  const auto number = [](double value) { return fmt::format("{:.17g}", value); };
  // the last value of a keyword counts; commands since then may have changed targets and the centre of the box
  for (const std::string &word : {std::string("temp"), number(t_start_), number(t_stop_), number(s_.t_period)})
    all.push_back(word);
  if (!s_.barostat) return all;
  all.emplace_back("fixedpoint");
  for (const double coordinate : s_.fixed_point) all.push_back(number(coordinate));
  return all;
}

std::vector<std::vector<std::string>> FixNoseHooverTriad::stock_modifications() const {
  std::vector<std::vector<std::string>> all;
  if (!own_temperature_) all.push_back({"temp", id_temperature_});
  if (s_.barostat && !own_pressure_) all.push_back({"press", id_pressure_});
  return all;
}

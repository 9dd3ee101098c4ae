#include "lammps/fix/nose_hoover/nose_hoover_settings.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "domain.h"
#include "error.h"
#include "lammps/util/numbers.h"
#include "utils.h"

namespace LAMMPS_NS {

namespace {

bool is_one_of(const std::string &word, std::initializer_list<const char *> known) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

/// All that read() knows; those of the barostat make fix nvt refer to npt.
const char *const known_keywords =
    "temp, tchain, tloop, drag, mtk, nreset, iso, aniso, x, y, z, couple, pchain, ploop, fixedpoint, dilate";

class Reader {
 public:
  Reader(LAMMPS *lmp, const std::string &style, int narg, char **arg, ForInvalid for_invalid)
      : lmp_(lmp), style_(style), narg_(narg), arg_(arg), for_invalid_(for_invalid) {}

  NoseHooverSettings read() {
    const double *lo = lmp_->domain->boxlo, *hi = lmp_->domain->boxhi;
    for (int d = 0; d < 3; ++d) s_.fixed_point[d] = 0.5 * (lo[d] + hi[d]);
    try {
      while (at_ < narg_) keyword(arg_[at_++]);
      check();
    } catch (const Unsupported &what) {
      s_.unsupported = what.name;
    }
    return s_;
  }

 private:
  struct Unsupported {
    std::string name;
  };

  template <class... Values>
  [[noreturn]] void fail(const std::string &text, const Values &...values) const {
    if (for_invalid_ == ForInvalid::Unsupported) throw Unsupported{NoseHooverSettings::invalid};
    lmp_->error->all(FLERR, fmt::format(fmt::runtime(text), values...));
  }

  void keyword(const std::string &key) {
    now_ = key;
    if (key == "temp") {
      s_.thermostat = true;
      ramp(s_.t_start, s_.t_stop, s_.t_period);
      if (s_.t_start <= 0 || s_.t_stop <= 0)
        fail("Target temperature for fix {} must be above 0, not {} to {}", style_, s_.t_start, s_.t_stop);
    } else if (key == "iso" || key == "aniso") {
      s_.couple = key == "iso" ? NoseHooverSettings::Couple::XYZ : NoseHooverSettings::Couple::None;
      pressure(0);
      for (const int d : {1, 2}) copy_pressure(0, d);
    } else if (key == "x" || key == "y" || key == "z") {
      s_.deviatoric = true;
      pressure(key[0] - 'x');
    } else if (key == "couple") {
      s_.couple = couple(word());
    } else if (key == "drag") {
      s_.drag = at_least(0, number());
    } else if (key == "tchain") {
      s_.t_chain = static_cast<int>(at_least(1, integer()));
    } else if (key == "pchain") {
      s_.p_chain = static_cast<int>(at_least(0, integer()));
    } else if (key == "tloop") {
      s_.t_loops = loops();
    } else if (key == "ploop") {
      s_.p_loops = loops();
    } else if (key == "nreset") {
      s_.reset_every = static_cast<int>(at_least(0, integer()));
    } else if (key == "mtk") {
      const std::string text = word();
      if (!is_one_of(text, {"yes", "no", "on", "off", "true", "false"}))
        fail("Fix {} keyword mtk is {}; give yes or no", style_, text);
      s_.kinetic_correction = is_one_of(text, {"yes", "on", "true"});
    } else if (key == "fixedpoint") {
      for (double &coordinate : s_.fixed_point) coordinate = number();
    } else if (key == "dilate") {
      if (word() != "all") throw Unsupported{"dilate of a group"};
    } else if (is_one_of(key, {"tri", "xy", "xz", "yz", "scalexy", "scalexz", "scaleyz", "flip", "ptemp", "update",
                               // which stock reads past, since fixes derived from it know them
                               "psllod", "disc", "erate", "strain", "ext"})) {
      throw Unsupported{key};
    } else {
      fail("Unknown fix {} keyword: {} (known: {})", style_, key, known_keywords);
    }
  }

  void check() const {
    using Couple = NoseHooverSettings::Couple;
    const Domain *domain = lmp_->domain;
    if (!s_.thermostat) fail("Fix {} needs the keyword temp", style_);
    if (s_.thermostat && s_.t_period <= 0) fail("Fix {} damping parameters must be > 0.0", style_);
    if (!s_.barostat) return;
    if (domain->triclinic && (!s_.isotropic() || s_.deviatoric))
      throw Unsupported{"pressure control of a triclinic box but iso"};
    if (tilted_too_far()) throw Unsupported{"a box tilted by more than 0.55 edges"};
    if (domain->dimension == 2) throw Unsupported{"pressure control in two dimensions"};
    const bool periodic[3] = {domain->xperiodic != 0, domain->yperiodic != 0, domain->zperiodic != 0};
    for (int d = 0; d < 3; ++d) {
      if (!s_.controls[d]) continue;
      if (!periodic[d]) fail("Cannot use fix {} on a non-periodic {} dimension", style_, "xyz"[d]);
      if (s_.p_period[d] <= 0) fail("Fix {} damping parameters must be > 0.0", style_);
    }
    if (s_.couple != Couple::None) {
      const bool coupled[3] = {s_.couple != Couple::YZ, s_.couple != Couple::XZ, s_.couple != Couple::XY};
      const int first = coupled[0] ? 0 : 1;
      for (int d = first; d < 3; ++d)
        if (coupled[d] && (!s_.controls[d] || s_.p_start[d] != s_.p_start[first] || s_.p_stop[d] != s_.p_stop[first] ||
                           s_.p_period[d] != s_.p_period[first]))
          fail("Invalid fix {} pressure settings: coupled dimensions need the same pressures and damping", style_);
    }
  }

  /// So far that stock would flip the box to an equivalent one.
  bool tilted_too_far() const {
    const Domain *domain = lmp_->domain;
    constexpr double most = 0.55;  // where stock flips
    return domain->triclinic &&
           (std::abs(domain->xy) > most * domain->xprd || std::abs(domain->xz) > most * domain->xprd ||
            std::abs(domain->yz) > most * domain->yprd);
  }

  std::string word() {
    if (at_ == narg_) fail("Fix {} keyword {} needs more values", style_, now_);
    return arg_[at_++];
  }
  double number() {
    const std::string text = word();
    if (for_invalid_ == ForInvalid::Unsupported && !utils::is_double(text)) fail("");
    return finite_number(lmp_, "Fix " + style_ + " " + now_, text);
  }
  int integer() {
    const std::string text = word();
    if (for_invalid_ == ForInvalid::Unsupported && !utils::is_integer(text)) fail("");
    return whole_number(lmp_, "Fix " + style_ + " " + now_, text);
  }

  /// Stock takes 0, a chain that does nothing.
  int loops() {
    const int n = static_cast<int>(at_least(0, integer()));
    if (n == 0) throw Unsupported{now_ + " 0"};
    return n;
  }

  double at_least(double least, double value) const {
    if (value < least) fail("Invalid fix {} {} argument: {}", style_, now_, value);
    return value;
  }

  void ramp(double &start, double &stop, double &period) {
    start = number();
    stop = number();
    period = number();
  }

  void pressure(int d) {
    s_.barostat = s_.controls[d] = true;
    ramp(s_.p_start[d], s_.p_stop[d], s_.p_period[d]);
  }

  void copy_pressure(int from, int to) {
    s_.controls[to] = true;
    s_.p_start[to] = s_.p_start[from];
    s_.p_stop[to] = s_.p_stop[from];
    s_.p_period[to] = s_.p_period[from];
  }

  NoseHooverSettings::Couple couple(const std::string &name) const {
    using Couple = NoseHooverSettings::Couple;
    if (name == "none") return Couple::None;
    if (name == "xyz") return Couple::XYZ;
    if (name == "xy") return Couple::XY;
    if (name == "yz") return Couple::YZ;
    if (name == "xz") return Couple::XZ;
    fail("Illegal fix {} couple option: {} (known: xyz, xy, yz, xz, none)", style_, name);
  }

  LAMMPS *lmp_;
  std::string style_, now_;
  int narg_, at_ = 0;
  char **arg_;
  ForInvalid for_invalid_;
  NoseHooverSettings s_;
};

}  // namespace

NoseHooverSettings read_nose_hoover_settings(LAMMPS *lmp, const std::string &style, int narg, char **arg,
                                             ForInvalid for_invalid) {
  return Reader(lmp, style, narg, arg, for_invalid).read();
}

std::string stock_style(const std::string &style) { return style.substr(0, style.rfind("/triad")); }

}  // namespace LAMMPS_NS

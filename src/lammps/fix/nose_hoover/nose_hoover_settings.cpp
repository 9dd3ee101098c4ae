#include "lammps/fix/nose_hoover/nose_hoover_settings.h"

#include <cmath>
#include <string>
#include <vector>

#include "domain.h"
#include "lammps/util/settings.h"

namespace LAMMPS_NS {

namespace {

using Couple = NoseHooverSettings::Couple;

/// Keywords of stock fix nvt and npt that only the stock fixes support, and keywords of fixes derived from the stock
/// fixes, which the stock fixes skip.
constexpr const char *unsupported_keywords[] = {"tri",     "xy",      "xz",    "yz",     "scalexy",
                                                "scalexz", "scaleyz", "flip",  "ptemp",  "update",
                                                "psllod",  "disc",    "erate", "strain", "ext"};

class Reader {
 public:
  Reader(LAMMPS *lmp, triad::SettingReader &words) : lmp_(lmp), words_(words) {}

  NoseHooverSettings read() {
    const double *lo = lmp_->domain->boxlo, *hi = lmp_->domain->boxhi;
    for (int d = 0; d < 3; ++d) s_.fixed_point[d] = 0.5 * (lo[d] + hi[d]);
    try {
      read_keywords();
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

  void read_keywords() {
    const std::vector<triad::SettingKeyword> known = {{"temp", [&] { temperature(); }},
                                                      {"tchain", [&] { s_.t_chain = words_.whole_number_from(1); }},
                                                      {"tloop", [&] { s_.t_loops = loops("tloop"); }},
                                                      {"drag", [&] { s_.drag = words_.not_negative(); }},
                                                      {"mtk", [&] { s_.kinetic_correction = words_.logical(); }},
                                                      {"nreset", [&] { s_.reset_every = words_.whole_number_from(0); }},
                                                      {"iso", [&] { pressure_of_all(Couple::XYZ); }},
                                                      {"aniso", [&] { pressure_of_all(Couple::None); }},
                                                      {"x", [&] { pressure_of_edge(0); }},
                                                      {"y", [&] { pressure_of_edge(1); }},
                                                      {"z", [&] { pressure_of_edge(2); }},
                                                      {"couple", [&] { couple(); }},
                                                      {"pchain", [&] { s_.p_chain = words_.whole_number_from(0); }},
                                                      {"ploop", [&] { s_.p_loops = loops("ploop"); }},
                                                      {"fixedpoint",
                                                       [&] {
                                                         for (double &coordinate : s_.fixed_point)
                                                           coordinate = words_.number();
                                                       }},
                                                      {"dilate", [&] { dilate(); }}};
    while (!words_.done()) {
      for (const char *const keyword : unsupported_keywords)
        if (words_.peek() == keyword) throw Unsupported{keyword};
      words_.keyword(known);
    }
  }

  void check() const {
    const Domain *domain = lmp_->domain;
    if (!s_.thermostat) words_.reject("needs the keyword temp");
    if (!s_.barostat) return;
    const std::string tilted = NoseHooverSettings::tilted_too_far(domain);
    if (!tilted.empty()) throw Unsupported{tilted};
    if (domain->dimension == 2) throw Unsupported{"pressure control in two dimensions"};
    const bool periodic[3] = {domain->xperiodic != 0, domain->yperiodic != 0, domain->zperiodic != 0};
    for (int d = 0; d < 3; ++d)
      if (s_.controls[d] && !periodic[d])
        words_.reject(fmt::format("cannot control a non-periodic {} dimension", "xyz"[d]));
    if (s_.couple != Couple::None) {
      const bool coupled[3] = {s_.couple != Couple::YZ, s_.couple != Couple::XZ, s_.couple != Couple::XY};
      const int first = coupled[0] ? 0 : 1;
      for (int d = first; d < 3; ++d)
        if (coupled[d] && (!s_.controls[d] || s_.p_start[d] != s_.p_start[first] || s_.p_stop[d] != s_.p_stop[first] ||
                           s_.p_period[d] != s_.p_period[first]))
          words_.reject("couple: coupled dimensions need the same pressures and damping");
    }
  }

  void temperature() {
    s_.thermostat = true;
    s_.t_start = words_.positive();
    s_.t_stop = words_.positive();
    s_.t_period = words_.positive("damping parameter of temp");
  }

  /// Stock accepts 0, a chain that does nothing.
  int loops(const std::string &keyword) {
    const int n = words_.whole_number_from(0);
    if (n == 0) throw Unsupported{keyword + " 0"};
    return n;
  }

  void pressure(int d) {
    s_.barostat = s_.controls[d] = true;
    s_.p_start[d] = words_.number();
    s_.p_stop[d] = words_.number();
    s_.p_period[d] = words_.positive("damping parameter of the pressure");
  }

  void copy_pressure(int from, int to) {
    s_.controls[to] = true;
    s_.p_start[to] = s_.p_start[from];
    s_.p_stop[to] = s_.p_stop[from];
    s_.p_period[to] = s_.p_period[from];
  }

  void pressure_of_all(Couple couple) {
    s_.couple = couple;
    pressure(0);
    for (const int d : {1, 2}) copy_pressure(0, d);
  }

  void pressure_of_edge(int d) {
    s_.deviatoric = true;
    pressure(d);
  }

  void couple() {
    s_.couple = words_.choice<Couple>(
        {{"xyz", Couple::XYZ}, {"xy", Couple::XY}, {"yz", Couple::YZ}, {"xz", Couple::XZ}, {"none", Couple::None}});
  }

  void dilate() {
    if (words_.word() != "all") throw Unsupported{"dilate of a group"};
  }

  LAMMPS *lmp_;
  triad::SettingReader &words_;
  NoseHooverSettings s_;
};

}  // namespace

std::string NoseHooverSettings::tilted_too_far(const Domain *domain) {
  constexpr double most = 0.55;  // below the tilt at which stock flips a box
  const bool flips =
      domain->triclinic && (std::abs(domain->xy) > most * domain->xprd || std::abs(domain->xz) > most * domain->xprd ||
                            std::abs(domain->yz) > most * domain->yprd);
  return flips ? fmt::format("a box tilted by more than {} edges", most) : "";
}

NoseHooverSettings read_nose_hoover_settings(LAMMPS *lmp, const std::string &style, int narg, char **arg,
                                             ForInvalid for_invalid) {
  return read_settings(lmp, "fix " + style, narg, arg, [&](triad::SettingReader &words) {
    try {
      return Reader(lmp, words).read();
    } catch (const triad::SettingError &) {
      if (for_invalid == ForInvalid::Error) throw;
      NoseHooverSettings settings;
      settings.unsupported = NoseHooverSettings::invalid;
      return settings;
    }
  });
}

}  // namespace LAMMPS_NS

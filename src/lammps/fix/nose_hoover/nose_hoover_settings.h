// The keywords of fix nvt/triad and npt/triad: the supported ones of stock fix nvt and npt.
#pragma once

#include <string>

#include "dynamics/barostat.h"
#include "lammps.h"

namespace LAMMPS_NS {

class Domain;

/// What happens with invalid settings: an error, or an entry in NoseHooverSettings::unsupported, so that the stock fix
/// is created and judges the settings.
enum class ForInvalid { Error, Unsupported };

struct NoseHooverSettings {
  static constexpr const char *invalid = "these settings";
  using Couple = triad::PressureCoupling;

  bool thermostat = false;
  double t_start = 0, t_stop = 0, t_period = 0;

  bool barostat = false;
  bool controls[3] = {};
  bool deviatoric = false;  // an edge has its own keyword
  double p_start[3] = {}, p_stop[3] = {}, p_period[3] = {};
  Couple couple = Couple::None;

  int t_chain = 3, p_chain = 3, t_loops = 1, p_loops = 1;
  double drag = 0;
  bool kinetic_correction = true;  // keyword mtk
  int reset_every = 0;             // keyword nreset
  double fixed_point[3] = {};

  std::string unsupported;  // what only the stock fix supports; if not empty, the other members are incomplete

  bool isotropic() const { return couple == Couple::XYZ; }

  /// Says that stock would flip the box to an equivalent one, or returns an empty string.
  static std::string tilted_too_far(const Domain *domain);
};

/// Reads the arguments after the fix's style. Errors name the keyword. Needs the box.
NoseHooverSettings read_nose_hoover_settings(LAMMPS *lmp, const std::string &style, int narg, char **arg,
                                             ForInvalid for_invalid = ForInvalid::Error);

}  // namespace LAMMPS_NS

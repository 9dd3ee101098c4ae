#include "lammps/fix/flow/flow_settings.h"

#include <cstdio>
#include <vector>

#include "comm.h"
#include "error.h"
#include "lammps/util/backend_choice.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/settings.h"
#include "lammps/util/text_file.h"
#include "utils.h"

namespace LAMMPS_NS {
namespace {

constexpr const char *flow_command = "fix flow/triad";

/// Reads a number or the name of a variable.
FlowSettings::Field read_field(triad::SettingReader &words, const char *keyword) {
  FlowSettings::Field field;
  field.given = true;
  const bool named = !words.done() && utils::strmatch(words.peek(), "^v_");
  if (named)
    field.variable = words.word().substr(2);
  else
    field.value = words.number();
  if (field.variable.empty() && named)
    words.reject(fmt::format("{} is v_; give the name of a variable behind v_", keyword));
  return field;
}

double read_cfl(triad::SettingReader &words) {
  const double cfl = words.positive();
  if (cfl > 1) words.reject(fmt::format("cfl is {}; give a number above 0 and at most 1", cfl));
  return cfl;
}

triad::FlowReduction read_reduction(triad::SettingReader &words) {
  using triad::FlowReduction;
  std::vector<triad::NamedValue<FlowReduction>> known;
  for (const auto r : {FlowReduction::Auto, FlowReduction::Gather, FlowReduction::Atomic, FlowReduction::Colored})
    known.push_back({name_of(r), r});
  return words.choice(known);
}

void read_mesh(LAMMPS *lmp, FlowSettings &settings) {
  const std::string what = std::string(flow_command) + " mesh file " + settings.mesh_file;
  FILE *file = nullptr;
  if (lmp->comm->me == 0) {
    file = std::fopen(settings.mesh_file.c_str(), "rb");
    if (!file) lmp->error->one(FLERR, "Cannot open {}: {}", what, utils::getsyserror());
  }
  try {
    settings.mesh =
        triad::read_flow_mesh(read_on_all_ranks(lmp, file, what, MAXSMALLINT), settings.mesh_file, MAXTAGINT);
  } catch (const triad::FlowMeshError &e) {
    lmp->error->all(FLERR, "{}: {}", flow_command, e.what());
  }
}

FlowSettings read_flow_settings(LAMMPS *lmp, triad::SettingReader &words) {
  using triad::FlowFlux;
  FlowSettings s;
  s.setup.precision = default_precision(lmp);
  s.backend = default_backend(lmp);
  words.keywords({{"mesh", [&] { s.mesh_file = words.word(); }},
                  {"flux",
                   [&] {
                     s.setup.flux = words.choice<FlowFlux>({{"roe", FlowFlux::Roe}, {"hll", FlowFlux::Hll}});
                   }},
                  {"cfl", [&] { s.setup.cfl = read_cfl(words); }},
                  {"dry", [&] { s.setup.dry = words.positive(); }},
                  {"gravity", [&] { s.setup.gravity = words.positive(); }},
                  {"manning",
                   [&] {
                     s.manning = read_field(words, "manning");
                     if (s.manning.value < 0)
                       words.reject(fmt::format("manning is {}; give zero or more", s.manning.value));
                   }},
                  {"rain", [&] { s.rain = read_field(words, "rain"); }},
                  {"precision", [&] { s.setup.precision = read_precision(words); }},
                  {"backend", [&] { s.backend = read_backend(words); }},
                  {"reduction", [&] { s.setup.reduction = read_reduction(words); }},
                  {"step", [&] {
                     s.cfl_step = words.choice<bool>({{"fixed", false}, {"cfl", true}});
                   }}});
  if (!words.given("mesh")) words.reject("needs the keyword mesh");
  read_mesh(lmp, s);
  return s;
}

}  // namespace

FlowSettings parse_flow_settings(LAMMPS *lmp, int narg, char **arg) {
  return read_settings(lmp, flow_command, narg, arg,
                       [&](triad::SettingReader &words) { return read_flow_settings(lmp, words); });
}

}  // namespace LAMMPS_NS

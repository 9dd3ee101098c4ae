#include "lammps/fix/flow/flow_settings.h"

#include <cstdio>

#include "comm.h"
#include "error.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/settings.h"
#include "lammps/util/text_file.h"
#include "utils.h"

namespace LAMMPS_NS {
namespace {

constexpr const char *flow_command = "fix flow/triad";

class FlowParser {
 public:
  FlowParser(LAMMPS *lmp, triad::SettingReader &words) : lmp_(lmp), words_(words) {
    s_.setup.precision = default_precision(lmp);
    backend_ = default_backend(lmp);
  }
  FlowSettings run();

 private:
  FlowSettings::Field field(bool not_negative);
  void keywords();
  void read_cfl();
  void read_mesh();

  LAMMPS *lmp_;
  triad::SettingReader &words_;
  FlowSettings s_;
  BackendChoice backend_;
};

/// Reads a number or the name of a variable.
FlowSettings::Field FlowParser::field(bool not_negative) {
  FlowSettings::Field f;
  f.given = true;
  if (!words_.done() && utils::strmatch(words_.peek(), "^v_"))
    f.variable = words_.word().substr(2);
  else
    f.value = not_negative ? words_.not_negative() : words_.number();
  return f;
}

void FlowParser::keywords() {
  using triad::FlowFlux;
  words_.keywords({{"mesh", [&] { s_.mesh_file = words_.word("file"); }},
                   {"flux",
                    [&] {
                      s_.setup.flux = words_.choice<FlowFlux>({{"roe", FlowFlux::Roe}, {"hll", FlowFlux::Hll}});
                    }},
                   {"cfl", [&] { read_cfl(); }},
                   {"dry", [&] { s_.setup.dry = words_.positive(); }},
                   {"gravity", [&] { s_.setup.gravity = words_.positive(); }},
                   {"manning", [&] { s_.manning = field(true); }},
                   {"rain", [&] { s_.rain = field(false); }},
                   {"precision", [&] { s_.setup.precision = read_precision(words_); }},
                   {"backend", [&] { backend_ = read_backend(words_); }},
                   {"step", [&] {
                      s_.cfl_step = words_.choice<bool>({{"fixed", false}, {"cfl", true}});
                    }}});
}

void FlowParser::read_cfl() {
  s_.setup.cfl = words_.positive();
  if (s_.setup.cfl > 1) words_.reject(fmt::format("cfl is {}; give a number above 0 and at most 1", s_.setup.cfl));
}

void FlowParser::read_mesh() {
  const std::string what = std::string(flow_command) + " mesh file " + s_.mesh_file;
  FILE *file = nullptr;
  if (lmp_->comm->me == 0) {
    file = std::fopen(s_.mesh_file.c_str(), "rb");
    if (!file) lmp_->error->one(FLERR, "Cannot open {}: {}", what, utils::getsyserror());
  }
  try {
    s_.mesh = triad::read_flow_mesh(read_on_all_ranks(lmp_, file, what, MAXSMALLINT), s_.mesh_file, MAXTAGINT);
  } catch (const triad::FlowMeshError &e) {
    lmp_->error->all(FLERR, "{}: {}", flow_command, e.what());
  }
}

FlowSettings FlowParser::run() {
  keywords();
  if (!words_.given("mesh")) words_.reject("needs the keyword mesh");
  if (backend_ == BackendChoice::Cuda)
    words_.reject("backend cuda: this fix has no CUDA backend yet; use backend host or auto");
  read_mesh();
  return std::move(s_);
}

}  // namespace

FlowSettings parse_flow_settings(LAMMPS *lmp, int narg, char **arg) {
  return read_settings(lmp, flow_command, narg, arg,
                       [&](triad::SettingReader &words) { return FlowParser(lmp, words).run(); });
}

}  // namespace LAMMPS_NS

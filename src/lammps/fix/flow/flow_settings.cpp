#include "lammps/fix/flow/flow_settings.h"

#include <cstdio>

#include "comm.h"
#include "error.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/numbers.h"
#include "lammps/util/text_file.h"
#include "utils.h"

namespace LAMMPS_NS {
namespace {

const std::string flow_command = "fix flow/triad";

class FlowParser {
 public:
  FlowParser(LAMMPS *lmp, int narg, char **arg) : lmp_(lmp), words_(arg, arg + narg) {
    s_.setup.precision = default_precision(lmp);
    backend_ = default_backend(lmp);
  }
  FlowSettings run();

 private:
  std::string word(const std::string &what);
  double positive(const std::string &what);
  bool second(const std::string &keyword, const char *first, const char *second);
  FlowSettings::Field field(const std::string &what);
  void keyword(const std::string &name);
  void read_mesh();
  template <class... Values>
  [[noreturn]] void fail(const std::string &format, Values &&...values) const {
    lmp_->error->all(FLERR, format, std::forward<Values>(values)...);
  }

  LAMMPS *lmp_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  FlowSettings s_;
  BackendChoice backend_;
};

std::string FlowParser::word(const std::string &what) {
  if (at_ == words_.size()) fail("Missing {} in {}", what, flow_command);
  return words_[at_++];
}

double FlowParser::positive(const std::string &what) {
  const double value = finite_number(lmp_, flow_command + " " + what, word("value after keyword " + what));
  if (!(value > 0)) fail("{} {} is {}; give a positive number", flow_command, what, value);
  return value;
}

/// True if the value of a keyword is the second of two words.
bool FlowParser::second(const std::string &keyword, const char *first, const char *second) {
  const std::string value = word("value after keyword " + keyword);
  if (value != first && value != second)
    fail("Unknown {} {}: {} (known: {}, {})", flow_command, keyword, value, first, second);
  return value == second;
}

FlowSettings::Field FlowParser::field(const std::string &what) {
  const std::string value = word("value after keyword " + what);
  FlowSettings::Field f;
  f.given = true;
  if (utils::strmatch(value, "^v_"))
    f.variable = value.substr(2);
  else
    f.value = finite_number(lmp_, flow_command + " " + what, value);
  return f;
}

void FlowParser::keyword(const std::string &name) {
  if (name == "mesh") {
    s_.mesh_file = word("file after keyword mesh");
  } else if (name == "flux") {
    s_.setup.flux = second(name, "roe", "hll") ? triad::FlowFlux::Hll : triad::FlowFlux::Roe;
  } else if (name == "cfl") {
    s_.setup.cfl = positive(name);
    if (s_.setup.cfl > 1) fail("{} cfl is {}; give a number above 0 and at most 1", flow_command, s_.setup.cfl);
  } else if (name == "dry") {
    s_.setup.dry = positive(name);
  } else if (name == "gravity") {
    s_.setup.gravity = positive(name);
  } else if (name == "manning") {
    s_.manning = field(name);
    if (s_.manning.value < 0) fail("{} manning is {}; give zero or more", flow_command, s_.manning.value);
  } else if (name == "rain") {
    s_.rain = field(name);
  } else if (name == "precision") {
    s_.setup.precision = parse_precision(lmp_, flow_command + " precision", word("value after keyword precision"));
  } else if (name == "backend") {
    backend_ = parse_backend(lmp_, flow_command + " backend", word("value after keyword backend"));
  } else if (name == "step") {
    s_.cfl_step = second(name, "fixed", "cfl");
  } else {
    fail("Unknown {} keyword: {} (known: mesh, flux, cfl, dry, gravity, manning, rain, precision, backend, step)",
         flow_command, name);
  }
}

void FlowParser::read_mesh() {
  const std::string what = flow_command + " mesh file " + s_.mesh_file;
  FILE *file = nullptr;
  if (lmp_->comm->me == 0) {
    file = std::fopen(s_.mesh_file.c_str(), "rb");
    if (!file) lmp_->error->one(FLERR, "Cannot open {}: {}", what, utils::getsyserror());
  }
  try {
    s_.mesh = triad::read_flow_mesh(read_on_all_ranks(lmp_, file, what, MAXSMALLINT), s_.mesh_file, MAXTAGINT);
  } catch (const triad::FlowMeshError &e) {
    fail("{}: {}", flow_command, e.what());
  }
}

FlowSettings FlowParser::run() {
  while (at_ < words_.size()) keyword(word("keyword"));
  if (s_.mesh_file.empty()) fail("Missing keyword mesh in {}", flow_command);
  if (backend_ == BackendChoice::Cuda)
    fail("{} backend cuda: this fix has no CUDA backend yet; use backend host or auto", flow_command);
  read_mesh();
  return std::move(s_);
}

}  // namespace

FlowSettings parse_flow_settings(LAMMPS *lmp, int narg, char **arg) { return FlowParser(lmp, narg, arg).run(); }

}  // namespace LAMMPS_NS

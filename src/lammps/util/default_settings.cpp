#include "lammps/util/default_settings.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

namespace LAMMPS_NS {
namespace {

struct Settings {
  std::optional<triad::Precision> precision;
  std::optional<BackendChoice> backend;
};

/// Those of all instances of the process, which may run in several threads.
struct AllSettings {
  std::mutex mutex;
  std::map<const LAMMPS *, Settings> of;
};

AllSettings &all_settings() {
  static AllSettings all;
  return all;
}

template <class Work>
auto with_settings(const LAMMPS *lmp, Work &&work) {
  AllSettings &all = all_settings();
  const std::lock_guard<std::mutex> guard(all.mutex);
  return work(all.of[lmp]);
}

/// Null if it is not set, or empty.
const char *environment(const char *name) {
  const char *const value = std::getenv(name);
  return value && *value ? value : nullptr;
}

}  // namespace

triad::Precision default_precision(LAMMPS *lmp) {
  const auto set = with_settings(lmp, [](const Settings &s) { return s.precision; });
  if (set) return *set;
  const char *const value = environment("TRIAD_PRECISION");
  return value ? parse_precision(lmp, "environment variable TRIAD_PRECISION", value) : triad::Precision::Mixed;
}

BackendChoice default_backend(LAMMPS *lmp) {
  const auto set = with_settings(lmp, [](const Settings &s) { return s.backend; });
  if (set) return *set;
  const char *const value = environment("TRIAD_BACKEND");
  return value ? parse_backend(lmp, "environment variable TRIAD_BACKEND", value) : BackendChoice::Auto;
}

void set_default_precision(LAMMPS *lmp, triad::Precision precision) {
  with_settings(lmp, [&](Settings &s) { s.precision = precision; });
}

void set_default_backend(LAMMPS *lmp, BackendChoice backend) {
  with_settings(lmp, [&](Settings &s) { s.backend = backend; });
}

void forget_default_settings(LAMMPS *lmp) {
  with_settings(lmp, [](Settings &s) { s = Settings(); });
}

}  // namespace LAMMPS_NS

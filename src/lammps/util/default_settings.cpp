#include "lammps/util/default_settings.h"

#include <cstdlib>
#include <optional>
#include <string>

#include "lammps/util/per_instance.h"
#include "lammps/util/settings.h"

namespace LAMMPS_NS {
namespace {

struct Settings {
  std::optional<triad::Precision> precision;
  std::optional<BackendChoice> backend;
};

PerInstance<Settings> &all_settings() {
  static PerInstance<Settings> all;
  return all;
}

/// Returns what `read` reads from the environment variable, or `otherwise` if the variable is not set or empty.
template <class T>
T from_environment(LAMMPS *lmp, const char *name, T (*read)(triad::SettingReader &), T otherwise) {
  const char *const value = std::getenv(name);
  if (!value || !*value) return otherwise;
  std::string variable = name, text = value;
  char *words[] = {variable.data(), text.data()};
  return read_settings(lmp, "environment variable", 2, words, [&](triad::SettingReader &reader) {
    T result{};
    reader.keyword({{name, [&] { result = read(reader); }}});
    return result;
  });
}

}  // namespace

triad::Precision default_precision(LAMMPS *lmp) {
  const auto set = all_settings().with(lmp, [](const Settings &s) { return s.precision; });
  if (set) return *set;
  return from_environment(lmp, "TRIAD_PRECISION", read_precision, triad::Precision::Mixed);
}

BackendChoice default_backend(LAMMPS *lmp) {
  const auto set = all_settings().with(lmp, [](const Settings &s) { return s.backend; });
  if (set) return *set;
  return from_environment(lmp, "TRIAD_BACKEND", read_backend, BackendChoice::Auto);
}

void set_default_precision(LAMMPS *lmp, triad::Precision precision) {
  all_settings().with(lmp, [&](Settings &s) { s.precision = precision; });
}

void set_default_backend(LAMMPS *lmp, BackendChoice backend) {
  all_settings().with(lmp, [&](Settings &s) { s.backend = backend; });
}

void forget_default_settings(LAMMPS *lmp) { all_settings().forget(lmp); }

}  // namespace LAMMPS_NS

#include "lammps/util/default_settings.h"

#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "lammps/util/settings.h"

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
  const auto set = with_settings(lmp, [](const Settings &s) { return s.precision; });
  if (set) return *set;
  return from_environment(lmp, "TRIAD_PRECISION", read_precision, triad::Precision::Mixed);
}

BackendChoice default_backend(LAMMPS *lmp) {
  const auto set = with_settings(lmp, [](const Settings &s) { return s.backend; });
  if (set) return *set;
  return from_environment(lmp, "TRIAD_BACKEND", read_backend, BackendChoice::Auto);
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

// Settings of styles and commands, read with triad::SettingReader; a wrong setting ends in an error of LAMMPS.
#pragma once

#include <string>
#include <utility>

#include "error.h"
#include "io/setting_reader.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// Calls read(words) for the `n` words after `command`, and returns the result. A SettingError becomes an error of
/// LAMMPS on all ranks, which have the same words.
template <class Read>
auto read_settings(LAMMPS *lmp, const std::string &command, int n, char **words, Read &&read) {
  try {
    triad::SettingReader reader(command, {words, words + n});
    return std::forward<Read>(read)(reader);
  } catch (const triad::SettingError &e) {
    lmp->error->all(FLERR, "{}", e.what());
  }
}

/// Ends in an error if there are words after `command`, which has no settings.
inline void read_no_settings(LAMMPS *lmp, const std::string &command, int n, char **words) {
  read_settings(lmp, command, n, words, [](const triad::SettingReader &reader) { reader.no_arguments(); });
}

}  // namespace LAMMPS_NS

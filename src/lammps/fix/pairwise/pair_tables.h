// The table files of fix pairwise/triad.
#pragma once

#include <string>
#include <vector>

#include "io/setting_reader.h"
#include "pointers.h"
#include "potentials/pairwise/pair_table.h"

namespace LAMMPS_NS {

/// Reads sections of table files, and computes the points of law table when all settings are known.
class PairTables {
 public:
  /// `command` names the command in errors.
  PairTables(LAMMPS *lmp, const char *command) : lmp_(lmp), command_(command) {}

  /// Sets the interpolation, and the number of points of each section (Bitmap: its logarithm to base 2).
  void set_points(triad::TableStyle style, int points) {
    style_ = style;
    points_ = points;
  }
  /// Collective. Reads the section of a file that the next two words name. Returns its number, which
  /// TableSettings::Entry::first holds until fill().
  int read(triad::SettingReader &words);
  /// Computes the points of all sections, up to `cutoff` or, if it is 0, to the end of the section. Throws
  /// triad::SettingError.
  void fill(triad::TableSettings &law, double cutoff, const triad::SettingReader &words) const;

 private:
  LAMMPS *lmp_;
  const char *command_;
  triad::TableStyle style_ = triad::TableStyle::Linear;
  int points_ = 0;
  std::vector<triad::PairTable> tables_;
  std::vector<std::string> names_;  // of the tables, for errors
};

}  // namespace LAMMPS_NS

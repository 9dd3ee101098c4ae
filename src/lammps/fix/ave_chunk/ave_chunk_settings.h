// Settings of fix ave/chunk/triad.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lammps/run/slab_layout.h"
#include "lmptype.h"

namespace LAMMPS_NS {

/// A column of values of the atoms in slabs.
struct AveChunkColumn {
  enum class Value { NumberDensity, MassDensity, Temperature, KineticEnergy };
  Value value;
  double factor = 1;  ///< of the kinetic energies

  bool is_density() const { return value == Value::NumberDensity || value == Value::MassDensity; }
};

/// What the command, the compute chunk/atom and the variables say.
struct AveChunkSettings {
  enum class Norm { All, Sample, None };
  enum class Average { One, Running, Window };

  std::string unsupported;  // empty, or the first setting that is not supported; the others are then not read
  bigint every = 0, repeat = 0, period = 0;
  std::string chunks;              // ID of the compute chunk/atom
  std::vector<std::string> names;  // of the values
  SlabLayout layout;
  std::vector<AveChunkColumn> columns;
  Norm norm = Norm::All;
  Average average = Average::One;
  int window = 0;
  bool overwrite = false, appends = false;
  std::string file, format = " %g";
  std::optional<std::string> title[3];
  int group = 0;
};

/// Reads the words of a fix command from the ID on. What stock fix ave/chunk refuses counts as not supported, so that
/// the message is that of LAMMPS. A formula that LAMMPS cannot evaluate ends in an error of LAMMPS.
AveChunkSettings read_ave_chunk(LAMMPS *lmp, int narg, char **arg);

}  // namespace LAMMPS_NS

// What LAMMPS's variables are made of.
#pragma once

#include <string>

#include "lammps.h"

namespace LAMMPS_NS {

struct VariableText {
  enum class Kind {
    Constant,  ///< text or a number that does not change within a run
    Formula,   ///< of style equal or vector, or of style format, whose formula is v_NAME
    Other      ///< of style atom, atomfile or python, unknown, or longer than LAMMPS tells
  };
  Kind kind = Kind::Other;
  std::string formula;

  /// True if the variable may read the compute `id`.
  bool may_read_compute(const std::string &id) const;
};

VariableText variable_text(LAMMPS *lmp, const std::string &name);

/// The variable number `index` of Variable::nvar. Its formula is also given if it is of style atom.
VariableText variable_text(LAMMPS *lmp, int index);

}  // namespace LAMMPS_NS

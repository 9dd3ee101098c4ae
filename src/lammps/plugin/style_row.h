// A row of a table of styles.
#pragma once

#include "lammps/plugin/plugin_api.h"
#include "lammps/util/reporting_style.h"

namespace triad {

template <class Style>
void *create1(void *lmp) {
  LAMMPS_NS::Pair *const style =
      LAMMPS_NS::new_reporting<LAMMPS_NS::Pair, Style>(static_cast<LAMMPS_NS::LAMMPS *>(lmp));
  return style;
}

/// LAMMPS takes the pointer for one to its own base class.
template <class Base, class Style>
void *create2(void *lmp, int narg, char **arg) {
  Base *const style = LAMMPS_NS::new_reporting<Base, Style>(static_cast<LAMMPS_NS::LAMMPS *>(lmp), narg, arg);
  return style;
}

/// Pair styles are created without arguments, fixes, computes and run styles with.
struct StyleRow {
  const char *kind;
  const char *name;
  const char *info;
  triad_factory1 create;
  triad_factory2 create_with_arguments = nullptr;
};

}  // namespace triad

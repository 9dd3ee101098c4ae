// The styles of the plugin, for its entry point.
#pragma once

#include <cstddef>

#include "lammps/plugin/style_row.h"

namespace triad {

/// A table of styles, as a range.
struct StyleTable {
  const StyleRow *rows;
  std::size_t size;
  const StyleRow *begin() const { return rows; }
  const StyleRow *end() const { return rows + size; }
};

/// The table of styles.h.
StyleTable style_table();

}  // namespace triad

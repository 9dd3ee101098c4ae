#include "lammps/plugin/style_table.h"

#include <iterator>

#include "lammps/plugin/styles.h"

namespace triad {

StyleTable style_table() { return {styles, std::size(styles)}; }

}  // namespace triad

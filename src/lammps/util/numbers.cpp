#include "lammps/util/numbers.h"

#include <cmath>

#include "error.h"
#include "utils.h"

namespace LAMMPS_NS {

double finite_number(LAMMPS *lmp, const std::string &setting, const std::string &word) {
  if (utils::is_double(word)) {
    const double value = utils::numeric(FLERR, word, false, lmp);
    if (std::isfinite(value)) return value;
  }
  lmp->error->all(FLERR, "{} is {}; give a finite number", setting, word);
}

int whole_number(LAMMPS *lmp, const std::string &setting, const std::string &word) {
  if (!utils::is_integer(word)) lmp->error->all(FLERR, "{} is {}; give a whole number", setting, word);
  return utils::inumeric(FLERR, word, false, lmp);
}

}  // namespace LAMMPS_NS

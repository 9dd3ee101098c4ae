#include "lammps/run/box_deformation.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "atom.h"
#include "domain.h"
#include "error.h"
#include "fix.h"

using namespace LAMMPS_NS;

std::string LAMMPS_NS::unsupported_deformation(LAMMPS *lmp, int narg, char **arg) {
  if (lmp->domain->triclinic) return "a tilted box";
  if (narg < 2 || std::strcmp(arg[1], "all") != 0) return "a group other than all";
  for (int k = 4; k < narg; ++k) {
    for (const char *const word : {"xy", "xz", "yz", "variable"})
      if (std::strcmp(arg[k], word) == 0) return word;
    if (std::strcmp(arg[k], "remap") == 0 && k + 1 < narg && std::strcmp(arg[k + 1], "x") != 0)
      return std::string("remap ") + arg[k + 1];
  }
  return "";
}

bool LAMMPS_NS::deforms_box(const Fix *fix) { return std::strcmp(fix->style, "deform/triad") == 0; }

void LAMMPS_NS::deform_box(LAMMPS *lmp, triad::MdEngine &engine, Fix *fix) {
  const Domain *const domain = lmp->domain;
  double low[3], high[3];
  std::copy_n(domain->boxlo, 3, low);
  std::copy_n(domain->boxhi, 3, high);
  {
    struct Count {
      int &atoms;
      const int kept;
      ~Count() { atoms = kept; }
    } const guard = {lmp->atom->nlocal, lmp->atom->nlocal};
    guard.atoms = 0;  // the fix also moves LAMMPS's atoms, whose positions are stale
    fix->end_of_step();
  }
  if (domain->triclinic) lmp->error->all(FLERR, "Fix {} does not support a tilted box", fix->style);
  double fixed[3], factor[3];  // low + shift + (x - low) * factor = fixed + (x - fixed) * factor
  for (int d = 0; d < 3; ++d) {
    const double shift = domain->boxlo[d] - low[d], edge = high[d] - low[d];
    factor[d] = (domain->boxhi[d] - domain->boxlo[d]) / edge;
    const bool same_length = std::fabs(factor[d] - 1) < 1e-14;
    if (same_length && std::fabs(shift) > 1e-12 * edge)
      lmp->error->all(FLERR, "Fix {} does not support a box that is shifted along {}; use 'suffix off' before the fix",
                      fix->style, "xyz"[d]);
    if (same_length) factor[d] = 1;
    fixed[d] = same_length ? low[d] : low[d] + shift / (1 - factor[d]);
  }
  engine.queue_dilate(fixed, factor);
}

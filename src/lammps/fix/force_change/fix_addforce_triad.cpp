#include "lammps/fix/force_change/fix_addforce_triad.h"

#include "atom.h"
#include "domain.h"
#include "force.h"
#include "lammps/util/settings.h"

using namespace LAMMPS_NS;

FixAddForceTriad::FixAddForceTriad(LAMMPS *lmp, int narg, char **arg) : FixForceChange(lmp, narg, arg) {
  declare_force_vector();
  scalar_flag = 1;
  extscalar = 1;
  energy_global_flag = 1;
  virial_global_flag = virial_peratom_flag = 1;
  change_.kind = triad::ForceChange::Kind::Add;
  sums_ = triad::ForceSumKind::ForcesAndPositions;
  read_settings(lmp, "fix addforce/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    const char *const names[] = {"fx", "fy", "fz"};
    for (int d = 0; d < 3; ++d) {
      words.reject_variable("the force");
      change_.value[d] = words.number(names[d]);
    }
    const auto only_in_stock = [&](const std::string &keyword) {
      return triad::SettingKeyword{keyword, [&words, keyword] { words.reject_unsupported(keyword); }};
    };
    words.keywords({only_in_stock("region"), only_in_stock("every"), only_in_stock("energy")});
  });
}

/// Per-atom virials are computed on the host. The positions come first, since their copy to the host changes image
/// flags.
void FixAddForceTriad::post_force(int vflag) {
  const bool per_atom = thermo_virial && (vflag & (VIRIAL_ATOM | VIRIAL_CENTROID));
  if (motion_.engine() && per_atom) engine_run(lmp)->sync_host(triad::field_x);
  FixForceChange::post_force(vflag);
  if (evflag && vflag_atom) tally_per_atom();
}

/// `mine` has the sum of wrapped positions; the image flags are those of the present step, less mine.crossings.
void FixAddForceTriad::take_sums(const triad::ForceSums &mine, int vflag) {
  double images[3] = {-mine.crossings[0], -mine.crossings[1], -mine.crossings[2]};
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    const imageint image = atom->image[i];
    images[0] += (image & IMGMASK) - IMGMAX;
    images[1] += (image >> IMGBITS & IMGMASK) - IMGMAX;
    images[2] += (image >> IMG2BITS) - IMGMAX;
  }
  const double *const h = domain->h;  // xx yy zz yz xz xy
  position_[0] = mine.position[0] + h[0] * images[0];
  position_[1] = mine.position[1] + h[1] * images[1];
  position_[2] = mine.position[2] + h[2] * images[2];
  if (domain->triclinic) {
    position_[0] += h[5] * images[1] + h[4] * images[2];
    position_[1] += h[3] * images[2];
  }
  v_init(vflag);
  if (!evflag || !vflag_global) return;
  const double *const f = change_.value;
  for (int d = 0; d < 3; ++d) virial[d] += f[d] * position_[d];
  virial[3] += f[0] * position_[1];
  virial[4] += f[0] * position_[2];
  virial[5] += f[1] * position_[2];
}

void FixAddForceTriad::tally_per_atom() {
  const double *const f = change_.value;
  double x[3];
  for (int i = 0; i < atom->nlocal; ++i) {
    if (!(atom->mask[i] & groupbit)) continue;
    domain->unmap(atom->x[i], atom->image[i], x);
    const double v[6] = {f[0] * x[0], f[1] * x[1], f[2] * x[2], f[0] * x[1], f[0] * x[2], f[1] * x[2]};
    for (int k = 0; k < 6; ++k) vatom[i][k] += v[k];
  }
}

double FixAddForceTriad::compute_scalar() {
  double mine = 0, all = 0;
  for (int d = 0; d < 3; ++d) mine -= change_.value[d] * position_[d];
  MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, world);
  return all;
}

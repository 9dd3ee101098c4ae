// run_style verlet/triad: decides if a run uses an engine or the steps of stock verlet.
#include <cstring>

#include "atom.h"
#include "fix.h"
#include "force.h"
#include "lammps/compute/compute_heat_flux_triad.h"
#include "lammps/fix/hnemd/fix_hnemd_triad.h"
#include "lammps/fix/hnemd/fix_spectral_triad.h"
#include "lammps/fix/pairwise/fix_pairwise_triad.h"
#include "lammps/run/fix_traits.h"
#include "lammps/run/verlet_triad.h"
#include "modify.h"
#include "neighbor.h"

using namespace LAMMPS_NS;
using namespace FixConst;

/// Returns the reason why this run cannot use an engine, or an empty string.
std::string VerletTriad::obstacle() const {
  if (pairs_.empty() && !pairwise_fix()) return obstacle_without_potential();
  std::string why_not_pairs = pairs_.obstacle();
  if (!why_not_pairs.empty()) return why_not_pairs;
  // An engine on a GPU has driving forces of one potential only, and none has the heat current of forces on the host.
  if (pairs_.on_cuda() && !pairs_.is_one_tersoff())
    for (const Fix *fix : modify->get_fix_list())
      if (dynamic_cast<const FixHnemdTriad *>(fix) || dynamic_cast<const FixSpectralTriad *>(fix))
        return fmt::format("fix {} ({}) takes the virials of several pair styles from LAMMPS's arrays", fix->id,
                           fix->style);
  if (!pairs_.on_host().empty())
    for (const Compute *compute : modify->get_compute_list())
      if (dynamic_cast<const ComputeHeatFluxTriad *>(compute))
        return fmt::format("compute {} ({}) takes the heat current of several pair styles from LAMMPS's arrays",
                           compute->id, compute->style);
  if (force->pair && !pair_compute_flag) return "pair_modify compute no";
  if (force->kspace) return "there is a kspace style";
  if (force->bond || force->angle || force->dihedral || force->improper) return "there are bonded interactions";
  if (neighbor->includegroup || atom->firstgroup >= 0) return "atom_modify first or neigh_modify include names a group";
  for (int i = 0; i < modify->nfix; ++i)
    if (modify->fmask[i] & PRE_REVERSE)
      return fmt::format("fix {} ({}) changes forces before they are communicated", modify->fix[i]->id,
                         modify->fix[i]->style);
  return "";
}

std::string VerletTriad::obstacle_without_potential() const {
  std::string why = std::string("the pair style is ") + (force->pair ? force->pair_style : "none");
  if (!has_no_forces()) return why;
  for (const Fix *fix : modify->get_fix_list())
    if (const auto *pairwise = dynamic_cast<const FixPairwiseTriad *>(fix))
      return fmt::format("{} and fix {} ({}) {}", why, fix->id, fix->style, pairwise->why_on_host());
  return why;
}

std::string VerletTriad::obstacle_line(const std::string &why) {
  return fmt::format("Triad: run_style verlet/triad runs this as run_style verlet, since {}\n", why);
}

/// True without a pair style, and with pair style zero, which only makes ghosts and lists.
bool VerletTriad::has_no_forces() const { return !force->pair || std::strcmp(force->pair_style, "zero") == 0; }

/// Returns the fix that makes the engine if there is no potential, or null.
FixPairwiseTriad *VerletTriad::pairwise_fix() const {
  if (!has_no_forces()) return nullptr;
  for (int i = 0; i < modify->nfix; ++i) {
    auto *pairwise = dynamic_cast<FixPairwiseTriad *>(modify->fix[i]);
    if (pairwise && !pairwise->why_on_host()) return pairwise;
  }
  return nullptr;
}

bool VerletTriad::on_cuda() const {
  if (!pairs_.empty()) return pairs_.on_cuda();
  FixPairwiseTriad *const fix = pairwise_fix();
  return fix && fix->wants_cuda();
}

/// Informs the pair style and Triad's fixes. `on_engine`: the engine has the atoms of the run.
void VerletTriad::set_on_engine(bool on_engine) const {
  pairs_.set_on_engine(on_engine);
  for (int i = 0; i < modify->nfix; ++i)
    if (auto *ours = dynamic_cast<EngineFix *>(modify->fix[i])) ours->set_on_engine(on_engine);
}

/// False if LAMMPS::init() was called after the last set_on_engine(true), as by a minimization.
bool VerletTriad::is_on_engine() const {
  if (!pairs_.empty()) return pairs_.on_engine();
  const FixPairwiseTriad *const fix = pairwise_fix();
  return fix && fix->on_engine();
}

/// True if a fix may add forces before the pair style computes its forces.
bool VerletTriad::has_pre_force() const {
  for (int i = 0; i < modify->nfix; ++i)
    if ((modify->fmask[i] & PRE_FORCE) && !is_package_omp(modify->fix[i])) return true;
  return false;
}

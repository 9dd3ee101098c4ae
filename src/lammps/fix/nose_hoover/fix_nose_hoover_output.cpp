// Output and fix_modify of fix nvt/triad and npt/triad, as in stock fix nvt and npt.
#include <cstring>

#include "atom.h"
#include "comm.h"
#include "compute.h"
#include "domain.h"
#include "error.h"
#include "force.h"
#include "lammps/fix/nose_hoover/fix_nose_hoover_triad.h"
#include "lammps/util/domain_box.h"
#include "lammps/util/settings.h"
#include "modify.h"

using namespace LAMMPS_NS;

/// Energy of the chains and the barostat; its sum with the energy of the atoms is conserved.
double FixNoseHooverTriad::compute_scalar() {
  double energy = chain_energy(thermostats_.view(), degrees_of_freedom_ * kT_, kT_);
  if (!s_.barostat) return energy;
  const double energy_per_pv = 1 / force->nktv2p;
  const triad::Box box = box_of(domain);
  for (int d = 0; d < 3; ++d)
    if (s_.controls[d])
      energy += barostat_edge_kinetic(barostat_, d) + barostat_edge_potential(barostat_, box.volume(), energy_per_pv);
  energy += chain_energy(barostat_thermostats_.view(), kT_ * controlled_edges(barostat_), kT_);
  if (s_.deviatoric) energy += strain_energy(barostat_, box, energy_per_pv);
  return energy;
}

/// In the order of stock: positions and velocities of chain, barostat and its chain, then potential and kinetic
/// energies of the same, then the strain energy. An isotropic barostat counts as one degree of freedom.
double FixNoseHooverTriad::compute_vector(int n) {
  const triad::ThermostatChain chain = thermostats_.view(), outer = barostat_thermostats_.view();
  const int edges = s_.barostat ? barostat_degrees() : 0;
  const double energy_per_pv = 1 / force->nktv2p;
  const triad::Box box = box_of(domain);
  std::vector<double> all;
  all.reserve(size_vector);
  all.insert(all.end(), chain.position, chain.position + chain.length);
  all.insert(all.end(), chain.velocity, chain.velocity + chain.length);
  all.insert(all.end(), barostat_.strain, barostat_.strain + edges);
  all.insert(all.end(), barostat_.rate, barostat_.rate + edges);
  all.insert(all.end(), outer.position, outer.position + outer.length);
  all.insert(all.end(), outer.velocity, outer.velocity + outer.length);

  for (int k = 0; k < chain.length; ++k) all.push_back(chain_potential(chain, k, degrees_of_freedom_ * kT_, kT_));
  for (int k = 0; k < chain.length; ++k) all.push_back(chain_kinetic(chain, k));
  const int shares = s_.isotropic() ? controlled_edges(barostat_) : 1;  // number of edges per degree of freedom
  for (int d = 0; d < edges; ++d)
    all.push_back(s_.controls[d] ? shares * barostat_edge_potential(barostat_, box.volume(), energy_per_pv) : 0);
  for (int d = 0; d < edges; ++d) all.push_back(s_.controls[d] ? shares * barostat_edge_kinetic(barostat_, d) : 0);
  for (int k = 0; k < outer.length; ++k) all.push_back(chain_potential(outer, k, kT_, kT_));
  for (int k = 0; k < outer.length; ++k) all.push_back(chain_kinetic(outer, k));
  if (s_.deviatoric) all.push_back(strain_energy(barostat_, box, energy_per_pv));
  return all.at(n);
}

Compute *FixNoseHooverTriad::find_compute(const std::string &compute, const char *what) const {
  Compute *found = modify->get_compute_by_id(compute);
  if (!found) error->all(FLERR, "{} ID {} for fix {} does not exist", what, compute, style);
  return found;
}

void FixNoseHooverTriad::replace_compute(std::string &old, bool &own, const std::string &by) {
  if (by == old) return;
  if (own) modify->delete_compute(old);
  own = false;
  old = by;
}

/// fix_modify temp ID, fix_modify press ID
int FixNoseHooverTriad::modify_param(int narg, char **arg) {
  const std::string keyword = arg[0];
  if (keyword != "temp" && (keyword != "press" || !s_.barostat)) return 0;
  const std::string compute = read_settings(lmp, "fix_modify " + keyword, narg - 1, arg + 1,
                                            [](auto &words) { return words.word("compute ID"); });
  if (keyword == "press") {
    if (!find_compute(compute, "Fix_modify pressure")->pressflag)
      error->all(FLERR, "Fix_modify pressure ID {} does not compute pressure", compute);
    replace_compute(id_pressure_, own_pressure_, compute);
    pressure_ = nullptr;
    return 2;
  }
  const Compute *temperature = find_compute(compute, "Fix_modify temperature");
  if (!temperature->tempflag) error->all(FLERR, "Fix_modify temperature ID {} does not compute temperature", compute);
  if (temperature->igroup != 0 && comm->me == 0)
    error->warning(FLERR, "Temperature for fix modify is not for group all");
  replace_compute(id_temperature_, own_temperature_, compute);
  temperature_ = nullptr;
  our_temperature_ = nullptr;
  if (s_.barostat) find_compute(id_pressure_, "Pressure")->reset_extra_compute_fix(compute.c_str());
  return 2;
}

/// The barostat's chain has the new target from the beginning of the next step on, as in stock.
void FixNoseHooverTriad::reset_target(double t) {
  t_start_ = t_stop_ = t;
  set_target(t);
}

/// Fix grem takes a fix without p_flag for one without barostat.
void *FixNoseHooverTriad::extract(const char *name, int &dim) {
  dim = 0;
  if (strcmp(name, "t_target") == 0) return &t_target_;
  if (strcmp(name, "t_start") == 0) return &t_start_;
  if (strcmp(name, "t_stop") == 0) return &t_stop_;
  dim = 1;
  return s_.barostat && strcmp(name, "p_flag") == 0 ? p_flag_ : nullptr;
}

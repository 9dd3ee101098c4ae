#include "lammps/compute/compute_profile_triad.h"

#include <string>
#include <utility>

#include "atom.h"
#include "domain.h"
#include "engine/host/group_motion.h"
#include "error.h"
#include "force.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/atom_arrays.h"
#include "lammps/util/rank_sums.h"
#include "lammps/util/settings.h"
#include "lammps/util/thread_choice.h"
#include "lattice.h"
#include "memory.h"
#include "modify.h"
#include "update.h"

using namespace LAMMPS_NS;

ComputeProfileTriad::ComputeProfileTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), id_of_stress_(std::string(id) + "_stress"), motion_(lmp, groupbit) {
  const std::vector<triad::NamedValue<Value>> known = {{"count", Value::Count},
                                                       {"density/number", Value::NumberDensity},
                                                       {"density/mass", Value::MassDensity},
                                                       {"temp", Value::Temperature},
                                                       {"ke", Value::KineticEnergy},
                                                       {"stress", Value::Stress},
                                                       {"virial", Value::Virial}};
  read_settings(lmp, "compute profile/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    layout_.read_place(words);
    while (!words.done() && words.peek() != "units") {
      const auto value = words.choice<Value>(known, "value");
      const bool is_tensor = value == Value::Stress || value == Value::Virial;
      if (is_tensor) stresses_[value == Value::Virial] = true;
      values_.insert(values_.end(), is_tensor ? triad::SlabVirials::size : 1, value);
    }
    if (values_.empty())
      words.reject("needs at least one value: count, density/number, density/mass, temp, ke, stress or virial");
    words.keywords({{"units", [&] { layout_.read_units(words); }}});
    const Lattice &lattice = *domain->lattice;
    layout_.finish(lmp, {lattice.xlattice, lattice.ylattice, lattice.zlattice}, words);
  });
  if (sums_virials() && !calls_post_constructor)
    error->all(FLERR, "Compute profile/triad needs a LAMMPS of 2025 or newer for stress and virial");
  if (sums_virials()) timeflag = pressatomflag = 1;
  array_flag = 1;
  extarray = 0;
  size_array_rows = slabs().count;
  size_array_cols = 1 + static_cast<int>(values_.size());
  memory->create(array, size_array_rows, size_array_cols, "profile/triad:array");
}

ComputeProfileTriad::~ComputeProfileTriad() {
  if (modify && sums_virials() && modify->get_compute_by_id(id_of_stress_)) modify->delete_compute(id_of_stress_);
  memory->destroy(array);
}

/// Makes the compute whose per-atom virials are summed where the engine has none.
void ComputeProfileTriad::post_constructor() {
  if (!sums_virials()) return;
  Compute *const stress = modify->add_compute(id_of_stress_ + " all stress/atom NULL virial");
  stress->timeflag = 0;  // this compute requests the tallies
}

void ComputeProfileTriad::add_samples(triad::StepBatch &batch, std::vector<std::int64_t> steps) {
  samples_.add({{{std::move(steps)}, groupbit}, slabs(), {}}, batch.samplings);
}

triad::TallyRequest ComputeProfileTriad::tallies(const triad::MdEngine &) const {
  triad::TallyRequest request;
  request.atom_virial = sums_virials();
  return request;
}

double ComputeProfileTriad::value_of(Value value, const triad::SlabSums &sums, double volume) const {
  switch (value) {
    case Value::Count:
      return sums.count;
    case Value::NumberDensity:
      return sums.count / volume;
    case Value::MassDensity:
      return sums.mass / volume * force->mv2d;
    case Value::Temperature:
      return sums.count > 0 ? sums.mvv * force->mvv2e / (domain->dimension * sums.count * force->boltz) : 0;
    default:
      return 0.5 * force->mvv2e * sums.mvv;
  }
}

/// Sums over the slabs of all ranks.
std::vector<triad::SlabVirials> ComputeProfileTriad::virials(const triad::Slabs &slabs, double kinetic_factor) {
  EngineRun *const run = engine_run(lmp);
  std::vector<triad::SlabVirials> mine;
  if (run && engine_step_ == update->ntimestep) {
    run->sync_engine(triad::field_x | triad::field_v);
    mine = run->engine().sum_slab_virials(groupbit, slabs, kinetic_factor);
  } else {
    if (run) run->sync_host(triad::field_x | triad::field_v);
    Compute *const stress = modify->get_compute_by_id(id_of_stress_);
    if (!stress) error->all(FLERR, "Compute {} of compute {} ({}) was deleted", id_of_stress_, id, style);
    if (stress->invoked_peratom != update->ntimestep) stress->compute_peratom();
    std::vector<double> rows[2];
    for (int i = 0; i < atom->nlocal; ++i)
      for (int k = 0; k < triad::SlabVirials::size; ++k)
        rows[k / 3].push_back(-stress->array_atom[i][k] / force->nktv2p);
    mine = triad::GroupMotion(atom_arrays(atom), groupbit, threads_of(lmp))
               .sum_slab_virials(slabs, kinetic_factor, rows[0].data(), rows[1].data());
  }
  sum_over_ranks(mine, world);
  return mine;
}

void ComputeProfileTriad::compute_array() {
  invoked_array = update->ntimestep;
  const triad::Slabs slabs = this->slabs();
  if (slabs.count != size_array_rows)
    error->all(FLERR, "The box of compute {} ({}) has {} slabs instead of {}; use units reduced where the box changes",
               id, style, slabs.count, size_array_rows);
  std::vector<triad::SlabVirials> tensors[2];
  for (int t = 0; t < 2; ++t)
    if (stresses_[t]) tensors[t] = virials(slabs, t == 0 ? force->mvv2e : 0);
  EngineRun *const run = engine_run(lmp);
  const AtomMotion::OnEngine guard(motion_, run ? run->engine_ahead_in(triad::field_x | triad::field_v) : nullptr);
  const std::vector<triad::SlabSums> *const sample = samples_.in(update->ntimestep);
  std::vector<triad::SlabSums> sums = sample ? *sample : motion_.sum_slabs(slabs);
  sum_over_ranks(sums, world);
  const double volume = SlabLayout::volume_of(slabs, lmp);
  for (int row = 0; row < size_array_rows; ++row) {
    array[row][0] = slabs.first + (row + 0.5) * slabs.width;
    int component = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const Value value = values_[k];
      if (value != Value::Stress && value != Value::Virial) {
        array[row][k + 1] = value_of(value, sums[row], volume);
        continue;
      }
      array[row][k + 1] = -tensors[value == Value::Virial][row][component] * force->nktv2p / volume;
      component = (component + 1) % triad::SlabVirials::size;
    }
  }
}

double ComputeProfileTriad::memory_usage() {
  return double(size_array_rows) * (size_array_cols + 2 * triad::SlabSums::size) * sizeof(double);
}

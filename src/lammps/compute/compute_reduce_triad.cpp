#include "lammps/compute/compute_reduce_triad.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "group.h"
#include "io/setting_reader.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/settings.h"
#include "update.h"

using namespace LAMMPS_NS;

namespace {

constexpr std::array<const char *, 6> names = {"vx", "vy", "vz", "fx", "fy", "fz"};

}  // namespace

ComputeReduceTriad::ComputeReduceTriad(LAMMPS *lmp, int narg, char **arg)
    : ComputeApi(lmp, narg, arg), motion_(lmp, groupbit) {
  read_settings(lmp, "compute reduce/triad", narg - 3, arg + 3, [&](triad::SettingReader &words) {
    mean_ = words.choice<bool>({{"sum", false}, {"ave", true}}, "mode");
    do {
      std::vector<triad::NamedValue<int>> known;
      known.reserve(6);
      for (int k = 0; k < 6; ++k) known.push_back({names[k], k});
      values_.push_back(words.choice<int>(known, "value"));
    } while (!words.done());
  });
  if (values_.size() == 1) {
    scalar_flag = 1;
    extscalar = mean_ ? 0 : 1;
    return;
  }
  vector_flag = 1;
  size_vector = static_cast<int>(values_.size());
  extvector = mean_ ? 0 : 1;
  vector = new double[size_vector];
}

std::string ComputeReduceTriad::unsupported(LAMMPS *, int narg, char **arg) {
  if (narg < 5 || (std::strcmp(arg[3], "sum") != 0 && std::strcmp(arg[3], "ave") != 0)) return "this mode";
  const bool known = std::all_of(arg + 4, arg + narg, [](const char *word) {
    return std::any_of(names.begin(), names.end(), [&](const char *name) { return !std::strcmp(name, word); });
  });
  return known ? "" : "these values";
}

ComputeReduceTriad::~ComputeReduceTriad() { delete[] vector; }

void ComputeReduceTriad::reduce(double *values) {
  EngineRun *const run = engine_run(lmp);
  const bool forces = std::any_of(values_.begin(), values_.end(), [](int value) { return value >= 3; });
  const unsigned fields = forces ? triad::field_v | triad::field_f : triad::field_v;
  triad::MdEngine *const engine = run ? run->engine_ahead_in(fields) : nullptr;
  if (engine) run->sync_engine(fields);
  const AtomMotion::OnEngine guard(motion_, engine);
  const triad::MomentSums of_velocities = motion_.sum_moments(-1, nullptr);
  const triad::ForceSums of_forces = forces ? motion_.sum_forces(false) : triad::ForceSums();
  double mine[6], all[6];
  std::copy_n(of_velocities.v, 3, mine);
  std::copy_n(of_forces.force, 3, mine + 3);
  MPI_Allreduce(mine, all, 6, MPI_DOUBLE, MPI_SUM, world);
  const double divisor = mean_ ? std::max(1.0, double(group->count(igroup))) : 1;
  for (std::size_t k = 0; k < values_.size(); ++k) values[k] = all[values_[k]] / divisor;
}

double ComputeReduceTriad::compute_scalar() {
  invoked_scalar = update->ntimestep;
  reduce(&scalar);
  return scalar;
}

void ComputeReduceTriad::compute_vector() {
  invoked_vector = update->ntimestep;
  reduce(vector);
}

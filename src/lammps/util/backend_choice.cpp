#include "lammps/util/backend_choice.h"

#include <vector>

#include "core/error.h"
#include "error.h"
#include "lammps/util/machine_ranks.h"

namespace LAMMPS_NS {

triad::Precision read_precision(triad::SettingReader &words) {
  std::vector<triad::NamedValue<triad::Precision>> known;
  for (const triad::Precision precision : triad::all_precisions) known.push_back({name_of(precision), precision});
  return words.choice(known);
}

BackendChoice read_backend(triad::SettingReader &words) {
  return words.choice<BackendChoice>(
      {{"auto", BackendChoice::Auto}, {"cuda", BackendChoice::Cuda}, {"host", BackendChoice::Host}});
}

bool choose_cuda(LAMMPS *lmp, const std::string &command, BackendChoice choice, std::string &note) {
#if defined(TRIAD_HAS_CUDA)
  if (choice == BackendChoice::Host) return false;
  std::string reason;
  const bool usable = triad::usable_cuda_devices(reason) > 0;
  if (choice == BackendChoice::Cuda && !usable)
    lmp->error->one(FLERR, "{} backend cuda: {}; use backend host or auto to run on the CPU", command, reason);
  if (choice == BackendChoice::Cuda || every_rank_has_gpu(lmp, usable)) return true;
  note = " (" + (usable ? "another rank has no usable GPU" : reason) + ")";
#else
  if (choice == BackendChoice::Cuda)
    lmp->error->all(FLERR,
                    "{} backend cuda: this Triad was built without CUDA; use backend host or auto, or install a build "
                    "with CUDA",
                    command);
  note.clear();
#endif
  return false;
}

void log_backend(RunLog &log, const std::string &style, const std::string &description, triad::Precision precision,
                 const std::string &note) {
  log.before_thermo(fmt::format("Triad: {} on {}, precision {}{}\n", style, description, name_of(precision), note));
}

}  // namespace LAMMPS_NS

#include "lammps/util/backend_choice.h"

#include "core/error.h"
#include "error.h"

namespace LAMMPS_NS {

const char *name_of(triad::Precision precision) {
  switch (precision) {
    case triad::Precision::Single:
      return "single";
    case triad::Precision::Mixed:
      return "mixed";
    default:
      return "double";
  }
}

triad::Precision read_precision(triad::SettingReader &words) {
  using triad::Precision;
  return words.choice<Precision>(
      {{"single", Precision::Single}, {"mixed", Precision::Mixed}, {"double", Precision::Double}});
}

BackendChoice read_backend(triad::SettingReader &words) {
  return words.choice<BackendChoice>(
      {{"auto", BackendChoice::Auto}, {"cuda", BackendChoice::Cuda}, {"host", BackendChoice::Host}});
}

bool choose_cuda(LAMMPS *lmp, const std::string &command, BackendChoice choice, std::string &note) {
#if defined(TRIAD_HAS_CUDA)
  if (choice == BackendChoice::Host) return false;
  std::string reason;
  if (triad::usable_cuda_devices(reason) > 0) return true;
  if (choice == BackendChoice::Cuda)
    lmp->error->one(FLERR, "{} backend cuda: {}; use backend host or auto to run on the CPU", command, reason);
  note = " (" + reason + ")";
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

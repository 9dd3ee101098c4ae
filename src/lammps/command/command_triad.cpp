#include "lammps/command/command_triad.h"

#include <optional>

#include "error.h"
#include "force.h"
#include "input.h"
#include "lammps/run/engine_pairs.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/run_log.h"
#include "lammps/util/settings.h"

using namespace LAMMPS_NS;

/// A command has no hook that needs class Reporting: LAMMPS deletes a command as soon as the command has run.
void LAMMPS_NS::add_command_triad(LAMMPS *lmp) {
  (*lmp->input->command_map)["triad"] = [](LAMMPS *of) -> Command * { return new CommandTriad(of); };
}

void CommandTriad::command(int narg, char **arg) {
  if (narg == 0) error->all(FLERR, "Command triad needs keywords with values (known: precision, backend)");
  // nothing is taken over before all of it is known to be right
  std::optional<triad::Precision> precision;
  std::optional<BackendChoice> backend;
  read_settings(lmp, "triad", narg, arg, [&](triad::SettingReader &words) {
    words.keywords({{"precision", [&] { precision = read_precision(words); }},
                    {"backend", [&] { backend = read_backend(words); }}});
  });
  if (precision) set_default_precision(lmp, *precision);
  if (backend) set_default_backend(lmp, *backend);
  if (!EnginePairs(lmp).empty())
    RunLog(lmp).before_thermo(
        fmt::format("Triad: pair_style {} keeps its settings; put the command triad in front of it to change them\n",
                    force->pair_style));
}

// The command `triad`: precision and backend of the styles that follow.
#pragma once

#include "command.h"

namespace LAMMPS_NS {

class CommandTriad final : public Command {
 public:
  explicit CommandTriad(LAMMPS *lmp) : Command(lmp) {}
  void command(int narg, char **arg) override;
};

/// Makes the command known. It is no row of styles.h: LAMMPS's `clear` registers the styles of plugins again but keeps
/// its commands, and would warn that a plugin overrides the command. The command therefore remains when the styles are
/// unloaded, and the plugin stays in memory (linker option nodelete).
void add_command_triad(LAMMPS *lmp);

}  // namespace LAMMPS_NS

// The command `triad`: precision and backend of the styles that follow.
#pragma once

#include "command.h"

namespace LAMMPS_NS {

class CommandTriad final : public Command {
 public:
  explicit CommandTriad(LAMMPS *lmp) : Command(lmp) {}
  void command(int narg, char **arg) override;
};

}  // namespace LAMMPS_NS

// Replacement of Triad fixes by LAMMPS's stock fixes if the script names the stock fix and needs a feature that only
// the stock fix has.
#pragma once

#include <string>
#include <vector>

#include "fix.h"

namespace LAMMPS_NS {

/// Replaces each fix that LAMMPS created because of the suffix and whose needs_stock() is not empty by the stock fix
/// with the same state and settings, and logs the replacement. To be called between runs, or before Modify::init()
/// reads the list of fixes. Returns true if a fix was replaced. The same on all ranks; collective if restart() of the
/// fix is collective.
bool swap_in_stock_fixes(LAMMPS *lmp);

/// For the init() of a fix with a StockFallback; LAMMPS calls init() after it has built the lists of hooks. If neither
/// a pair style nor a run style of Triad has replaced the fixes before, this function replaces them and initialises all
/// fixes again. Returns true if the calling fix has been deleted; its init() must then return without accessing its
/// members. A fix that stays although needs_stock() is not empty ends in an error, which names the stock fix.
bool stock_takes_over(LAMMPS *lmp, const Fix *fix);

/// A temporary fix for arguments that Triad does not support: post_constructor() replaces it by LAMMPS's stock fix. The
/// factory cannot return the stock fix itself, because LAMMPS sets the style name after the factory has returned, and
/// the stock fix would have the name of the Triad fix.
class FixForStock final : public Fix {
 public:
  FixForStock(LAMMPS *lmp, int narg, char **arg, const std::string &unsupported);
  int setmask() override { return 0; }
  void post_constructor() override;  ///< deletes this fix

 private:
  std::vector<std::string> arguments_;
};

}  // namespace LAMMPS_NS

// LAMMPS's own fixes in place of ours, where a script that names the stock fix asks for what only that one can do.
#pragma once

#include <string>
#include <vector>

#include "fix.h"

namespace LAMMPS_NS {

/// Puts the stock fix in the place of each fix that LAMMPS found by the suffix and that needs_stock(), with its state
/// and settings, and says so. To be called between runs or before Modify::init() reads the list of fixes. Returns
/// whether there was one. The same on all ranks; collective where a fix's restart() is.
bool swap_in_stock_fixes(LAMMPS *lmp);

/// For the init() of a fix that has a StockFallback, which LAMMPS calls after it has listed the hooks of all fixes.
/// Where neither a pair style nor a run style of ours has swapped fixes before, this does it and initialises all of
/// them anew. True: the calling fix is gone, and its init() has to return without another access to it.
bool swapped_in_init(LAMMPS *lmp, const Fix *fix);

/// LAMMPS's own fix for arguments that ours does not support, from the moment at which LAMMPS has put this fix into its
/// list. LAMMPS names the style of a fix after its factory has returned, so that a stock fix that the factory returned
/// would be called by the name of ours.
class FixForStock final : public Fix {
 public:
  FixForStock(LAMMPS *lmp, int narg, char **arg, const std::string &unsupported);
  int setmask() override { return 0; }
  void post_constructor() override;  ///< deletes this fix

 private:
  std::vector<std::string> arguments_;
};

}  // namespace LAMMPS_NS

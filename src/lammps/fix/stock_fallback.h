// What a fix of ours says and hands over, so that LAMMPS's own fix of the same name can take its place before a run.
//
// The arguments of the fix command say most of what only the stock fix can do (Style::unsupported(), when the fix is
// made). The rest is known later: after fix_modify, run_style and the fixes that follow. When needs_stock() is not
// empty, the replacement is: read stock_arguments(), stock_record() and stock_modifications(), delete this fix, make
// the stock fix from the arguments in the same place of LAMMPS's list, give it the record through Fix::restart(), and
// apply the modifications through Fix::modify_params().
#pragma once

#include <string>
#include <vector>

namespace LAMMPS_NS {

class StockFallback {
 public:
  /// What the script asks of this fix that only the stock fix can do, as the object of "does not support"; empty if
  /// there is nothing. Valid from the constructor on, and final when Modify::init() begins: it looks at the computes,
  /// fixes and run style of that moment. The same on all ranks; not collective.
  virtual std::string needs_stock() const = 0;

  /// The words of the command that makes the stock fix in the present state of this one: ID, group ID, style, settings.
  virtual std::vector<std::string> stock_arguments() const = 0;

  /// The state of this fix in the layout of the stock fix's restart record, for Fix::restart(). Empty: no state.
  virtual std::vector<double> stock_record() const { return {}; }

  /// The arguments of fix_modify, without the fix's ID, that give the stock fix what fix_modify gave this one, in the
  /// order in which they are to be applied. The keywords that LAMMPS's Fix itself knows (energy, virial, respa,
  /// dynamic/dof) are left to the caller.
  virtual std::vector<std::vector<std::string>> stock_modifications() const { return {}; }

  /// Whether LAMMPS made this fix for a script that names the stock fix: only then may the latter take its place.
  bool found_by_suffix() const { return found_by_suffix_; }
  void mark_found_by_suffix() { found_by_suffix_ = true; }

 protected:
  ~StockFallback() = default;  // LAMMPS deletes fixes as Fix

 private:
  bool found_by_suffix_ = false;
};

}  // namespace LAMMPS_NS

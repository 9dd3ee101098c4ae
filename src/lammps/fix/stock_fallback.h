// Interface of a Triad fix that LAMMPS's stock fix of the same name can replace before a run.
//
// Style::unsupported() examines the arguments of the fix command when the fix is created. Other unsupported settings
// are known only after fix_modify, run_style and later fixes. If needs_stock() is not empty, the replacement proceeds
// as follows: read stock_arguments(), stock_record() and stock_modifications(), delete this fix, create the stock fix
// from the arguments at the same index of LAMMPS's list, pass the record to Fix::restart(), and apply the modifications
// through Fix::modify_params().
#pragma once

#include <string>
#include <vector>

namespace LAMMPS_NS {

class StockFallback {
 public:
  /// Returns the settings that only the stock fix supports, as the object of "does not support", or an empty string.
  /// The function may be called from the constructor on, and the result is final when Modify::init() begins, because it
  /// depends on the computes, fixes and run style that exist at the time of the call. The same on all ranks; not
  /// collective.
  virtual std::string needs_stock() const = 0;

  /// Returns the words of the fix command that creates the stock fix in the present state of this fix: ID, group ID,
  /// style, settings.
  virtual std::vector<std::string> stock_arguments() const = 0;

  /// Returns the state of this fix in the layout of the stock fix's restart record, for Fix::restart(). Empty: the fix
  /// has no state.
  virtual std::vector<double> stock_record() const { return {}; }

  /// Returns the arguments of fix_modify commands, without the ID of the fix, that reproduce the fix_modify settings of
  /// this fix, in the order in which they must be applied. The caller handles the keywords of LAMMPS's class Fix
  /// (energy, virial, respa, dynamic/dof).
  virtual std::vector<std::vector<std::string>> stock_modifications() const { return {}; }

  /// True if LAMMPS created this fix for a script that names the stock fix. Only such a fix may be replaced.
  bool found_by_suffix() const { return found_by_suffix_; }
  void mark_found_by_suffix() { found_by_suffix_ = true; }

 protected:
  ~StockFallback() = default;  // protected, because LAMMPS deletes fixes as Fix

 private:
  bool found_by_suffix_ = false;
};

}  // namespace LAMMPS_NS

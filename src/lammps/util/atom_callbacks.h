// The callbacks by which LAMMPS's class Atom tells a fix of changes of per-atom arrays.
#pragma once

#include <initializer_list>
#include <vector>

#include "atom.h"
#include "fix.h"
#include "pointers.h"

namespace LAMMPS_NS {

/// A member of a fix with per-atom arrays: adds callbacks, and removes them when the fix is destroyed. LAMMPS keeps the
/// index that the fix will have in the list of fixes, and to remove a callback it looks for the fix in that list. A fix
/// whose constructor throws is never in the list: its callbacks could not be removed, and the next fix would get them.
class AtomCallbacks : protected Pointers {
 public:
  AtomCallbacks(LAMMPS *lmp, const Fix *fix) : Pointers(lmp), fix_(fix) {}
  ~AtomCallbacks() override {
    for (const int kind : kinds_) atom->delete_callback(fix_->id, kind);
  }
  AtomCallbacks(const AtomCallbacks &) = delete;
  AtomCallbacks &operator=(const AtomCallbacks &) = delete;

  /// The last statement of the constructor of the fix, after everything that can throw. `kinds`: of Atom::GROW and
  /// others.
  void add(std::initializer_list<int> kinds) {
    kinds_ = kinds;
    for (const int kind : kinds_) atom->add_callback(kind);
  }

 private:
  const Fix *const fix_;
  std::vector<int> kinds_;
};

}  // namespace LAMMPS_NS

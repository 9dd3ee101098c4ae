// The positions that the atoms of a group had when a fix was made, unwrapped. They travel with the atoms and are part
// of restart files, in the layout of stock fix spring/self and fix move.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/md_engine.h"
#include "fix.h"
#include "lammps/run/engine_fix.h"
#include "lammps/util/atom_callbacks.h"

namespace LAMMPS_NS {

/// Base class of the fixes with such positions. The constructor of a derived class ends with follow_atoms().
class FixWithOriginalPositions : public Fix {
 public:
  FixWithOriginalPositions(LAMMPS *lmp, int narg, char **arg);
  ~FixWithOriginalPositions() override;

  void post_constructor() override;  ///< takes the positions of the stock fix from a restart file
  double memory_usage() override;
  void grow_arrays(int nmax) override;
  void copy_arrays(int from, int to, int delflag) override;
  void set_arrays(int i) override;
  int pack_exchange(int i, double *buffer) override;
  int unpack_exchange(int i, double *buffer) override;
  int pack_restart(int i, double *buffer) override;
  void unpack_restart(int i, int nth) override;
  int maxsize_restart() override { return 4; }
  int size_restart(int) override { return 4; }

 protected:
  /// Adds the callbacks, see AtomCallbacks::add().
  void follow_atoms() { callbacks_.add({Atom::GROW, Atom::RESTART}); }
  /// True if the engine can have the positions: the box keeps its shape, and not too many fixes have such positions.
  bool engine_can_take_positions() const;
  /// Makes the engine know the positions. Returns their number, see MdEngine::set_tethers().
  int give_positions(triad::MdEngine &engine);
  /// The positions in the periodic image that LAMMPS's positions are in, [nlocal][3]. Valid until the next call.
  const double *wrapped_positions();

  double **original_ = nullptr;  // [nmax][3]; zeros for atoms outside the group

 private:
  int number() const;

  AtomCallbacks callbacks_;
  std::vector<double> wrapped_;
  int engine_revision_ = -1;  // of the engine that has the positions
  std::int64_t tether_revision_ = -1;
};

}  // namespace LAMMPS_NS

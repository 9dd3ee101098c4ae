// compute com/triad, gyration/triad and msd/triad: the stock computes of these names, from sums over the engine's atoms
// where they are there.
#pragma once

#include <string>
#include <vector>

#include "dynamics/moments.h"
#include "lammps/compat/compute_api.h"
#include "lammps/run/atom_motion.h"
#include "lammps/run/engine_compute.h"

namespace LAMMPS_NS {

class Fix;

/// Sums of unwrapped positions relative to a point of each atom: the origin, or that of the fix `points`.
class UnwrappedMoments : protected Pointers {
 public:
  UnwrappedMoments(LAMMPS *lmp, int groupbit) : Pointers(lmp), motion_(lmp, groupbit) {}
  /// Over all ranks. `points`: LAMMPS's fix STORE/ATOM with three values per atom, or null for the origin. `number`: of
  /// MdEngine::set_tethers(), or -1 if the engine has no room for them.
  triad::MomentSums sums(Fix *points, int number);

 private:
  const double *wrapped(Fix *points);

  AtomMotion motion_;
  std::vector<double> wrapped_;
  int engine_revision_ = -1, number_ = -1;  // of the engine that has the points
  std::int64_t tether_revision_ = -1;
};

/// Centre of mass of a group, unwrapped.
class ComputeCOMTriad : public ComputeApi, public EngineCompute {
 public:
  ComputeCOMTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeCOMTriad() override;
  void init() override {}
  void compute_vector() override;

 private:
  UnwrappedMoments moments_;
};

/// Radius of gyration of a group, and its tensor.
class ComputeGyrationTriad : public ComputeApi, public EngineCompute {
 public:
  ComputeGyrationTriad(LAMMPS *lmp, int narg, char **arg);
  ~ComputeGyrationTriad() override;
  void post_constructor() override;
  void init() override {}
  double compute_scalar() override;
  void compute_vector() override;

 private:
  void compute_tensor(double *tensor);
  UnwrappedMoments moments_;
};

/// Mean squared displacement of a group. The original positions are in a fix of LAMMPS with the ID of the stock
/// compute's, so restart files have them.
class ComputeMSDTriad : public ComputeApi, public EngineCompute {
 public:
  ComputeMSDTriad(LAMMPS *lmp, int narg, char **arg);
  static std::string unsupported(LAMMPS *lmp, int narg, char **arg);
  ~ComputeMSDTriad() override;
  void init() override;
  void compute_vector() override;
  void set_arrays(int i) override;

 private:
  int number() const;

  UnwrappedMoments moments_, centre_;
  std::string id_fix_;
  Fix *original_ = nullptr;
  bool relative_ = false;  // to the centre of mass
  double count_ = 0;       // atoms at the start of a run
};

}  // namespace LAMMPS_NS

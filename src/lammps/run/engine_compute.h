// Properties of computes for run_style verlet/triad.
#pragma once

#include <string>
#include <vector>

#include "engine/md_engine.h"
#include "lammps.h"
#include "lmptype.h"

namespace LAMMPS_NS {

class Compute;

/// Interface of our computes that read the engine's atoms if there is an engine.
class EngineCompute {
 protected:
  ~EngineCompute() = default;  // LAMMPS deletes computes as Compute
};

/// Interface of our computes that need per-atom energies or virials. In the steps in which such a compute is evaluated,
/// the run style makes the engine keep these tallies, or if that is not possible, the pair style fills LAMMPS's arrays.
class TallyCompute : public EngineCompute {
 public:
  /// Called at the start of a run. `possible`: the engine computes all forces that contribute.
  virtual void use_engine_tallies(bool possible) { on_engine_ = possible; }
  /// True if the compute takes the tallies from the engine, or needs none.
  bool takes_engine_tallies() const { return on_engine_; }
  /// The per-atom tallies that the engine must keep in a step in which the compute is evaluated.
  virtual triad::TallyRequest tallies(const triad::MdEngine &engine) const = 0;
  /// IDs of LAMMPS's computes of per-atom tallies that this compute does not call when it takes those of the engine.
  virtual std::vector<std::string> replaced_computes() const { return {}; }
  /// Declares that the engine has the positions, forces and tallies of this step.
  void set_on_engine(bigint step) { engine_step_ = step; }

 protected:
  ~TallyCompute() = default;
  bool on_engine_ = false;
  bigint engine_step_ = -1;
};

/// True if a compute does not read LAMMPS's per-atom arrays. For a pressure compute, the result depends on its
/// temperature compute; for a potential-energy compute, on the fixes that contribute energies.
bool leaves_atoms_alone(const Compute *compute);

/// Puts a ComputeTempTriad with the same settings in the place of LAMMPS's compute thermo_temp of style temp (`ours`),
/// or LAMMPS's back in its place. Both compute the same numbers. The other one stays in LAMMPS's list with another ID,
/// since the thermo output, compute pressure and variables point to it until LAMMPS initialises them. Does nothing to a
/// compute of another style, or if compute temp/triad is unloaded. Ours has the style name temp while it is
/// thermo_temp: `plugin unload` deletes the computes whose style name is that of the unloaded style, and LAMMPS needs
/// thermo_temp. The destructor of the run style puts LAMMPS's back.
void set_thermo_temperature(LAMMPS *lmp, bool ours);

/// Calls ComputeTempTriad::serve_output() of thermo_temp. Does nothing to a compute of another style.
void serve_thermo_output(LAMMPS *lmp);

}  // namespace LAMMPS_NS

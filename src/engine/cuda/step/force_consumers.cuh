// What the engine does with forces in the kernel that computes them: consumers of combined_kernel().
#pragma once

#include "engine/cuda/step/changing_box_kernel.cuh"
#include "engine/cuda/step/device_thermostat.cuh"
#include "engine/cuda/step/step_kernel.cuh"
#include "engine/cuda/step/thermostat_kernel.cuh"
#include "forces/tersoff/cuda/combined_launches.cuh"

namespace triad {
namespace cuda {

static_assert(tuning::combined_block == tuning::kinetic_block, "kinetic energies are summed in the same order");

/// Ends the step and starts the next one. With a thermostat, the blocks also wait for each other: each writes the
/// kinetic energy of its atoms, and adds up those of all blocks. All blocks must then be resident at once.
template <class Format, bool Thermostatted>
class MoveAtoms {
 public:
  static constexpr KernelsFor kernels = Thermostatted ? KernelsFor::Few : KernelsFor::FewAndMany;
  static constexpr bool virials = false;
  struct Job {
    StepJob<Format> motion;  ///< the atoms of StepJob::listed, if it has listed_bits, are left out
    MovingThermostat thermostat;
    __device__ __forceinline__ std::size_t atoms() const { return motion.state.n; }
  };

  __device__ __forceinline__ MoveAtoms(const Job &job, unsigned block, std::size_t i, bool mine)
      : job_(job),
        block_(block),
        i_(i),
        mine_(mine),
        held_(memory(), job.thermostat.thermostat),
        atom_(job.motion, i, Thermostatted ? factors() : nullptr) {
    if constexpr (Thermostatted) held_.begin();
    atom_.load_coord();
  }
  __device__ __forceinline__ bool begin() {
    const StepJob<Format> &motion = job_.motion;
    moves_ = mine_ && !(motion.listed_bits && (motion.listed_mask[i_] & motion.listed_bits));
    if (!Thermostatted && !moves_) return false;
    completed_ = motion.guard->completed;
    return true;
  }
  __device__ __forceinline__ void take(const Vec3<typename Format::Sum> &force, const ForceProgress &progress) {
    const auto f = DeviceState<Format>::converted(force);
    if constexpr (Thermostatted) {
      constexpr int diagonal = KineticSums::n_diagonal;
      const MovingThermostat &thermostat = job_.thermostat;
      KineticSums kinetic;
      if (mine_) add_kicked(kinetic, job_.motion, i_, atom_.velocity(), f, thermostat.thermostat->measured_bit);
      thermostat.kinetic.write(block_, first_of<diagonal>(kinetic));
      progress.meet(thermostat.kinetic.blocks);
      held_.finish(kinetic_of(thermostat.kinetic.template total<diagonal>()), true, factors());
      if (block_ == 0) held_.store();  // all blocks have loaded the thermostat before they met
      if (!moves_) return;
    }
    atom_.end_step(f);
    const Vec3<float> by = atom_.start_step(f, completed_);
    atom_.store_velocity();
    if constexpr (Thermostatted)
      atom_.expect(f, by);
    else
      atom_.expect(f);
  }

 private:
  static __device__ __forceinline__ ThermostatOfBlock::Memory &memory() {
    __shared__ ThermostatOfBlock::Memory memory;
    return memory;
  }
  static __device__ __forceinline__ double *factors() {
    __shared__ double factors[2];
    return factors;
  }

  const Job &job_;
  unsigned block_;
  std::size_t i_;
  bool mine_, moves_ = false;
  int completed_ = 0;
  ThermostatOfBlock held_;
  MovingAtom<Format> atom_;
};

/// Ends the step and starts the next one in a box that changes along a path. box_path_kernel() must follow.
template <class Format>
class MoveAtomsInBox {
 public:
  static constexpr KernelsFor kernels = KernelsFor::Many;
  static constexpr bool virials = false;
  struct Job {
    StepJob<Format> motion;
    __device__ __forceinline__ std::size_t atoms() const { return motion.state.n; }
  };

  __device__ __forceinline__ MoveAtomsInBox(const Job &job, unsigned, std::size_t i, bool mine)
      : job_(job), mine_(mine), atom_(job.motion, nullptr, i) {}
  __device__ __forceinline__ bool begin() const { return mine_; }
  __device__ __forceinline__ void take(const Vec3<typename Format::Sum> &force, const ForceProgress &) {
    const auto kick = atom_.kick(force);
    atom_.load_position();  // not earlier, which would need registers
    atom_.end_step(kick);
    atom_.start_step(kick, job_.motion.guard->completed);
    atom_.store_velocity();
  }

 private:
  const Job &job_;
  bool mine_;
  AtomInBox<Format, false> atom_;
};

/// Writes the forces, and sums the kinetic energies with which a thermostat ends the step, and the virials of a
/// barostat.
template <class Format, bool Virials>
class MeasureAtoms {
 public:
  static constexpr KernelsFor kernels = KernelsFor::Many;
  static constexpr bool virials = Virials;
  struct Job {
    StepJob<Format> motion;
    SumsOfGroups kinetic;
    int measured;           ///< bit of the measured group; 0 for all atoms
    SumsOfGroups virial;    ///< of the rows of up to four entries
    VirialOfBlocks longer;  ///< of the longer rows
    __device__ __forceinline__ void take_virial(unsigned block, const PartialSums<3> &mine) const {
      virial.write(block, mine);
    }
    __device__ __forceinline__ std::size_t atoms() const { return motion.state.n; }
  };

  __device__ __forceinline__ MeasureAtoms(const Job &job, unsigned block, std::size_t i, bool mine)
      : job_(job), block_(block), i_(i), mine_(mine), velocity_(job.motion.state.velocity(i)) {}
  __device__ __forceinline__ bool begin() const { return true; }
  __device__ __forceinline__ void take(const Vec3<typename Format::Sum> &force, const ForceProgress &) const {
    const DeviceState<Format> &state = job_.motion.state;
    KineticSums kinetic;
    if (mine_) {
      state.force.set(i_, force);
      add_kicked(kinetic, job_.motion, i_, velocity_, state.converted(force), job_.measured);
    }
    job_.kinetic.write(block_, first_of<KineticSums::n_diagonal>(kinetic));
    if constexpr (Virials) job_.longer.write(block_);
  }

 private:
  const Job &job_;
  unsigned block_;
  std::size_t i_;
  bool mine_;
  Vec3<typename DeviceState<Format>::Velocity> velocity_;
};

}  // namespace cuda
}  // namespace triad

// CudaStepper: operations on atoms outside of whole steps.
#pragma once

#include <algorithm>

#include "md/cuda/stepper_cuda_impl.cuh"

namespace triad {
namespace cuda {

template <class Format>
void CudaStepper<Format>::kick(int group_bit, double half_kick) {
  for_group(group_bit, KickOp<Format>{state(), half_kick}, "changing velocities");
}

template <class Format>
void CudaStepper<Format>::drift(int group_bit, double drift) {
  for_group(group_bit, DriftOp<Format>{state(), drift}, "moving atoms");
  positions_changed();
}

template <class Format>
void CudaStepper<Format>::scale_velocities(int group_bit, const double factor[3]) {
  for_group(group_bit, ScaleOp<Format>{state(), {factor[0], factor[1], factor[2]}, {0, 0, 0}}, "scaling velocities");
}

template <class Format>
void CudaStepper<Format>::add_velocity(int group_bit, const double difference[3]) {
  for_group(group_bit, ScaleOp<Format>{state(), {1, 1, 1}, {difference[0], difference[1], difference[2]}},
            "changing velocities");
}

template <class Format>
void CudaStepper<Format>::dilate(const double fixed[3], const double factor[3]) {
  const int all = 1;
  for_group(
      all, DilateOp<Format>{state(), anchor_.data(), {fixed[0], fixed[1], fixed[2]}, {factor[0], factor[1], factor[2]}},
      "dilating positions");
  positions_changed();
}

template <class Format>
void CudaStepper<Format>::add_langevin(const LangevinForce &force) {
  select();
  const std::size_t n = atoms_.n_owned, n_terms = std::size_t(atoms_.n_types) + 1;
  if (!identified_) {
    std::vector<std::int64_t> tags(n);
    for (std::size_t i = 0; i < n; ++i) tags[i] = atoms_.tag[i];
    type_device_.reserve(n);
    tag_.reserve(n);
    copy_to_device(type_device_.data(), atoms_.type, n, stream_, "copying types");
    copy_to_device(tag_.data(), tags.data(), n, stream_, "copying atom IDs");
    stream_.wait("copying atom IDs");
    identified_ = true;
  }
  langevin_.reserve(n_terms);
  copy_to_device(langevin_.data(), force.terms, n_terms, stream_, "copying the thermostat");
  for_group(force.group_bit,
            LangevinOp<Format>{state(), type_device_.data(), tag_.data(), langevin_.data(), force.root_temperature,
                               force.step, force.seed},
            "adding the thermostat's force");
  stream_.wait("adding the thermostat's force");
}

template <class Format>
KineticSums CudaStepper<Format>::kinetic(int group_bit) {
  KineticSums sums;
  if (atoms_.n_owned == 0) return sums;
  select();
  const unsigned blocks = std::min(blocks_for(atoms_.n_owned, tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
  kinetic_.reserve(tuning::kinetic_blocks);
  kinetic_host_.reserve(tuning::kinetic_blocks);
  kinetic_kernel<Format>
      <<<blocks, tuning::kinetic_block, 0, stream_>>>(state(), group_bit == 1 ? 0 : group_bit, kinetic_.data());
  check(cudaGetLastError(), "summing kinetic energies");
  copy_to_host(kinetic_host_.data(), kinetic_.data(), blocks, stream_, "summing kinetic energies");
  stream_.wait("summing kinetic energies");
  for (unsigned b = 0; b < blocks; ++b) {
    const double *v = kinetic_host_[b].v;
    for (int k = 0; k < 6; ++k) sums.mvv[k] += v[k];
    for (int k = 0; k < 3; ++k) sums.mv[k] += v[6 + k];
    sums.mass += v[9];
  }
  return sums;
}

template <class Format>
bool CudaStepper<Format>::moved(double limit) {
  select();
  for_each(atoms_.n_owned,
           MovedOp<Format>{tersoff_.positions(), list_reference_.data(), tersoff_.scale(), limit * limit,
                           &reports_.data()->moved},
           "checking displacements");
  return reported(reports_[0].moved);
}

}  // namespace cuda
}  // namespace triad

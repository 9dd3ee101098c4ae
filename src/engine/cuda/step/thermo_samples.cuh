// Samples of kinetic sums, and of energy and virial, in steps of a batch.
#pragma once

#include <algorithm>

#include "core/cuda/step_guard.cuh"
#include "engine/cuda/state/engine_atoms.cuh"
#include "engine/cuda/state/engine_tallies.cuh"
#include "engine/cuda/state/sum_kernels.cuh"
#include "engine/cuda/terms/engine_terms.cuh"
#include "engine/step_batch.h"

namespace triad {
namespace cuda {

/// All functions throw LoopError.
template <class Format>
class ThermoSamples {
 public:
  ThermoSamples(DeviceContext &device, TersoffDevice<Format> &tersoff, const EngineTerms<Format> &terms)
      : device_(device), tersoff_(tersoff), terms_(terms) {}

  /// Reserves memory for the samples of a batch. Samples of ranks without atoms are zero.
  void start(const StepBatch &batch) {
    n_kinetic_ = 0;
    for (const KineticSampling *one : batch.kinetic_samplings) n_kinetic_ += one->steps.size();
    n_totals_ = batch.totals_sampling ? batch.totals_sampling->steps.size() : 0;
    reserve(kinetic_, kinetic_host_, n_kinetic_);
    reserve(totals_, totals_host_, n_totals_ * terms_.count());
    if (n_kinetic_ == 0) return;
    blocks_.reserve(tuning::kinetic_blocks);
    reserve_cleared(arrived_, 1, device_.stream(), "preparing samples");
  }
  /// Launches the kinetic sums at the end of a step, of the atoms in the state `state`.
  void launch_kinetic(const StepBatch &batch, std::int64_t step, const DeviceState<Format> &state,
                      const StepGuard *guard) {
    const unsigned blocks = std::min(blocks_for(state.n, tuning::kinetic_block), unsigned(tuning::kinetic_blocks));
    KineticSums *sums = kinetic_.data();
    for (const KineticSampling *one : batch.kinetic_samplings) {
      const int index = one->index_of(step);
      if (index >= 0 && blocks)
        cuda::launch(false, blocks, tuning::kinetic_block, device_.stream(), "summing kinetic energies",
                     kinetic_kernel<Format>, MotionOp<Format>{state, {}, nullptr, 0, nullptr},
                     device_bit(one->group_bit), blocks_.data(), sums + index, arrived_.data(), guard);
      sums += one->steps.size();
    }
  }
  /// Launches the sum of energy and virial behind the forces of a step, which must have tallied them.
  void launch_totals(const TotalsSampling &sampling, std::int64_t step) {
    BlockTotals *const sums = totals_.data() + sampling.index_of(step) * terms_.count();
    terms_.copy_sums(sums);
    tersoff_.sum_totals(sums + terms_.main());
  }
  /// Copies the samples to the host. Asynchronous.
  void copy() {
    copy_to_host(kinetic_host_.data(), kinetic_.data(), n_kinetic_, device_.stream(), "copying samples");
    copy_to_host(totals_host_.data(), totals_.data(), n_totals_ * terms_.count(), device_.stream(), "copying samples");
  }
  /// Reads the samples of the completed steps. The device must be idle.
  void finish(const StepBatch &batch, long long completed) const {
    const auto is_complete = [&](std::int64_t step) { return step < batch.first_step + completed; };
    const KineticSums *kinetic = kinetic_host_.data();
    for (KineticSampling *one : batch.kinetic_samplings) {
      const auto n = std::count_if(one->steps.begin(), one->steps.end(), is_complete);
      one->sums.assign(kinetic, kinetic + n);
      kinetic += one->steps.size();
    }
    if (!batch.totals_sampling) return;
    batch.totals_sampling->sums.clear();
    const BlockTotals *totals = totals_host_.data();
    for (std::size_t k = 0; k < n_totals_ && is_complete(batch.totals_sampling->steps[k]); ++k) {
      std::vector<ForceTotals> &of_terms = batch.totals_sampling->sums.emplace_back();
      for (std::size_t t = 0; t < terms_.count(); ++t) of_terms.push_back(force_totals(*totals++));
    }
  }

  std::size_t host_bytes() const { return kinetic_host_.bytes() + totals_host_.bytes(); }
  std::size_t device_bytes() const { return kinetic_.bytes() + totals_.bytes() + blocks_.bytes() + arrived_.bytes(); }

 private:
  template <class Sum>
  void reserve(DeviceBuffer<Sum> &sums, PinnedBuffer<Sum> &host, std::size_t n) {
    if (n == 0) return;
    sums.reserve(n);
    host.reserve(n);
    check(cudaMemsetAsync(sums.data(), 0, n * sizeof(Sum), device_.stream()), "preparing samples");
  }

  DeviceContext &device_;
  TersoffDevice<Format> &tersoff_;
  const EngineTerms<Format> &terms_;
  DeviceBuffer<KineticSums> kinetic_{"samples"}, blocks_{"samples"};
  PinnedBuffer<KineticSums> kinetic_host_{"samples"};
  DeviceBuffer<BlockTotals> totals_{"samples"};  // [steps][terms]
  PinnedBuffer<BlockTotals> totals_host_{"samples"};
  DeviceBuffer<unsigned> arrived_{"counts of blocks"};
  std::size_t n_kinetic_ = 0, n_totals_ = 0;  // of start()
};

}  // namespace cuda
}  // namespace triad

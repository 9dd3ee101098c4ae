// Neighbour lists that the engine makes within a batch of steps, in place of LAMMPS's.
#pragma once

#include <omp.h>

#include <algorithm>

#include "engine/cuda/engine_parts.cuh"

namespace triad {
namespace cuda {

/// Makes a neighbour list in step `step` of a batch whose list has expired, if the batch allows this, and updates
/// `job`. Returns true if the list was made. Collective if there are other ranks.
template <class Format>
bool make_list_in_batch(EngineParts<Format> &engine, const StepBatch &batch, long long step, StepJob<Format> &job,
                        BatchResult &result) {
  const ListRule &rule = batch.list;
  if (!rule.box || step > rule.own_until) return false;
  const double start = omp_get_wtime();
  const bool made = engine.lists.make_list(*rule.box);
  result.list_seconds += omp_get_wtime() - start;
  if (!made) return false;
  const double *const factors = job.factors;
  job = engine.steps.job(batch, engine.lists);
  job.factors = factors;
  job.ago = static_cast<int>(-step);
  const long long age = result.lists ? step - result.last_list : rule.ago + step;
  if (age == std::max(rule.every, rule.delay)) ++result.dangerous_lists;
  result.last_list = step;
  ++result.lists;
  return true;
}

}  // namespace cuda
}  // namespace triad

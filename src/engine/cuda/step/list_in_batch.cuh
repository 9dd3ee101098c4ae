// Neighbour lists that the engine makes within a batch of steps, in place of LAMMPS's.
#pragma once

#include <omp.h>

#include "engine/cuda/engine_parts.cuh"

namespace triad {
namespace cuda {

/// Makes a neighbour list in step `step` of a batch whose list has expired, if the batch allows this, and updates
/// `job` and `guard`. `changed`: the box of this step if the batch has ListRule::in_changing_box, otherwise null.
/// Returns true if the list was made. Collective if there are other ranks.
template <class Format>
bool make_list_in_batch(EngineParts<Format> &engine, const StepBatch &batch, long long step, const Box *changed,
                        StepJob<Format> &job, StepGuard &guard, BatchResult &result) {
  const ListRule &rule = batch.list;
  if (!rule.box || step > rule.own_until) return false;
  const double start = omp_get_wtime();
  ListBox box = *rule.box;
  if (changed) box.set_box(*changed);
  const bool made = engine.lists.make_list(box);
  result.list_seconds += omp_get_wtime() - start;
  if (!made) return false;
  if (changed) {
    rule.in_changing_box->note_list(*changed);
    rule.in_changing_box->fix(*changed);
    engine.box.take_list(*changed, step);
    engine.box.take_limit(rule);
  }
  engine.steps.take_lists(rule, engine.lists, job);
  const long long life = step - guard.neighbor_step;  // of the list before
  if (life == guard.dangerous_age) ++result.dangerous_lists;
  guard.neighbor_step = static_cast<int>(step);
  engine.ends.check_atoms(batch, life);
  ++result.lists;
  ++result.late_lists;
  return true;
}

}  // namespace cuda
}  // namespace triad

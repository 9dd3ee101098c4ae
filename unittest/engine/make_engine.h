// The engine of a backend, its integration settings, and its maximum deviation from fp64.
#pragma once

#include <memory>

#include "engine/md_engine.h"
#include "forces/backends.h"

namespace triad {

constexpr double dt = 0.001, conversion = 1.0 / 1.0364269e-4;  // ps; force / mass in metal units
const VerletGroup all_atoms = {1, 0.5 * dt *conversion, dt};

/// Creates an engine on the host, or on device `index` modulo the number of devices.
inline std::unique_ptr<MdEngine> make_engine(const Backend &backend, const System &system, int index = 0) {
  const TersoffSetup setup = {system.table, system.type_to_element, backend.precision};
#if defined(TRIAD_HAS_CUDA)
  if (backend.location == Backend::Cuda) return make_engine_cuda(setup, index, backend.threads);
#endif
  (void)index;
  return make_engine_host(setup, backend.threads);
}

/// Maximum deviation of positions from the fp64 trajectory after some tens of steps.
inline double course_error(Precision precision) {
  return precision == Precision::Double ? 1e-11 : precision == Precision::Mixed ? 5e-7 : 5e-6;
}

}  // namespace triad

// The backend for atoms on the device, with copies of the test's host arrays.
#pragma once

#include <memory>

#include "forces/tersoff/tersoff_backend.h"

namespace triad {

/// Takes host arrays like other TersoffBackends, and passes device memory to make_tersoff_device(). The list is a table
/// in which the entries of an atom are not contiguous, as in KOKKOS's layout on a GPU. A force out of range is reported
/// by the same call.
std::unique_ptr<TersoffBackend> make_device_with_copies(const TersoffSetup &setup);

}  // namespace triad

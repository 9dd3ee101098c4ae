// The backend for atoms on the device, given a copy of the test's arrays there.
#pragma once

#include <memory>

#include "forces/tersoff/tersoff_backend.h"

namespace triad {

/// Takes host arrays as TersoffBackend promises, and hands device memory to make_tersoff_device(): the list as a
/// table whose entries of one atom are far apart, as KOKKOS lays it out on a GPU. A force out of range is reported at
/// once.
std::unique_ptr<TersoffBackend> make_device_with_copies(const TersoffSetup &setup);

}  // namespace triad

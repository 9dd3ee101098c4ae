// The backend of pair forces for atoms on the device, with copies of the test's host arrays.
#pragma once

#include <memory>

#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// Takes host arrays like other PairwiseBackends, and passes device memory to make_pairwise_device(). The list is a
/// table in which the entries of an atom are not contiguous, as in KOKKOS's layout on a GPU. Errors that the backend
/// would report in the next call are reported by the same call.
std::unique_ptr<PairwiseBackend> make_device_pairs_with_copies(const PairwiseSetup &setup);

}  // namespace triad

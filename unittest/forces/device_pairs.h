// The backend of pair forces for atoms on the device, given a copy of the test's arrays there.
#pragma once

#include <memory>

#include "forces/pairwise/pairwise_backend.h"

namespace triad {

/// Takes host arrays as PairwiseBackend promises, and hands device memory to make_pairwise_device(): the list as a
/// table whose entries of one atom are far apart, as KOKKOS lays it out on a GPU. What the next call would report is
/// reported at once.
std::unique_ptr<PairwiseBackend> make_device_pairs_with_copies(const PairwiseSetup &setup);

}  // namespace triad

// The size of a block of memory that somebody else has allocated.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace LAMMPS_NS {

/// Bytes that may be read from `block`, which malloc or new has returned: those that were asked for and, with the GNU
/// library, up to 24 more. LAMMPS gives fixes their restart records without a size. Where the C library does not tell
/// sizes, the largest size.
inline std::size_t allocated_bytes(char *block) {
#if defined(__APPLE__)
  return malloc_size(block);
#elif __has_include(<malloc.h>)
  return malloc_usable_size(block);
#else
  return SIZE_MAX;
#endif
}

}  // namespace LAMMPS_NS

// The size of an allocated block of memory.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#elif __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace LAMMPS_NS {

/// Number of readable bytes of `block`, which malloc or new has returned: the requested size, with the GNU C library up
/// to 24 bytes more. Returns the largest std::size_t if the C library does not tell sizes. LAMMPS passes restart
/// records to fixes without their size.
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

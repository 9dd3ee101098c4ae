// Headers that the plugin contains as text, for kernels that are compiled at run time.
#pragma once

#include <vector>

namespace triad {
namespace cuda {

/// A header by the name that #include uses.
struct EmbeddedHeader {
  const char *name, *text;
};

/// The headers that kernels of run time may include. CMake generates the definition (cmake/embed_headers.cmake).
const std::vector<EmbeddedHeader> &embedded_headers();

}  // namespace cuda
}  // namespace triad

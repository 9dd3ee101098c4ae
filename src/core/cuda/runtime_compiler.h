// Kernels that NVRTC compiles at run time from headers of this project, which the plugin contains as text. NVRTC is
// found at run time; the plugin is not linked to the library.
#pragma once

#include <string>
#include <vector>

namespace triad {
namespace cuda {

/// Machine code of one kernel, and the kernel's name there.
struct MachineCode {
  std::vector<char> cubin;
  std::string name;
};

/// Compiles a kernel, or returns what an earlier call has compiled: a run that defines a fix again starts at once.
/// Needs no device. `source`: CUDA C++ that includes embedded headers. `kernel`: an expression such as
/// "triad::cuda::f<float, 4>". `architecture`: such as "sm_90". Throws LoopError if there is no NVRTC, whose message
/// names the package to install, and with the compiler's messages.
const MachineCode &machine_code(const std::string &source, const std::string &kernel, const std::string &architecture);

/// Throws the LoopError of machine_code() if there is no NVRTC.
void require_runtime_compiler();

}  // namespace cuda
}  // namespace triad

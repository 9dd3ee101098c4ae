// The NVIDIA driver that the linked CUDA runtime requires.
#pragma once

#include <string>

namespace triad {

/// A CUDA version as text, "12.4" for 12040. CUDA counts 1000 for a major and 10 for a minor version.
inline std::string cuda_version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// Message for a driver that is too old for this build, with the remedy. `driver` is what cudaDriverGetVersion()
/// returns, `runtime` is CUDART_VERSION. The oldest driver of a major version of CUDA runs all its minor versions.
/// Source: CUDA Toolkit Release Notes, "CUDA Driver", table of minor version compatibility.
inline std::string driver_too_old(int driver, int runtime) {
  const int major = runtime / 1000;
  std::string needed = "a driver for CUDA " + cuda_version_text(runtime);
  if (major == 12) needed = "driver 525 or newer";
  if (major == 13) needed = "driver 580 or newer";
  return "the NVIDIA driver of this machine supports CUDA " + cuda_version_text(driver) +
         ", this Triad was built with CUDA " + cuda_version_text(runtime) + " and needs " + needed +
         "; update the driver" + (driver / 1000 == 12 ? ", or build Triad with CUDA 12.8 or 12.9" : "");
}

}  // namespace triad

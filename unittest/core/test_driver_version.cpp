// The message to users whose NVIDIA driver is older than the CUDA that Triad was built with.

#include <gtest/gtest.h>

#include "core/driver_version.h"

namespace triad {
namespace {

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(DriverVersion, NamesWhatTheMachineHasAndWhatIsNeeded) {
  const std::string text = driver_too_old(12040, 13000);
  EXPECT_TRUE(contains(text, "supports CUDA 12.4,")) << text;
  EXPECT_TRUE(contains(text, "built with CUDA 13.0 and needs driver 580 or newer")) << text;
  EXPECT_TRUE(contains(text, "update the driver, or build Triad with CUDA 12.8")) << text;
}

TEST(DriverVersion, OldestDriverOfCuda12RunsAllItsMinorVersions) {
  const std::string text = driver_too_old(11080, 12080);
  EXPECT_TRUE(contains(text, "needs driver 525 or newer; update the driver")) << text;
  EXPECT_FALSE(contains(text, "or build")) << text;
}

TEST(DriverVersion, UnknownMajorVersionNamesItself) {
  EXPECT_TRUE(contains(driver_too_old(13000, 14010), "needs a driver for CUDA 14.1"));
}

}  // namespace
}  // namespace triad

// The cutoff function of any variant outside its taper.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "potentials/tersoff/variants.h"

namespace triad {

/// Checks that the cutoff function is exactly 1 up to `inner` and exactly 0 from `outer` on.
template <class Params>
void expect_one_inside_and_zero_outside(const Params &params, double inner, double outer) {
  for (const double r : {0.0, 0.5 * inner, std::nextafter(inner, 0.0)}) {
    EXPECT_EQ(cutoff(params, r).value, 1.0) << "r = " << r;
    EXPECT_EQ(cutoff(params, r).derivative, 0.0) << "r = " << r;
  }
  for (const double r : {outer, std::nextafter(outer, 10.0), 2 * outer}) {
    EXPECT_EQ(cutoff(params, r).value, 0.0) << "r = " << r;
    EXPECT_EQ(cutoff(params, r).derivative, 0.0) << "r = " << r;
  }
}

}  // namespace triad

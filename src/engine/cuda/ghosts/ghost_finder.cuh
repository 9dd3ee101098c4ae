// Searches the owned atoms for ghosts of other ranks, on the device.
#pragma once

#include <thrust/iterator/counting_iterator.h>

#include <cub/device/device_select.cuh>
#include <vector>

#include "core/cuda/work_space.cuh"
#include "engine/cuda/state/device_context.cuh"
#include "engine/exchange/ghost_regions.h"

namespace triad {
namespace cuda {

/// Raises beyond[d] and beyond[3 + d], bits of floats that are not negative, to the distances by which atoms are below
/// and above the part of the rank along a divided edge, as fractions of the edge. NaN counts as more than any number.
struct BeyondPartOp {
  ListBox box;
  const double *x;  ///< [n][3]
  int *beyond;      ///< [6]
  __device__ void operator()(std::size_t i) const {
    const double *const at = x + 3 * i;
    const Vec3<double> f = box.fraction({at[0], at[1], at[2]});
    const double along[3] = {f.x, f.y, f.z};
    for (int d = 0; d < 3; ++d) {
      if (!box.divided[d]) continue;
      raise(beyond + d, box.part[d][0] - along[d]);
      raise(beyond + 3 + d, along[d] - box.part[d][1]);
    }
  }
  static __device__ void raise(int *most, double by) {
    if (!(by <= 0)) atomicMax(most, __float_as_int(__double2float_ru(by)) & 0x7fffffff);
  }
};

/// True if the region holds an atom at `at`. Not inlined, so that the kernels that count and that select atoms round
/// alike.
static __device__ __noinline__ bool holds(const ListBox &box, const GhostRegion &region, const double *at) {
  return region.holds(box.fraction({at[0], at[1], at[2]}));
}

/// Counts the atoms that each region holds.
struct CountInRegionsOp {
  ListBox box;
  const GhostRegion *region;  ///< [n_regions]
  int n_regions;
  const double *x;  ///< [n][3]
  int *count;       ///< [n_regions]
  __device__ void operator()(std::size_t i) const {
    for (int r = 0; r < n_regions; ++r)
      if (holds(box, region[r], x + 3 * i)) atomicAdd(count + r, 1);
  }
};

struct InRegion {
  ListBox box;
  GhostRegion region;
  const double *x;  ///< [n][3]
  __device__ bool operator()(int i) const { return holds(box, region, x + 3 * static_cast<std::size_t>(i)); }
};

/// Sets all elements of an array to a number.
struct FillOp {
  int *target, value;
  __device__ void operator()(std::size_t k) const { target[k] = value; }
};

/// All functions throw LoopError.
class GhostFinder {
 public:
  explicit GhostFinder(DeviceContext &device) : device_(device) {}

  /// Bounds of the part of this rank and of the n atoms at x [n][3] in device memory; NaN if a position is. Waits for
  /// the device.
  BoxExtent extent(const ListBox &box, int n, const double *x) {
    const char *const what = "looking for atoms outside the part of a rank";
    beyond_.reserve(6);
    float beyond[6];
    check(cudaMemsetAsync(beyond_.data(), 0, sizeof beyond, device_.stream()), what);
    device_.for_each(n, BeyondPartOp{box, x, beyond_.data()}, what);
    copy_to_host(reinterpret_cast<int *>(beyond), beyond_.data(), 6, device_.stream(), what);
    device_.wait(what);
    BoxExtent extent;
    for (int d = 0; d < 3; ++d) {
      extent.low[d] = box.part[d][0] - beyond[d];
      extent.high[d] = box.part[d][1] + beyond[3 + d];
    }
    return extent;
  }

  /// Numbers of those of the n atoms at x [n][3] that each region holds. Waits for the device.
  std::vector<int> count(const ListBox &box, const std::vector<GhostRegion> &regions, int n, const double *x) {
    const std::size_t n_regions = regions.size();
    std::vector<int> counts(n_regions);
    regions_.reserve(n_regions);
    counts_.reserve(n_regions);
    copy_to_device(regions_.data(), regions.data(), n_regions, device_.stream(), finding);
    check(cudaMemsetAsync(counts_.data(), 0, n_regions * sizeof(int), device_.stream()), finding);
    device_.for_each(n, CountInRegionsOp{box, regions_.data(), static_cast<int>(n_regions), x, counts_.data()},
                     finding);
    copy_to_host(counts.data(), counts_.data(), n_regions, device_.stream(), finding);
    device_.wait(finding);
    return counts;
  }

  /// Writes those of the n atoms at x [n][3] that the region holds to `atoms`, in rising order, and the number `image`
  /// to images[] for each of these `count` atoms. Asynchronous.
  void find(const ListBox &box, const GhostRegion &region, int n, const double *x, int count, int *atoms, int image,
            int *images) {
    counts_.reserve(1);
    const thrust::counting_iterator<int> all(0);
    with_work_space(space_, [&](void *space, std::size_t &bytes) {
      check(cub::DeviceSelect::If(space, bytes, all, atoms, counts_.data(), n, InRegion{box, region, x},
                                  device_.stream()),
            finding);
    });
    device_.for_each(count, FillOp{images, image}, finding);
  }

  std::size_t bytes() const { return beyond_.bytes() + regions_.bytes() + counts_.bytes() + space_.bytes(); }

 private:
  static constexpr const char *finding = "finding ghosts of other ranks";

  DeviceContext &device_;
  DeviceBuffer<int> beyond_{"ghosts"}, counts_{"ghosts"};
  DeviceBuffer<GhostRegion> regions_{"ghosts"};
  DeviceBuffer<char> space_{"ghosts"};
};

}  // namespace cuda
}  // namespace triad

// Indices of the atoms of a group, for kernels over groups that are a small part of the atoms.
#pragma once

#include <map>
#include <vector>

#include "engine/cuda/state/device_context.cuh"

namespace triad {
namespace cuda {

/// The owned atoms of a group, in rising order.
struct GroupMembers {
  const int *atom;  ///< [count] in device memory, or null for all atoms
  int count;
  __device__ __forceinline__ std::size_t operator[](int k) const { return atom ? atom[k] : k; }
};

/// All functions throw LoopError.
class GroupIndex {
 public:
  explicit GroupIndex(DeviceContext &device) : device_(device) {}

  /// To be called when groups or the order of atoms have changed.
  void forget() {
    for (auto &[bit, list] : lists_) list.count = -1;
  }
  /// The members of a group among n atoms with the group bits `mask`, in host memory; `bit` 0 means all atoms. The
  /// pointer is valid until forget().
  GroupMembers members(int bit, const int *mask, int n) {
    if (bit == 0) return {nullptr, n};
    List &list = lists_[bit];
    if (list.count < 0) {
      std::vector<int> atoms;
      for (int i = 0; i < n; ++i)
        if (mask[i] & bit) atoms.push_back(i);
      list.atom.reserve(atoms.size());
      copy_to_device(list.atom.data(), atoms.data(), atoms.size(), device_.stream(), "copying members of a group");
      device_.wait("copying members of a group");
      list.count = static_cast<int>(atoms.size());
    }
    return {list.atom.data(), list.count};
  }

  std::size_t device_bytes() const {
    std::size_t bytes = 0;
    for (const auto &[bit, list] : lists_) bytes += list.atom.bytes();
    return bytes;
  }

 private:
  struct List {
    DeviceBuffer<int> atom{"members of groups"};
    int count = -1;  // -1: not known
  };
  DeviceContext &device_;
  std::map<int, List> lists_;  // by group bit
};

}  // namespace cuda
}  // namespace triad

// What Langevin thermostats need on the device: types, atom IDs and per-type terms.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/cuda/state/device_context.cuh"
#include "engine/cuda/state/device_langevin.cuh"
#include "engine/md_engine.h"

namespace triad {
namespace cuda {

class LangevinTables {
 public:
  explicit LangevinTables(DeviceContext &device) : device_(device) {}

  /// To be called when types or the order of atoms have changed.
  void forget_atoms() { identified_ = false; }

  /// Copies per-type terms, types and atom IDs to the device where these have changed, and returns the thermostats with
  /// pointers to device memory. The pointers are valid until the next call. Throws LoopError.
  std::vector<DeviceLangevin> on_device(const std::vector<LangevinForce> &forces, const AtomArrays &atoms) {
    const std::size_t n_terms = std::size_t(atoms.n_types) + 1;
    if (!identified_) identify(atoms);
    std::vector<LangevinTerms> terms;
    for (const LangevinForce &force : forces) terms.insert(terms.end(), force.terms, force.terms + n_terms);
    const auto same = [](const LangevinTerms &a, const LangevinTerms &b) {
      return a.friction == b.friction && a.noise == b.noise;
    };
    if (!std::equal(terms_host_.begin(), terms_host_.end(), terms.begin(), terms.end(), same)) {
      terms_host_.clear();
      terms_.reserve(terms.size());
      copy_to_device(terms_.data(), terms.data(), terms.size(), device_.stream(), "copying the thermostat");
      device_.wait("copying the thermostat");
      terms_host_ = std::move(terms);
    }
    std::vector<DeviceLangevin> thermostats;
    for (const LangevinForce &force : forces) {
      const LangevinTerms *const own = terms_.data() + n_terms * thermostats.size();
      thermostats.push_back({device_bit(force.group_bit), type_.data(), tag_.data(), own, force.seed, {}, 0, nullptr});
    }
    return thermostats;
  }

  /// The atoms' types [n_owned] on the device. The pointer is valid until the next call.
  const int *types(const AtomArrays &atoms) {
    if (!identified_) identify(atoms);
    return type_.data();
  }

  /// The atoms' IDs [n_owned], in the same way.
  const std::int64_t *tags(const AtomArrays &atoms) {
    if (!identified_) identify(atoms);
    return tag_.data();
  }

  std::size_t device_bytes() const { return type_.bytes() + tag_.bytes() + terms_.bytes(); }

 private:
  void identify(const AtomArrays &atoms) {
    const std::size_t n = atoms.n_owned;
    std::vector<std::int64_t> tags(n);
    for (std::size_t i = 0; i < n; ++i) tags[i] = atoms.tag[i];
    type_.reserve(n);
    copy_to_device(type_.data(), atoms.type, n, device_.stream(), "copying types");
    if (tags != tags_) {
      tags_.clear();
      tag_.reserve(n);
      copy_to_device(tag_.data(), tags.data(), n, device_.stream(), "copying atom IDs");
    }
    device_.wait("copying atom IDs");
    tags_ = std::move(tags);
    identified_ = true;
  }

  DeviceContext &device_;
  bool identified_ = false;                // type_ and tag_ are those of the present atoms
  std::vector<std::int64_t> tags_;         // host copy of tag_
  std::vector<LangevinTerms> terms_host_;  // [thermostats][types + 1] host copy of terms_
  DeviceBuffer<int> type_{"types"};
  DeviceBuffer<std::int64_t> tag_{"atom IDs"};
  DeviceBuffer<LangevinTerms> terms_{"thermostat"};
};

}  // namespace cuda
}  // namespace triad

// Class Compute with the member post_constructor(), which releases of 2024 lack.
#pragma once

#include <type_traits>

#include "compute.h"

namespace LAMMPS_NS {

/// Base: Compute. The general template is for releases that do not know the member, and do not call it.
template <class Base, class = void>
class WithPostConstructor : public Base {
 public:
  using Base::Base;
  static constexpr bool calls_post_constructor = false;
  virtual void post_constructor() {}
  static void post_construct(Base &) {}
};

template <class Base>
class WithPostConstructor<Base, std::void_t<decltype(&Base::post_constructor)>> : public Base {
 public:
  using Base::Base;
  static constexpr bool calls_post_constructor = true;
  static void post_construct(Base &compute) { compute.post_constructor(); }
};

using ComputeApi = WithPostConstructor<Compute>;

}  // namespace LAMMPS_NS

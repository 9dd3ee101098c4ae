// Parameters of a table in the arithmetic of a loop, and the choice of the model class that a table needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "forces/tersoff/tersoff_atom.h"
#include "potentials/tersoff/setup.h"

namespace triad {

/// A type, passed as a value.
template <class T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<Params>()) with the type of parameters of a variant in arithmetic Real.
template <class Real, class F>
auto with_params(TersoffVariant variant, F &&f) {
  switch (variant) {
    case TersoffVariant::Mod:
      return f(TypeTag<ModParams<Real>>());
    case TersoffVariant::ModC:
      return f(TypeTag<ModCParams<Real>>());
    case TersoffVariant::Zbl:
      return f(TypeTag<ZblParams<Real>>());
    default:
      return f(TypeTag<TersoffParams<Real>>());
  }
}

/// The parameters of a table as bytes, [nelements^3] of the type that its variant calls for: memory that a backend can
/// hold, or copy to a device, without knowing the variant.
template <class Real>
std::vector<std::max_align_t> pack_params(const TersoffTable &table) {
  return with_params<Real>(table.variant, [&](auto tag) {
    using Params = typename decltype(tag)::type;
    const std::vector<Params> params(table.triplets.begin(), table.triplets.end());
    const std::size_t bytes = params.size() * sizeof(Params);
    std::vector<std::max_align_t> packed((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    std::memcpy(packed.data(), params.data(), bytes);
    return packed;
  });
}

/// Calls f(model) with the class that fits: one element or several or none, with or without lam3. `packed` is a copy of
/// pack_params() where the loop can read it, in host or device memory.
template <class Real, class F>
void with_model(const TersoffTable &table, const void *packed, F &&f) {
  with_params<Real>(table.variant, [&](auto tag) {
    using Params = typename decltype(tag)::type;
    const Real shift = Real(table.shift);
    const auto has_lam3 = [](const TersoffEntry &e) { return e.lam3 != 0; };
    const bool lambda3 = std::any_of(table.triplets.begin(), table.triplets.end(), has_lam3);
    if (table.nelements() != 1) {
      const Params *const entries = static_cast<const Params *>(packed);
      if (lambda3)
        f(ManyElements<Params, true>{entries, table.nelements(), shift, table.cutoff_of_bond()});
      else
        f(ManyElements<Params, false>{entries, table.nelements(), shift, table.cutoff_of_bond()});
    } else if (lambda3) {
      f(OneElement<Params, true>{Params(table.triplets[0]), shift});
    } else {
      f(OneElement<Params, false>{Params(table.triplets[0]), shift});
    }
  });
}

}  // namespace triad

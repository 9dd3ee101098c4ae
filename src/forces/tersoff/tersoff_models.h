// Parameters of a table in the arithmetic of a loop, and the selection of the model class for a table.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "forces/tersoff/element_models.h"
#include "potentials/tersoff/setup.h"

namespace triad {

/// A type as a value.
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

/// Returns the parameters of a table as bytes, [nelements^3] of the type of its variant. A backend can store the bytes
/// or copy them to a device without knowing the variant.
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

/// True if a triplet of the table has a lam3 other than zero.
inline bool has_lambda3(const TersoffTable &table) {
  return std::any_of(table.triplets.begin(), table.triplets.end(), [](const TersoffEntry &e) { return e.lam3 != 0; });
}

/// Calls f(std::bool_constant<lambda3>()): false if all lam3 of the table are 0 and there are loops for this case.
template <class P, class F>
void with_lambda3(const TersoffTable &table, F &&f) {
  if constexpr (omits_lambda3<P>)
    if (!has_lambda3(table)) return f(std::false_type());
  f(std::true_type());
}

/// Calls f(model) with the class for any number of elements, with or without lam3. `packed` is a copy of pack_params()
/// where the loop can read it, in host or device memory. The host's loop with per-atom tallies calls this function
/// rather than with_model(), so that the compiler has half as many loops to compile.
template <class Real, class F>
void with_general_model(const TersoffTable &table, const void *packed, F &&f) {
  with_params<Real>(table.variant, [&](auto tag) {
    using Params = typename decltype(tag)::type;
    const Params *const entries = static_cast<const Params *>(packed);
    with_lambda3<Params>(table, [&](auto lambda3) {
      f(ManyElements<Params, decltype(lambda3)::value>{entries, table.nelements(), Real(table.shift),
                                                       table.cutoff_of_bond(), table.angle_of_centre(),
                                                       Real(table.least_inner()), Real(table.cutmax())});
    });
  });
}

/// Calls f(model) with the most specific class: one element or several, with or without lam3. `packed` is a copy of
/// pack_params() in the memory of the loop, host or device.
template <class Real, class F>
void with_model(const TersoffTable &table, const void *packed, F &&f) {
  if (table.nelements() != 1) return with_general_model<Real>(table, packed, std::forward<F>(f));
  with_params<Real>(table.variant, [&](auto tag) {
    using Params = typename decltype(tag)::type;
    with_lambda3<Params>(table, [&](auto lambda3) {
      f(OneElement<Params, decltype(lambda3)::value>{Params(table.triplets[0]), Real(table.shift)});
    });
  });
}

}  // namespace triad

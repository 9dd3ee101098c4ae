// Views of arrays of atoms for an engine.
#pragma once

#include <vector>

#include "engine/md_engine.h"

namespace triad {

/// Returns views of the given arrays; atoms beyond `n_owned` are ghosts. `mass` is per type, and masses per atom are
/// null.
inline AtomArrays views_of(int n_owned, std::vector<double> &x, std::vector<double> &v, std::vector<double> &f,
                           const std::vector<int> &type, const std::vector<int> &mask, const std::vector<int> &tag,
                           const std::vector<double> &mass) {
  AtomArrays a;
  a.n_owned = n_owned;
  a.n_ghosts = static_cast<int>(type.size()) - n_owned;
  a.x = x.data();
  a.v = v.data();
  a.f = f.data();
  a.type = type.data();
  a.mask = mask.data();
  a.tag = tag.data();
  a.mass = mass.data();
  a.n_types = static_cast<int>(mass.size()) - 1;
  return a;
}

}  // namespace triad

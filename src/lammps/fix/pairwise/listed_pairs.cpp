#include "lammps/fix/pairwise/listed_pairs.h"

#include <mpi.h>

#include <algorithm>

#include "atom.h"

namespace LAMMPS_NS {

ListedPairs::ListedPairs(const std::vector<triad::ListedPair> &pairs) {
  for (const auto &pair : pairs)
    for (const auto id : {pair.first, pair.second}) ids_.push_back(static_cast<tagint>(id));
  fixed_ = std::count_if(pairs.begin(), pairs.end(), [](const auto &pair) { return pair.constants.fixed; });
  std::sort(ids_.begin(), ids_.end());
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  const auto index_of = [&](std::int64_t id) {
    return static_cast<int>(std::lower_bound(ids_.begin(), ids_.end(), static_cast<tagint>(id)) - ids_.begin());
  };
  for (const auto &pair : pairs)
    pairs_.push_back({index_of(pair.first), index_of(pair.second), pair.line, pair.constants});
}

tagint ListedPairs::missing_id(LAMMPS *lmp, int &line) const {
  std::vector<unsigned char> there(ids_.size(), 0);
  for (int i = 0; i < lmp->atom->nlocal; ++i) {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), lmp->atom->tag[i]);
    if (found != ids_.end() && *found == lmp->atom->tag[i]) there[found - ids_.begin()] = 1;
  }
  MPI_Allreduce(MPI_IN_PLACE, there.data(), static_cast<int>(there.size()), MPI_UNSIGNED_CHAR, MPI_MAX, lmp->world);
  for (const Pair &pair : pairs_)
    for (const int index : {pair.first, pair.second})
      if (!there[index]) {
        line = pair.line;
        return ids_[index];
      }
  return 0;
}

int ListedPairs::find(LAMMPS *lmp, double range, bool has_cutoff) {
  const Atom &atom = *lmp->atom;
  // Owned and ghost atoms sorted by the index of their ID in ids_, owned atoms first.
  std::vector<int> start(ids_.size() + 1, 0), atom_of_id(atom.nlocal + atom.nghost, -1);
  for (int i = 0; i < atom.nlocal + atom.nghost; ++i) {
    const auto found = std::lower_bound(ids_.begin(), ids_.end(), atom.tag[i]);
    if (found == ids_.end() || *found != atom.tag[i]) continue;
    atom_of_id[i] = static_cast<int>(found - ids_.begin());
    ++start[atom_of_id[i] + 1];
  }
  for (std::size_t p = 0; p < ids_.size(); ++p) start[p + 1] += start[p];
  std::vector<int> image(start.back()), next(start.begin(), start.end() - 1);
  for (int i = 0; i < atom.nlocal + atom.nghost; ++i)
    if (atom_of_id[i] >= 0) image[next[atom_of_id[i]]++] = i;

  owner_.assign(atom.nghost, 0);
  for (int g = 0; g < atom.nghost; ++g)
    if (atom_of_id[atom.nlocal + g] >= 0) owner_[g] = image[start[atom_of_id[atom.nlocal + g]]];

  i_.clear();
  j_.clear();
  constants_.clear();
  long long fixed = 0;
  for (const Pair &pair : pairs_) {
    if (start[pair.first] == start[pair.first + 1]) continue;
    const int i = image[start[pair.first]];
    if (i >= atom.nlocal) continue;
    int nearest = -1;
    double least = 0;
    for (int k = start[pair.second]; k < start[pair.second + 1]; ++k) {
      const double *const a = atom.x[i], *const b = atom.x[image[k]];
      const double r2 = (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
      if (nearest >= 0 && !(r2 < least)) continue;
      nearest = image[k];
      least = r2;
    }
    if (nearest < 0 || !(least <= range * range)) {
      if (!pair.constants.fixed && has_cutoff) continue;
      return pair.line;
    }
    i_.push_back(i);
    j_.push_back(nearest);
    constants_.push_back(pair.constants);
    if (pair.constants.fixed || !has_cutoff) ++fixed;
  }
  fixed_found_ = fixed;
  return 0;
}

triad::PossiblePairsView ListedPairs::view() const {
  triad::PossiblePairsView view;
  view.n = static_cast<long long>(i_.size());
  view.i = i_.data();
  view.j = j_.data();
  view.constants = constants_.data();
  return view;
}

double ListedPairs::memory_usage() const {
  return double(ids_.capacity()) * sizeof(tagint) + double(pairs_.capacity()) * sizeof(Pair) +
         double(i_.capacity() + j_.capacity() + owner_.capacity()) * sizeof(int) +
         double(constants_.capacity()) * sizeof(triad::ListedConstants);
}

}  // namespace LAMMPS_NS

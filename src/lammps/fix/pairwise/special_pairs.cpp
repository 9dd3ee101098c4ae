#include "lammps/fix/pairwise/special_pairs.h"

#include <algorithm>

#include "atom.h"

namespace LAMMPS_NS {
namespace {

/// Lookup of indices by atom ID.
class IndexOfTag {
 public:
  explicit IndexOfTag(const std::vector<tagint> &tags) : entries_(tags.size()) {
    for (std::size_t i = 0; i < tags.size(); ++i) entries_[i] = {tags[i], static_cast<int>(i)};
    std::sort(entries_.begin(), entries_.end());
  }
  int operator()(tagint tag) const {  // -1 if the ID is unknown
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), std::make_pair(tag, -1));
    return found != entries_.end() && found->first == tag ? found->second : -1;
  }

 private:
  std::vector<std::pair<tagint, int>> entries_;
};

/// A special neighbour in a message.
struct Entry {
  double factor;
  tagint partner;
};

}  // namespace

triad::ScaledPairsView SpecialPairs::view() const {
  triad::ScaledPairsView view;
  view.n = static_cast<int>(offset.size()) - 1;
  view.offset = offset.data();
  view.partner = partner.data();
  view.factor = factor.data();
  return view;
}

SpecialPairs gather_special_pairs(LAMMPS *lmp, const std::vector<int> &mine, const std::vector<tagint> &tags,
                                  const double factor[4]) {
  const Atom &atom = *lmp->atom;
  std::vector<int> my_lengths;
  std::vector<Entry> my_entries;
  for (const int i : mine) {
    const auto before = my_entries.size();
    for (int kind = 1, k = 0; kind <= 3; ++kind)
      for (; k < atom.nspecial[i][kind - 1]; ++k)
        if (factor[kind] != 1) my_entries.push_back({factor[kind], atom.special[i][k]});
    my_lengths.push_back(static_cast<int>(my_entries.size() - before));
  }

  RankLayout rows(lmp->world), columns(lmp->world);
  rows.set(static_cast<int>(my_lengths.size()));
  columns.set(static_cast<int>(my_entries.size()));
  std::vector<int> lengths;
  std::vector<Entry> entries;
  rows.join(my_lengths, lengths);
  columns.join(my_entries, entries);

  const IndexOfTag index_of(tags);
  SpecialPairs pairs;
  pairs.offset.push_back(0);
  auto entry = entries.begin();
  for (const int length : lengths) {
    for (const auto end = entry + length; entry != end; ++entry) {
      const int partner = index_of(entry->partner);
      if (partner < 0) continue;
      pairs.partner.push_back(partner);
      pairs.factor.push_back(entry->factor);
    }
    pairs.offset.push_back(static_cast<long long>(pairs.partner.size()));
  }
  return pairs;
}

}  // namespace LAMMPS_NS

// Bits of an entry of a pair list.
#pragma once

namespace triad {

struct ListEntry {
  static constexpr unsigned index_bits = 0x1FFFFFFFu;
  static constexpr unsigned special_bits = 0xC0000000u;  ///< neighbour lists: index of the factor of special bonds
  static constexpr unsigned fixed_bit = 0x40000000u;     ///< listed pairs: ListedConstants::fixed
};

}  // namespace triad

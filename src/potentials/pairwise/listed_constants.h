// The law and the parameters of a listed pair.
#pragma once

namespace triad {

/// The laws of listed pairs; ListedLaw (listed_laws.h) has their formulas.
enum class ListedKind : unsigned char { Harmonic, Fene, Morse, LennardJones, LjGromacs, Contact1210, Coulomb };

/// The law and the parameters of a listed pair, in the order of listed_kinds.
struct ListedConstants {
  double p[4];
  ListedKind kind;
  bool fixed;  ///< acts at every distance, also if the list has a cutoff
};

/// The functor of the laws of listed pairs (listed_laws.h).
template <class Real>
struct ListedLaw;

}  // namespace triad

// Sites of unit cells.
#pragma once

namespace triad {

/// The cubic cell of the diamond lattice, in units of its edge. The first four sites and the last four are the two
/// face-centred lattices, which hold different elements in zincblende.
constexpr double diamond_basis[8][3] = {{0, 0, 0},       {0, .5, .5},     {.5, 0, .5},     {.5, .5, 0},
                                        {.25, .25, .25}, {.25, .75, .75}, {.75, .25, .75}, {.75, .75, .25}};

}  // namespace triad

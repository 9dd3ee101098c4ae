// Processes the blocks of a chunk row by row in steps that need per-atom tallies. Each bond uses the general path of
// tersoff_atom.h, which gives the tallies of both atoms.
#pragma once

#include <type_traits>
#include <vector>

#include "forces/tersoff/tersoff_atom.h"
#include "neighbor/host/chunk.h"

namespace triad {

/// Offsets in the tally of an atom: energy, virial, centroid virial.
constexpr int tally_energy = 0, tally_virial = 1, tally_centroid = 7, tally_width = 16;

/// Calls f(neighbour, its element, vector to the neighbour) for the neighbours within the cutoff of row l of a block.
template <class F>
void for_bonds_of_row(const ChunkView &view, const RowBlock &block, int l, const double *cutoff_squared, F &&f) {
  const int *table = view.table + block.table + l, *element = view.element + block.elements;
  const double *xi = view.x + 4 * std::size_t(table[0]);
  const double *squared = cutoff_squared + std::size_t(block.centre_element) * view.nelements;
  for (int s = 0; s < block.neighbours; ++s) {
    const int j = table[(1 + s) * block_rows];
    const double *xj = view.x + 4 * std::size_t(j);
    const Vec3<double> d = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
    if (!(dot(d, d) >= squared[element[s]])) f(j, element[s], d);
  }
}

/// The bond along d in the arithmetic of a format; in mixed, the rest of the distance that fp32 loses is kept.
template <class Format, class Real = typename Format::Real>
Bond<Real> bond_along(const Vec3<double> &d, Real shift) {
  if constexpr (Format::exact_distances)
    return round_bond(make_bond(d, double(shift)));
  else
    return make_bond(Vec3<Real>{Real(d.x), Real(d.y), Real(d.z)}, shift);
}

template <class Tally>
void add_bond_tally(const BondTally &bond, Tally *centre, Tally *neighbour) {
  centre[tally_energy] += to_accumulator<Tally>(bond.energy);
  neighbour[tally_energy] += to_accumulator<Tally>(bond.energy);
  for (int k = 0; k < 6; ++k) {
    centre[tally_virial + k] += to_accumulator<Tally>(bond.centre_virial.v[k]);
    neighbour[tally_virial + k] += to_accumulator<Tally>(bond.neighbour_virial.v[k]);
  }
  for (int k = 0; k < 9; ++k) {
    centre[tally_centroid + k] += to_accumulator<Tally>(bond.centre_centroid.v[k]);
    neighbour[tally_centroid + k] += to_accumulator<Tally>(bond.neighbour_centroid.v[k]);
  }
}

/// Processes row l of a block. Returns false if a force is out of the range of the accumulator. `record` and `index`
/// are scratch memory.
template <class Format, class Model>
bool tally_row(const Model &model, ChunkView &view, const RowBlock &block, int l, const double *cutoff_squared,
               std::vector<BondRecord<typename Format::Real>> &record, std::vector<int> &index,
               typename Format::Tally *tally) {
  using Real = typename Format::Real;
  using Sum = typename Format::Sum;
  const int i = view.table[block.table + l], ei = block.centre_element;
  record.clear();
  index.clear();
  for_bonds_of_row(view, block, l, cutoff_squared, [&](int j, int ej, const Vec3<double> &d) {
    index.push_back(j);
    record.push_back(make_record(model, ei, ej, bond_along<Format>(d, model.shift)));
  });
  const int n = static_cast<int>(record.size());
  for (int j = 0; j < n; ++j) {
    record[j].energy = general_bond_energy(model, ei, j, n, record.data());
    view.energy += record[j].energy.energy;
  }
  Sum *force = static_cast<Sum *>(view.force);
  Tensor6 virial;
  for (int j = 0; j < n; ++j) {
    BondTally bond_tally;
    const Vec3<Real> gradient = general_gradient<true>(model, ei, j, n, record.data(), &bond_tally);
    if constexpr (std::is_same<Sum, fixed_point::Word>::value)
      if (!fixed_point::in_range(gradient)) return false;
    const Sum g[3] = {to_accumulator<Sum>(gradient.x), to_accumulator<Sum>(gradient.y),
                      to_accumulator<Sum>(gradient.z)};
    for (int k = 0; k < 3; ++k) {
      force[4 * std::size_t(index[j]) + k] -= g[k];
      force[4 * std::size_t(i) + k] += g[k];
    }
    virial.add_outer(-1.0, record[j].bond.vector(), gradient);
    add_bond_tally(bond_tally, tally + tally_width * std::size_t(i), tally + tally_width * std::size_t(index[j]));
  }
  for (int k = 0; k < 6; ++k) view.virial[k] += virial.v[k];
  return true;
}

/// Processes all rows of a chunk and adds to `tally`, [atoms][tally_width].
template <class Format, class Model>
void tally_chunk(const Model &model, ChunkView &view, const double *cutoff_squared,
                 std::vector<BondRecord<typename Format::Real>> &record, std::vector<int> &index,
                 typename Format::Tally *tally) {
  for (int b = 0; b < view.n_blocks; ++b)
    for (int l = 0; l < view.block[b].used; ++l)
      if (!tally_row<Format>(model, view, view.block[b], l, cutoff_squared, record, index, tally)) {
        view.bad_centre = view.table[view.block[b].table + l];
        return;
      }
}

}  // namespace triad

// Initial structures as created by LAMMPS's lattice and create_atoms commands, and random numbers that do not depend on
// the order of atoms.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "testing/lattices.h"
#include "testing/parallel.h"

namespace triad {

constexpr double silicon_lattice = 5.432;          // Angstrom, Tersoff T3
constexpr double silicon_carbide_lattice = 4.321;  // Angstrom, Tersoff 1989
constexpr double silicon_mass = 28.0855;           // g/mol

// metal units: eV, Angstrom, ps, g/mol
constexpr double boltzmann = 8.617343e-5;        // eV/K
constexpr double mass_to_energy = 1.0364269e-4;  // (g/mol) (Angstrom/ps)^2 in eV

/// Edge of the cube in unit cells of 8 atoms for the systems of the paper.
constexpr std::array<int, 5> paper_cells = {16, 32, 50, 64, 80};

/// Atoms in a periodic cube with a corner at the origin.
struct Structure {
  double length = 0;         ///< edge, Angstrom
  std::vector<double> x;     ///< [n][3]
  std::vector<int> element;  ///< [n], from 0

  std::size_t size() const { return element.size(); }
};

/// `cells`^3 cubic cells of the diamond lattice; the sites of its two halves get elements 0 and `other` (0: diamond,
/// 1: zincblende).
inline Structure make_diamond(int cells, double lattice, int other = 0) {
  Structure s;
  const std::size_t n = 8 * std::size_t(cells) * cells * cells;
  s.length = cells * lattice;
  s.x.resize(3 * n);
  s.element.resize(n);
  parallel_for(n, [&](std::size_t i) {
    const std::size_t cell = i / 8, site = i % 8;
    const std::size_t corner[3] = {cell % cells, cell / cells % cells, cell / cells / cells};
    for (int d = 0; d < 3; ++d) s.x[3 * i + d] = (double(corner[d]) + diamond_basis[site][d]) * lattice;
    s.element[i] = site < 4 ? 0 : other;
  });
  return s;
}

/// Sorts atoms like LAMMPS's atom_modify sort: by cubic bins of edge `bin`, x fastest.
inline Structure sorted_by_bins(const Structure &s, double bin) {
  const std::size_t n = s.size(), per_edge = static_cast<std::size_t>(s.length / bin) + 1;
  std::vector<std::size_t> key(n), order(n);
  parallel_for(n, [&](std::size_t i) {
    std::size_t k = 0;
    for (int d = 2; d >= 0; --d) k = k * per_edge + static_cast<std::size_t>(s.x[3 * i + d] / bin);
    key[i] = k;
    order[i] = i;
  });
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  Structure sorted = s;
  parallel_for(n, [&](std::size_t i) {
    for (int d = 0; d < 3; ++d) sorted.x[3 * i + d] = s.x[3 * order[i] + d];
    sorted.element[i] = s.element[order[i]];
  });
  return sorted;
}

/// Uniform random number in (0, 1) as a hash of (seed, index), independent of the order of calls. Generator: splitmix64
/// (Steele, Lea, Flood, OOPSLA 2014).
inline double uniform(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = (seed << 40) + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (double(z >> 11) + 0.5) / 9007199254740992.0;  // 2^53
}

/// Standard normal deviate (Box and Muller).
inline double gaussian(std::uint64_t seed, std::uint64_t index) {
  const double u = uniform(seed, 2 * index), v = uniform(seed, 2 * index + 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
}

/// Normal displacements of standard deviation `sigma` on every axis.
inline void displace(Structure &s, double sigma, std::uint64_t seed) {
  parallel_for(s.x.size(), [&](std::size_t k) { s.x[k] += sigma * gaussian(seed, k); });
}

/// Velocities [n][3] of silicon at temperature T, without net momentum, Angstrom/ps.
inline std::vector<double> thermal_velocities(std::size_t n, double temperature, std::uint64_t seed) {
  const double sigma = std::sqrt(boltzmann * temperature / (silicon_mass * mass_to_energy));
  std::vector<double> v(3 * n);
  parallel_for(v.size(), [&](std::size_t k) { v[k] = sigma * gaussian(seed, k); });
  double mean[3] = {0, 0, 0};
  for (std::size_t k = 0; k < v.size(); ++k) mean[k % 3] += v[k] / double(n);
  for (std::size_t k = 0; k < v.size(); ++k) v[k] -= mean[k % 3];
  return v;
}

}  // namespace triad

#include "testing/periodic.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>

#include "testing/parallel.h"

namespace triad {
namespace {

/// Atoms sorted into cubic cells that cover the box and the surrounding shell of ghosts.
class Cells {
 public:
  Cells(const PeriodicAtoms &atoms, double cutoff)
      : origin_(-cutoff),
        per_side_(std::max(1, static_cast<int>((atoms.length + 2 * cutoff) / cutoff))),
        per_length_(per_side_ / (atoms.length + 2 * cutoff)) {
    const std::size_t n = atoms.n_all();
    std::vector<int> cell(n);
    parallel_for(n, [&](std::size_t i) { cell[i] = cell_of(atoms.x.data() + 3 * i); });
    start_.assign(std::size_t(per_side_) * per_side_ * per_side_ + 1, 0);
    for (const int c : cell) ++start_[c + 1];
    std::partial_sum(start_.begin(), start_.end(), start_.begin());
    std::vector<int> next(start_.begin(), start_.end() - 1);
    index_.resize(n);
    x_.resize(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t at = next[cell[i]]++;
      index_[at] = static_cast<int>(i);
      std::copy_n(atoms.x.data() + 3 * i, 3, x_.data() + 3 * at);
    }
  }

  /// Calls keep(j) for every atom within `cutoff` of x, including an atom at x itself.
  template <class Keep>
  void visit(const double *x, double cutoff_squared, Keep &&keep) const {
    const int last = per_side_ - 1;
    const int cx = axis(x[0]), cy = axis(x[1]), cz = axis(x[2]);
    for (int z = std::max(0, cz - 1); z <= std::min(last, cz + 1); ++z)
      for (int y = std::max(0, cy - 1); y <= std::min(last, cy + 1); ++y) {
        const std::size_t row = (std::size_t(z) * per_side_ + y) * per_side_;  // cells along x are contiguous
        const int end = start_[row + std::min(last, cx + 1) + 1];
        for (int s = start_[row + std::max(0, cx - 1)]; s < end; ++s) {
          const double *y3 = x_.data() + 3 * std::size_t(s);
          const double dx = y3[0] - x[0], dy = y3[1] - x[1], dz = y3[2] - x[2];
          if (dx * dx + dy * dy + dz * dz < cutoff_squared) keep(index_[s]);
        }
      }
  }

 private:
  int axis(double x) const { return std::clamp(static_cast<int>((x - origin_) * per_length_), 0, per_side_ - 1); }
  int cell_of(const double *x) const { return (axis(x[2]) * per_side_ + axis(x[1])) * per_side_ + axis(x[0]); }

  double origin_;
  int per_side_;
  double per_length_;
  std::vector<int> start_, index_;
  std::vector<double> x_;
};

}  // namespace

PeriodicAtoms with_ghosts(const Structure &structure, double cutoff) {
  if (structure.length < cutoff)
    throw std::invalid_argument("a box of " + std::to_string(structure.length) + " A is narrower than the cutoff of " +
                                std::to_string(cutoff) + " A");
  PeriodicAtoms atoms;
  atoms.length = structure.length;
  atoms.n_owned = static_cast<int>(structure.size());
  atoms.x = structure.x;
  atoms.element = structure.element;
  for (int i = 0; i < atoms.n_owned; ++i) {
    int low[3], high[3];  // shifts for which the image is within the cutoff of the box
    for (int d = 0; d < 3; ++d) {
      const double x = structure.x[3 * std::size_t(i) + d];
      low[d] = x >= atoms.length - cutoff ? -1 : 0;
      high[d] = x < cutoff ? 1 : 0;
    }
    for (int z = low[2]; z <= high[2]; ++z)
      for (int y = low[1]; y <= high[1]; ++y)
        for (int x = low[0]; x <= high[0]; ++x) {
          if (x == 0 && y == 0 && z == 0) continue;
          const double shift[3] = {x * atoms.length, y * atoms.length, z * atoms.length};
          atoms.ghosts.owner.push_back(i);
          for (int d = 0; d < 3; ++d) {
            atoms.ghosts.shift.push_back(shift[d]);
            atoms.x.push_back(structure.x[3 * std::size_t(i) + d] + shift[d]);
          }
          atoms.element.push_back(structure.element[i]);
        }
  }
  return atoms;
}

Rows neighbour_rows(const PeriodicAtoms &atoms, double cutoff) {
  const Cells cells(atoms, cutoff);
  const std::size_t n = atoms.n_owned;
  const auto visit = [&](std::size_t i, auto &&keep) {
    cells.visit(atoms.x.data() + 3 * i, cutoff * cutoff, [&](int j) {
      if (j != static_cast<int>(i)) keep(j);
    });
  };
  Rows rows;
  rows.offset.assign(n + 1, 0);
  parallel_for(n, [&](std::size_t i) { visit(i, [&](int) { ++rows.offset[i + 1]; }); });
  std::partial_sum(rows.offset.begin(), rows.offset.end(), rows.offset.begin());
  rows.neighbour.resize(rows.offset[n]);
  parallel_for(n, [&](std::size_t i) {
    int *next = rows.neighbour.data() + rows.offset[i];
    visit(i, [&](int j) { *next++ = j; });
  });
  return rows;
}

Rows without_ghosts(const Rows &rows, const PeriodicAtoms &atoms) {
  Rows folded = rows;
  parallel_for(folded.neighbour.size(), [&](std::size_t s) {
    const int ghost = folded.neighbour[s] - atoms.n_owned;
    if (ghost >= 0) folded.neighbour[s] = atoms.ghosts.owner[ghost];
  });
  return folded;
}

}  // namespace triad

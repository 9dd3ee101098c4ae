// The kernel of the host: processes the blocks of a chunk in vector registers of `Bytes` bytes. Bond vectors are
// computed in fp64, the terms are in row_lanes.h, and forces are added to the chunk's accumulators row by row, so two
// lanes never write the same accumulator at once.
#pragma once

#include <type_traits>

#include "forces/tersoff/host/row_lanes.h"
#include "neighbor/host/chunk.h"
#include "simd/lane_rows.h"

namespace triad {

template <class Format, class P, int Bytes>
class ChunkLoop {
  using Scalar = typename Format::Real;
  using Sum = typename Format::Sum;
  using Real = Lanes<Scalar, Bytes>;
  using Wide = Lanes<double, Bytes>;
  using Rows = Slot<Real>;
  static constexpr int width = Real::count;
  static constexpr bool fixed = std::is_same<Sum, fixed_point::Word>::value;
  /// Element type of an accumulator in registers; unsigned integers, because fixed-point sums may wrap.
  using SumElement = typename std::conditional<fixed, std::uint64_t, Sum>::type;
  using Sums = Lanes<SumElement, Bytes>;
  using Four = typename Register<SumElement, 4 * sizeof(Sum)>::in_memory;

  static_assert(sizeof(Rows) <= scratch_bytes_per_neighbour, "chunk.h");

 public:
  static void run(ChunkView &view) {
    for (int b = 0; b < view.n_blocks; ++b)
      for (int first = 0; first < view.block[b].used; first += width) rows(view, view.block[b], first);
  }

 private:
  /// Rows `first` to first + width of a block.
  static TRIAD_HD void rows(ChunkView &view, const RowBlock &block, int first) {
    const int n = block.neighbours, ei = block.centre_element;
    const int left = block.used - first, used = left < width ? left : width;
    const int *centre = view.table + block.table + first, *e = view.element + block.elements;
    Rows *slot = static_cast<Rows *>(view.scratch);
    Vec3<Wide> origin[width / Wide::count];
    for (int h = 0; h < width / Wide::count; ++h)
      gather_rows(view.x, centre + h * Wide::count, origin[h].x, origin[h].y, origin[h].z);
    for (int j = 0; j < n; ++j) make_bonds(view, origin, centre + (1 + j) * block_rows, slot[j].bond);

    const ManyElements<P, true> model = {static_cast<const P *>(view.params), view.nelements, Scalar(view.shift)};
    Real energy;
    if (n == 4 && block.one_element) {
      const P &params = model.bond(ei, e[0]);
      energy = four_neighbours(params, slot);
    } else {
      energy = general_lanes(model, ei, n, e, slot);
    }
    alignas(Bytes) Scalar of_row[width];
    energy.store(of_row);
    for (int l = 0; l < used; ++l) view.energy += double(of_row[l]);
    if (view.want_virial) add_virial(view, n, used, slot);
    scatter(view, centre, n, used, slot);
  }

  static TRIAD_HD Real four_neighbours(const P &params, Rows *slot) {
    if constexpr (omits_lambda3<P>)
      if (params.lam3 == 0) return four_lanes<false>(params, slot);
    return four_lanes<true>(params, slot);
  }

  /// Computes the bonds from the centres to one neighbour each.
  static TRIAD_HD void make_bonds(const ChunkView &view, const Vec3<Wide> *origin, const int *neighbour,
                                  Bond<Real> &bond) {
    constexpr int step = Wide::count;
    const Scalar shift = Scalar(view.shift);
    Scalar *numbers = reinterpret_cast<Scalar *>(&bond);  // [6][width] through store()
    for (int l = 0; l < width; l += step) {
      Vec3<Wide> d;
      gather_rows(view.x, neighbour + l, d.x, d.y, d.z);
      const Vec3<Wide> &from = origin[l / step];
      d = {d.x - from.x, d.y - from.y, d.z - from.z};
      if constexpr (Format::exact_distances) {
        const Bond<Wide> exact = make_bond(d, Wide(view.shift), math::rsqrt_in_float(dot(d, d)));
        store_narrowed(exact.u.x, numbers + l);
        store_narrowed(exact.u.y, numbers + width + l);
        store_narrowed(exact.u.z, numbers + 2 * width + l);
        store_narrowed(exact.r, numbers + 3 * width + l);
        store_narrowed(exact.r - load_widened<Bytes>(numbers + 3 * width + l), numbers + 4 * width + l);
        store_narrowed(exact.inv_length, numbers + 5 * width + l);
      } else if constexpr (std::is_same<Scalar, float>::value) {
        store_narrowed(d.x, numbers + l);
        store_narrowed(d.y, numbers + width + l);
        store_narrowed(d.z, numbers + 2 * width + l);
      } else {
        bond = make_bond(d, Real(shift));
      }
    }
    if constexpr (std::is_same<Scalar, float>::value && !Format::exact_distances)
      bond = make_bond(Vec3<Real>{Real::load(numbers), Real::load(numbers + width), Real::load(numbers + 2 * width)},
                       Real(shift));
  }

  static TRIAD_HD void add_virial(ChunkView &view, int n, int used, const Rows *slot) {
    Real sum[6];
    for (Real &s : sum) s = Real(0);
    for (int j = 0; j < n; ++j) {
      const Vec3<Real> d = slot[j].bond.vector(), &g = slot[j].gradient;
      const Real product[6] = {d.x * g.x, d.y * g.y, d.z * g.z, d.x * g.y, d.x * g.z, d.y * g.z};
      for (int k = 0; k < 6; ++k) sum[k] += product[k];
    }
    for (int k = 0; k < 6; ++k) {
      alignas(Bytes) Scalar of_row[width];
      sum[k].store(of_row);
      for (int l = 0; l < used; ++l) view.virial[k] -= double(of_row[l]);
    }
  }

  /// Subtracts the gradients from the forces on the neighbours and adds their sum to the forces on the centres.
  static TRIAD_HD void scatter(ChunkView &view, const int *centre, int n, int used, const Rows *slot) {
    SumElement *force = static_cast<SumElement *>(view.force);
    alignas(Bytes) SumElement own[3 * width] = {}, part[3 * width];
    for (int j = 0; j < n; ++j) {
      const int *neighbour = centre + (1 + j) * block_rows;
      if (!to_sums(slot[j].gradient, used, part)) {
        view.bad_centre = centre[bad_row(slot[j].gradient, used)];
        return;
      }
      for (int k = 0; k < 3 * width; k += Sums::count) (Sums::load(own + k) + Sums::load(part + k)).store(own + k);
      alignas(Bytes) SumElement row[4 * width];
      to_rows(part, row);
      for (int l = 0; l < used; ++l)
        *reinterpret_cast<Four *>(force + 4 * std::ptrdiff_t(neighbour[l])) -=
            *reinterpret_cast<const Four *>(row + 4 * l);
    }
    alignas(Bytes) SumElement row[4 * width];
    to_rows(own, row);
    for (int l = 0; l < used; ++l)
      *reinterpret_cast<Four *>(force + 4 * std::ptrdiff_t(centre[l])) += *reinterpret_cast<const Four *>(row + 4 * l);
  }

  /// [3][width] to [width][4]
  static TRIAD_HD void to_rows(const SumElement *component, SumElement *row) {
    // the same number where registers have 16 bytes
    using Part = Lanes<SumElement, sizeof(SumElement) == 8 ? Bytes : 16>;  // NOLINT(bugprone-branch-clone)
    for (int l = 0; l < width; l += Part::count)
      store_rows(Part::load(component + l), Part::load(component + width + l), Part::load(component + 2 * width + l),
                 row + 4 * l);
  }

  /// Converts gradients to the accumulator's format, [3][width]. Returns false if a gradient is out of range.
  static TRIAD_HD bool to_sums(const Vec3<Real> &gradient, int used, SumElement *part) {
    if constexpr (!fixed) {
      (void)used;
      gradient.x.store(part);
      gradient.y.store(part + width);
      gradient.z.store(part + 2 * width);
      return true;
    } else {
      // The last bit of 1.5 * 2^20 is the quantum, so adding this number rounds values below 2^19 to multiples of the
      // quantum.
      constexpr double magic = 1572864.0;
      constexpr float most = 0.5f * fixed_point::max_contribution;
      const Real size = math::abs(gradient.x) + math::abs(gradient.y) + math::abs(gradient.z);
      if (!math::all(size < most)) return to_large_sums(gradient, used, part);
      const Real *const component[] = {&gradient.x, &gradient.y, &gradient.z};
      for (int axis = 0; axis < 3; ++axis) {
        alignas(Bytes) float value[width];
        component[axis]->store(value);
        for (int l = 0; l < width; l += Wide::count)
          (bits_of(load_widened<Bytes>(value + l) + magic) - bits_of(Wide(magic))).store(part + axis * width + l);
      }
      return true;
    }
  }

  /// The conversion row by row, for gradients that may be large.
  static TRIAD_HD bool to_large_sums(const Vec3<Real> &gradient, int used, SumElement *part) {
    if (bad_row(gradient, used) >= 0) return false;
    for (int l = 0; l < width; ++l) {
      const int from = l < used ? l : 0;
      part[l] = SumElement(fixed_point::from_force(float(gradient.x.v[from])));
      part[width + l] = SumElement(fixed_point::from_force(float(gradient.y.v[from])));
      part[2 * width + l] = SumElement(fixed_point::from_force(float(gradient.z.v[from])));
    }
    return true;
  }

  /// Returns the first row whose gradient is outside the fixed-point range, or -1.
  static TRIAD_HD int bad_row(const Vec3<Real> &gradient, int used) {
    for (int l = 0; l < used; ++l)
      if (!fixed_point::in_range({float(gradient.x.v[l]), float(gradient.y.v[l]), float(gradient.z.v[l])})) return l;
    return -1;
  }
};

}  // namespace triad

// All pairs of atoms in device memory: reads positions, adds forces. PairwiseCuda (pairwise_cuda_impl.cuh) adds the
// copies for host arrays.
#pragma once

#include <vector>

#include "core/tuning.h"
#include "forces/pairwise/cuda/formula_kernels.cuh"
#include "forces/pairwise/cuda/pair_results.cuh"
#include "forces/pairwise/cuda/triangle_kernels.cuh"
#include "forces/pairwise/pair_geometry.h"
#include "forces/pairwise/pairwise_checks.h"
#include "forces/pairwise/pairwise_formats.h"
#include "forces/pairwise/tile_order.h"

namespace triad {
namespace cuda {

template <class Format, class Point>
__global__ void make_points_kernel(int n_slots, const int *__restrict__ atom, const double *__restrict__ x,
                                   const double *__restrict__ strength, double strength_unit, PointMaker maker,
                                   Point *point) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= n_slots) return;
  Point p = {};
  const std::size_t i = atom[s] >= 0 ? atom[s] : 0;
  if (atom[s] >= 0) maker.make(x + 3 * i, strength ? strength[i] / strength_unit : 1.0, p);
  point[s] = p;
}

template <class Format>
class AllPairsDevice {
  using Real = typename Format::Real;

 public:
  AllPairsDevice(const PairwiseSetup &setup, cudaStream_t stream)
      : setup_(setup), stream_(stream), multiprocessors_(multiprocessors()) {}

  /// Sets the order of the atoms for later calls of compute().
  void set_order(const TileOrder &order) {
    n_tiles_ = order.n_tiles();
    sided_ = order.sided();
    tile_.reserve(n_tiles_);
    atom_.reserve(n_slots());
    copy_to_device(tile_.data(), order.tiles().data(), n_tiles_, stream_, "copying atom tiles");
    copy_to_device(atom_.data(), order.atoms().data(), n_slots(), stream_, "copying the order of atoms");
    check(cudaStreamSynchronize(stream_), "copying the order of atoms");
  }

  /// Sets scaled pairs by slot, with partners in ascending order; offset [slots + 1], empty for none.
  void set_scaled_slots(const std::vector<long long> &offset, const std::vector<int> &partner,
                        const std::vector<double> &factor) {
    has_scaled_ = !partner.empty();
    if (!has_scaled_) return;
    const std::vector<Real> factors(factor.begin(), factor.end());
    scaled_offset_.reserve(offset.size());
    scaled_partner_.reserve(partner.size());
    scaled_factor_.reserve(factors.size());
    copy_to_device(scaled_offset_.data(), offset.data(), offset.size(), stream_, "copying scaled pairs");
    copy_to_device(scaled_partner_.data(), partner.data(), partner.size(), stream_, "copying scaled pairs");
    copy_to_device(scaled_factor_.data(), factors.data(), factors.size(), stream_, "copying scaled pairs");
    check(cudaStreamSynchronize(stream_), "copying scaled pairs");
  }

  /// Adds forces, and tallies if requested, of a slice of the pairs to results(). x [n][3]; strength [n] or null;
  /// `strengths` is the range of strength. Asynchronous.
  void compute(const double *x, const double *strength, const StrengthRange &strengths, const PairGeometry &geometry,
               const TallyRequest &request, const RankSlice &slice) {
    switch (geometry.images()) {
      case Images::None:
        return run<Images::None>(x, strength, strengths, geometry, request, slice);
      case Images::Orthogonal:
        return run<Images::Orthogonal>(x, strength, strengths, geometry, request, slice);
      default:
        return run<Images::Triclinic>(x, strength, strengths, geometry, request, slice);
    }
  }

  PairResults<Format> &results() { return results_; }
  int n_slots() const { return n_tiles_ * tile_width; }
  const int *atom() const { return atom_.data(); }

 private:
  static int multiprocessors() {
    int device = 0, count = 1;
    check(cudaGetDevice(&device), "querying the current device");
    check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "counting multiprocessors");
    return count;
  }

  template <Images images>
  void run(const double *x, const double *strength, const StrengthRange &strengths, const PairGeometry &geometry,
           const TallyRequest &request, const RankSlice &slice) {
    using Point = typename PointOf<Format, images>::type;
    const bool tallies = request.any();
    results_.reserve(n_slots(), tallies, stream_);
    if (n_tiles_ == 0) return;
    point_.reserve(sizeof(Point) / 16 * static_cast<std::size_t>(n_slots()));
    Point *point = reinterpret_cast<Point *>(point_.data());
    const double unit = strengths.unit();
    make_points_kernel<Format>
        <<<blocks_for(n_slots(), tuning::elementwise_block), tuning::elementwise_block, 0, stream_>>>(
            n_slots(), atom_.data(), x, strength, unit, geometry.maker(), point);
    check(cudaGetLastError(), "storing positions");
    const double common = strengths.common();
    const auto compute_with = [&](const auto &law, const auto &settings) {
      using Law = std::decay_t<decltype(law)>;
      AllPairsJob<Law, Format, images> job(coefficients_.on_device(law, settings, stream_));
      job.frame = geometry.frame<Real>();
      job.point = point;
      job.tile = tile_.data();
      job.n_tiles = n_tiles_;
      job.n_types = goes_by_type(setup_.law) ? setup_.n_types : 0;
      job.coefficients = coefficients_.template get<Law>(settings, stream_);
      job.sided = sided_;
      job.force = results_.forces();
      results_.set_factors(law.scale(settings) * (Law::by_strength ? unit
                                                  : common != 0    ? common * common
                                                                   : 1),
                           Law::by_strength, geometry.unit());
      const bool fold = strengths.within(tuning::folded_strengths) && law.softening() >= least_folded_softening;
      launch(job, tallies, fold, slice);
    };
    if (const auto *formula = std::get_if<FormulaSettings>(&setup_.law))
      compute_with(FormulaOnDevice<Real>(), *formula);
    else
      with_law<Real>(geometry.law(setup_.law), common != 0, compute_with);
  }

  template <class Law, Images images>
  void launch(AllPairsJob<Law, Format, images> &job, bool tallies, bool fold, const RankSlice &slice) {
    if (tallies || has_scaled_) {
      launch_onesided<1, true>(job, tallies, slice);
    } else if constexpr (few_rows_suffice<Law>) {
      if (setup_.kernel == PairKernel::OneSided)
        launch_onesided<1, false>(job, false, slice);
      else
        launch_triangle<tuning::triangle_rows_few>(job, false, slice);
    } else {
      launch_by_size(job, fold, slice);
    }
    check(cudaGetLastError(), "computing pair forces");
  }

  /// True for laws that have kernels with few rows only: these laws cost more than the shuffles that more rows would
  /// save, and each kernel takes the compiler long.
  template <class Law>
  static constexpr bool few_rows_suffice =
      std::is_same<Law, ExponentialLaw<Real>>::value || std::is_same<Law, TableLaw<Real>>::value;

  template <class Law, Images images>
  void launch_by_size(AllPairsJob<Law, Format, images> &job, bool fold, const RankSlice &slice) {
    constexpr int many = std::is_same<Format, PairSingle>::value  ? tuning::triangle_rows_single
                         : std::is_same<Format, PairMixed>::value ? tuning::triangle_rows_mixed
                                                                  : tuning::triangle_rows_double;
    if (setup_.kernel == PairKernel::OneSided && n_tiles_ < tuning::onesided_many_tiles)
      launch_onesided<1, false>(job, false, slice);
    else if (setup_.kernel == PairKernel::OneSided)
      launch_onesided<tuning::onesided_rows, false>(job, false, slice);
    else if (n_tiles_ < tuning::triangle_few_tiles)
      launch_triangle<tuning::triangle_rows_few>(job, fold, slice);
    else if (n_tiles_ < tuning::triangle_some_tiles)
      launch_triangle<tuning::triangle_rows_some>(job, fold, slice);
    else
      launch_triangle<many>(job, fold, slice);
  }

  template <int K, class Law, Images images>
  void launch_triangle(AllPairsJob<Law, Format, images> &job, bool fold, const RankSlice &slice) {
    const std::int64_t squares = triangle_size((n_tiles_ + K - 1) / K);
    int tiles_per_item = K;
    while (K % tiles_per_item != 0 || (tiles_per_item > 1 && squares * (K / tiles_per_item) < tuning::triangle_items))
      --tiles_per_item;
    set_item_range(job, slice, squares * (K / tiles_per_item));
    const unsigned blocks = grid(job.last - job.first, tuning::triangle_block / 32);
    if (!blocks) return;
    if constexpr (compiled_at_run_time<Law>) {
      formula_kernels_.launch<Real>(formula(), "triangle_kernel", "", template_arguments(images, K, false), blocks,
                                    tuning::triangle_block, stream_, job, rows<K>(), std::false_type(), tiles_per_item);
      return;
    } else {
      const auto start = [&](auto folded) {
        triangle_kernel<<<blocks, tuning::triangle_block, 0, stream_>>>(job, rows<K>(), folded, tiles_per_item);
      };
      if constexpr (can_fold<Law, images>())
        if (fold) return start(std::true_type());
      start(std::false_type());
    }
  }

  template <int K, bool general, class Job>
  void launch_onesided(Job &job, bool tallies, const RankSlice &slice) {
    constexpr int group = K * tuning::onesided_block / 32, staged = tuning::onesided_tiles;
    const int groups = (n_tiles_ + group - 1) / group;
    const int wanted = (multiprocessors_ * tuning::onesided_blocks_per_sm + groups - 1) / groups;
    const int tiles_per_chunk = ((n_tiles_ + wanted - 1) / wanted + staged - 1) / staged * staged;
    const int chunks = (n_tiles_ + tiles_per_chunk - 1) / tiles_per_chunk;
    set_item_range(job, slice, std::int64_t(groups) * chunks);
    const unsigned blocks = grid(job.last - job.first, 1);
    const ScaledSlots<Real> scaled = {has_scaled_ ? scaled_offset_.data() : nullptr, scaled_partner_.data(),
                                      scaled_factor_.data()};
    const PairTallies of_rows = tallies ? results_.tallies() : PairTallies{nullptr, 0};
    if (!blocks) return;
    if constexpr (compiled_at_run_time<typename Job::LawType>)
      formula_kernels_.launch<Real>(formula(), "onesided_kernel", "", template_arguments(Job::which_images, K, general),
                                    blocks, tuning::onesided_block, stream_, job, rows<K>(),
                                    std::bool_constant<general>(), tiles_per_chunk, chunks, of_rows, scaled);
    else
      onesided_kernel<<<blocks, tuning::onesided_block, 0, stream_>>>(job, rows<K>(), std::bool_constant<general>(),
                                                                      tiles_per_chunk, chunks, of_rows, scaled);
  }

  /// True if the strengths of rows are folded into coordinates (row_points.cuh). Not in mixed, where folding costs
  /// registers: H200, 524,288 atoms, T ordered pairs/s: 2.10 without, 2.01 with 8 rows, 2.10 with 7.
  template <class Law, Images images>
  static constexpr bool can_fold() {
    return Law::by_strength && Law::inverse_square &&
           std::is_same<typename PointOf<Format, images>::type, FloatPoint>();
  }
  const Formula &formula() const { return *std::get<FormulaSettings>(setup_.law).formula; }
  /// The arguments of a kernel template after the law, as text.
  static std::string template_arguments(Images images, int rows, bool flag) {
    return ", " + name_of_format<Format>() + ", " + name_of(images) + ", " + std::to_string(rows) +
           (flag ? ", true" : ", false");
  }
  template <int K>
  static std::integral_constant<int, K> rows() {
    return {};
  }
  template <class Job>
  static void set_item_range(Job &job, const RankSlice &slice, std::int64_t total) {
    const ItemRange range = items_of(slice, total);
    job.first = range.first;
    job.last = range.last;
  }
  /// Number of blocks for `items` items with `each` per block; the kernels use grid-stride loops.
  static unsigned grid(std::int64_t items, int each) {
    return static_cast<unsigned>(std::min<std::int64_t>((items + each - 1) / each, 0x7FFFFFFF));
  }

  const PairwiseSetup &setup_;
  cudaStream_t stream_;
  int multiprocessors_;
  int n_tiles_ = 0;
  bool sided_ = false, has_scaled_ = false;
  PairResults<Format> results_;
  CoefficientTable coefficients_;
  FormulaKernels formula_kernels_;
  DeviceBuffer<AtomTile> tile_{"atom tiles"};
  DeviceBuffer<int> atom_{"the order of atoms"};
  DeviceBuffer<int4> point_{"positions"};
  DeviceBuffer<long long> scaled_offset_{"scaled pairs"};
  DeviceBuffer<int> scaled_partner_{"scaled pairs"};
  DeviceBuffer<Real> scaled_factor_{"scaled pairs"};
};

}  // namespace cuda
}  // namespace triad

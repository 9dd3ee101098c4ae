// Shallow water on the host. One pass over the edges computes each flux once, in vector registers; one pass over the
// cells gathers the fluxes of each cell in the order of its edges. No two threads write the same address, and the sums
// have the same bits with any number of threads.
//
// Real is the number format of the fluxes, State that of the state and the sums of a cell. In mixed precision,
// differences of states are formed in fp64 and then rounded, so small waves on deep water keep their digits, and both
// cells of an edge receive the same fp32 mass flux, so that no water is lost.

#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "core/aligned_array.h"
#include "core/threads.h"
#include "dynamics/shallow_water/boundary_flux.h"
#include "dynamics/shallow_water/cell_update.h"
#include "forces/flow/flow_backend.h"
#include "forces/flow/host/edge_kernels.h"

namespace triad {
namespace {

EdgeKernel kernel_for(const FlowSetup &setup, Isa isa) {
#if defined(TRIAD_X86_ISAS)
  if (isa == Isa::Avx512) return edge_kernel_avx512(setup.flux, setup.precision);
  if (isa == Isa::Avx2) return edge_kernel_avx2(setup.flux, setup.precision);
#endif
  (void)isa;
  return edge_kernel_baseline(setup.flux, setup.precision);
}

template <class Format>
class FlowHost final : public FlowBackend {
  using Real = typename Format::Real;
  using State = typename Format::Sum;

 public:
  FlowHost(const FlowSetup &setup, int n_threads, Isa isa)
      : setup_(setup), isa_(isa), threads_(usable_threads(n_threads)), kernel_(kernel_for(setup, isa)) {}

  void set_mesh(const RankMesh &mesh) override {
    n_ = mesh.n_owned;
    n_all_ = mesh.n_all;
    state_.require(4 * std::size_t(n_all_) + 4);  // padded edges read cell 0
    rates_.resize(n_);
    std::fill_n(state_.data(), 4 * std::size_t(n_all_) + 4, State(0));
    for (int c = 0; c < n_all_; ++c) state_[4 * std::size_t(c) + 3] = State(mesh.bed[c]);
    area_.assign(mesh.area.begin(), mesh.area.end());
    gn2_.assign(n_, State(0));
    rain_.assign(n_, State(0));
    set_edges(mesh);
    set_entries(mesh);
    set_boundary(mesh);
    sent_.clear();
    volumes_ = {};
  }

  void set_state(const double *rows) override {
    for (std::size_t k = 0; k < 4 * std::size_t(n_); ++k)
      if (k % 4 != 3) state_[k] = State(rows[k]);
  }
  void get_state(double *rows) override {
    for (std::size_t k = 0; k < 4 * std::size_t(n_); ++k) rows[k] = double(state_[k]);
  }
  void set_sent(const std::vector<int> &cells) override { sent_ = cells; }
  void get_sent(double *values) override {
    for (const int c : sent_)
      for (int v = 0; v < 3; ++v) *values++ = double(state_[4 * std::size_t(c) + v]);
  }
  void set_ghosts(const double *values) override {
    for (int c = n_; c < n_all_; ++c)
      for (int v = 0; v < 3; ++v) state_[4 * std::size_t(c) + v] = State(*values++);
  }
  void set_manning(const double *manning) override {
    for (int c = 0; c < n_; ++c) gn2_[c] = State(setup_.gravity * manning[c] * manning[c]);
  }
  void set_rain(const double *rain) override { rain_.assign(rain, rain + n_); }

  double rates(double time) override {
    for (std::size_t k = 0; k < series_.size(); ++k) values_[k] = series_[k].at(time);
    const FlowEdgesView view = {state_.data(),  left_.data(),      right_.data(), nx_.data(),     ny_.data(),
                                length_.data(), edge_flux_.data(), padded_edges_, setup_.gravity, setup_.dry};
    const State infinite = std::numeric_limits<State>::infinity();
    State least = infinite;
    bool finite = true;
    const int n_blocks = int(padded_edges_ / edge_block), n_boundary = int(boundary_.size());
#pragma omp parallel num_threads(threads_for(n_, threads_))
    {
#pragma omp for schedule(static)
      for (int b = 0; b < n_blocks; ++b) kernel_(view, b * static_cast<long long>(edge_block));
#pragma omp for schedule(static)
      for (int b = 0; b < n_boundary; ++b) boundary_edge(b);
#pragma omp for schedule(static) reduction(min : least) reduction(&& : finite)
      for (int c = 0; c < n_; ++c) {
        rates_[c] = gather(c);
        const State h = state_[4 * std::size_t(c)];
        finite = finite && std::isfinite(rates_[c].h + rates_[c].qx + rates_[c].qy + rates_[c].waves);
        least = std::min(least, largest_time_step<State>(rates_[c], h, area_[c], State(setup_.cfl), infinite));
      }
    }
    if (!finite) throw_bad_flow_state();
    return double(least);
  }

  void update(double dt) override {
    const State step = State(dt), dry = State(setup_.dry);
    const RainVolume rain = sum_over<RainVolume>(n_, threads_for(n_, threads_), [&](RainVolume &sum, int c) {
      const State fallen =
          update_cell(state_.data() + 4 * std::size_t(c), rates_[c], area_[c], step, rain_[c], gn2_[c], dry);
      sum.volume += double(fallen) * double(area_[c]);
    });
    volumes_.rain += rain.volume;
    for (std::size_t b = 0; b < boundary_.size(); ++b) {
      const double entered = -dt * double(boundary_flux_[b].mass) * boundary_[b].length;
      if (boundary_[b].kind == FlowBoundaryKind::Open) volumes_.open += entered;
      if (boundary_[b].kind == FlowBoundaryKind::Stage) volumes_.stage += entered;
      if (boundary_[b].kind == FlowBoundaryKind::Discharge) volumes_.discharge += entered;
    }
  }

  FlowVolumes take_volumes() override { return std::exchange(volumes_, {}); }

  std::string description() const override {
    return "host, " + std::to_string(threads_) + (threads_ == 1 ? " thread, " : " threads, ") + name_of(isa_);
  }

  double memory_usage() const override {
    return double(state_.bytes()) + double(edge_flux_.bytes()) + 3.0 * double(nx_.bytes()) +
           2.0 * double(left_.bytes()) + double(n_) * (sizeof(CellRates<State>) + 3 * sizeof(State) + sizeof(int)) +
           sizeof(int) * double(entry_.size()) +
           double(boundary_.size()) * (sizeof(RankMesh::BoundaryEdge) + sizeof(EdgeFlux<State>));
  }

 private:
  struct RainVolume {
    double volume = 0;
    RainVolume &operator+=(const RainVolume &other) {
      volume += other.volume;
      return *this;
    }
  };

  void set_edges(const RankMesh &mesh) {
    const auto n = mesh.edges.size();
    const std::size_t blocks = (n + edge_block - 1) / edge_block;
    padded_edges_ = static_cast<long long>(blocks) * edge_block;
    for (auto *array : {&left_, &right_}) array->require(padded_edges_);
    for (auto *array : {&nx_, &ny_, &length_}) array->require(padded_edges_);
    edge_flux_.require(6 * std::size_t(padded_edges_));
    for (std::size_t e = 0; e < std::size_t(padded_edges_); ++e) {
      const RankMesh::Edge edge = e < n ? mesh.edges[e] : RankMesh::Edge{0, 0, 1, 0, 0};
      left_[e] = edge.left;
      right_[e] = edge.right;
      nx_[e] = Real(edge.nx);
      ny_[e] = Real(edge.ny);
      length_[e] = Real(edge.length);
    }
  }

  /// For each owned cell, twice the index of each of its edges, plus 1 where the cell is the right one.
  void set_entries(const RankMesh &mesh) {
    begin_.assign(n_ + 1, 0);
    const auto count = [&](int c) {
      if (c < n_) ++begin_[c + 1];
    };
    for (const auto &e : mesh.edges) count(e.left), count(e.right);
    for (int c = 0; c < n_; ++c) begin_[c + 1] += begin_[c];
    entry_.resize(begin_[n_]);
    std::vector<int> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t e = 0; e < mesh.edges.size(); ++e) {
      if (mesh.edges[e].left < n_) entry_[next[mesh.edges[e].left]++] = int(2 * e);
      if (mesh.edges[e].right < n_) entry_[next[mesh.edges[e].right]++] = int(2 * e + 1);
    }
  }

  void set_boundary(const RankMesh &mesh) {
    boundary_ = mesh.boundary;
    series_ = mesh.series;
    values_.assign(series_.size(), 0.0);
    boundary_flux_.assign(boundary_.size(), {});
    boundary_begin_.assign(n_ + 1, 0);
    for (const auto &e : boundary_) ++boundary_begin_[e.cell + 1];
    for (int c = 0; c < n_; ++c) boundary_begin_[c + 1] += boundary_begin_[c];
    boundary_entry_.resize(boundary_.size());
    std::vector<int> next(boundary_begin_.begin(), boundary_begin_.end() - 1);
    for (std::size_t b = 0; b < boundary_.size(); ++b) boundary_entry_[next[boundary_[b].cell]++] = int(b);
  }

  CellRates<State> gather(int c) const {
    const Real *const flux = edge_flux_.data();
    CellRates<State> sum = {0, 0, 0, 0};
    for (int k = begin_[c]; k < begin_[c + 1]; ++k) {
      const std::size_t e = unsigned(entry_[k]) >> 1, stride = padded_edges_;
      const bool is_right = entry_[k] & 1;
      const Real *const momentum = flux + (is_right ? 3 : 1) * stride + e;
      sum.h += State(is_right ? flux[e] : -flux[e]);
      sum.qx -= State(momentum[0]);
      sum.qy -= State(momentum[stride]);
      sum.waves += State(flux[5 * stride + e]);
    }
    for (int k = boundary_begin_[c]; k < boundary_begin_[c + 1]; ++k) {
      const auto &f = boundary_flux_[boundary_entry_[k]];
      const State length = State(boundary_[boundary_entry_[k]].length);
      sum.h -= length * f.mass;
      sum.qx -= length * f.left_x;
      sum.qy -= length * f.left_y;
      sum.waves += length * f.speed;
    }
    return sum;
  }

  void boundary_edge(int b) {
    const auto &e = boundary_[b];
    const FlowConstants<State> k = {State(setup_.gravity), State(setup_.dry)};
    const State *const cell = state_.data() + 4 * std::size_t(e.cell);
    const State value = State(e.series < 0 ? e.value : values_[e.series]);
    boundary_flux_[b] = setup_.flux == FlowFlux::Roe
                            ? boundary_flux<FlowFlux::Roe>(e.kind, value, cell, State(e.nx), State(e.ny), k)
                            : boundary_flux<FlowFlux::Hll>(e.kind, value, cell, State(e.nx), State(e.ny), k);
  }

  FlowSetup setup_;
  Isa isa_;
  int threads_;
  EdgeKernel kernel_;

  int n_ = 0, n_all_ = 0;
  long long padded_edges_ = 0;
  AlignedArray<State> state_;      // [n_all][4]
  std::vector<State> area_;        // [n]
  std::vector<State> gn2_, rain_;  // [n]
  std::vector<CellRates<State>> rates_;
  AlignedArray<int> left_, right_;
  AlignedArray<Real> nx_, ny_, length_;
  AlignedArray<Real> edge_flux_;  // [6][padded_edges]
  std::vector<int> begin_, entry_;
  std::vector<RankMesh::BoundaryEdge> boundary_;
  std::vector<int> boundary_begin_, boundary_entry_;  // the edges of each owned cell
  std::vector<EdgeFlux<State>> boundary_flux_;
  std::vector<FlowSeries> series_;
  std::vector<double> values_;  // of the series, at the time of the last rates()
  std::vector<int> sent_;
  FlowVolumes volumes_;
};

}  // namespace

std::unique_ptr<FlowBackend> make_flow_host(const FlowSetup &setup, int n_threads, Isa isa) {
  return with_format<FloatFormats>(setup.precision, [&](auto format) -> std::unique_ptr<FlowBackend> {
    return std::make_unique<FlowHost<decltype(format)>>(setup, n_threads, isa);
  });
}

}  // namespace triad

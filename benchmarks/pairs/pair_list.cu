// Rate of Lennard-Jones forces from a neighbour list, half and full, on device arrays.

#include <cstdio>
#include <string>
#include <vector>

#include "common/device.cuh"
#include "common/options.h"
#include "forces/pairwise/cuda/pair_list.cuh"
#include "forces/pairwise/pair_list_csr.h"

namespace triad {
namespace bench {
namespace {

constexpr double density = 0.8442, cutoff = 2.5, skin = 0.3;  // the Lennard-Jones melt of LAMMPS's benchmarks

/// A melt approximated by a randomly displaced cubic lattice, with ghosts and neighbour lists.
struct Melt {
  std::vector<double> x;
  int n_owned = 0;
  std::vector<std::vector<int>> half, full;

  explicit Melt(int edge) {
    const double a = std::cbrt(1 / density);
    const int ghosts = int(std::ceil((cutoff + skin) / a)) + 1, wide = edge + 2 * ghosts;
    unsigned state = 1;
    const auto jitter = [&state] {
      state = 1664525u * state + 1013904223u;
      return 0.2 * (state / 4294967296.0 - 0.5);
    };
    std::vector<int> index(std::size_t(wide) * wide * wide);
    const auto site = [&](int i, int j, int k) -> int & {
      return index[(std::size_t(i + ghosts) * wide + (j + ghosts)) * wide + (k + ghosts)];
    };
    const auto inside = [&](int i) { return i >= 0 && i < edge; };
    for (const bool owned : {true, false})
      for (int i = -ghosts; i < edge + ghosts; ++i)
        for (int j = -ghosts; j < edge + ghosts; ++j)
          for (int k = -ghosts; k < edge + ghosts; ++k) {
            if ((inside(i) && inside(j) && inside(k)) != owned) continue;
            site(i, j, k) = int(x.size() / 3);
            x.insert(x.end(), {a * i + jitter(), a * j + jitter(), a * k + jitter()});
            n_owned += owned;
          }
    half.resize(n_owned);
    full.resize(n_owned);
    const double reach2 = (cutoff + skin) * (cutoff + skin);
    for (int i = 0; i < edge; ++i)
      for (int j = 0; j < edge; ++j)
        for (int k = 0; k < edge; ++k) {
          const int centre = site(i, j, k);
          for (int p = -ghosts + 1; p < ghosts; ++p)
            for (int q = -ghosts + 1; q < ghosts; ++q)
              for (int r = -ghosts + 1; r < ghosts; ++r) {
                const int other = site(i + p, j + q, k + r);
                double d2 = 0;
                for (int axis = 0; axis < 3; ++axis) {
                  const double d = x[3 * std::size_t(other) + axis] - x[3 * std::size_t(centre) + axis];
                  d2 += d * d;
                }
                if (other == centre || d2 >= reach2) continue;
                full[centre].push_back(other);
                if (p > 0 || (p == 0 && (q > 0 || (q == 0 && r > 0)))) half[centre].push_back(other);
              }
        }
  }
};

PairListCsr rows_of(const std::vector<std::vector<int>> &list, bool full) {
  std::vector<int> centre, length;
  std::vector<const int *> first;
  for (const auto &row : list) {
    centre.push_back(int(centre.size()));
    length.push_back(int(row.size()));
    first.push_back(row.data());
  }
  PairListView view;
  view.rows.n_rows = int(centre.size());
  view.rows.centre = centre.data();
  view.rows.length = length.data();
  view.rows.neighbour = first.data();
  view.full = full;
  PairListCsr rows;
  rows.set_neighbours(view);
  return rows;
}

/// Seconds per computation.
template <class Format, class Position>
double measure(const Melt &melt, const PairListCsr &rows, Precision precision, int repeats, cudaStream_t stream) {
  LennardJonesSettings law;
  law.pairs = TypePairTable<LennardJonesSettings::Entry>(1);
  law.pairs.set(1, 1, {1, 1});
  PairwiseSetup setup;
  setup.law = law;
  setup.range = PairRange::List;
  setup.cutoff = cutoff;
  setup.precision = precision;
  const std::size_t n = melt.x.size() / 3;
  DeviceBuffer<double> x("positions"), force("forces");
  DeviceBuffer<int> packed("types");
  upload(x, melt.x, stream);
  upload(packed, std::vector<int>(n, cuda::TypeAndSide::pack(0, 3)), stream);
  force.reserve(3 * n);
  cuda::PinnedBuffer<int> bad("a flag");
  bad.reserve(1);
  bad[0] = 0;
  cuda::PairListDevice<Format, Position> list(setup, stream);
  list.set_rows(rows, cutoff + skin);
  GpuTimer timer(stream);
  std::vector<double> seconds;
  for (int r = -1; r < repeats; ++r) {
    list.prepare(x.data(), packed.data(), int(n));
    timer.start();
    list.compute(nullptr, 0, false);
    timer.stop();
    if (r >= 0) seconds.push_back(timer.seconds());
    list.results().collect(nullptr, nullptr, force.data(), nullptr, bad.data(), stream);
  }
  check(cudaStreamSynchronize(stream), "computing pair forces");
  if (bad[0]) throw LoopError("a force is not a number");
  return median(seconds);
}

void run(int argc, char **argv) {
  const Options options(argc, argv,
                        {{"edges", "20,40,80,110"}, {"repeats", "11"}, {"json", "pair_list.json"}, {"commit", ""}});
  const DeviceFacts facts = device_facts();
  const cuda::Stream stream;
  const int repeats = options.number("repeats");
  std::printf(
      "%s, %s\n\n| atoms | list | precision | ms | M atom-steps/s | G pairs within the cutoff of the list/s |\n"
      "| --- | --- | --- | --- | --- | --- |\n",
      facts.name.c_str(), facts.driver.c_str());
  std::vector<Json> lines;
  for (const int edge : options.numbers("edges")) {
    const Melt melt(edge);
    for (const bool full : {false, true}) {
      const PairListCsr rows = rows_of(full ? melt.full : melt.half, full);
      const double pairs = double(rows.entries().size()) / (full ? 2 : 1);
      const auto keep = [&](const char *precision, double seconds) {
        std::printf("| %d | %s | %s | %.4f | %.0f | %.1f |\n", melt.n_owned, full ? "full" : "half", precision,
                    1e3 * seconds, 1e-6 * melt.n_owned / seconds, 1e-9 * pairs / seconds);
        lines.push_back(Json::object({{"atoms", melt.n_owned},
                                      {"list", full ? "full" : "half"},
                                      {"precision", precision},
                                      {"seconds", seconds},
                                      {"atom_steps_per_s", melt.n_owned / seconds},
                                      {"pairs_per_s", pairs / seconds}}));
      };
      keep("single", measure<PairSingle, cuda::WrappedPosition>(melt, rows, Precision::Single, repeats, stream));
      keep("mixed", measure<PairMixed, cuda::WrappedPosition>(melt, rows, Precision::Mixed, repeats, stream));
      keep("double", measure<PairDouble, cuda::DoublePosition>(melt, rows, Precision::Double, repeats, stream));
    }
  }
  auto members = result_header("pair_list", facts, options.text("commit"));
  members.push_back({"results", Json::lines(lines)});
  Json::object(members, true).write(options.text("json"));
}

}  // namespace
}  // namespace bench
}  // namespace triad

int main(int argc, char **argv) {
  return triad::bench::run_guarded("pair_list", [&] { triad::bench::run(argc, argv); });
}

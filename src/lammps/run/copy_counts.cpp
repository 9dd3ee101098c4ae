#include "lammps/run/copy_counts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "fmt/format.h"

using namespace LAMMPS_NS;

void CopyCounts::add(const std::string &cause, double seconds) {
  Cost &cost = causes_[cause];
  ++cost.times;
  cost.seconds += seconds;
}

std::string CopyCounts::lines(const std::string &when) const {
  std::vector<std::pair<std::string, Cost>> sorted(causes_.begin(), causes_.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto &a, const auto &b) { return a.second.seconds > b.second.seconds; });
  std::string text;
  for (const auto &[cause, cost] : sorted)
    text += fmt::format("Triad: {} brought atoms to the host {} times {}, {:.3g} s\n", cause, cost.times, when,
                        cost.seconds);
  return text;
}

#include "lammps/run/fix_traits.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "fix.h"
#include "lammps/run/engine_fix.h"

namespace LAMMPS_NS {
namespace {

template <std::size_t N>
bool has_style(const Fix *fix, const char *const (&styles)[N]) {
  return std::any_of(std::begin(styles), std::end(styles), [&](const char *s) { return !std::strcmp(s, fix->style); });
}

}  // namespace

bool only_reads_atoms(const Fix *fix) {
  static const char *const styles[] = {
      "print",         "ave/time", "ave/chunk", "ave/histo",   "ave/histo/weight",   "ave/atom",
      "ave/correlate", "ave/grid", "vector",    "store/state", "ave/correlate/long", "halt",
      "dt/reset"};
  return has_style(fix, styles);
}

bool samples_values(const Fix *fix) {
  static const char *const styles[] = {
      "ave/time", "ave/correlate", "ave/correlate/long", "ave/histo", "ave/histo/weight", "vector", "print", "halt"};
  return has_style(fix, styles);
}

bool is_dynamic_group(const Fix *fix) { return std::strcmp(fix->style, "GROUP") == 0; }

bool changes_box(const Fix *fix) { return fix->box_change & ~Fix::BOX_CHANGE_DOMAIN; }

bool balances_at_times(const Fix *fix) { return std::strcmp(fix->style, "balance") == 0 && fix->force_reneighbor; }

bool is_package_omp(const Fix *fix) { return std::strcmp(fix->style, "OMP") == 0; }

const EngineFix *as_engine_fix(const Fix *fix) {
  const auto *ours = dynamic_cast<const EngineFix *>(fix);
  return ours && ours->on_engine() ? ours : nullptr;
}
EngineFix *as_engine_fix(Fix *fix) { return const_cast<EngineFix *>(as_engine_fix(static_cast<const Fix *>(fix))); }

bool joins(Fix *fix, triad::StepBatch &batch) {
  EngineFix *const resident = as_engine_fix(fix);
  return resident && resident->join(batch);
}

}  // namespace LAMMPS_NS

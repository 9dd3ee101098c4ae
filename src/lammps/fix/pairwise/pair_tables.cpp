#include "lammps/fix/pairwise/pair_tables.h"

#include <cmath>
#include <cstdio>
#include <memory>

#include "comm.h"
#include "error.h"
#include "io/pair_table_file.h"
#include "lammps/util/text_file.h"
#include "utils.h"

namespace LAMMPS_NS {

using triad::TableSettings;

std::string text_on_all_ranks(LAMMPS *lmp, const std::string &what, const std::string &name) {
  FILE *file = nullptr;
  if (lmp->comm->me == 0) {
    file = std::fopen(name.c_str(), "rb");
    if (!file) lmp->error->one(FLERR, "Cannot open {}{}: {}", what, name, utils::getsyserror());
  }
  return read_on_all_ranks(lmp, file, what + name, MAXSMALLINT);
}

int PairTables::read(triad::SettingReader &words) {
  const std::string file = words.word("file of coeff I J file section");
  const std::string section = words.word("section of coeff I J file section");
  try {
    tables_.push_back(
        triad::read_pair_table(text_on_all_ranks(lmp_, std::string(command_) + " table file ", file), file, section));
  } catch (const triad::PairTableError &e) {
    lmp_->error->all(FLERR, "{}: {}", command_, e.what());
  }
  return static_cast<int>(tables_.size()) - 1;
}

void PairTables::fill(TableSettings &law, double given_cutoff, const triad::SettingReader &words) const {
  constexpr double exact_in_fp32 = 1 << 24;
  const bool bitmap = style_ == triad::TableStyle::Bitmap;
  if (double(tables_.size()) * (bitmap ? std::exp2(points_) : points_) > exact_in_fp32)
    words.reject("law table has more than 16777216 points in all sections; use fewer points");
  const auto points = std::make_shared<TableSettings::Points>();
  std::vector<TableSettings::Entry> entry;
  for (const triad::PairTable &table : tables_) {
    const double cutoff = given_cutoff > 0 ? given_cutoff : table.outer();
    if (!(cutoff > table.inner() && cutoff <= table.outer()))
      words.reject(
          fmt::format("cutoff {} is outside of a table, whose distances are {} to {}; use another cutoff or a "
                      "longer table",
                      cutoff, table.inner(), table.outer()));
    if (bitmap && !triad::bitmap_grid(table.low > 0 ? table.low : table.inner(), cutoff, points_))
      words.reject(fmt::format(
          "table bitmap {} does not fit distances from {} to {}; use another number of bits (such as 12), or "
          "spline",
          points_, table.inner(), cutoff));
    entry.push_back(triad::add_points(table, cutoff, style_, points_, *points));
  }
  for (TableSettings::Entry &e : law.pairs.entry) e = entry[static_cast<std::size_t>(e.first)];
  law.points = points;
  law.style = style_;
}

}  // namespace LAMMPS_NS

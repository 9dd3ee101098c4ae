#include "lammps/fix/pairwise/pair_tables.h"

#include <cmath>
#include <memory>

#include "error.h"
#include "io/pair_table_file.h"
#include "lammps/util/text_file.h"
#include "utils.h"

namespace LAMMPS_NS {

using triad::TableSettings;

int PairTables::read(triad::SettingReader &words) {
  const std::string file = words.word("file of coeff I J file section");
  const std::string section = words.word("section of coeff I J file section");
  double energy_factor = 1;
  const std::string text =
      read_potential_on_all_ranks(lmp_, std::string(command_) + " table file ", file,
                                  utils::get_supported_conversions(utils::ENERGY), energy_factor, MAXSMALLINT);
  try {
    tables_.push_back(triad::read_pair_table(text, file, section));
  } catch (const triad::PairTableError &e) {
    lmp_->error->all(FLERR, "{}: {}", command_, e.what());
  }
  tables_.back().scale(energy_factor);
  names_.push_back("section " + section + " of " + file);
  return static_cast<int>(tables_.size()) - 1;
}

void PairTables::fill(TableSettings &law, double given_cutoff, const triad::SettingReader &words) const {
  constexpr double exact_in_fp32 = 1 << 24;
  const bool bitmap = style_ == triad::TableStyle::Bitmap;
  if (double(tables_.size()) * (bitmap ? std::exp2(points_) : points_) > exact_in_fp32)
    words.reject("law table has more than 16777216 points in all sections; use fewer points");
  const auto points = std::make_shared<TableSettings::Points>();
  std::vector<TableSettings::Entry> entry;
  for (std::size_t k = 0; k < tables_.size(); ++k) {
    const triad::PairTable &table = tables_[k];
    const double cutoff = given_cutoff > 0 ? given_cutoff : table.outer();
    if (!(cutoff > table.inner() && cutoff <= table.outer()))
      words.reject(
          fmt::format("cutoff {} is outside of {}, whose distances are {} to {}; use another cutoff or a longer table",
                      cutoff, names_[k], table.inner(), table.outer()));
    if (bitmap && !triad::bitmap_grid(table.low > 0 ? table.low : table.inner(), cutoff, points_))
      words.reject(fmt::format(
          "table bitmap {} does not fit distances from {} to {}, of {}; use another number of bits (such as 12), or "
          "spline",
          points_, table.inner(), cutoff, names_[k]));
    entry.push_back(triad::add_points(table, cutoff, style_, points_, *points));
  }
  for (TableSettings::Entry &e : law.pairs.entry) e = entry[static_cast<std::size_t>(e.first)];
  law.points = points;
  law.style = style_;
}

}  // namespace LAMMPS_NS

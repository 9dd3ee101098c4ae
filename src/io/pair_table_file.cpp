#include "io/pair_table_file.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "io/text.h"

namespace triad {
namespace {

using text::quoted;
using text::reject;
using text::Words;

/// The second line of a section.
struct Parameters {
  int n = 0;
  enum class Distances { OfLines, R, RSquared, Bitmap } distances = Distances::OfLines;
  double low = 0, high = 0;
  std::optional<BitmapGrid> grid;  // with Bitmap
};

/// The grid of N = 2^bits points.
std::optional<BitmapGrid> grid_of(const Parameters &p) {
  const int bits = std::ilogb(double(p.n));
  return p.n == 1 << bits ? bitmap_grid(p.low, p.high, bits) : std::nullopt;
}

Parameters parse_parameters(const Words &words, PairTable &table) {
  Parameters p;
  const auto next = [&](std::size_t &k, const char *what) {
    if (++k == words.size()) reject(words.front().line, std::string(what) + " is missing; give it after its keyword");
    return text::parse_number(what, words[k]);
  };
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string_view name = words[k].text;
    if (name == "N") {
      const double n = next(k, "the number of points");
      if (!(n >= 2 && n <= 1e7 && n == std::floor(n)))
        reject(words[k].line, "N is " + quoted(words[k].text) + "; give a whole number from 2 to 10000000");
      p.n = static_cast<int>(n);
    } else if (name == "R" || name == "RSQ" || name == "BITMAP") {
      p.distances = name == "R"     ? Parameters::Distances::R
                    : name == "RSQ" ? Parameters::Distances::RSquared
                                    : Parameters::Distances::Bitmap;
      p.low = next(k, "the first distance");
      p.high = next(k, "the last distance");
      if (!(p.low > 0 && p.low < p.high))
        reject(words[k].line,
               "the distances after " + quoted(name) + " are not positive and ascending; give the smaller one first");
    } else if (name == "FPRIME") {
      table.has_slopes = true;
      table.slope_low = next(k, "the derivative of the force at the first point");
      table.slope_high = next(k, "the derivative of the force at the last point");
    } else {
      reject(words[k].line, "parameter " + quoted(name) +
                                " is unknown; a section begins with its keyword, and its next "
                                "line is N and the number of points, with R, RSQ, BITMAP or FPRIME");
    }
  }
  if (p.n == 0) reject(words.front().line, "parameter N is missing; give N and the number of points");
  if (p.distances == Parameters::Distances::Bitmap && !(p.grid = grid_of(p)))
    reject(words.front().line, "N is " + std::to_string(p.n) +
                                   ", which no BITMAP with these distances has; give the power of two that wrote the "
                                   "table, or write the table with R or RSQ");
  return p;
}

/// A section with BITMAP begins with the point whose bits, below those that all points share, are zero: the smallest
/// distance follows somewhere after it.
void sort_by_distance(const BitmapGrid &grid, PairTable &table) {
  const std::size_t n = table.r.size(), first = (grid.first >> grid.shift) & (n - 1);
  for (std::vector<double> *values : {&table.energy, &table.force})
    std::rotate(values->begin(), values->begin() + first, values->end());
}

PairTable parse(std::string_view text, const std::string &section) {
  text::Lines lines(text);
  Words words;
  const auto next_line = [&] {
    for (words.clear(); words.empty();)
      if (!lines.append_next(words)) return false;
    return true;
  };
  do
    if (!next_line())
      reject(0, "there is no section " + quoted(section) + "; a section begins with a line of its keyword");
  while (words[0].text != section);
  const int start = words[0].line;
  PairTable table;
  if (!next_line()) reject(start, "the section ends after its keyword; give N and the number of points");
  const Parameters p = parse_parameters(words, table);
  const bool squared = p.distances == Parameters::Distances::RSquared;
  table.spacing = p.grid ? TableSpacing::Bitmap : squared ? TableSpacing::Squared : TableSpacing::Any;
  table.low = p.low;
  table.high = p.high;
  for (int i = 0; i < p.n; ++i) {
    if (!next_line())
      reject(start, "section " + quoted(section) + " has " + std::to_string(i) + " points instead of " +
                        std::to_string(p.n) + "; correct N, or add the missing lines");
    if (words.size() != 4)
      reject(words[0].line, "the line has " + std::to_string(words.size()) +
                                " words where a point has 4: number, distance, energy, force");
    const double part = double(i) / (p.n - 1);
    double r = text::parse_number("the distance", words[1]);
    if (p.distances != Parameters::Distances::OfLines) r = p.low + (p.high - p.low) * part;
    if (squared && i + 1 < p.n) r = std::sqrt(p.low * p.low + (p.high * p.high - p.low * p.low) * part);
    if (p.grid) r = std::sqrt(p.grid->squared(i));
    if (!(r > (i == 0 ? 0.0 : table.r.back())))
      reject(words[0].line, "distance " + quoted(words[1].text) + " is not greater than " +
                                (i == 0 ? "zero" : "that of the line before") + "; sort the points by distance");
    table.r.push_back(r);
    table.energy.push_back(text::parse_number("the energy", words[2]));
    table.force.push_back(text::parse_number("the force", words[3]));
  }
  if (p.grid) sort_by_distance(*p.grid, table);
  return table;
}

}  // namespace

PairTable read_pair_table(std::string_view text, const std::string &filename, const std::string &section) {
  try {
    return parse(text, section);
  } catch (const text::Fault &fault) {
    throw PairTableError(text::located(filename, fault));
  }
}

}  // namespace triad

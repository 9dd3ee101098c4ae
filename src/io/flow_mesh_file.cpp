#include "io/flow_mesh_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

#include "io/flow_mesh_checks.h"
#include "io/text.h"

namespace triad {
namespace {

using text::parse_number;
using text::quoted;
using text::reject;
using text::Word;
using text::Words;

constexpr double unit_normal_within = 1e-3;

class FlowMeshParser {
 public:
  explicit FlowMeshParser(std::int64_t largest_id) : largest_id_(largest_id) {}
  FlowMesh parse(std::string_view text);

 private:
  enum class Section { None, Cells, Edges, Boundary, Series };
  static constexpr const char *names[] = {"", "Cells", "Edges", "Boundary", "Series"};

  /// A cell that a line names before or after the line of the cell itself.
  struct Reference {
    std::int64_t id;
    int line;
  };

  bool starts_section(const Words &words);
  std::int64_t id(const Word &word) const;
  static double positive(const char *what, const Word &word);
  static double not_negative(const char *what, const Word &word);
  static void count(const Words &words, std::size_t least, std::size_t most, const char *form);
  static void normal(const Word &x, const Word &y, double &nx, double &ny);
  void cell(const Words &words);
  void edge(const Words &words);
  void boundary(const Words &words);
  void series(const Words &words);
  int series_named(const std::string &name, int line);

  void resolve();
  int index_of(const Reference &cell) const;
  void check_series() const;

  std::int64_t largest_id_;
  Section section_ = Section::None;
  FlowMesh mesh_;
  std::vector<Reference> edge_cells_, boundary_cells_;
  std::unordered_map<std::int64_t, int> index_;
  std::map<std::string, int> series_index_;
  std::vector<int> series_used_;  // line of the first use, 0: unused
  std::vector<int> series_line_;  // line of the first point, 0: none
};

bool FlowMeshParser::starts_section(const Words &words) {
  if (words.size() != 1) return false;
  for (const auto s : {Section::Cells, Section::Edges, Section::Boundary, Section::Series})
    if (words[0].text == names[int(s)]) {
      section_ = s;
      return true;
    }
  if (section_ == Section::None || words[0].text.find_first_of("0123456789") == std::string_view::npos)
    reject(words[0].line, quoted(words[0].text) + " is no section; the sections are Cells, Edges, Boundary, Series");
  return false;
}

std::int64_t FlowMeshParser::id(const Word &word) const {
  std::int64_t id = 0;
  const char *const end = word.text.data() + word.text.size();
  const auto [stop, error] = std::from_chars(word.text.data(), end, id);
  if (error != std::errc() || stop != end || id < 1 || id > largest_id_)
    reject(word.line, "cell ID " + quoted(word.text) + " is not a whole number from 1 to " +
                          std::to_string(largest_id_) + "; cells have the IDs of their atoms");
  return id;
}

double FlowMeshParser::positive(const char *what, const Word &word) {
  const double value = parse_number(what, word);
  if (!(value > 0)) reject(word.line, std::string(what) + " = " + quoted(word.text) + " is not positive; correct it");
  return value;
}

double FlowMeshParser::not_negative(const char *what, const Word &word) {
  const double value = parse_number(what, word);
  if (value < 0) reject(word.line, std::string(what) + " = " + quoted(word.text) + " is negative; give zero or more");
  return value;
}

void FlowMeshParser::count(const Words &words, std::size_t least, std::size_t most, const char *form) {
  if (words.size() < least || words.size() > most)
    reject(words.front().line,
           "the line has " + std::to_string(words.size()) + " words; a line of this section is: " + form);
}

void FlowMeshParser::normal(const Word &x, const Word &y, double &nx, double &ny) {
  nx = parse_number("nx", x);
  ny = parse_number("ny", y);
  const double size = std::sqrt(nx * nx + ny * ny);
  if (!(std::fabs(size - 1) <= unit_normal_within))
    reject(x.line, "the normal (" + std::string(x.text.substr(0, 30)) + ", " + std::string(y.text.substr(0, 30)) +
                       ") is not a unit vector; give a normal of length 1");
  nx /= size;
  ny /= size;
}

void FlowMeshParser::cell(const Words &words) {
  count(words, 7, 7, "ID area bed h qx qy n");
  FlowCell c;
  c.line = words.front().line;
  c.id = id(words[0]);
  c.area = positive("area", words[1]);
  c.bed = parse_number("bed", words[2]);
  c.h = not_negative("depth h", words[3]);
  c.qx = parse_number("qx", words[4]);
  c.qy = parse_number("qy", words[5]);
  c.manning = not_negative("Manning coefficient n", words[6]);
  if (c.h == 0 && (c.qx != 0 || c.qy != 0))
    reject(c.line, "a cell of depth 0 has a discharge; give it water or the discharge 0 0");
  const auto [known, is_new] = index_.emplace(c.id, int(mesh_.cells.size()));
  if (!is_new)
    reject(c.line, "cell " + std::to_string(c.id) + " was given on line " +
                       std::to_string(mesh_.cells[known->second].line) + " already; remove one of them");
  mesh_.cells.push_back(c);
}

void FlowMeshParser::edge(const Words &words) {
  count(words, 5, 5, "i j nx ny length");
  FlowEdge e = {};
  e.line = words.front().line;
  const std::int64_t i = id(words[0]), j = id(words[1]);
  if (i == j) reject(e.line, "cell " + std::to_string(i) + " has an edge with itself; name two cells, or remove it");
  normal(words[2], words[3], e.nx, e.ny);
  e.length = positive("length", words[4]);
  edge_cells_.push_back({i, e.line});
  edge_cells_.push_back({j, e.line});
  mesh_.edges.push_back(e);
}

void FlowMeshParser::boundary(const Words &words) {
  constexpr const char *form = "i nx ny length wall|open|stage|discharge [number or series]";
  count(words, 5, 6, form);
  FlowBoundaryEdge b = {};
  b.line = words.front().line;
  b.series = -1;
  boundary_cells_.push_back({id(words[0]), b.line});
  normal(words[1], words[2], b.nx, b.ny);
  b.length = positive("length", words[3]);
  const auto kind = words[4].text;
  if (kind == "wall")
    b.kind = FlowBoundaryKind::Wall;
  else if (kind == "open")
    b.kind = FlowBoundaryKind::Open;
  else if (kind == "stage")
    b.kind = FlowBoundaryKind::Stage;
  else if (kind == "discharge")
    b.kind = FlowBoundaryKind::Discharge;
  else
    reject(b.line, quoted(kind) + " is no kind of boundary; use wall, open, stage or discharge");
  const bool has_value = b.kind == FlowBoundaryKind::Stage || b.kind == FlowBoundaryKind::Discharge;
  count(words, has_value ? 6 : 5, has_value ? 6 : 5, form);
  if (has_value) {
    const auto value = words[5].text;
    // A name starts with a letter; "nan" and "inf" are refused as numbers.
    const bool is_name = std::isalpha(static_cast<unsigned char>(value[0])) && value != "nan" && value != "inf";
    if (is_name)
      b.series = series_named(std::string(value), b.line);
    else
      b.value = parse_number(std::string(kind), words[5]);
  }
  mesh_.boundary.push_back(b);
}

/// Returns the index of a series; `line` is the line of a use, or 0.
int FlowMeshParser::series_named(const std::string &name, int line) {
  const auto [known, is_new] = series_index_.emplace(name, int(mesh_.series.size()));
  if (is_new) {
    mesh_.series.push_back({name, {}, {}});
    series_used_.push_back(0);
    series_line_.push_back(0);
  }
  int &used = series_used_[known->second];
  if (used == 0) used = line;
  return known->second;
}

void FlowMeshParser::series(const Words &words) {
  count(words, 3, 3, "name time value");
  const std::string name(words[0].text);
  const int line = words.front().line;
  if (!std::isalpha(static_cast<unsigned char>(name[0])) || name == "nan" || name == "inf")
    reject(line, "the series name " + quoted(name) + " does not start with a letter; rename the series");
  const int k = series_named(name, 0);
  FlowSeries &s = mesh_.series[k];
  const double t = parse_number("time", words[1]);
  if (!s.time.empty() && !(t > s.time.back()))
    reject(line, "the time of series " + quoted(name) + " does not ascend; sort the points of the series by time");
  s.time.push_back(t);
  s.value.push_back(parse_number("value", words[2]));
  if (series_line_[k] == 0) series_line_[k] = line;
}

int FlowMeshParser::index_of(const Reference &cell) const {
  const auto found = index_.find(cell.id);
  if (found == index_.end())
    reject(cell.line, "there is no cell " + std::to_string(cell.id) + "; name cells of the section Cells");
  return found->second;
}

/// Replaces IDs by indices.
void FlowMeshParser::resolve() {
  for (std::size_t e = 0; e < mesh_.edges.size(); ++e) {
    mesh_.edges[e].left = index_of(edge_cells_[2 * e]);
    mesh_.edges[e].right = index_of(edge_cells_[2 * e + 1]);
  }
  for (std::size_t b = 0; b < mesh_.boundary.size(); ++b) mesh_.boundary[b].cell = index_of(boundary_cells_[b]);
}

void FlowMeshParser::check_series() const {
  for (std::size_t k = 0; k < mesh_.series.size(); ++k) {
    const std::string name = quoted(mesh_.series[k].name);
    if (series_line_[k] == 0) reject(series_used_[k], "there is no series " + name + "; add it to the section Series");
    if (series_used_[k] == 0) reject(series_line_[k], "no boundary edge uses the series " + name + "; remove it");
  }
}

FlowMesh FlowMeshParser::parse(std::string_view text) {
  text::Words words;
  for (text::Lines lines(text); lines.append_next(words); words.clear()) {
    if (words.empty() || starts_section(words)) continue;
    switch (section_) {
      case Section::Cells:
        cell(words);
        break;
      case Section::Edges:
        edge(words);
        break;
      case Section::Boundary:
        boundary(words);
        break;
      case Section::Series:
        series(words);
        break;
      default:
        reject(words.front().line, "the line is in no section; start with the section Cells");
    }
  }
  if (mesh_.cells.empty()) reject(0, "there is no cell in the file; give a section Cells");
  resolve();
  check_series();
  check_flow_mesh(mesh_);
  return std::move(mesh_);
}

}  // namespace

FlowMesh read_flow_mesh(std::string_view text, const std::string &filename, std::int64_t largest_id) {
  try {
    return FlowMeshParser(largest_id).parse(text);
  } catch (const text::Fault &fault) {
    throw FlowMeshError(text::located(filename, fault));
  }
}

}  // namespace triad

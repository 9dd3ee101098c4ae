// What the reader of meshes accepts, what it refuses, and what it says then.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "io/flow_mesh_file.h"

namespace triad {
namespace {

FlowMesh parse(const std::string &text) { return read_flow_mesh(text, "basin.mesh", 2147483647); }

// Two unit squares side by side between walls; one line each, from line 1 on.
const std::string cells = "Cells\n7 1 0.5 1 0.25 0 0.03\n3 1 0 2 0 0 0\n";                      // 1 to 3
const std::string edges = "Edges\n7 3 1 0 1\n";                                                 // 4 and 5
const std::string left = "Boundary\n7 -1 0 1 wall\n7 0 -1 1 wall\n7 0 1 1 open\n";              // 6 to 9
const std::string right = "3 1 0 1 discharge river\n3 0 -1 1 stage 2.5\n3 0 1 1 stage tide\n";  // 10 to 12
const std::string series = "Series\nriver 0 1\nriver 10 2\ntide 0 2\n";                         // 13 to 16
const std::string whole = cells + edges + left + right + series;

TEST(FlowMeshFile, ReadsCellsEdgesAndBoundary) {
  const FlowMesh mesh = parse(whole);
  ASSERT_EQ(mesh.cells.size(), 2u);
  EXPECT_EQ(mesh.cells[0].id, 7);
  EXPECT_EQ(mesh.cells[0].bed, 0.5);
  EXPECT_EQ(mesh.cells[0].qx, 0.25);
  EXPECT_EQ(mesh.cells[0].manning, 0.03);
  EXPECT_EQ(mesh.cells[1].h, 2);
  ASSERT_EQ(mesh.edges.size(), 1u);
  EXPECT_EQ(mesh.edges[0].left, 0);
  EXPECT_EQ(mesh.edges[0].right, 1);
  EXPECT_EQ(mesh.edges[0].nx, 1);
  EXPECT_EQ(mesh.edges[0].line, 5);
  ASSERT_EQ(mesh.boundary.size(), 6u);
  EXPECT_EQ(mesh.boundary[2].kind, FlowBoundaryKind::Open);
  EXPECT_EQ(mesh.boundary[3].kind, FlowBoundaryKind::Discharge);
  EXPECT_EQ(mesh.boundary[3].series, 0);
  EXPECT_EQ(mesh.boundary[4].value, 2.5);
  EXPECT_EQ(mesh.boundary[4].series, -1);
  EXPECT_EQ(mesh.boundary[5].series, 1);
  EXPECT_EQ(mesh.boundary[5].cell, 1);
}

TEST(FlowMeshFile, AcceptsAnyOrderOfSectionsAndOtherTextFiles) {
  std::string windows = "\xEF\xBB\xBF" + series + "\n# comment\n" + edges + left + right + cells;
  for (std::size_t at = 0; (at = windows.find('\n', at)) != std::string::npos; at += 2) windows.replace(at, 1, "\r\n");
  EXPECT_EQ(parse(windows).boundary.size(), 6u);
}

TEST(FlowMeshFile, InterpolatesSeries) {
  const FlowSeries s = parse(whole).series.at(0);
  EXPECT_EQ(s.name, "river");
  EXPECT_EQ(s.at(-1), 1);
  EXPECT_EQ(s.at(2.5), 1.25);
  EXPECT_EQ(s.at(10), 2);
  EXPECT_EQ(s.at(99), 2);
}

TEST(FlowMeshFile, NormalisesRoundedNormals) {
  std::string rounded = whole;
  rounded.replace(rounded.find("7 3 1 0 1"), 9, "7 3 1.0004 0 1");
  EXPECT_EQ(parse(rounded).edges[0].nx, 1);
}

struct Case {
  const char *name;
  const char *from, *to;  ///< replaced in `whole`
  std::string line;       ///< start of the message
  std::string said;       ///< what the message must contain
};
void PrintTo(const Case &c, std::ostream *out) { *out << c.name; }

class RefusedMesh : public testing::TestWithParam<Case> {};

TEST_P(RefusedMesh, NamesFileLineAndReason) {
  const Case &c = GetParam();
  std::string text = whole;
  const auto at = text.find(c.from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(c.from).size(), c.to);
  try {
    parse(text);
    ADD_FAILURE() << "accepted:\n" << text;
  } catch (const FlowMeshError &error) {
    const std::string message = error.what();
    EXPECT_EQ(message.rfind("basin.mesh" + c.line + ": ", 0), 0u) << message;
    EXPECT_NE(message.find(c.said), std::string::npos) << message;
    EXPECT_NE(message.find("; "), std::string::npos) << "says what to do: " << message;
  }
}

const Case refused[] = {
    {"nan", "7 1 0.5 1", "7 1 nan 1", ":2", "bed = 'nan'"},
    {"infinite", "3 1 0 2", "3 1 0 inf", ":3", "depth h = 'inf'"},
    {"word", "0.25 0 0.03", "0.25 fast 0.03", ":2", "qy = 'fast'"},
    {"negative_area", "3 1 0 2", "3 -1 0 2", ":3", "area = '-1'"},
    {"no_area", "3 1 0 2", "3 0 0 2", ":3", "area = '0'"},
    {"negative_depth", "3 1 0 2", "3 1 0 -2", ":3", "depth h = '-2'"},
    {"negative_manning", "0.25 0 0.03", "0.25 0 -0.03", ":2", "Manning"},
    {"dry_discharge", "7 1 0.5 1 ", "7 1 0.5 0 ", ":2", "depth 0"},
    {"cell_of_six_words", "0.25 0 0.03", "0.25 0", ":2", "6 words"},
    {"cell_twice", "3 1 0 2 0 0 0", "7 1 0 2 0 0 0", ":3", "on line 2 already"},
    {"id_zero", "3 1 0 2 0 0 0", "0 1 0 2 0 0 0", ":3", "cell ID '0'"},
    {"id_too_large", "3 1 0 2 0 0 0", "2147483648 1 0 2 0 0 0", ":3", "2147483648"},
    {"edge_of_itself", "7 3 1 0 1\n", "7 7 1 0 1\n", ":5", "with itself"},
    {"edge_of_no_cell", "7 3 1 0 1\n", "7 4 1 0 1\n", ":5", "no cell 4"},
    {"edge_twice", "7 3 1 0 1\n", "7 3 1 0 0.5\n3 7 -1 0 0.5\n", ":6", "on line 5 already"},
    {"edge_length", "7 3 1 0 1\n", "7 3 1 0 0\n", ":5", "length = '0'"},
    {"edge_normal", "7 3 1 0 1\n", "7 3 1 1 1\n", ":5", "unit vector"},
    {"edge_normal_nan", "7 3 1 0 1\n", "7 3 nan 0 1\n", ":5", "nx = 'nan'"},
    {"edge_of_four_words", "7 3 1 0 1\n", "7 3 1 0\n", ":5", "4 words"},
    {"orphan", "Edges\n", "99 1 0 1 0 0 0\nEdges\n", ":4", "cell 99 has no edges"},
    {"open_cell", "7 0 -1 1 wall\n", "", ":2", "do not close"},
    {"inward_normal", "7 0 -1 1 wall\n", "7 0.6 0.8 1 wall\n", ":2", "do not close"},
    {"boundary_twice", "7 0 -1 1 wall\n", "7 0 -1 1 wall\n7 0 -1 1 wall\n", ":9", "on line 8 already"},
    {"boundary_of_no_cell", "7 0 -1 1 wall\n", "8 0 -1 1 wall\n", ":8", "no cell 8"},
    {"boundary_kind", "7 0 -1 1 wall\n", "7 0 -1 1 beach\n", ":8", "'beach'"},
    {"wall_with_value", "7 0 -1 1 wall\n", "7 0 -1 1 wall 3\n", ":8", "6 words"},
    {"stage_without_value", "stage 2.5", "stage", ":11", "5 words"},
    {"stage_nan", "stage 2.5", "stage nan", ":11", "stage = 'nan'"},
    {"unknown_series", "stage tide", "stage ebb", ":12", "no series 'ebb'"},
    {"unused_series", "tide 0 2", "tide 0 2\nebb 0 1", ":17", "'ebb'"},
    {"series_descends", "river 10 2", "river 0 2", ":15", "does not ascend"},
    {"series_value", "river 10 2", "river 10 high", ":15", "value = 'high'"},
    {"series_name", "tide 0 2", "tide 0 2\n5 0 2", ":17", "'5'"},
    {"unknown_section", "Edges\n", "Sides\n", ":4", "'Sides' is no section"},
    {"no_section", "Cells\n", "", ":1", "no section"},
    {"no_cells", whole.c_str(), "Cells\n", "", "no cell"},
    {"empty", whole.c_str(), "", "", "no cell"},
};
INSTANTIATE_TEST_SUITE_P(FlowMesh, RefusedMesh, testing::ValuesIn(refused),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace triad

// Fuzz target of the mesh reader: any bytes are refused with a message that names the file, or read to a sound mesh. To
// be built as fuzz_tersoff_file.cpp says, with src/io/flow_mesh_file.cpp and src/io/text.cpp.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "fuzz_target.h"
#include "io/flow_mesh_file.h"

namespace {

[[noreturn]] void fail(const std::string &fault, const std::string &detail) {
  std::fprintf(stderr, "fuzz_flow_mesh_file: %s: %s\n", fault.c_str(), detail.c_str());
  std::abort();
}

bool unit(double x, double y) { return std::fabs(std::hypot(x, y) - 1) < 1e-12; }

/// What is wrong with a mesh that was read; empty if nothing is.
std::string fault_of(const triad::FlowMesh &mesh) {
  const int n = int(mesh.cells.size());
  if (n == 0) return "no cells";
  std::set<std::int64_t> ids;
  for (const auto &c : mesh.cells) {
    if (c.id < 1 || !ids.insert(c.id).second) return "an ID";
    if (!(c.area > 0) || !(c.h >= 0) || !(c.manning >= 0) || !std::isfinite(c.area + c.bed + c.h + c.qx + c.qy))
      return "a cell";
  }
  for (const auto &e : mesh.edges) {
    if (e.left < 0 || e.right < 0 || e.left >= n || e.right >= n || e.left == e.right) return "cells of an edge";
    if (!unit(e.nx, e.ny) || !(e.length > 0)) return "an edge";
  }
  for (const auto &b : mesh.boundary) {
    if (b.cell < 0 || b.cell >= n || !unit(b.nx, b.ny) || !(b.length > 0)) return "a boundary edge";
    if (b.series >= int(mesh.series.size()) || !std::isfinite(b.value)) return "a boundary value";
  }
  for (const auto &s : mesh.series) {
    if (s.time.empty() || s.time.size() != s.value.size()) return "an empty series";
    if (!std::isfinite(s.at(0.5 * s.time.front() + 0.5 * s.time.back()))) return "a series";
  }
  return "";
}

}  // namespace

const char *const fuzz_name = "fuzz_flow_mesh_file";

std::vector<std::string> fuzz_seeds() {
  return {
      "Cells\n1 1 0 1 0 0 0.03 # a cell\n2 1 0.5 0 0 0 0\nEdges\n1 2 1 0 1\nBoundary\n1 -1 0 1 wall\n1 0 -1 1 open\n"
      "1 0 1 1 stage 2\n2 1 0 1 discharge river\n2 0 -1 1 stage tide\n2 0 1 1 wall\nSeries\nriver 0 1\nriver 5 2\n"
      "tide 0 0\n",
      "\xEF\xBB\xBF"
      "Cells\r\n5 2.5 0 1 .1 0 0\r\n",
      ""};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  try {
    const auto mesh = triad::read_flow_mesh({reinterpret_cast<const char *>(data), size}, "mesh", 2147483647);
    const std::string fault = fault_of(mesh);
    if (!fault.empty()) fail("an unsound mesh was read", fault);
  } catch (const triad::FlowMeshError &error) {
    const std::string what = error.what();
    if (what.rfind("mesh", 0) != 0 || what.size() > 500 || what.find('\n') != std::string::npos)
      fail("an unsound message", what);
  }
  return 0;
}

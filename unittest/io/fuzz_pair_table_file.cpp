// Fuzz target of the reader of table files: any bytes are refused with a message that names the file, or read to a
// sound table. To be built as fuzz_tersoff_file.cpp says, with src/io/pair_table_file.cpp and src/io/text.cpp.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz_target.h"
#include "io/pair_table_file.h"

namespace {

[[noreturn]] void fail(const std::string &fault, const std::string &detail) {
  std::fprintf(stderr, "fuzz_pair_table_file: %s: %s\n", fault.c_str(), detail.c_str());
  std::abort();
}

}  // namespace

const char *const fuzz_name = "fuzz_pair_table_file";

std::vector<std::string> fuzz_seeds() {
  return {"T of lj\nN 3 FPRIME -2 -1\n\n1 1 10 30\n2 1.5 5 9\n3 3 1 2\n",
          "# a\nS\nN 2\n1 1 1 1\n2 2 1 1\n\nT\nN 2 R 1 2\n1 1 1 1\n2 2 1 1\n", "T\nRSQ 1 3 N 2\n1 1 1 1\n2 2 1 1\n",
          "T\nN 8 BITMAP 1 1.4\n1 1 1 1\n2 2 1 1\n3 3 1 1\n4 4 1 1\n5 5 1 1\n6 6 1 1\n7 7 1 1\n8 8 1 1\n", ""};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  try {
    const triad::PairTable table = triad::read_pair_table({reinterpret_cast<const char *>(data), size}, "table", "T");
    if (table.r.size() < 2 || table.energy.size() != table.r.size() || table.force.size() != table.r.size())
      fail("an unsound table was read", "sizes");
    for (std::size_t k = 0; k < table.r.size(); ++k)
      if (!(table.r[k] > (k ? table.r[k - 1] : 0)) || !std::isfinite(table.energy[k]) || !std::isfinite(table.force[k]))
        fail("an unsound table was read", "point " + std::to_string(k));
  } catch (const triad::PairTableError &error) {
    const std::string what = error.what();
    if (what.rfind("table", 0) != 0 || what.size() > 500 || what.find('\n') != std::string::npos)
      fail("an unsound message", what);
  }
  return 0;
}

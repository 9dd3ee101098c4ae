// Fuzz target of the check of formulas: any bytes are refused with a position within the text, or have sound names. To
// be built as fuzz_tersoff_file.cpp says, with src/io/formula_syntax.cpp.
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz_target.h"
#include "io/formula_syntax.h"

namespace {

[[noreturn]] void fail(const std::string &fault, const std::string &detail) {
  std::fprintf(stderr, "fuzz_formula_syntax: %s: %s\n", fault.c_str(), detail.c_str());
  std::abort();
}

}  // namespace

const char *const fuzz_name = "fuzz_formula_syntax";

std::vector<std::string> fuzz_seeds() {
  return {"4*e*((s/r)^12-(s/r)^6)", "k*x^2; x=r-r0; k=2", "select(step(r-1), min(r, 2.), -.5E+1)", "exp(-k*r)/r", ""};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  const std::string formula(reinterpret_cast<const char *>(data), size);
  try {
    for (const std::string &name : triad::free_names(formula)) {
      if (name.empty() || name == "r" || std::isdigit(static_cast<unsigned char>(name[0])))
        fail("an unsound name", name);
      if (formula.find(name) == std::string::npos) fail("a name that the formula does not have", name);
    }
  } catch (const triad::FormulaError &error) {
    if (error.position < 1 || error.position > size + 1) fail("a position beyond the formula", error.what());
  }
  return 0;
}

#include "lammps/run/variable_text.h"

#include <unordered_set>
#include <vector>

#include "input.h"
#include "lammps/run/formula_words.h"
#include "library.h"
#include "utils.h"
#include "variable.h"

namespace LAMMPS_NS {

bool VariableText::may_read_compute(const std::string &id) const {
  if (kind == Kind::Other && formula.empty()) return true;
  return names_compute(formula, id);
}

VariableText variable_text(LAMMPS *lmp, const std::string &name) {
  const int index = lmp->input->variable->find(const_cast<char *>(name.c_str()));
  return index < 0 ? VariableText() : variable_text(lmp, index);
}

/// Reads the line of `info variables`.
VariableText variable_text(LAMMPS *lmp, int index) {
  static const std::unordered_set<std::string> constant = {"index",  "loop",   "world", "universe", "uloop",
                                                           "string", "getenv", "file",  "timer",    "internal"};
  VariableText found;
  std::vector<char> text(65536);  // LAMMPS writes no final 0 if the line is longer than it may be
  const std::size_t most = text.size() - 1;
  if (!lammps_variable_info(lmp, index, text.data(), static_cast<int>(most))) return found;
  const std::string info = text.data(), before_style = "style = ", before_formula = "def = ";
  const std::size_t style_at = info.find(before_style);
  if (style_at == std::string::npos || info.size() == most) return found;
  const std::size_t style_end = info.find(',', style_at), formula_at = info.find(before_formula, style_at);
  const std::string style = info.substr(style_at + before_style.size(), style_end - style_at - before_style.size());
  if (constant.count(style)) found.kind = VariableText::Kind::Constant;
  if (formula_at == std::string::npos || constant.count(style)) return found;
  const std::string formula = utils::trim(info.substr(formula_at + before_formula.size()));
  if (style == "format") {
    found.kind = VariableText::Kind::Formula;
    found.formula = "v_" + formula.substr(0, formula.find(' '));
  } else if (style == "equal") {
    found.kind = VariableText::Kind::Formula;
    found.formula = formula.substr(0, formula.rfind(" ("));  // LAMMPS appends the last value in brackets
  } else if (style == "vector") {
    found.kind = VariableText::Kind::Formula;
    found.formula = formula;
  } else if (style == "atom") {
    found.formula = formula;
  }
  return found;
}

}  // namespace LAMMPS_NS

#include "lammps/run/formula_words.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <unordered_set>
#include <utility>

namespace LAMMPS_NS {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

}  // namespace

std::string in_small_letters(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name;
}

bool is_plain_keyword(std::string name) {
  static const std::unordered_set<std::string> plain = {
      "step",       "elapsed",  "elaplong",  "dt",      "time",        "cpu",      "tpcpu",     "spcpu",   "cpuremain",
      "part",       "t/cpu",    "s/cpu",     "cpuleft", "atoms",       "temp",     "press",     "pe",      "ke",
      "etotal",     "poteng",   "kineng",    "toteng",  "timeoutleft", "nbuild",   "ndanger",   "e_vdwl",  "evdwl",
      "ecoul",      "e_coul",   "epair",     "e_pair",  "ebond",       "e_bond",   "eangle",    "e_angle", "edihed",
      "e_dihed",    "eimp",     "e_impro",   "emol",    "e_mol",       "elong",    "e_long",    "etail",   "e_tail",
      "enthalpy",   "ecouple",  "econserve", "vol",     "volume",      "density",  "lx",        "ly",      "lz",
      "xlo",        "xhi",      "ylo",       "yhi",     "zlo",         "zhi",      "xy",        "xz",      "yz",
      "cella",      "cellb",    "cellc",     "pxx",     "pyy",         "pzz",      "pxy",       "pxz",     "pyz",
      "timeremain", "xlat",     "ylat",      "zlat",    "cellalpha",   "cellbeta", "cellgamma", "bonds",   "angles",
      "dihedrals",  "impropers"};
  return plain.count(in_small_letters(std::move(name))) > 0;
}

bool is_keyword_after_batch(std::string name) {
  static const std::unordered_set<std::string> known = {
      "step", "elapsed", "elaplong", "dt",  "time", "atoms", "vol", "volume", "density", "lx",    "ly",    "lz",
      "xlo",  "xhi",     "ylo",      "yhi", "zlo",  "zhi",   "xy",  "xz",     "yz",      "cella", "cellb", "cellc"};
  return known.count(in_small_letters(std::move(name))) > 0;
}

KeywordSources sources_of_keyword(std::string name) {
  static const std::unordered_set<std::string> of_temperature = {"temp",   "ke",       "kineng",   "etotal",
                                                                 "toteng", "enthalpy", "econserve"};
  static const std::unordered_set<std::string> of_pressure = {"press", "pxx", "pyy", "pzz",
                                                              "pxy",   "pxz", "pyz", "enthalpy"};
  static const std::unordered_set<std::string> of_energy = {"pe",     "poteng", "etotal", "toteng",   "evdwl",
                                                            "e_vdwl", "epair",  "e_pair", "enthalpy", "econserve"};
  name = in_small_letters(std::move(name));
  return {of_temperature.count(name) > 0, of_pressure.count(name) > 0, of_energy.count(name) > 0};
}

bool counts_coupling(std::string name) {
  name = in_small_letters(std::move(name));
  return name == "ecouple" || name == "econserve";
}

bool is_plain_word(const std::string &name) {
  static const std::unordered_set<std::string> plain = {"sqrt",
                                                        "exp",
                                                        "ln",
                                                        "log",
                                                        "abs",
                                                        "sign",
                                                        "sin",
                                                        "cos",
                                                        "tan",
                                                        "asin",
                                                        "acos",
                                                        "atan",
                                                        "atan2",
                                                        "random",
                                                        "normal",
                                                        "ceil",
                                                        "floor",
                                                        "round",
                                                        "ternary",
                                                        "ramp",
                                                        "stagger",
                                                        "logfreq",
                                                        "logfreq2",
                                                        "logfreq3",
                                                        "stride",
                                                        "stride2",
                                                        "vdisplace",
                                                        "swiggle",
                                                        "cwiggle",
                                                        "sum",
                                                        "min",
                                                        "max",
                                                        "ave",
                                                        "trap",
                                                        "slope",
                                                        "sort",
                                                        "rsort",
                                                        "is_file",
                                                        "is_os",
                                                        "is_active",
                                                        "is_defined",
                                                        "is_available",
                                                        "extract_setting",
                                                        "PI",
                                                        "version",
                                                        "yes",
                                                        "no",
                                                        "on",
                                                        "off",
                                                        "true",
                                                        "false"};
  return plain.count(name) > 0;
}

bool FormulaWord::is_reference() const { return text.size() > 2 && text[1] == '_' && std::strchr("cCfFv", text[0]); }

std::vector<FormulaWord> words_of_formula(const std::string &formula) {
  std::vector<FormulaWord> words;
  for (std::size_t at = 0; at < formula.size();) {
    const char c = formula[at];
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {  // a number, such as 1.0e-5
      while (at < formula.size() &&
             (is_word(formula[at]) || formula[at] == '.' ||
              ((formula[at] == '-' || formula[at] == '+') && std::tolower(formula[at - 1]) == 'e')))
        ++at;
      continue;
    }
    if (!is_word(c)) {
      ++at;
      continue;
    }
    const std::size_t start = at;
    while (at < formula.size() && is_word(formula[at])) ++at;
    const char next = at < formula.size() ? formula[at] : '\0';
    const std::string word = formula.substr(start, at - start);
    if (word == "count" && next == '(' && formula.find(',', at) > formula.find(')', at))
      at = formula.find(')', at);
    else
      words.push_back({word, next});
  }
  return words;
}

bool names_compute(const std::string &text, const std::string &id) {
  const std::vector<FormulaWord> words = words_of_formula(text);
  return std::any_of(words.begin(), words.end(), [&](const FormulaWord &word) {
    return word.is_reference() && std::tolower(static_cast<unsigned char>(word.text[0])) == 'c' && word.id() == id;
  });
}

}  // namespace LAMMPS_NS

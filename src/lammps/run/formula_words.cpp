#include "lammps/run/formula_words.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>

namespace LAMMPS_NS {

bool is_plain_keyword(std::string name) {
  static const std::unordered_set<std::string> plain = {
      "step",      "elapsed", "elaplong",  "dt",      "time",        "cpu",     "tpcpu",   "spcpu",   "cpuremain",
      "part",      "t/cpu",   "s/cpu",     "cpuleft", "atoms",       "temp",    "press",   "pe",      "ke",
      "etotal",    "poteng",  "kineng",    "toteng",  "timeoutleft", "nbuild",  "ndanger", "e_vdwl",  "evdwl",
      "ecoul",     "e_coul",  "epair",     "e_pair",  "ebond",       "e_bond",  "eangle",  "e_angle", "edihed",
      "e_dihed",   "eimp",    "e_impro",   "emol",    "e_mol",       "elong",   "e_long",  "etail",   "e_tail",
      "enthalpy",  "ecouple", "econserve", "vol",     "volume",      "density", "lx",      "ly",      "lz",
      "xlo",       "xhi",     "ylo",       "yhi",     "zlo",         "zhi",     "xy",      "xz",      "yz",
      "cella",     "cellb",   "cellc",     "pxx",     "pyy",         "pzz",     "pxy",     "pxz",     "pyz",
      "timeremain"};
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  return plain.count(name) > 0;
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

}  // namespace LAMMPS_NS

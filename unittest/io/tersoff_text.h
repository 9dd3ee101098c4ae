// Texts of potential files that the tests of the reader start from.
#pragma once

#include <string>
#include <vector>

namespace triad {

using Words = std::vector<std::string>;

/// Silicon of J. Tersoff, Phys. Rev. B 39, 5566 (1989), cutoff as in LAMMPS's SiC.tersoff.
inline const Words silicon = {"Si",     "Si",     "Si",       "3",       "1",         "0",
                              "100390", "16.217", "-0.59825", "0.78734", "1.0999e-6", "1.7322",
                              "471.18", "2.85",   "0.15",     "2.4799",  "1830.8"};

inline std::string joined(const Words &words, const std::string &separator = " ") {
  std::string text;
  for (const auto &word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

inline std::string entry(const std::string &i, const std::string &j, const std::string &k) {
  auto words = silicon;
  words[0] = i, words[1] = j, words[2] = k;
  return joined(words) + "\n";
}

/// All eight entries of two elements.
inline std::string two_elements() {
  std::string text = "# two elements\n\n";
  for (const char *i : {"Si", "C"})
    for (const char *j : {"Si", "C"})
      for (const char *k : {"Si", "C"}) text += entry(i, j, k);
  return text;
}

inline bool starts_with(const std::string &text, const std::string &start) {
  return text.compare(0, start.size(), start) == 0;
}

}  // namespace triad

// The file formats of the family, as the tests know them: names and places of the numbers, and a sound entry of each.
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "io/tersoff_file.h"
#include "tersoff_text.h"

namespace triad {

struct FormatField {
  std::string name;  ///< as in the manual
  double TersoffEntry::*value;
};

struct Format {
  std::string name;
  TersoffVariant variant;
  std::string file;  ///< a name for messages
  std::vector<FormatField> fields;
  Words sound;                        ///< an entry of silicon
  std::vector<std::string> energies;  ///< fields in units of energy
  std::vector<std::string> any_sign;  ///< fields that may be negative; the rest may not
  std::vector<std::string> not_zero;  ///< fields that must not be zero
  std::string exponent;               ///< a field that must not be zero in entries of pairs with attraction
  std::string of_pairs = "";          ///< a field that must be positive in entries of pairs, elsewhere has no meaning

  std::size_t words() const { return 3 + fields.size(); }
  std::size_t place(const std::string &field) const {
    std::size_t i = 0;
    while (fields[i].name != field) ++i;
    return 3 + i;
  }
  static bool lists(const std::vector<std::string> &names, const std::string &name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  /// The sound entry with one number replaced.
  Words with(const std::string &field, const std::string &text) const {
    Words entry = sound;
    entry[place(field)] = text;
    return entry;
  }
  std::string all_of_two_elements() const {
    std::string text = "# two elements\n";
    for (const char *i : {"Si", "C"})
      for (const char *j : {"Si", "C"})
        for (const char *k : {"Si", "C"}) {
          Words entry = sound;
          entry[0] = i, entry[1] = j, entry[2] = k;
          text += joined(entry) + "\n";
        }
    return text;
  }
};
inline std::ostream &operator<<(std::ostream &out, const Format &format) { return out << format.name; }

inline std::vector<FormatField> plain_field_names() {
  using E = TersoffEntry;
  return {{"m", &E::m},          {"gamma", &E::gamma}, {"lambda3", &E::lam3},
          {"c", &E::c},          {"d", &E::d},         {"costheta0", &E::costheta0},
          {"n", &E::n},          {"beta", &E::beta},   {"lambda2", &E::lam2},
          {"B", &E::B},          {"R", &E::R},         {"D", &E::D},
          {"lambda1", &E::lam1}, {"A", &E::A}};
}

/// Numbers of silicon: Tersoff 1989, Kumagai 2007, Purja Pun and Mishin 2017, Devanathan 1998.
inline std::vector<Format> formats() {
  using E = TersoffEntry;
  Format plain = {"Plain",
                  TersoffVariant::Plain,
                  "Si.tersoff",
                  plain_field_names(),
                  silicon,
                  {"A", "B"},
                  {"lambda3", "costheta0"},
                  {"m", "d"},
                  "n"};
  Format mod = {"Mod",
                TersoffVariant::Mod,
                "Si.tersoff.mod",
                {{"beta", &E::m},
                 {"alpha", &E::lam3},
                 {"h", &E::costheta0},
                 {"eta", &E::n},
                 {"beta_ters", &E::beta},
                 {"lambda2", &E::lam2},
                 {"B", &E::B},
                 {"R", &E::R},
                 {"D", &E::D},
                 {"lambda1", &E::lam1},
                 {"A", &E::A},
                 {"n", &E::n_outer},
                 {"c1", &E::c1},
                 {"c2", &E::c2},
                 {"c3", &E::c3},
                 {"c4", &E::c4},
                 {"c5", &E::c5}},
                {"Si",        "Si",         "Si",        "1.0",       "2.3890327", "-.365",     "1.0",
                 "1.0",       "1.345797",   "121.00047", "3.0",       "0.3",       "3.2300135", "3281.5905",
                 ".93810551", "0.20173476", "730418.72", "1000000.0", "1.0",       "26.0"},
                {"A", "B"},
                {"alpha", "h", "n", "c1", "c2", "c3", "c4", "c5"},
                {"beta"},
                "eta",
                "n"};
  Format modc = mod;
  modc.name = "ModC";
  modc.variant = TersoffVariant::ModC;
  modc.file = "Si.tersoff.modc";
  modc.fields.push_back({"C", &E::c0});
  modc.sound = {"Si",
                "Si",
                "Si",
                "3.00000000",
                "1.80536502",
                "-0.38136087",
                "2.16152496",
                "1",
                "1.39343356",
                "117.78072440",
                "2.87478837",
                "0.33090566",
                "3.18011795",
                "3198.51383127",
                "1.98633876",
                "0.20123243",
                "614230.04310619",
                "996439.09714140",
                "3.33560562",
                "25.20963770",
                "-0.00592042"};
  modc.energies.push_back("C");
  modc.any_sign.push_back("C");
  Format zbl = plain;
  zbl.name = "Zbl";
  zbl.variant = TersoffVariant::Zbl;
  zbl.file = "SiC.tersoff.zbl";
  for (const FormatField &extra :
       {FormatField{"Z_i", &E::Z_i}, {"Z_j", &E::Z_j}, {"ZBLcut", &E::zbl_cut}, {"ZBLexpscale", &E::zbl_scale}})
    zbl.fields.push_back(extra);
  for (const char *number : {"14", "6", ".95", "14.5"}) zbl.sound.push_back(number);
  zbl.not_zero.insert(zbl.not_zero.end(), {"Z_i", "Z_j"});
  return {plain, mod, modc, zbl};
}

/// What is wrong with a table that the reader gave, empty if nothing: whatever the text, a table must be fit to compute
/// with.
inline std::string fault_of(const TersoffTable &table, const Format &format, std::size_t elements) {
  if (table.elements.size() != elements || table.triplets.size() != elements * elements * elements)
    return "wrong number of triplets";
  if (!(table.cutmax() > 0)) return "no cutoff";
  for (const auto &e : table.triplets) {
    if (e.line < 1) return "an entry without a line";
    for (const auto &field : format.fields) {
      const double value = e.*field.value;
      if (!std::isfinite(value)) return field.name + " is not finite";
      if (value < 0 && !Format::lists(format.any_sign, field.name)) return field.name + " is negative";
      if (value == 0 && Format::lists(format.not_zero, field.name)) return field.name + " is zero";
    }
    if (e.D > e.R) return "D > R";
    const bool of_pair = e.element[1] == e.element[2];
    if (!format.of_pairs.empty() && of_pair && !(e.n_outer > 0)) return "no exponent";
    if (of_pair && e.B != 0 && e.cutoff() > 0 && !(e.n > 0)) return "no exponent of zeta";
    if (e.m != 1 && e.m != 3) return "m is neither 1 nor 3";
    if (format.variant == TersoffVariant::Zbl && (e.Z_i < 1 || e.Z_j < 1)) return "a charge number below 1";
  }
  return {};
}

/// What is wrong with the message of a refusal, empty if nothing.
inline std::string fault_of(const std::string &message, const std::string &file) {
  if (!starts_with(message, file + ":")) return "does not start with the file";
  if (message.size() > 800) return "is too long";
  if (message.find("; ") == std::string::npos) return "does not say what to do";
  if (!std::all_of(message.begin(), message.end(), [](char c) { return c >= ' ' && c <= '~'; }))
    return "is not printable";
  return {};
}

}  // namespace triad

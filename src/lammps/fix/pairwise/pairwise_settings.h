// Settings of the command "fix ID group pairwise/triad ...".
#pragma once

#include <string>
#include <vector>

#include "forces/pairwise/pairwise_backend.h"
#include "io/pair_list_file.h"
#include "lammps/util/backend_choice.h"

namespace LAMMPS_NS {

struct PairwiseSettings {
  triad::PairwiseSetup setup;  ///< without the factors of special bonds and the skin, which each run sets
  BackendChoice backend = BackendChoice::Auto;
  bool nearest_image = true;             ///< range all: nearest periodic images; otherwise unwrapped coordinates
  bool special_bonds = true;             ///< scale the pairs of special bonds
  std::string group2;                    ///< empty: pairs within the fix group
  std::string law_name;                  ///< as in the command
  std::string pair_file;                 ///< range Pairs
  std::vector<triad::ListedPair> pairs;  ///< range Pairs

  bool is_gravity() const { return std::holds_alternative<triad::GravitySettings>(setup.law); }
  /// True if the factors of special bonds are those of lj; the others have those of coul.
  bool scaled_as_lj() const {
    return law_name == "lj" || law_name == "morse" || law_name == "buck" || law_name == "table";
  }
};

/// Parses the words after the style name. Collective, because the law may name a file. Error messages quote the wrong
/// word.
PairwiseSettings parse_pairwise_settings(LAMMPS *lmp, int narg, char **arg);

}  // namespace LAMMPS_NS

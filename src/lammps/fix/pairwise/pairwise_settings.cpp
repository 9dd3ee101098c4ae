#include "lammps/fix/pairwise/pairwise_settings.h"

#include <cstdio>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "group.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/numbers.h"
#include "lammps/util/text_file.h"

namespace LAMMPS_NS {
namespace {

using triad::CoulombPowerSettings;
using triad::GravitySettings;
using triad::HarmonicSettings;
using triad::LennardJonesSettings;
using triad::PairRange;

const std::string command = "fix pairwise/triad";

/// Parses the words of the command.
class Parser {
 public:
  Parser(LAMMPS *lmp, int narg, char **arg) : lmp_(lmp), words_(arg, arg + narg) {
    s_.setup.precision = default_precision(lmp);
    s_.backend = default_backend(lmp);
  }
  PairwiseSettings run();

 private:
  std::string word(const std::string &what);
  double number(const std::string &what);
  double not_negative(const std::string &what);
  std::size_t choice(const std::string &keyword, const std::vector<std::string> &known);
  std::pair<int, int> types();
  void law();
  void pair_file();
  void keyword(const std::string &name);
  void coeff();
  template <class Settings, class Read>
  bool coeff_of(Read &&read);
  void check() const;
  void check_coefficients() const;
  template <class... Values>
  [[noreturn]] void fail(const std::string &format, Values &&...values) const {
    lmp_->error->all(FLERR, format, std::forward<Values>(values)...);
  }

  LAMMPS *lmp_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  PairwiseSettings s_;
  std::string law_;
  std::vector<char> has_coefficients_;                                                      // [n_types][n_types]
  bool range_ = false, cutoff_ = false, image_ = false, exclude_ = false, kernel_ = false;  // keywords that were given
};

std::string Parser::word(const std::string &what) {
  if (at_ == words_.size()) fail("Missing {} in {}", what, command);
  return words_[at_++];
}

double Parser::number(const std::string &what) { return finite_number(lmp_, command + " " + what, word(what)); }

double Parser::not_negative(const std::string &what) {
  const double value = number(what);
  if (!(value >= 0)) fail("{} {} is {}; give zero or more", command, what, value);
  return value;
}

/// Returns the index of the value of a keyword among the known values.
std::size_t Parser::choice(const std::string &keyword, const std::vector<std::string> &known) {
  const std::string value = word("value after keyword " + keyword);
  std::string list;
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (value == known[k]) return k;
    list += (k ? ", " : "") + known[k];
  }
  fail("Unknown {} {}: {} (known: {})", command, keyword, value, list);
}

/// Returns the first and last of the atom types of a word: a number, a range with *, or a type label.
std::pair<int, int> Parser::types() {
  const std::string range = word("atom type after keyword coeff");
  const int n = s_.setup.n_types;
  int first = 0, last = 0;
  if (lmp_->atom->labelmapflag && utils::is_type(range) == 1)
    utils::bounds_typelabel(FLERR, range, 1, n, first, last, lmp_, Atom::ATOM);
  else
    utils::bounds(FLERR, range, 1, n, first, last, nullptr);
  if (first < 1 || last < first || last > n)
    fail("{} atom type {} after keyword coeff: give a type from 1 to {}, or a range of types", command, range, n);
  return {first, last};
}

void Parser::law() {
  law_ = word("law (gravity, coulomb/power, lj or harmonic)");
  const int n_types = s_.setup.n_types = lmp_->atom->ntypes;
  has_coefficients_.assign(std::size_t(n_types) * n_types, 0);
  if (law_ == "gravity") {
    GravitySettings gravity;
    gravity.G = number("G of gravity");
    gravity.eps = not_negative("eps of gravity");
    s_.setup.law = gravity;
  } else if (law_ == "coulomb/power") {
    CoulombPowerSettings coulomb;
    coulomb.pairs = decltype(coulomb.pairs)(n_types);
    s_.setup.law = coulomb;
  } else if (law_ == "lj") {
    LennardJonesSettings lj;
    lj.pairs = decltype(lj.pairs)(n_types);
    s_.setup.law = lj;
  } else if (law_ == "harmonic") {
    s_.setup.law = HarmonicSettings();
    s_.setup.range = PairRange::Pairs;
    pair_file();
  } else {
    fail("Unknown {} law: {} (known: gravity, coulomb/power, lj, harmonic)", command, law_);
  }
}

void Parser::pair_file() {
  s_.pair_file = word("file after harmonic");
  const std::string what = command + " pair file " + s_.pair_file;
  FILE *file = nullptr;
  if (lmp_->comm->me == 0) {
    file = std::fopen(s_.pair_file.c_str(), "rb");
    if (!file) lmp_->error->one(FLERR, "Cannot open {}: {}", what, utils::getsyserror());
  }
  try {
    s_.pairs = triad::read_pair_list(read_on_all_ranks(lmp_, file, what, MAXSMALLINT), s_.pair_file, MAXTAGINT);
  } catch (const triad::PairListError &e) {
    fail("{}: {}", command, e.what());
  }
}

void Parser::keyword(const std::string &name) {
  if (name == "coeff") {
    coeff();
  } else if (name == "floor") {
    auto *coulomb = std::get_if<CoulombPowerSettings>(&s_.setup.law);
    if (!coulomb) fail("{} keyword floor belongs to the law coulomb/power; with gravity use eps", command);
    coulomb->floor = not_negative("floor");
  } else if (name == "range") {
    range_ = true;
    s_.setup.range = choice(name, {"all", "list"}) == 0 ? PairRange::All : PairRange::List;
  } else if (name == "cutoff") {
    cutoff_ = true;
    s_.setup.cutoff = number("cutoff");
    if (!(s_.setup.cutoff > 0)) fail("{} cutoff is {}; give a positive distance", command, s_.setup.cutoff);
  } else if (name == "image") {
    image_ = true;
    s_.nearest_image = choice(name, {"minimum", "none"}) == 0;
  } else if (name == "group2") {
    s_.group2 = word("group-ID after keyword group2");
    if (lmp_->group->find(s_.group2) < 0) fail("{} group2: there is no group {}", command, s_.group2);
  } else if (name == "exclude") {
    exclude_ = true;
    s_.special_bonds = choice(name, {"special", "none"}) == 0;
  } else if (name == "precision") {
    s_.setup.precision = parse_precision(lmp_, command + " precision", word("value after keyword precision"));
  } else if (name == "backend") {
    s_.backend = parse_backend(lmp_, command + " backend", word("value after keyword backend"));
  } else if (name == "kernel") {
    kernel_ = true;
    constexpr triad::PairKernel kernels[] = {triad::PairKernel::Auto, triad::PairKernel::Triangular,
                                             triad::PairKernel::OneSided};
    s_.setup.kernel = kernels[choice(name, {"auto", "triangular", "onesided"})];
  } else {
    fail(
        "Unknown {} keyword: {} (known: coeff, floor, range, cutoff, image, group2, exclude, precision, backend, "
        "kernel)",
        command, name);
  }
}

/// Reads an entry with `read` for the type pairs of the next two words, if the law is that of `Settings`.
template <class Settings, class Read>
bool Parser::coeff_of(Read &&read) {
  auto *law = std::get_if<Settings>(&s_.setup.law);
  if (!law) return false;
  const int n = s_.setup.n_types;
  const auto rows = types(), columns = types();
  const typename Settings::Entry entry = read();
  for (int i = rows.first; i <= rows.second; ++i)
    for (int j = columns.first; j <= columns.second; ++j) {
      law->pairs.set(i, j, entry);
      has_coefficients_[(i - 1) * std::size_t(n) + (j - 1)] = has_coefficients_[(j - 1) * std::size_t(n) + (i - 1)] = 1;
    }
  return true;
}

void Parser::coeff() {
  const bool known = coeff_of<CoulombPowerSettings>([&] {
                       CoulombPowerSettings::Entry e;
                       e.c1 = number("c1 of coeff I J c1 c2 n");
                       e.c2 = not_negative("c2 of coeff I J c1 c2 n");
                       e.n = number("n of coeff I J c1 c2 n");
                       if (!(e.n > 0)) fail("{} n of coeff I J c1 c2 n is {}; give a positive exponent", command, e.n);
                       return e;
                     }) ||
                     coeff_of<LennardJonesSettings>([&] {
                       LennardJonesSettings::Entry e;
                       e.epsilon = number("eps of coeff I J eps sigma");
                       e.sigma = not_negative("sigma of coeff I J eps sigma");
                       return e;
                     });
  if (!known) fail("{} law {} has no coefficients per type pair; remove keyword coeff", command, law_);
}

/// Checks that need all settings.
void Parser::check() const {
  if (s_.setup.range == PairRange::Pairs) {
    if (law_ != "harmonic") fail("{} law {} has no list of pairs", command, law_);
    for (const auto &[given, name] :
         {std::pair(image_, "image"), std::pair(exclude_, "exclude"), std::pair(kernel_, "kernel")})
      if (given) fail("{} keyword {} has no effect with the law harmonic; remove it", command, name);
  } else if (law_ == "harmonic") {
    fail("{} keyword range has no effect with the law harmonic, whose file lists the pairs; remove it", command);
  }
  if (s_.setup.range == PairRange::All && cutoff_)
    fail("{} keyword cutoff needs range list: range all includes every pair", command);
  if (s_.setup.range == PairRange::List && !cutoff_) fail("{} range list needs keyword cutoff", command);
  if (s_.setup.range == PairRange::List && image_)
    fail("{} keyword image needs range all: a neighbor list has all images within the cutoff", command);
  check_coefficients();
}

void Parser::check_coefficients() const {
  if (std::holds_alternative<GravitySettings>(s_.setup.law) || std::holds_alternative<HarmonicSettings>(s_.setup.law))
    return;
  constexpr int most = 10;
  const int n = s_.setup.n_types;
  int missing = 0;
  std::string list;
  for (int i = 1; i <= n; ++i)
    for (int j = i; j <= n; ++j)
      if (!has_coefficients_[(i - 1) * std::size_t(n) + (j - 1)] && ++missing <= most)
        list += (missing > 1 ? ", " : "") + std::to_string(i) + " " + std::to_string(j);
  if (missing > most) list += " and " + std::to_string(missing - most) + " more";
  if (missing > 0)
    fail("{} law {}: no coeff for the type pairs {}; there is no mixing, give each", command, law_, list);
}

PairwiseSettings Parser::run() {
  law();
  while (at_ < words_.size()) keyword(word("keyword"));
  check();
  return std::move(s_);
}

}  // namespace

PairwiseSettings parse_pairwise_settings(LAMMPS *lmp, int narg, char **arg) { return Parser(lmp, narg, arg).run(); }

}  // namespace LAMMPS_NS

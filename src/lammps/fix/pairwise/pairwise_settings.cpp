#include "lammps/fix/pairwise/pairwise_settings.h"

#include <algorithm>

#include "atom.h"
#include "comm.h"
#include "error.h"
#include "group.h"
#include "lammps/fix/pairwise/formula_parser.h"
#include "lammps/fix/pairwise/pair_tables.h"
#include "lammps/util/default_settings.h"
#include "lammps/util/settings.h"
#include "lammps/util/text_file.h"

namespace LAMMPS_NS {
namespace {

using triad::CoulombPowerSettings;
using triad::ExponentialKind;
using triad::ExponentialSettings;
using triad::FormulaSettings;
using triad::GravitySettings;
using triad::LennardJonesSettings;
using triad::ListedSettings;
using triad::PairRange;
using triad::TableSettings;
using triad::TableStyle;

constexpr const char *command = "fix pairwise/triad";
enum class Law { Gravity, CoulombPower, LennardJones, Yukawa, Morse, Buckingham, Table, Harmonic, Listed, Formula };

class Parser {
 public:
  Parser(LAMMPS *lmp, triad::SettingReader &words) : lmp_(lmp), words_(words), tables_(lmp, command) {
    s_.setup.precision = default_precision(lmp);
    s_.backend = default_backend(lmp);
  }
  PairwiseSettings run();

 private:
  std::pair<int, int> types();
  void law();
  void pair_file(triad::PairListFormat format);
  void formula();
  FormulaSettings::Entry formula_entry();
  void keywords();
  void floor();
  void group2();
  ExponentialSettings::Entry exponential_entry();
  void coeff();
  template <class Settings, class Read>
  bool coeff_of(Read &&read);
  void check() const;
  void check_coefficients() const;

  LAMMPS *lmp_;
  triad::SettingReader &words_;
  PairwiseSettings s_;
  std::vector<char> has_coefficients_;  // [n_types][n_types]
  PairTables tables_;
};

/// Returns the first and last of the atom types of a word: a number, a range with *, or a type label.
std::pair<int, int> Parser::types() {
  const std::string range = words_.word("atom type");
  const int n = s_.setup.n_types;
  int first = 0, last = 0;
  if (lmp_->atom->labelmapflag && utils::is_type(range) == 1)
    utils::bounds_typelabel(FLERR, range, 1, n, first, last, lmp_, Atom::ATOM);
  else
    utils::bounds(FLERR, range, 1, n, first, last, nullptr);
  if (first < 1 || last < first || last > n)
    words_.reject(
        fmt::format("atom type {} after keyword coeff: give a type from 1 to {}, or a range of types", range, n));
  return {first, last};
}

void Parser::law() {
  if (!words_.done()) s_.law_name = words_.peek();
  const Law law = words_.choice<Law>({{"gravity", Law::Gravity},
                                      {"coulomb/power", Law::CoulombPower},
                                      {"lj", Law::LennardJones},
                                      {"yukawa", Law::Yukawa},
                                      {"morse", Law::Morse},
                                      {"buck", Law::Buckingham},
                                      {"table", Law::Table},
                                      {"harmonic", Law::Harmonic},
                                      {"listed", Law::Listed},
                                      {"law", Law::Formula}},
                                     "law");
  const int n_types = s_.setup.n_types = lmp_->atom->ntypes;
  has_coefficients_.assign(std::size_t(n_types) * n_types, 0);
  if (law == Law::Gravity) {
    GravitySettings gravity;
    gravity.G = words_.number("G of gravity");
    gravity.eps = words_.not_negative("eps of gravity");
    s_.setup.law = gravity;
  } else if (law == Law::CoulombPower) {
    CoulombPowerSettings coulomb;
    coulomb.pairs = decltype(coulomb.pairs)(n_types);
    s_.setup.law = coulomb;
  } else if (law == Law::LennardJones) {
    LennardJonesSettings lj;
    lj.pairs = decltype(lj.pairs)(n_types);
    s_.setup.law = lj;
  } else if (law == Law::Yukawa || law == Law::Morse || law == Law::Buckingham) {
    ExponentialSettings exponential;
    exponential.kind = law == Law::Yukawa  ? ExponentialKind::Yukawa
                       : law == Law::Morse ? ExponentialKind::Morse
                                           : ExponentialKind::Buckingham;
    exponential.pairs = decltype(exponential.pairs)(n_types);
    s_.setup.law = exponential;
  } else if (law == Law::Table) {
    const TableStyle style = words_.choice<TableStyle>({{"lookup", TableStyle::Lookup},
                                                        {"linear", TableStyle::Linear},
                                                        {"spline", TableStyle::Spline},
                                                        {"bitmap", TableStyle::Bitmap}},
                                                       "interpolation of table");
    tables_.set_points(style, words_.whole_number_from(2, "number of points of table"));
    TableSettings table;
    table.pairs = decltype(table.pairs)(n_types);
    s_.setup.law = table;
  } else if (law == Law::Formula) {
    formula();
  } else {
    s_.setup.law = ListedSettings();
    s_.setup.range = PairRange::Pairs;
    pair_file(law == Law::Listed ? triad::PairListFormat::AnyLaw : triad::PairListFormat::Springs);
  }
}

void Parser::pair_file(triad::PairListFormat format) {
  s_.pair_file = words_.word("file after " + s_.law_name);
  const std::string what = std::string(command) + " pair file " + s_.pair_file;
  FILE *const file = lmp_->comm->me == 0 ? std::fopen(s_.pair_file.c_str(), "rb") : nullptr;
  if (!file && lmp_->comm->me == 0) lmp_->error->one(FLERR, "Cannot open {}: {}", what, utils::getsyserror());
  const std::string text = read_on_all_ranks(lmp_, file, what, MAXSMALLINT);
  try {
    s_.pairs = triad::read_pair_list(text, s_.pair_file, MAXTAGINT, format);
  } catch (const triad::PairListError &e) {
    lmp_->error->all(FLERR, "{}: {}", command, e.what());
  }
}

void Parser::formula() {
  const std::string text = words_.word("formula after law");
  FormulaSettings settings;
  try {
    settings.formula = parse_formula(text);
  } catch (const std::runtime_error &e) {
    words_.reject(e.what());
  }
  settings.pairs = decltype(settings.pairs)(s_.setup.n_types);
  s_.setup.law = settings;
}

/// Reads the constants of a pair of types: names, each with a number.
FormulaSettings::Entry Parser::formula_entry() {
  const std::vector<std::string> &names = std::get<FormulaSettings>(s_.setup.law).formula->parameters;
  FormulaSettings::Entry entry;
  std::vector<char> given(names.size(), 0);
  const auto next = [&] { return words_.done() ? names.end() : std::find(names.begin(), names.end(), words_.peek()); };
  for (auto name = next(); name != names.end(); name = next()) {
    words_.word();
    if (given[name - names.begin()]) words_.reject("coeff gives the constant " + *name + " twice");
    entry.p[name - names.begin()] = words_.number(*name + " of coeff I J " + *name + " value");
    given[name - names.begin()] = 1;
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!given[k])
      words_.reject("coeff lacks the constant " + names[k] + " of the formula; write " + names[k] + " and its value");
  return entry;
}

void Parser::keywords() {
  using triad::PairKernel;
  const bool listed = s_.setup.range == PairRange::Pairs;
  const auto read_range = [&] {
    const PairRange range = words_.choice<PairRange>({{"all", PairRange::All}, {"list", PairRange::List}});
    if (!listed) s_.setup.range = range;  // check() refuses the keyword for listed pairs
  };
  const auto read_kernel = [&] {
    s_.setup.kernel = words_.choice<PairKernel>(
        {{"auto", PairKernel::Auto}, {"triangular", PairKernel::Triangular}, {"onesided", PairKernel::OneSided}});
  };
  words_.keywords({{"coeff", [&] { coeff(); }},
                   {"floor", [&] { floor(); }},
                   {"range", read_range},
                   {"cutoff", [&] { s_.setup.cutoff = words_.positive(); }},
                   {"image",
                    [&] {
                      s_.nearest_image = words_.choice<bool>({{"minimum", true}, {"none", false}});
                    }},
                   {"group2", [&] { group2(); }},
                   {"exclude",
                    [&] {
                      s_.special_bonds = words_.choice<bool>({{"special", true}, {"none", false}});
                    }},
                   {"precision", [&] { s_.setup.precision = read_precision(words_); }},
                   {"backend", [&] { s_.backend = read_backend(words_); }},
                   {"kernel", read_kernel}});
}

void Parser::floor() {
  auto *const coulomb = std::get_if<CoulombPowerSettings>(&s_.setup.law);
  if (!coulomb) words_.reject("keyword floor belongs to the law coulomb/power; with gravity use eps");
  coulomb->floor = words_.not_negative();
}

void Parser::group2() {
  s_.group2 = words_.word("group-ID");
  if (lmp_->group->find(s_.group2) < 0) words_.reject("group2: there is no group " + s_.group2);
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

ExponentialSettings::Entry Parser::exponential_entry() {
  ExponentialSettings::Entry e;
  switch (std::get<ExponentialSettings>(s_.setup.law).kind) {
    case ExponentialKind::Yukawa:
      e.p[0] = words_.number("A of coeff I J A kappa");
      e.p[1] = words_.not_negative("kappa of coeff I J A kappa");
      break;
    case ExponentialKind::Morse:
      e.p[0] = words_.number("D0 of coeff I J D0 alpha r0");
      e.p[1] = words_.positive("alpha of coeff I J D0 alpha r0");
      e.p[2] = words_.not_negative("r0 of coeff I J D0 alpha r0");
      break;
    default:
      e.p[0] = words_.number("A of coeff I J A rho C");
      e.p[1] = 1 / words_.positive("rho of coeff I J A rho C");
      e.p[2] = words_.number("C of coeff I J A rho C");
  }
  return e;
}

void Parser::coeff() {
  const bool known = coeff_of<CoulombPowerSettings>([&] {
                       CoulombPowerSettings::Entry e;
                       e.c1 = words_.number("c1 of coeff I J c1 c2 n");
                       e.c2 = words_.not_negative("c2 of coeff I J c1 c2 n");
                       e.n = words_.positive("n of coeff I J c1 c2 n");
                       return e;
                     }) ||
                     coeff_of<LennardJonesSettings>([&] {
                       LennardJonesSettings::Entry e;
                       e.epsilon = words_.number("eps of coeff I J eps sigma");
                       e.sigma = words_.not_negative("sigma of coeff I J eps sigma");
                       return e;
                     }) ||
                     coeff_of<ExponentialSettings>([&] { return exponential_entry(); }) ||
                     coeff_of<FormulaSettings>([&] { return formula_entry(); }) || coeff_of<TableSettings>([&] {
                       TableSettings::Entry e;
                       e.first = tables_.read(words_);
                       return e;
                     });
  if (!known) words_.reject("law " + s_.law_name + " has no coefficients per type pair; remove keyword coeff");
}

/// Checks that need all settings.
void Parser::check() const {
  if (s_.setup.range == PairRange::Pairs) {
    for (const std::string name : {"range", "image", "exclude", "kernel"})
      if (words_.given(name))
        words_.reject("keyword " + name + " has no effect with the law " + s_.law_name +
                      ", whose file lists the pairs; remove it");
  }
  if (s_.setup.range == PairRange::All && words_.given("cutoff"))
    words_.reject("keyword cutoff needs range list: range all includes every pair");
  if (s_.setup.range == PairRange::List && !words_.given("cutoff")) words_.reject("range list needs keyword cutoff");
  if (s_.setup.range == PairRange::List && words_.given("image"))
    words_.reject("keyword image needs range all: a neighbor list has all images within the cutoff");
  check_coefficients();
}

void Parser::check_coefficients() const {
  if (std::holds_alternative<GravitySettings>(s_.setup.law) || std::holds_alternative<ListedSettings>(s_.setup.law))
    return;
  std::string constants;
  if (const auto *formula = std::get_if<FormulaSettings>(&s_.setup.law)) {
    if (formula->formula->parameters.empty()) return;
    for (const std::string &name : formula->formula->parameters) constants += " " + name + " value";
    constants = " as coeff I J" + constants + ", or define these names in the formula after a semicolon";
  }
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
    words_.reject(fmt::format("law {}: no coeff for the type pairs {}; there is no mixing, give each{}", s_.law_name,
                              list, constants));
}

PairwiseSettings Parser::run() {
  law();
  keywords();
  check();
  if (auto *const table = std::get_if<TableSettings>(&s_.setup.law)) tables_.fill(*table, s_.setup.cutoff, words_);
  if (s_.law_name == "harmonic" && s_.setup.cutoff > 0)  // all pairs of the file are candidates
    for (triad::ListedPair &pair : s_.pairs) pair.constants.fixed = false;
  return std::move(s_);
}

}  // namespace

PairwiseSettings parse_pairwise_settings(LAMMPS *lmp, int narg, char **arg) {
  return read_settings(lmp, command, narg, arg, [&](triad::SettingReader &words) { return Parser(lmp, words).run(); });
}

}  // namespace LAMMPS_NS

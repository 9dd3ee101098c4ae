#include "forces/pairwise/pairwise_checks.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "core/tuning.h"
#include "forces/pairwise/pairwise_formats.h"
#include "forces/pairwise/tile_order.h"

namespace triad {
namespace {

[[noreturn]] void refuse(const std::string &setting, double value, const char *what) {
  char number[40];
  std::snprintf(number, sizeof number, "%g", value);
  throw LoopError(setting + " is " + number + "; it must be " + what);
}
void require_not_negative(const std::string &setting, double value) {
  if (!(value >= 0 && std::isfinite(value))) refuse(setting, value, "zero or more");
}
void require_finite(const std::string &setting, double value) {
  if (!std::isfinite(value)) refuse(setting, value, "a finite number");
}

std::string of_types(const char *name, int a, int b) {
  return std::string(name) + " of types " + std::to_string(a) + " and " + std::to_string(b);
}

template <class Entry>
void require_table(const TypePairTable<Entry> &table, int n_types) {
  if (table.n_types < n_types || table.entry.size() != std::size_t(table.n_types) * table.n_types)
    throw LoopError("there are coefficients for " + std::to_string(table.n_types) + " atom types instead of " +
                    std::to_string(n_types));
}

struct CheckLaw {
  int n_types;

  void operator()(const GravitySettings &s) const {
    require_finite("gravity G", s.G);
    require_not_negative("gravity eps", s.eps);
  }
  void operator()(const CoulombPowerSettings &s) const {
    require_not_negative("floor", s.floor);
    require_table(s.pairs, n_types);
    for (int a = 1; a <= n_types; ++a)
      for (int b = 1; b <= n_types; ++b) {
        const auto &e = s.pairs.at(a, b);
        require_finite(of_types("c1", a, b), e.c1);
        require_not_negative(of_types("c2", a, b), e.c2);
        if (!(e.n > 0 && std::isfinite(e.n))) refuse(of_types("n", a, b), e.n, "greater than zero");
      }
  }
  void operator()(const LennardJonesSettings &s) const {
    require_table(s.pairs, n_types);
    for (int a = 1; a <= n_types; ++a)
      for (int b = 1; b <= n_types; ++b) {
        require_finite(of_types("epsilon", a, b), s.pairs.at(a, b).epsilon);
        require_not_negative(of_types("sigma", a, b), s.pairs.at(a, b).sigma);
      }
  }
  void operator()(const LennardJonesCutSettings &s) const {
    require_table(s.pairs, n_types);
    for (int a = 1; a <= n_types; ++a)
      for (int b = 1; b <= n_types; ++b) {
        const auto &e = s.pairs.at(a, b);
        require_finite(of_types("epsilon", a, b), e.epsilon);
        require_not_negative(of_types("sigma", a, b), e.sigma);
        require_not_negative(of_types("cutoff", a, b), e.cutoff);
        require_finite(of_types("offset", a, b), e.offset);
      }
  }
  void operator()(const ExponentialSettings &s) const {
    require_table(s.pairs, n_types);
    for (int a = 1; a <= n_types; ++a)
      for (int b = 1; b <= n_types; ++b)
        for (const double p : s.pairs.at(a, b).p) require_finite(of_types("a parameter", a, b), p);
  }
  void operator()(const TableSettings &s) const {
    require_table(s.pairs, n_types);
    if (!s.points) throw LoopError("there is no table");
  }
  void operator()(const FormulaSettings &s) const {
    require_table(s.pairs, n_types);
    if (!s.formula) throw LoopError("there is no formula");
    if (s.formula->steps.size() > std::size_t(Formula::most_steps))
      throw LoopError("the formula has " + std::to_string(s.formula->steps.size()) + " steps; the maximum is " +
                      std::to_string(Formula::most_steps) + "; shorten the formula, or use the law table");
    for (int a = 1; a <= n_types; ++a)
      for (int b = 1; b <= n_types; ++b)
        for (const double p : s.pairs.at(a, b).p) require_finite(of_types("a parameter", a, b), p);
  }
  void operator()(const ListedSettings &) const {}
};

/// Returns the nearest atom that interacts with `atom`, or -1.
int nearest_atom(const PairAtomsView &atoms, int atom, const PairGeometry &geometry, double &distance) {
  int nearest = -1;
  for (int j = 0; j < atoms.n; ++j) {
    if (j == atom || (atoms.side && !acts(atoms.side[atom], atoms.side[j]))) continue;
    const double d = geometry.distance(atoms, atom, j);
    if (nearest < 0 || d < distance) {
      nearest = j;
      distance = d;
    }
  }
  return nearest;
}

std::string position_text(const double *x) {
  char text[120];
  std::snprintf(text, sizeof text, "(%.9g, %.9g, %.9g)", x[0], x[1], x[2]);
  return text;
}

}  // namespace

void check_pairwise_setup(const PairwiseSetup &setup) {
  if (setup.n_types < 1) refuse("the number of atom types", setup.n_types, "one or more");
  std::visit(CheckLaw{setup.n_types}, setup.law);
  if (std::holds_alternative<ListedSettings>(setup.law) != (setup.range == PairRange::Pairs))
    throw LoopError("laws of listed pairs require range pairs, and range pairs requires these laws");
  if (std::holds_alternative<LennardJonesCutSettings>(setup.law) && setup.range != PairRange::List)
    throw LoopError("a law with a cutoff for each pair of types requires range list");
  require_not_negative("cutoff", setup.cutoff);
  require_not_negative("skin", setup.skin);
  if (setup.range == PairRange::List && setup.cutoff == 0) refuse("cutoff", setup.cutoff, "greater than zero");
  for (const double factor : setup.special) require_finite("a factor of special bonds", factor);
}

void check_pair_arrays(const PairwiseSetup &setup, const PairAtomsView &atoms) {
  if (std::holds_alternative<GravitySettings>(setup.law) && atoms.n > 0 && !atoms.strength)
    throw std::logic_error("gravity needs strengths");
  if (!atoms.type && setup.n_types > 1 && atoms.n > 0) throw std::logic_error("a law with several types needs types");
}

void check_pair_atoms(const PairwiseSetup &setup, const PairAtomsView &atoms) {
  check_pair_arrays(setup, atoms);
  if (!atoms.type || !goes_by_type(setup.law)) return;
  for (int i = 0; i < atoms.n; ++i)
    if (atoms.type[i] < 1 || atoms.type[i] > setup.n_types)
      throw LoopError("an atom has type " + std::to_string(atoms.type[i]) +
                      ", but there are coefficients for types 1 to " + std::to_string(setup.n_types));
}

void throw_bad_pair_force(const PairwiseSetup &setup, const PairAtomsView &atoms, int atom) {
  const PairGeometry geometry(atoms, setup, 1);
  double distance = 0;
  const double *x = atoms.x + 3 * std::size_t(atom);
  const int other = nearest_atom(atoms, atom, geometry, distance);
  if (other >= 0 && distance == 0)
    throw CoincidentAtoms(std::min(atom, other), std::max(atom, other),
                          "two atoms are at the same position, " + position_text(x) +
                              ", where their force is undefined; move one of them, use a softened law or exclude the "
                              "pair");
  const std::string hint =
      std::holds_alternative<TableSettings>(setup.law)    ? ", perhaps below the first distance of a table"
      : std::holds_alternative<ListedSettings>(setup.law) ? ", perhaps with a fene bond longer than 2 R0"
                                                          : "";
  char text[60];
  std::snprintf(text, sizeof text, "%.6g", distance);
  throw LoopError("the force on the atom at " + position_text(x) + " is not a finite number" +
                  (other < 0 ? std::string() : "; the nearest atom is at a distance of " + std::string(text)) + hint +
                  "; check for overlapping atoms and the time step, or use precision double");
}

void PairwiseBackend::set_neighbours(const PairListView &, const PairAtomsView &) {
  throw std::logic_error("set_neighbours() is for range List");
}
void PairwiseBackend::set_pairs(const PossiblePairsView &, const PairAtomsView &) {
  throw std::logic_error("set_pairs() is for range Pairs");
}
void PairwiseBackend::set_scaled_pairs(const ScaledPairsView &) {
  throw std::logic_error("set_scaled_pairs() is for range All");
}

bool wants_full_list(const PairwiseSetup &setup, bool on_cuda) {
  if (setup.kernel == PairKernel::Auto) return on_cuda && tuning::full_list_on_cuda;
  return setup.kernel == PairKernel::OneSided;
}

}  // namespace triad

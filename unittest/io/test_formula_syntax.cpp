// What the check of formulas accepts, and where it says that an error is.
#include <gtest/gtest.h>

#include "io/formula_syntax.h"

namespace triad {
namespace {

using Names = std::vector<std::string>;

TEST(FormulaSyntax, FindsTheNamesWithoutDefinition) {
  EXPECT_EQ(free_names("1/r"), Names());
  EXPECT_EQ(free_names(" 4*e*((s/r)^12-(s/r)^6) "), (Names{"e", "s"}));
  EXPECT_EQ(free_names("k*x^2; x = r-r0; k=2"), Names{"r0"});
  EXPECT_EQ(free_names("a*b; a=b+c; b=r;"), Names{"c"});
  EXPECT_EQ(free_names("-1e-3*-sqrt(r)^-2.5 + select(step(r-1), min(r, 2.), .5E+1)"), Names());
  EXPECT_EQ(free_names("max( A_1 , r )"), Names{"A_1"});
}

TEST(FormulaSyntax, RefusesDeepNesting) {
  EXPECT_EQ(free_names(std::string(90, '(') + "r" + std::string(90, ')')), Names());
  EXPECT_THROW(free_names(std::string(100000, '(') + "r"), FormulaError);
}

TEST(FormulaSyntax, SaysWhereAnErrorIs) {
  const struct {
    const char *formula;
    std::size_t position;
    const char *said;
  } cases[] = {{"", 1, "empty"},
               {"  ", 3, "empty"},
               {"1/", 3, "ends after an operator"},
               {"4*(r+1", 3, "not closed"},
               {"4*r)+1", 4, "closes nothing"},
               {"2 r", 3, "operator is missing"},
               {"2r", 1, "not a number"},
               {"1.2.3*r", 1, "not a number"},
               {"1e*r", 1, "not a number"},
               {"r + ln(r)", 5, "function ln is unknown"},
               {"r + atan2(r)", 5, "1 arguments; give 2"},
               {"min(r,1,2)", 1, "3 arguments; give 2"},
               {"sqrt()", 6, "')' is not the start"},
               {"r ** 2", 4, "'*' is not the start"},
               {"+r", 1, "remove the sign"},
               {"r; 2=x", 4, "name = expression"},
               {"r; x", 5, "lacks ="},
               {"x; x=", 6, "definition is empty"},
               {"x; x=1; x=2", 9, "two definitions"},
               {"r; r=1", 4, "cannot be defined"},
               {"a; a=2*a", 8, "a definition uses a, which is defined before or by it"},
               {"a; a=b; b=a*r", 11, "define a after the definitions"},
               {"a*b; a=r; b=a", 13, "a definition uses a"},
               {"r & 2", 3, "operator is missing"},
               {"(r+1 2)", 6, "operator is missing"}};
  for (const auto &c : cases) try {
      free_names(c.formula);
      ADD_FAILURE() << c.formula;
    } catch (const FormulaError &e) {
      EXPECT_EQ(e.position, c.position) << e.what();
      EXPECT_NE(std::string(e.what()).find(c.said), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("character " + std::to_string(c.position)), std::string::npos);
    }
}

}  // namespace
}  // namespace triad

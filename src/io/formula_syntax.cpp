#include "io/formula_syntax.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "io/text.h"

namespace triad {
namespace {

struct Function {
  const char *name;
  int arguments;
};
constexpr Function functions[] = {{"sqrt", 1},  {"exp", 1},   {"log", 1},    {"sin", 1},  {"cos", 1},   {"sec", 1},
                                  {"csc", 1},   {"tan", 1},   {"cot", 1},    {"asin", 1}, {"acos", 1},  {"atan", 1},
                                  {"atan2", 2}, {"sinh", 1},  {"cosh", 1},   {"tanh", 1}, {"erf", 1},   {"erfc", 1},
                                  {"step", 1},  {"delta", 1}, {"square", 1}, {"cube", 1}, {"recip", 1}, {"min", 2},
                                  {"max", 2},   {"abs", 1},   {"floor", 1},  {"ceil", 1}, {"select", 3}};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)); }

class Check {
 public:
  explicit Check(const std::string &formula) : text_(formula) {}

  std::vector<std::string> run() {
    std::size_t begin = 0;
    for (bool first = true; begin <= text_.size(); first = false) {
      end_ = std::min(text_.find(';', begin), text_.size());
      at_ = begin;
      spaces();
      if (first || at_ < end_) {
        if (!first) definition();
        sum(first ? "the formula is empty; give an expression in r" : "a definition is empty; write name = expression");
        if (at_ < end_)
          fail(text_[at_] == ')' ? "this parenthesis closes nothing; remove it, or open it before"
                                 : "an operator is missing before " + quoted() + "; write + - * / or ^");
      }
      begin = end_ + 1;
    }
    std::vector<std::string> free;
    for (const Use &use : used_) {
      const auto definition = std::find(defined_.begin(), defined_.end(), use.name);
      if (definition - defined_.begin() < use.definitions) {
        at_ = use.at;
        fail("a definition uses " + use.name + ", which is defined before or by it; define " + use.name +
             " after the definitions that use it");
      }
      if (use.name != "r" && definition == defined_.end() &&
          std::find(free.begin(), free.end(), use.name) == free.end())
        free.push_back(use.name);
    }
    return free;
  }

 private:
  [[noreturn]] void fail(const std::string &message) const { throw FormulaError(text_, at_ + 1, message); }
  std::string quoted() const { return text::quoted(std::string_view(text_).substr(at_, 1)); }
  void spaces() {
    while (at_ < end_ && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool next_is(char c) const { return at_ < end_ && text_[at_] == c; }
  std::string name() {
    const std::size_t begin = at_;
    while (at_ < end_ && in_name(text_[at_])) ++at_;
    std::string found = text_.substr(begin, at_ - begin);
    spaces();
    return found;
  }

  void definition() {
    if (!starts_name(text_[at_])) fail("a definition begins with " + quoted() + "; write name = expression after ;");
    const std::size_t begin = at_;
    const std::string defined = name();
    if (!next_is('=')) fail("a definition lacks =; write name = expression after ;");
    ++at_;
    spaces();
    if (defined == "r" || std::find(defined_.begin(), defined_.end(), defined) != defined_.end()) {
      at_ = begin;
      fail(defined == "r" ? "r is the distance and cannot be defined" : "this name has two definitions; remove one");
    }
    defined_.push_back(defined);
  }

  /// Operands with operators between them. `missing`: the message if there is no first operand.
  void sum(const char *missing) {
    for (;;) {
      operand(missing);
      if (at_ == end_ || std::string("+-*/^").find(text_[at_]) == std::string::npos) return;
      ++at_;
      spaces();
      missing = "the formula ends after an operator; give an operand";
    }
  }

  void operand(const char *missing) {
    if (++depth_ > most_depth) fail("the formula is nested too deeply; define a part of it after a semicolon");
    operand_within(missing);
    --depth_;
  }

  void operand_within(const char *missing) {
    while (next_is('-')) {
      ++at_;
      spaces();
      missing = "the formula ends after a sign; give an operand";
    }
    if (at_ == end_) fail(missing);
    const char c = text_[at_];
    if (c == '(') {
      parentheses();
    } else if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {
      number();
    } else if (starts_name(c)) {
      const std::size_t begin = at_;
      const std::size_t end_of_name =
          std::find_if_not(text_.begin() + at_, text_.begin() + end_, in_name) - text_.begin();
      if (end_of_name < end_ && text_[end_of_name] == '(')
        call(begin, end_of_name);
      else
        used_.push_back({name(), begin, std::ptrdiff_t(defined_.size())});
    } else {
      fail(quoted() + " is not the start of a number, name, function or parenthesis" +
           (c == '+' ? "; remove the sign" : ""));
    }
  }

  void parentheses() {
    const std::size_t begin = at_++;
    spaces();
    sum("the parenthesis is empty; give an expression");
    close(begin);
  }

  void close(std::size_t begin) {
    if (next_is(')')) {
      ++at_;
      spaces();
      return;
    }
    if (at_ == end_) {
      at_ = begin;
      fail("this parenthesis is not closed; add )");
    }
    fail("an operator is missing before " + quoted() + "; write + - * / or ^");
  }

  void call(std::size_t begin, std::size_t parenthesis) {
    const std::string called = text_.substr(begin, parenthesis - begin);
    const auto known =
        std::find_if(std::begin(functions), std::end(functions), [&](const Function &f) { return called == f.name; });
    if (known == std::end(functions)) {
      std::string names;
      for (const Function &f : functions) names += (names.empty() ? "" : ", ") + std::string(f.name);
      fail("function " + called + " is unknown; the functions are " + names);
    }
    at_ = parenthesis;
    int arguments = 0;
    do {
      ++at_;
      spaces();
      sum("an argument is missing; give an expression");
      ++arguments;
    } while (next_is(','));
    const std::size_t end = at_;
    if (next_is(')') && arguments != known->arguments) {
      at_ = begin;
      fail("function " + called + " has " + std::to_string(arguments) + " arguments; give " +
           std::to_string(known->arguments));
    }
    at_ = end;
    close(parenthesis);
  }

  /// A number as Lepton reads it: digits with a point, and an exponent.
  void number() {
    const std::size_t begin = at_;
    bool digits = false;
    const auto skip_digits = [&] {
      while (at_ < end_ && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
        ++at_;
        digits = true;
      }
    };
    skip_digits();
    if (next_is('.')) ++at_;
    skip_digits();
    if (digits && (next_is('e') || next_is('E'))) {
      ++at_;
      if (next_is('+') || next_is('-')) ++at_;
      digits = false;
      skip_digits();
    }
    if (!digits || (at_ < end_ && (in_name(text_[at_]) || text_[at_] == '.'))) {
      at_ = begin;
      fail("this is not a number; write it like 2, 0.5 or 1e-3, with * before a name");
    }
    spaces();
  }

  const std::string &text_;
  static constexpr int most_depth = 100;

  std::size_t at_ = 0, end_ = 0;
  int depth_ = 0;
  /// A name in an expression. Lepton reads the definitions from the last to the first, so the name must not be one of
  /// the definitions up to that of the expression.
  struct Use {
    std::string name;
    std::size_t at;
    std::ptrdiff_t definitions;
  };
  std::vector<Use> used_;
  std::vector<std::string> defined_;
};

}  // namespace

FormulaError::FormulaError(const std::string &formula, std::size_t at, const std::string &message)
    : std::runtime_error("in the formula \"" + formula + "\", character " + std::to_string(at) + ": " + message),
      position(at) {}

std::vector<std::string> free_names(const std::string &formula) { return Check(formula).run(); }

}  // namespace triad

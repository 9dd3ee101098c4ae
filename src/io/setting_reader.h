// Reads the settings of a LAMMPS command: values in a fixed order, and keywords with their values. All styles and
// commands use this reader, so their errors have one form:
//
//   Missing eps in fix x/triad
//   Missing value after fix x/triad keyword: range (known: all, list)
//   Unknown fix x/triad keyword: colour (known: range, cutoff)
//   Unknown fix x/triad range: near (known: all, list)
//   fix x/triad cutoff is -2; give a positive number
//   fix x/triad needs the keyword cutoff
//   fix x/triad does not support tally; use fix x
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace triad {

/// Thrown for a wrong setting. what() names the command and the setting, and says which values are possible.
class SettingError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
struct NamedValue {
  std::string name;
  T value;
};

/// A keyword, and the function that reads its values.
using SettingKeyword = NamedValue<std::function<void()>>;

/// Takes the words of a command one after the other. The functions that take words throw SettingError. `what` names a
/// value in errors; by default this is the keyword that was read last.
class SettingReader {
 public:
  /// `command` names the command in errors, for example "fix langevin/triad"; `words` are the words after that.
  SettingReader(std::string command, std::vector<std::string> words);

  /// Returns true if no word is left.
  bool done() const { return next_ == words_.size(); }
  /// Returns the next word without taking it. Requires !done().
  const std::string &peek() const { return words_[next_]; }

  /// Takes the next word, which must be one of the keywords, and calls the function of that keyword.
  void keyword(const std::vector<SettingKeyword> &known);
  /// Takes all remaining words.
  void keywords(const std::vector<SettingKeyword> &known);
  /// Returns true if the keyword was among the words taken so far.
  bool given(const std::string &keyword) const;
  /// Takes no word. Throws if any is left.
  void no_arguments() const;

  std::string word(const std::string &what = {});
  /// Returns a finite number.
  double number(const std::string &what = {});
  /// Returns a number >= 0.
  double not_negative(const std::string &what = {});
  /// Returns a number > 0.
  double positive(const std::string &what = {});
  int whole_number(const std::string &what = {});
  int whole_number_from(int least, const std::string &what = {});
  /// Returns true for yes, on, true and 1, false for no, off, false and 0.
  bool logical(const std::string &what = {});
  /// Returns the value that the next word names.
  template <class T>
  T choice(const std::vector<NamedValue<T>> &known, const std::string &what = {}) {
    return known[index_among(names_of(known), what)].value;
  }

  /// Throws an error that begins with the command: `message` says what is wrong with the setting and what to do.
  [[noreturn]] void reject(const std::string &message) const;
  /// Throws the error for what only the stock style of the same name supports.
  [[noreturn]] void reject_unsupported(const std::string &what) const;
  /// The same if the next word is a variable (v_name), with "a variable for `what`".
  void reject_variable(const std::string &what) const;

 private:
  template <class T>
  static std::vector<std::string> names_of(const std::vector<NamedValue<T>> &known) {
    std::vector<std::string> names;
    names.reserve(known.size());
    for (const NamedValue<T> &one : known) names.push_back(one.name);
    return names;
  }
  const std::string &take(const std::string &what, const std::vector<std::string> &known = {});
  std::size_t index_among(const std::vector<std::string> &known, const std::string &what);
  std::string name(const std::string &what) const;
  [[noreturn]] void reject_value(const std::string &what, const std::string &value, const std::string &advice) const;

  std::string command_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
  std::vector<std::string> given_;  // the keywords in the order of reading
};

/// Returns "fix nvt" for "fix nvt/triad".
std::string stock_command(const std::string &command);

}  // namespace triad

#include "io/setting_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

namespace triad {

namespace {

/// Reads the whole word as a value of type T. Returns false if the word is something else or out of range.
template <class T>
bool read_whole(const std::string &word, T &value) {
  const char *begin = word.data(), *const end = begin + word.size();
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') ++begin;  // from_chars rejects a plus sign
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && stop == end;
}

std::string list_of(const std::vector<std::string> &known) {
  std::string list;
  for (const std::string &name : known) list += (list.empty() ? " (known: " : ", ") + name;
  return list.empty() ? list : list + ")";
}

}  // namespace

SettingReader::SettingReader(std::string command, std::vector<std::string> words)
    : command_(std::move(command)), words_(std::move(words)) {}

void SettingReader::keyword(const std::vector<SettingKeyword> &known) {
  const SettingKeyword &now = known[index_among(names_of(known), "keyword")];
  given_.push_back(now.name);
  now.value();
}

void SettingReader::keywords(const std::vector<SettingKeyword> &known) {
  while (!done()) keyword(known);
}

bool SettingReader::given(const std::string &keyword) const {
  return std::find(given_.begin(), given_.end(), keyword) != given_.end();
}

void SettingReader::no_arguments() const {
  if (!done()) reject("takes no arguments, but " + std::to_string(words_.size()) + " were given");
}

const std::string &SettingReader::take(const std::string &what, const std::vector<std::string> &known) {
  if (!done()) return words_[next_++];
  if (given_.empty()) throw SettingError("Missing " + what + " in " + command_ + list_of(known));
  throw SettingError("Missing " + (what.empty() ? "value" : what) + " after " + command_ +
                     " keyword: " + given_.back() + list_of(known));
}

std::string SettingReader::word(const std::string &what) { return take(what); }

double SettingReader::number(const std::string &what) {
  const std::string &text = take(what);
  double value = 0;
  if (!read_whole(text, value) || !std::isfinite(value)) reject_value(what, text, "a finite number");
  return value;
}

double SettingReader::not_negative(const std::string &what) {
  const double value = number(what);
  if (value < 0) reject_value(what, words_[next_ - 1], "zero or more");
  return value;
}

double SettingReader::positive(const std::string &what) {
  const double value = number(what);
  if (value <= 0) reject_value(what, words_[next_ - 1], "a positive number");
  return value;
}

int SettingReader::whole_number(const std::string &what) {
  const std::string &text = take(what);
  int value = 0;
  if (!read_whole(text, value)) {
    double size = 0;
    const bool too_large = read_whole(text, size) && std::abs(size) > std::numeric_limits<int>::max();
    reject_value(what, text, too_large ? "a whole number of at most 2147483647 in size" : "a whole number");
  }
  return value;
}

int SettingReader::whole_number_from(int least, const std::string &what) {
  const int value = whole_number(what);
  if (value < least) reject_value(what, words_[next_ - 1], "a whole number of at least " + std::to_string(least));
  return value;
}

bool SettingReader::logical(const std::string &what) {
  const std::string &text = take(what, {"yes", "no"});
  for (const char *const yes : {"yes", "on", "true", "1"})
    if (text == yes) return true;
  for (const char *const no : {"no", "off", "false", "0"})
    if (text == no) return false;
  reject_value(what, text, "yes or no (or 1 or 0)");
}

std::size_t SettingReader::index_among(const std::vector<std::string> &known, const std::string &what) {
  const std::string &text = take(what, known);
  for (std::size_t k = 0; k < known.size(); ++k)
    if (text == known[k]) return k;
  throw SettingError("Unknown " + command_ + " " + name(what) + ": " + text + list_of(known));
}

std::string SettingReader::name(const std::string &what) const {
  return !what.empty() ? what : given_.empty() ? "value" : given_.back();
}

void SettingReader::reject(const std::string &message) const { throw SettingError(command_ + " " + message); }

void SettingReader::reject_unsupported(const std::string &what) const {
  reject("does not support " + what + "; use " + stock_command(command_));
}

void SettingReader::reject_variable(const std::string &what) const {
  if (!done() && peek().rfind("v_", 0) == 0) reject_unsupported("a variable for " + what);
}

void SettingReader::reject_value(const std::string &what, const std::string &value, const std::string &advice) const {
  reject(name(what) + " is " + value + "; give " + advice);
}

std::string stock_command(const std::string &command) { return command.substr(0, command.rfind("/triad")); }

}  // namespace triad

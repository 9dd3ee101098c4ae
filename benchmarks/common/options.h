// Command lines of the form --key value, and the list of numbers that a benchmark iterates over.
#pragma once

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/precision.h"

namespace triad {
namespace bench {

/// Options of a program with their defaults. Throws std::invalid_argument for an unknown option.
class Options {
 public:
  Options(int argc, char **argv, std::map<std::string, std::string> defaults)
      : defaults_(std::move(defaults)), values_(defaults_) {
    for (int i = 1; i < argc; i += 2) {
      const std::string key = argv[i];
      const auto known = key.rfind("--", 0) == 0 ? values_.find(key.substr(2)) : values_.end();
      if (known == values_.end()) throw std::invalid_argument("unknown option " + key + usage());
      if (i + 1 == argc) throw std::invalid_argument("missing value after " + key + usage());
      known->second = argv[i + 1];
    }
  }

  const std::string &text(const std::string &key) const { return values_.at(key); }

  std::vector<std::string> words(const std::string &key) const {
    std::istringstream stream(text(key));
    std::vector<std::string> list;
    for (std::string word; std::getline(stream, word, ',');) list.push_back(word);
    return list;
  }

  /// Returns the precisions of the option "precision", a comma-separated list.
  std::vector<Precision> precisions() const {
    std::vector<Precision> list;
    for (const std::string &word : words("precision")) {
      const auto named = [&](Precision p) { return word == name_of(p); };
      const auto *const found = std::find_if(std::begin(all_precisions), std::end(all_precisions), named);
      if (found == std::end(all_precisions)) throw std::invalid_argument("--precision takes single, mixed, double");
      list.push_back(*found);
    }
    return list;
  }

  /// Returns a comma-separated list of positive integers.
  std::vector<int> numbers(const std::string &key) const {
    std::vector<int> list;
    for (const auto &word : words(key)) {
      std::size_t used = 0;
      int number = 0;
      try {
        number = std::stoi(word, &used);
      } catch (const std::logic_error &) {
      }
      if (number < 1 || used != word.size())
        throw std::invalid_argument("--" + key + " " + text(key) + ": '" + word + "' is not a positive integer");
      list.push_back(number);
    }
    return list;
  }

  int number(const std::string &key) const {
    const auto list = numbers(key);
    if (list.size() != 1) throw std::invalid_argument("--" + key + " takes one number");
    return list[0];
  }

 private:
  std::string usage() const {
    std::string text = "\noptions and their defaults:";
    for (const auto &[key, value] : defaults_) text += "\n  --" + key + " " + value;
    return text;
  }

  std::map<std::string, std::string> defaults_, values_;
};

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

}  // namespace bench
}  // namespace triad

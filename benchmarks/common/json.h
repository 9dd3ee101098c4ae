// A minimal JSON writer for results.
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace triad {
namespace bench {

/// A JSON value as text. Objects keep the order in which members were added.
class Json {
 public:
  template <class Number, std::enable_if_t<std::is_arithmetic<Number>::value, int> = 0>
  Json(Number number) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, std::is_integral<Number>::value ? "%.0f" : "%.9g", double(number));
    text_ = std::isfinite(double(number)) ? buffer : "null";
  }
  Json(const std::string &string) {
    text_ = "\"";
    for (const char c : string) {
      if (c == '"' || c == '\\') text_ += '\\';
      if (static_cast<unsigned char>(c) >= ' ') text_ += c;
    }
    text_ += '"';
  }
  Json(const char *string) : Json(std::string(string)) {}
  Json(const std::vector<Json> &array) {
    for (const Json &item : array) text_ += (text_.empty() ? "[" : ", ") + item.text_;
    text_ += text_.empty() ? "[]" : "]";
  }
  Json(const std::vector<double> &array) : Json(std::vector<Json>(array.begin(), array.end())) {}

  /// An object; with `wide` each member is on a line of its own.
  static Json object(const std::vector<std::pair<std::string, Json>> &members, bool wide = false) {
    Json json("");
    json.text_ = "{";
    const char *separator = wide ? "\n  " : "";
    for (const auto &[key, value] : members) {
      json.text_ += separator + Json(key).text_ + ": " + value.text_;
      separator = wide ? ",\n  " : ", ";
    }
    json.text_ += wide ? "\n}" : "}";
    return json;
  }

  /// An array with one element per line.
  static Json lines(const std::vector<Json> &items) {
    Json json("");
    json.text_ = "[";
    const char *separator = "\n    ";
    for (const Json &item : items) {
      json.text_ += separator + item.text_;
      separator = ",\n    ";
    }
    json.text_ += "\n  ]";
    return json;
  }

  void write(const std::string &path) const {
    std::ofstream file(path);
    file << text_ << '\n';
    file.close();
    if (!file) throw std::runtime_error("cannot write " + path);
  }

 private:
  std::string text_;
};

}  // namespace bench
}  // namespace triad

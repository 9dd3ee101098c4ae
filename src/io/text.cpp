#include "io/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace triad {
namespace text {

void reject(int line, const std::string &message) { throw Fault{line, message}; }

std::string located(const std::string &filename, const Fault &fault) {
  return filename + (fault.line > 0 ? ':' + std::to_string(fault.line) : std::string()) + ": " + fault.message;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr char hex[] = "0123456789abcdef";
  std::string out = "'";
  for (const char letter : text) {
    if (out.size() > longest) return out + "...'";
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= ' ' && byte <= '~')
      out += letter;
    else
      out += {'\\', 'x', hex[byte / 16], hex[byte % 16]};
  }
  return out + "'";
}

Lines::Lines(std::string_view text) : rest_(text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (rest_.substr(0, byte_order_mark.size()) == byte_order_mark) rest_.remove_prefix(byte_order_mark.size());
}

bool Lines::append_next(Words &words) {
  constexpr std::string_view blanks = " \t\r\f";
  if (rest_.empty()) return false;
  ++line_;
  const auto end = std::min(rest_.find('\n'), rest_.size());
  auto content = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (content.find('\0') != std::string_view::npos)
    reject(line_, "the line holds a NUL byte, so this is not a text file; save it as plain ASCII text");
  content = content.substr(0, content.find('#'));
  for (auto begin = content.find_first_not_of(blanks); begin != std::string_view::npos;
       begin = content.find_first_not_of(blanks)) {
    content.remove_prefix(begin);
    const auto length = std::min(content.find_first_of(blanks), content.size());
    words.push_back({content.substr(0, length), line_});
    content.remove_prefix(length);
  }
  return true;
}

double parse_number(const std::string &what, const Word &word, double unit) {
  auto text = word.text;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);  // from_chars rejects a plus sign
  const char *const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const auto refuse = [&](const char *reason) { reject(word.line, what + " = " + quoted(word.text) + reason); };
  if (error == std::errc::invalid_argument || stop != end)
    refuse(" is not a number; write it in plain ASCII like -0.5 or 1.25e-6");
  if (error == std::errc::result_out_of_range || !std::isfinite(value * unit))
    refuse(" is outside the range of double precision; give a finite number");
  return value * unit;
}

}  // namespace text
}  // namespace triad

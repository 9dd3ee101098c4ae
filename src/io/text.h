// Functions for readers of text files: words with their line numbers, numbers, and errors that name a line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace triad {
namespace text {

struct Word {
  std::string_view text;
  int line;  ///< from 1
};
using Words = std::vector<Word>;

/// An error in a file, without the name of the file.
struct Fault {
  int line;  ///< 0: the error belongs to no single line
  std::string message;
};

[[noreturn]] void reject(int line, const std::string &message);

/// Returns "file:line: what is wrong; what to do", or "file: ..." if the error belongs to no single line.
std::string located(const std::string &filename, const Fault &fault);

/// Quotes text of the file for a message: bytes that are not printable ASCII become \\xNN, and long text is truncated.
std::string quoted(std::string_view text);

/// Iterates over the lines of a file and skips a byte order mark at the start.
class Lines {
 public:
  explicit Lines(std::string_view text);
  /// Appends the words of the next line without its comment ('#' to the end). Returns false after the last line. Words
  /// are separated by spaces, tabs, carriage returns and form feeds. Throws Fault for a NUL byte.
  bool append_next(Words &words);

 private:
  std::string_view rest_;
  int line_ = 0;
};

/// Returns the finite number that the whole word represents, times `unit`. `what` names the number in the message, for
/// example "parameter A". Throws Fault.
double parse_number(const std::string &what, const Word &word, double unit = 1.0);

}  // namespace text
}  // namespace triad

// What the readers of text files share: words with the lines that they stand on, numbers, and faults that name a line.
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

/// A fault of a file, before the name of the file is put in front.
struct Fault {
  int line;  ///< 0: no single line is at fault
  std::string message;
};

[[noreturn]] void reject(int line, const std::string &message);

/// "file:line: what is wrong; what to do", or "file: ..." where no single line is at fault.
std::string located(const std::string &filename, const Fault &fault);

/// Text of the file made fit for a message: bytes that are not printable ASCII as \xNN, and its start only if it is
/// long.
std::string quoted(std::string_view text);

/// Walks through the lines of a file. A byte order mark at the start is passed over.
class Lines {
 public:
  explicit Lines(std::string_view text);
  /// Appends the words of the next line, without its comment ('#' to the end); false after the last line. Blanks are
  /// spaces, tabs, carriage returns and form feeds. A NUL byte is a Fault.
  bool append_next(Words &words);

 private:
  std::string_view rest_;
  int line_ = 0;
};

/// The finite number that a word spells in full, times `unit`. `what` names it in the Fault, as "parameter A".
double parse_number(const std::string &what, const Word &word, double unit = 1.0);

}  // namespace text
}  // namespace triad

// Random damage to a text, the same on every machine for the same seed.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "tersoff_text.h"

namespace triad {

class Damage {
 public:
  explicit Damage(unsigned seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (auto count = 1 + below(3); count > 0; --count) strike(text);
    return text;
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  void strike(std::string &text) {
    static const Words shards = {"nan",  "-1",     "0",        "1e999",        "\n",   "#", "\r\n",
                                 " ",    "Si",     "C",        "0x1",          "+",    "-", "1e-",
                                 "3.0 ", "\t\t\t", " 1 2 3 4", "\xEF\xBB\xBF", "\xFF", "1", std::string(1, '\0')};
    const auto at = below(text.size() + 1), length = std::min<std::size_t>(below(30), text.size() - at);
    switch (below(6)) {
      case 0:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, shards[below(shards.size())]);
        break;
      case 3:
        text.replace(at, length, shards[below(shards.size())]);
        break;
      case 4:
        text.insert(below(text.size() + 1), text.substr(at, length));
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  std::mt19937 random_;
};

}  // namespace triad

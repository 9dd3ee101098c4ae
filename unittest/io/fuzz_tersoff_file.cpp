// Fuzz target of the potential-file reader: any bytes are refused with a sound message or read to a sound table. The
// first byte of an input chooses the variant, the elements and the conversion of energies, the rest is the file.
//
// CTest runs it with the driver of fuzz_driver.cpp, which needs no other compiler. With clang's coverage-guided driver,
// from the root of the repository:
//   clang++ -std=c++17 -g -O1 -fsanitize=fuzzer,address,undefined -I src -I unittest/io
//     unittest/io/fuzz_tersoff_file.cpp src/io/tersoff_file.cpp src/io/text.cpp -o fuzz_tersoff_file
//   ./fuzz_tersoff_file -max_len=4096 -max_total_time=600
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "fuzz_target.h"
#include "tersoff_formats.h"

namespace {

[[noreturn]] void fail(const std::string &fault, const std::string &detail) {
  std::fprintf(stderr, "fuzz_tersoff_file: %s: %s\n", fault.c_str(), detail.c_str());
  std::abort();
}

}  // namespace

const char *const fuzz_name = "fuzz_tersoff_file";

/// Every choice that the first byte makes, on sound files of every variant.
std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> inputs;
  for (const auto &format : triad::formats())
    for (unsigned choice = 0; choice < 32; ++choice)
      for (const auto &text : {format.all_of_two_elements(), triad::joined(format.sound, "\n"), std::string()})
        inputs.push_back(static_cast<char>(choice) + text);
  return inputs;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const std::vector<triad::Format> formats = triad::formats();
  static const std::vector<triad::Words> element_lists = {{"Si"}, {"Si", "C"}, {"C", "Si", "Si(D)"}, {}};
  if (size == 0) return 0;
  const unsigned choice = data[0];
  const triad::Format &format = formats[choice % 4];
  const triad::Words &elements = element_lists[choice / 4 % 4];
  const double energy_factor = choice / 16 % 2 ? 23.060549 : 1.0;
  const std::string_view text(reinterpret_cast<const char *>(data) + 1, size - 1);
  try {
    const auto table = triad::read_tersoff_table(text, format.file, elements, energy_factor, format.variant);
    const auto fault = triad::fault_of(table, format, elements.size());
    if (!fault.empty()) fail("an unsound table was read", fault);
  } catch (const triad::PotentialFileError &error) {
    const auto fault = triad::fault_of(std::string(error.what()), format.file);
    if (!fault.empty()) fail("the message " + fault, error.what());
  }
  return 0;
}

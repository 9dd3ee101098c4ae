// Runs a fuzz target on mutations of sound files, without a compiler's fuzzing library.
//
//   fuzz_... SECONDS [SEED]   mutates for that long; the seed printed repeats a run
//   fuzz_... --replay FILE    runs the one input that a failure has left
//
// The input at fault is left in the current folder as fuzz_....failed. A hang is left to the caller's limit.
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "damage.h"
#include "fuzz_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

constexpr std::size_t longest = 1 << 14;  // bytes of an input
constexpr std::size_t largest_pool = 512;

std::string input;  // what runs now

void run(const std::string &bytes) {
  input = bytes;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(input.data()), input.size());
}

/// Leaves the input at fault and lets the signal end the program.
void keep_input(int signal) {
  const std::string failed_file = std::string(fuzz_name) + ".failed";
  if (std::FILE *file = std::fopen(failed_file.c_str(), "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
    std::fprintf(stderr, "the input is in %s\n", failed_file.c_str());
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int replay(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    return 1;
  }
  run({std::istreambuf_iterator<char>(file), {}});
  return 0;
}

void mutate_for(double seconds, unsigned seed) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  const auto sound = fuzz_seeds();
  std::vector<std::string> pool = sound;
  for (const auto &text : pool) run(text);
  triad::Damage damage(seed);
  long count = 0;
  while (Clock::now() < end)
    for (int batch = 0; batch < 100; ++batch, ++count) {
      auto text = damage(pool[damage.below(pool.size())]);
      if (text.size() > longest) text.resize(longest);
      run(text);
      // Damage adds up over generations, and sound files stay in the pool.
      if (pool.size() < sound.size() + largest_pool)
        pool.push_back(text);
      else
        pool[sound.size() + damage.below(largest_pool)] = damage.below(8) ? text : sound[damage.below(sound.size())];
    }
  std::printf("%ld inputs, seed %u\n", count, seed);
}

}  // namespace

int main(int argc, char **argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE}) std::signal(signal, keep_input);
  if (argc == 3 && std::strcmp(argv[1], "--replay") == 0) return replay(argv[2]);
  const double seconds = argc > 1 ? std::atof(argv[1]) : 0;
  if (argc > 3 || !(seconds > 0)) {
    std::fprintf(stderr, "usage: %s SECONDS [SEED] | --replay FILE\n", fuzz_name);
    return 2;
  }
  mutate_for(seconds, argc > 2 ? unsigned(std::strtoul(argv[2], nullptr, 10)) : 1u);
  return 0;
}

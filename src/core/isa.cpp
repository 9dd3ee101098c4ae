#include "core/isa.h"

#include <cstdlib>
#include <string>

#include "core/error.h"

namespace triad {

const char *name_of(Isa isa) {
  switch (isa) {
    case Isa::Avx512:
      return "avx512";
    case Isa::Avx2:
      return "avx2";
    default:
#if defined(__aarch64__)
      return "neon";
#else
      return "baseline";
#endif
  }
}

std::vector<Isa> usable_isas() {
  std::vector<Isa> usable = {Isa::Baseline};
#if defined(TRIAD_X86_ISAS)
  // These are the features that the flags in CMakeLists.txt allow the compiler to use.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    usable.push_back(Isa::Avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw"))
      usable.push_back(Isa::Avx512);
  }
#endif
  return usable;
}

Isa chosen_isa() {
  const std::vector<Isa> usable = usable_isas();
  const char *wanted = std::getenv("TRIAD_HOST_ISA");
  if (!wanted || !*wanted) return usable.back();
  std::string names;
  for (const Isa isa : usable) {
    if (std::string(wanted) == name_of(isa)) return isa;
    names += std::string(names.empty() ? "" : ", ") + name_of(isa);
  }
  throw LoopError("environment variable TRIAD_HOST_ISA is " + std::string(wanted) +
                  ", which is not an instruction set of this processor; usable: " + names);
}

}  // namespace triad

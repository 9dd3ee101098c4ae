// The instruction sets for which the loops of the host are compiled, and the choice among them at run time.
#pragma once

#include <vector>

namespace triad {

/// In rising order of what they need. `Baseline` is what the compiler was told the machine has at least: SSE2 on
/// x86-64, NEON on Arm.
enum class Isa { Baseline, Avx2, Avx512 };

/// "baseline" (on 64-bit Arm "neon"), "avx2", "avx512": as TRIAD_HOST_ISA takes them.
const char *name_of(Isa isa);

/// Those of this build that the processor can run, in rising order; never empty.
std::vector<Isa> usable_isas();

/// The highest of them, or the one that the environment variable TRIAD_HOST_ISA names. Throws LoopError if that is
/// unknown or not usable.
Isa chosen_isa();

}  // namespace triad

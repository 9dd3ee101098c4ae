// The instruction sets for which the host loops are compiled, and the choice among them at run time.
#pragma once

#include <vector>

namespace triad {

/// Instruction sets in ascending order of requirements. `Baseline` is the minimum that the compiler assumes: SSE2 on
/// x86-64, NEON on Arm.
enum class Isa { Baseline, Avx2, Avx512 };

/// Returns the name that TRIAD_HOST_ISA accepts: "baseline" (on 64-bit Arm "neon"), "avx2" or "avx512".
const char *name_of(Isa isa);

/// Returns the instruction sets of this build that the processor supports, in ascending order; never empty.
std::vector<Isa> usable_isas();

/// Returns the highest usable instruction set, or the one that the environment variable TRIAD_HOST_ISA names. Throws
/// LoopError if that name is unknown or not usable.
Isa chosen_isa();

}  // namespace triad

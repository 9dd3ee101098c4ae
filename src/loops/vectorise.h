// Loops that vectorise for the processor they run on.
#pragma once

#include <cstddef>  // tells the C library: only glibc chooses when a program is loaded

/// Before a function definition: one version each for AVX-512, AVX2 and baseline x86-64, chosen when the program is
/// loaded. What it calls must inline. Nothing with other compilers, C libraries and processors.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(TRIAD_NO_CLONES)
#define TRIAD_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define TRIAD_CLONES
#endif

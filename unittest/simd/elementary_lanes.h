// The elementary functions in vector registers for each instruction set; elementary_lanes.cpp is compiled once per set.
#pragma once

namespace triad {

enum class Elementary { Exp, Exp2, Exp2Value, Exp2LessOne, Log2, Log2OnePlus, SinPi, CosPi, Rsqrt, RsqrtInFloat };

/// Computes y = f(x) for n numbers; n must be a multiple of 16, x and y aligned to 64 bytes.
void evaluate_baseline(Elementary f, int n, const double *x, double *y);
void evaluate_baseline(Elementary f, int n, const float *x, float *y);
#if defined(TRIAD_X86_ISAS)
void evaluate_avx2(Elementary f, int n, const double *x, double *y);
void evaluate_avx2(Elementary f, int n, const float *x, float *y);
void evaluate_avx512(Elementary f, int n, const double *x, double *y);
void evaluate_avx512(Elementary f, int n, const float *x, float *y);
#endif

}  // namespace triad

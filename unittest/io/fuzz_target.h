// What a fuzz target tells the driver of fuzz_driver.cpp beside its LLVMFuzzerTestOneInput().
#pragma once

#include <string>
#include <vector>

/// Name of the program, for its messages and for the file that holds an input at fault.
extern const char *const fuzz_name;

/// Sound inputs that are mutated.
std::vector<std::string> fuzz_seeds();

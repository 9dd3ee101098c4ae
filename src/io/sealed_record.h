// Restart records of Triad's own layout, their checksum, and the error of a record that cannot be used. A record is an
// array of doubles: eight letters that name the kind, version, number of doubles that follow, FNV-1a checksum (32 bits)
// of their bytes, the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace triad {

/// Thrown for a record that cannot be used. what() gives the reason as the last clause of a sentence.
class RestartRecordError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// FNV-1a, 32 bits.
std::uint32_t record_checksum(const char *bytes, std::size_t size);

/// Returns the record of `numbers`. `kind` has eight letters.
std::vector<double> seal_record(const char *kind, double version, const std::vector<double> &numbers);

/// Returns the numbers of a record. `bytes` need not be aligned; `size` is the number of readable bytes and may exceed
/// the length of the record. Throws RestartRecordError if the record has another kind or version, ends too early, or
/// does not match its checksum.
std::vector<double> unseal_record(const char *kind, double version, const char *bytes, std::size_t size);

}  // namespace triad

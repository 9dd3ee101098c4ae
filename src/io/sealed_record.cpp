#include "io/sealed_record.h"

#include <cstring>

namespace triad {
namespace {

constexpr std::size_t head = 4;  // doubles before the numbers

}  // namespace

std::uint32_t record_checksum(const char *bytes, std::size_t size) {
  std::uint32_t sum = 2166136261u;
  for (std::size_t k = 0; k < size; ++k) sum = (sum ^ static_cast<unsigned char>(bytes[k])) * 16777619u;
  return sum;
}

std::vector<double> seal_record(const char *kind, double version, const std::vector<double> &numbers) {
  std::vector<double> record(head);
  std::memcpy(record.data(), kind, sizeof(double));
  record[1] = version;
  record[2] = static_cast<double>(numbers.size());
  record[3] = record_checksum(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(double));
  record.insert(record.end(), numbers.begin(), numbers.end());
  return record;
}

std::vector<double> unseal_record(const char *kind, double version, const char *bytes, std::size_t size) {
  double first[head];
  if (size < sizeof first) throw RestartRecordError("it is too short");
  std::memcpy(first, bytes, sizeof first);
  if (std::memcmp(bytes, kind, sizeof(double)) != 0) throw RestartRecordError("it belongs to another kind of fix");
  if (first[1] != version) throw RestartRecordError("its version is not that of this plugin");
  const std::size_t most = (size - sizeof first) / sizeof(double);
  if (!(first[2] >= 0 && first[2] <= static_cast<double>(most))) throw RestartRecordError("it ends too early");
  std::vector<double> numbers(static_cast<std::size_t>(first[2]));
  std::memcpy(numbers.data(), bytes + sizeof first, numbers.size() * sizeof(double));
  if (first[3] != record_checksum(bytes + sizeof first, numbers.size() * sizeof(double)))
    throw RestartRecordError("its checksum is wrong");
  return numbers;
}

}  // namespace triad

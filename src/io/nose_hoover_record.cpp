#include "io/nose_hoover_record.h"

#include <cmath>
#include <cstring>
#include <string>

#include "io/sealed_record.h"

namespace triad {
namespace {

constexpr std::size_t seal_length = 4;  // doubles
constexpr double version = 1;

const char *kind(bool barostat) { return barostat ? "TRIADNPT" : "TRIADNVT"; }

[[noreturn]] void refuse(const std::string &what) { throw RestartRecordError(what); }

class Reader {
 public:
  Reader(const char *bytes, std::size_t size) : bytes_(bytes), left_(size / sizeof(double)) {}

  double any(const std::string &what) {
    if (left_ == 0) refuse("it ends before " + what);
    double value;
    std::memcpy(&value, bytes_, sizeof value);
    bytes_ += sizeof value;
    --left_;
    return value;
  }

  double number(const std::string &what) {
    const double value = any(what);
    if (!std::isfinite(value)) refuse(what + " is not a finite number");
    return value;
  }

  double not_negative(const std::string &what) {
    const double value = number(what);
    if (value < 0) refuse(what + " is negative");
    return value;
  }

  bool flag(const std::string &what) {
    const double value = any(what);
    if (value != 0 && value != 1) refuse(what + " is neither 0 nor 1");
    return value == 1;
  }

  void numbers(const std::string &what, double *to, std::size_t n) {
    for (std::size_t k = 0; k < n; ++k) to[k] = number(what);
  }

  ChainRecord chain(const std::string &what, int shortest) {
    const double length = number("the number of thermostats of " + what);
    if (length < shortest || length != std::floor(length))
      refuse("the number of thermostats of " + what + " is not an integer of at least " + std::to_string(shortest));
    if (length > static_cast<double>(left_) / 2) refuse("it ends before the thermostats of " + what + " do");
    const auto n = static_cast<std::size_t>(length);
    ChainRecord chain{std::vector<double>(n), std::vector<double>(n)};
    numbers("the position of a thermostat of " + what, chain.position.data(), n);
    numbers("the velocity of a thermostat of " + what, chain.velocity.data(), n);
    return chain;
  }

 private:
  const char *bytes_;
  std::size_t left_;  // doubles
};

/// Returns the number of bytes of LAMMPS's layout within `size` bytes: the bytes before the four trailing doubles of a
/// record of Triad, which this function checks, or all bytes if there are no trailing doubles.
std::size_t check_seal(const char *bytes, std::size_t size, bool barostat) {
  constexpr std::size_t seal = seal_length * sizeof(double);
  for (std::size_t at = 0; at + seal <= size; at += sizeof(double)) {
    const bool ours = std::memcmp(bytes + at, kind(barostat), sizeof(double)) == 0;
    if (!ours && std::memcmp(bytes + at, kind(!barostat), sizeof(double)) != 0) continue;
    if (!ours) refuse(barostat ? "it has no barostat" : "it has a barostat");
    double rest[seal_length - 1];
    std::memcpy(rest, bytes + at + sizeof(double), sizeof rest);
    if (rest[0] != version) refuse("its version is not that of this plugin");
    const std::size_t numbers = at / sizeof(double);  // before the four trailing doubles
    if (rest[1] != static_cast<double>(numbers) || rest[2] != record_checksum(bytes, at))
      refuse("its checksum is wrong");
    return at;
  }
  return size;
}

void append(std::vector<double> &all, const ChainRecord &chain) {
  all.push_back(static_cast<double>(chain.position.size()));
  all.insert(all.end(), chain.position.begin(), chain.position.end());
  all.insert(all.end(), chain.velocity.begin(), chain.velocity.end());
}

BarostatRecord unpack_barostat(Reader &from) {
  BarostatRecord b;
  from.numbers("the strain of the box", b.strain, 6);
  from.numbers("the rate of the box", b.rate, 6);
  b.reference_volume = from.not_negative("the reference volume");
  b.reference_temperature = from.not_negative("the reference temperature");
  b.chain = from.chain("the barostat", 0);
  b.has_reference_box = from.flag("the flag of the reference box");
  if (b.has_reference_box)
    for (double &inverse : b.reference_inverse) {
      // Before the first run, LAMMPS writes uninitialised memory here.
      inverse = from.any("the reference box");
      if (b.reference_volume == 0) inverse = 0;
      if (!std::isfinite(inverse)) refuse("the reference box is not a finite number");
    }
  return b;
}

/// Packs a record in LAMMPS's layout, without the trailing doubles of Triad.
std::vector<double> pack(const NoseHooverRecord &record) {
  std::vector<double> all = {1};
  append(all, record.chain);
  all.push_back(record.has_barostat);
  if (!record.has_barostat) return all;
  const BarostatRecord &b = record.barostat;
  all.insert(all.end(), b.strain, b.strain + 6);
  all.insert(all.end(), b.rate, b.rate + 6);
  all.push_back(b.reference_volume);
  all.push_back(b.reference_temperature);
  append(all, b.chain);
  all.push_back(b.has_reference_box);
  if (b.has_reference_box) all.insert(all.end(), b.reference_inverse, b.reference_inverse + 6);
  return all;
}

}  // namespace

std::vector<double> pack_nose_hoover_record(const NoseHooverRecord &record) {
  std::vector<double> all = pack(record);
  const double length = static_cast<double>(all.size());
  const double sum = record_checksum(reinterpret_cast<const char *>(all.data()), all.size() * sizeof(double));
  double letters;
  std::memcpy(&letters, kind(record.has_barostat), sizeof letters);
  all.insert(all.end(), {letters, version, length, sum});
  return all;
}

NoseHooverRecord unpack_nose_hoover_record(const char *bytes, std::size_t size, bool barostat) {
  Reader from(bytes, check_seal(bytes, size, barostat));
  NoseHooverRecord record;
  if (!from.flag("the flag of the thermostat")) refuse("it has no thermostat");
  record.chain = from.chain("the atoms", 1);
  record.has_barostat = from.flag("the flag of the barostat");
  if (record.has_barostat != barostat) refuse(barostat ? "it has no barostat" : "it has a barostat");
  if (record.has_barostat) record.barostat = unpack_barostat(from);
  return record;
}

}  // namespace triad

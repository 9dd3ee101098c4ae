// Records of fix nvt and npt: what was packed comes back, and damaged bytes are refused or read to sound numbers within
// their bounds.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>

#include "io/nose_hoover_record.h"

namespace triad {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

NoseHooverRecord record_of(bool barostat, int thermostats = 3, int barostat_thermostats = 2, bool box = true) {
  double next = 0.25;
  const auto chain = [&](int n) {
    ChainRecord c;
    for (int k = 0; k < n; ++k) c.position.push_back(next++);
    for (int k = 0; k < n; ++k) c.velocity.push_back(-next++);
    return c;
  };
  NoseHooverRecord record;
  record.chain = chain(thermostats);
  record.has_barostat = barostat;
  if (!barostat) return record;
  BarostatRecord &b = record.barostat;
  for (double &value : b.strain) value = next++;
  for (double &value : b.rate) value = next++;
  b.reference_volume = next++;
  b.chain = chain(barostat_thermostats);
  b.has_reference_box = box;
  if (box)
    for (double &value : b.reference_inverse) value = next++;
  return record;
}

/// From a block of exactly that size, so that a sanitizer sees what is read beyond.
NoseHooverRecord unpack(const std::vector<double> &values, bool barostat) {
  const std::size_t bytes = values.size() * sizeof(double);
  const std::unique_ptr<char[]> block(new char[bytes]);
  if (bytes > 0) std::memcpy(block.get(), values.data(), bytes);
  return unpack_nose_hoover_record(block.get(), bytes, barostat);
}

std::vector<double> without_seal(std::vector<double> values) {
  values.resize(values.size() - 4);
  return values;
}

std::string fault(const std::vector<double> &values, bool barostat) {
  try {
    unpack(values, barostat);
  } catch (const RestartRecordError &error) {
    return error.what();
  }
  return "";
}

TEST(NoseHooverRecord, HasTheLayoutOfLammps) {
  const std::vector<double> nvt = without_seal(pack_nose_hoover_record(record_of(false, 2)));
  EXPECT_EQ(nvt, (std::vector<double>{1, 2, 0.25, 1.25, -2.25, -3.25, 0}));
  const std::vector<double> npt = without_seal(pack_nose_hoover_record(record_of(true, 1, 1)));
  EXPECT_EQ(npt, (std::vector<double>{1,     1,      0.25, -1.25, 1,     2.25,  3.25,  4.25,  5.25, 6.25,
                                      7.25,  8.25,   9.25, 10.25, 11.25, 12.25, 13.25, 14.25, 0,    1,
                                      15.25, -16.25, 1,    17.25, 18.25, 19.25, 20.25, 21.25, 22.25}));
}

TEST(NoseHooverRecord, ComesBack) {
  for (const bool barostat : {false, true})
    for (const int length : {1, 3, 40})
      for (const int outer : {0, 1, 5})
        for (const bool box : {false, true}) {
          const std::vector<double> packed = pack_nose_hoover_record(record_of(barostat, length, outer, box));
          EXPECT_EQ(pack_nose_hoover_record(unpack(packed, barostat)), packed);
          EXPECT_EQ(pack_nose_hoover_record(unpack(without_seal(packed), barostat)), packed);
          std::vector<double> followed = packed;  // by what else is in the block
          followed.insert(followed.end(), {1, nan, 3});
          EXPECT_EQ(pack_nose_hoover_record(unpack(followed, barostat)), packed);
        }
}

TEST(NoseHooverRecord, OfLammpsBeforeTheFirstRunHasNoBox) {
  std::vector<double> values = without_seal(pack_nose_hoover_record(record_of(true)));
  values[21] = 0;
  values.back() = nan;  // memory that LAMMPS has not set
  EXPECT_EQ(unpack(values, true).barostat.reference_inverse[5], 0);
  values[21] = 1;
  EXPECT_EQ(fault(values, true), "the reference box is not a finite number");
}

TEST(NoseHooverRecord, OfTheOtherFixIsRefused) {
  for (const bool sealed : {true, false})
    for (const bool barostat : {false, true}) {
      const std::vector<double> values = pack_nose_hoover_record(record_of(barostat));
      EXPECT_EQ(fault(sealed ? values : without_seal(values), !barostat),
                barostat ? "it has a barostat" : "it has no barostat");
    }
}

TEST(NoseHooverRecord, OfAnotherVersionIsRefused) {
  std::vector<double> values = pack_nose_hoover_record(record_of(true));
  values[values.size() - 3] = 2;
  EXPECT_EQ(fault(values, true), "its version is not that of this plugin");
}

TEST(NoseHooverRecord, CutShortIsRefused) {
  for (const bool barostat : {false, true}) {
    const std::vector<double> whole = without_seal(pack_nose_hoover_record(record_of(barostat)));
    for (std::size_t n = 0; n < whole.size(); ++n)
      EXPECT_NE(fault({whole.begin(), whole.begin() + n}, barostat), "") << n << " of " << whole.size();
  }
}

TEST(NoseHooverRecord, OfOursWithAnyBitChangedIsRefused) {
  for (const bool barostat : {false, true}) {
    const std::vector<double> sound = pack_nose_hoover_record(record_of(barostat));
    for (std::size_t bit = 0; bit < 64 * sound.size(); ++bit) {
      std::vector<double> values = sound;
      reinterpret_cast<unsigned char *>(values.data())[bit / 8] ^= 1u << bit % 8;
      const std::size_t number = bit / 64;
      if (number == sound.size() - 4) {  // without its name the record is one of LAMMPS's, and sound
        EXPECT_EQ(pack_nose_hoover_record(unpack(values, barostat)), sound);
      } else {
        EXPECT_NE(fault(values, barostat), "") << "bit " << bit % 64 << " of number " << number;
      }
    }
  }
}

TEST(NoseHooverRecord, OfLammpsDamagedIsRefusedOrSound) {
  std::mt19937_64 random(20261122);
  const double shards[] = {0, 1, 2, 3, 5, -1, 0.5, 1e9, 1e300, nan, std::numeric_limits<double>::infinity()};
  int accepted = 0, refused = 0;
  for (int round = 0; round < 50000; ++round) {
    const bool barostat = random() % 2, box = random() % 2;
    std::vector<double> values =
        without_seal(pack_nose_hoover_record(record_of(barostat, 1 + random() % 4, random() % 4, box)));
    for (auto count = 1 + random() % 3; count > 0; --count) {
      const std::size_t at = random() % values.size();
      switch (random() % 4) {
        case 0:
          values[at] = shards[random() % std::size(shards)];
          break;
        case 1:
          values.erase(values.begin() + at);
          break;
        case 2:
          values.insert(values.begin() + at, shards[random() % std::size(shards)]);
          break;
        default:
          reinterpret_cast<unsigned char *>(values.data())[8 * at + random() % 8] ^= 1u << random() % 8;
      }
      if (values.empty()) break;
    }
    try {
      const std::vector<double> back = without_seal(pack_nose_hoover_record(unpack(values, barostat)));
      ASSERT_LE(back.size(), values.size());
      for (const double value : back) ASSERT_TRUE(std::isfinite(value));
      ++accepted;
    } catch (const RestartRecordError &) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 2500);
  EXPECT_GT(refused, 2500);
}

}  // namespace
}  // namespace triad

// The reader of Tersoff files on the files that LAMMPS ships; LAMMPS_POTENTIALS names their folder.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tersoff_formats.h"

namespace triad {
namespace {

struct ShippedFile {
  std::string name;
  Words elements;  ///< a largest set for which the file has every triplet
  TersoffVariant variant = TersoffVariant::Plain;
};

const Format &format_of(const ShippedFile &file) {
  static const auto all = formats();
  return *std::find_if(all.begin(), all.end(), [&](const Format &format) { return format.variant == file.variant; });
}

const std::vector<ShippedFile> shipped_files = {
    {"BNC.tersoff", {"B", "N", "C"}},
    {"GaN.tersoff", {"Ga", "N"}},
    {"Ge.tersoff", {"Ge"}},
    {"Si.tersoff", {"Si"}},
    {"SiC.tersoff", {"Si", "C"}},
    {"SiCGe.tersoff", {"Si(D)", "C"}},
    {"SiCGe.tersoff", {"Si(D)", "Ge"}},
    {"SiC_1989.tersoff", {"Si", "C"}},
    {"SiC_1990.tersoff", {"Si", "C"}},
    {"SiC_1994.tersoff", {"Si", "C"}},
    {"SiC_Erhart-Albe.tersoff", {"Si", "C"}},
    {"SiO.tersoff", {"Si", "O"}},
    {"Si.tersoff.mod", {"Si"}, TersoffVariant::Mod},
    {"Si.tersoff.modc", {"Si"}, TersoffVariant::ModC},
    {"SiC.tersoff.zbl", {"Si", "C"}, TersoffVariant::Zbl},
};

std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An independent reading of a sound file: triplet to numbers.
std::map<Words, std::vector<double>> simple_reading(const std::string &text, std::size_t count) {
  std::istringstream lines(text);
  std::string line, data;
  while (std::getline(lines, line)) data += line.substr(0, line.find('#')) + '\n';
  std::istringstream words(data);
  std::map<Words, std::vector<double>> entries;
  for (Words triplet(3); words >> triplet[0] >> triplet[1] >> triplet[2];) {
    std::vector<double> numbers(count);
    for (auto &number : numbers) words >> number;
    entries[triplet] = numbers;
  }
  return entries;
}

class ShippedFiles : public testing::Test {
 protected:
  void SetUp() override {
    const char *folder = std::getenv("LAMMPS_POTENTIALS");
    if (!folder || !*folder) GTEST_SKIP() << "LAMMPS_POTENTIALS does not name the folder of LAMMPS's potential files";
    folder_ = folder;
  }
  std::filesystem::path folder_;
};

TEST_F(ShippedFiles, AreReadAsTheyStand) {
  for (const auto &file : shipped_files) {
    const Format &format = format_of(file);
    const auto text = contents(folder_ / file.name);
    auto expected = simple_reading(text, format.fields.size());
    const auto table = read_tersoff_table(text, file.name, file.elements, 1.0, file.variant);
    EXPECT_EQ(fault_of(table, format, file.elements.size()), "") << file.name;
    for (const auto &e : table.triplets) {
      std::vector<double> numbers;
      for (const auto &field : format.fields) numbers.push_back(e.*field.value);
      EXPECT_EQ(numbers, expected[Words(e.element, e.element + 3)]) << file.name << ':' << e.line;
    }
  }
}

TEST_F(ShippedFiles, AreAllAmongTheOnesTested) {
  for (const auto &file : std::filesystem::directory_iterator(folder_))
    if (file.path().filename().string().find(".tersoff") != std::string::npos) {
      const auto tested = [&file](const ShippedFile &shipped) { return shipped.name == file.path().filename(); };
      EXPECT_TRUE(std::any_of(shipped_files.begin(), shipped_files.end(), tested)) << "add " << file.path().filename();
    }
}

TEST_F(ShippedFiles, OfSiliconVariantsWorkOneByOne) {
  const auto text = contents(folder_ / "SiCGe.tersoff");
  for (const char *variant : {"Si(B)", "Si(C)", "Si(D)"})
    EXPECT_GT(read_tersoff_table(text, "SiCGe.tersoff", {variant}).cutmax(), 2.7) << variant;
  EXPECT_THROW(read_tersoff_table(text, "SiCGe.tersoff", {"Si"}), PotentialFileError);
  EXPECT_THROW(read_tersoff_table(text, "SiCGe.tersoff", {"Si(B)", "C"}), PotentialFileError);
}

TEST_F(ShippedFiles, OfOtherStylesAreRefused) {
  for (const char *file : {"Si.tersoff.mod", "Si.tersoff.modc", "SiC.tersoff.zbl"})
    EXPECT_THROW(read_tersoff_table(contents(folder_ / file), file, {"Si"}), PotentialFileError) << file;
  const auto plain = contents(folder_ / "Si.tersoff");
  for (const auto variant : {TersoffVariant::Mod, TersoffVariant::ModC, TersoffVariant::Zbl})
    EXPECT_THROW(read_tersoff_table(plain, "Si.tersoff", {"Si"}, 1.0, variant), PotentialFileError);
}

}  // namespace
}  // namespace triad

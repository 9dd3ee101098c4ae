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

#include "io/tersoff_file.h"
#include "tersoff_text.h"

namespace triad {
namespace {

struct ShippedFile {
  std::string name;
  Words elements;  ///< a largest set for which the file has every triplet
};

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
};

std::string contents(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

/// An independent reading of a sound file: triplet to numbers.
std::map<Words, std::vector<double>> simple_reading(const std::string &text) {
  std::istringstream lines(text);
  std::string line, data;
  while (std::getline(lines, line)) data += line.substr(0, line.find('#')) + '\n';
  std::istringstream words(data);
  std::map<Words, std::vector<double>> entries;
  for (Words triplet(3); words >> triplet[0] >> triplet[1] >> triplet[2];) {
    std::vector<double> numbers(14);
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
  for (const auto &[file, elements] : shipped_files) {
    const auto text = contents(folder_ / file);
    auto expected = simple_reading(text);
    const auto table = read_tersoff_table(text, file, elements);
    EXPECT_EQ(table.triplets.size(), elements.size() * elements.size() * elements.size());
    for (const auto &e : table.triplets)
      EXPECT_EQ((std::vector<double>{e.m, e.gamma, e.lam3, e.c, e.d, e.costheta0, e.n, e.beta, e.lam2, e.B, e.R, e.D,
                                     e.lam1, e.A}),
                expected[Words(e.element, e.element + 3)])
          << file << ':' << e.line;
  }
}

TEST_F(ShippedFiles, AreAllAmongTheOnesTested) {
  for (const auto &file : std::filesystem::directory_iterator(folder_))
    if (file.path().extension() == ".tersoff") {
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
}

}  // namespace
}  // namespace triad

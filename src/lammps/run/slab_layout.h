// Slabs of LAMMPS's box as commands name them: the bins of stock compute chunk/atom bin/1d.
#pragma once

#include <array>
#include <string>

#include "dynamics/slabs.h"
#include "io/setting_reader.h"
#include "lammps.h"

namespace LAMMPS_NS {

class SlabLayout {
 public:
  enum class Units { Box, Lattice, Reduced };

  bool operator==(const SlabLayout &other) const {
    return axis_ == other.axis_ && origin_ == other.origin_ && units_ == other.units_ &&
           coordinate_ == other.coordinate_ && width_ == other.width_;
  }
  /// Reads direction, origin and slab width.
  void read_place(triad::SettingReader &words);
  /// Reads the value of the keyword units.
  void read_units(triad::SettingReader &words);
  /// Takes the `lattice` spacings for Units::Lattice. To be called once, behind the functions above. Throws
  /// SettingError if the box does not allow the slabs; `words` names the command.
  void finish(const LAMMPS *lmp, const std::array<double, 3> &lattice, const triad::SettingReader &words);

  bool reduced() const { return units_ == Units::Reduced; }
  /// The slabs that cover the present box. One of their faces is at the origin. Ends in an error of LAMMPS, which names
  /// the `holder` of the slabs, if there are none or too many.
  triad::Slabs in_box(LAMMPS *lmp, const std::string &holder) const;
  /// The volume of one of these slabs.
  static double volume_of(const triad::Slabs &slabs, const LAMMPS *lmp);

 private:
  enum class Origin { Low, Centre, High, Coordinate };

  int axis_ = 0;
  Origin origin_ = Origin::Low;
  Units units_ = Units::Lattice;
  double coordinate_ = 0, width_ = 0;  // of the origin and of a slab, in units of the box or reduced
};

}  // namespace LAMMPS_NS

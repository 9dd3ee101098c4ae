// What Triad writes to the screen and to LAMMPS's log. Programs that read these logs take every line between the thermo
// header and "Loop time" for data, so no line of ours may stand there.
#pragma once

#include <string>
#include <vector>

#include "pointers.h"

namespace LAMMPS_NS {

/// The lines of one style, a member of the style. LAMMPS calls no function of a style after it has printed the
/// statistics of a run. Text for that place is therefore kept and written at the first later opportunity: when the
/// style is initialised for the next run, before the thermo header of that run, or when the style is destroyed, which
/// at the end of a script is before "Total wall time". Only rank 0 of a LAMMPS instance writes. Lines start with
/// "Triad: ", and each ends in a newline.
class RunLog : protected Pointers {
 public:
  explicit RunLog(LAMMPS *lmp) : Pointers(lmp) {}
  ~RunLog() override { write_kept(); }
  RunLog(const RunLog &) = delete;
  RunLog &operator=(const RunLog &) = delete;

  /// A style's init() has one of these on its stack: writes what was kept, and lets before_thermo() know that the
  /// thermo header of the run is still to come.
  class Init {
   public:
    explicit Init(RunLog &log) : log_(log) {
      log_.write_kept();
      log_.in_init_ = true;
    }
    ~Init() { log_.in_init_ = false; }
    Init(const Init &) = delete;
    Init &operator=(const Init &) = delete;

   private:
    RunLog &log_;
  };

  /// Writes `lines` now, behind what was kept before: between runs, in init() and in setup(). After the thermo header,
  /// as where `run ... pre no` has left the setup out, keeps `lines` for the place after LAMMPS's statistics.
  void before_thermo(const std::string &lines);

  /// Keeps `lines`, the summary of all runs since the last init(), for the place after LAMMPS's statistics. Replaces
  /// the summary that an earlier `run ... pre no` has left, which had no place to be written.
  void after_statistics(const std::string &lines) { summary_ = lines; }

  /// Keeps `lines` for the place after LAMMPS's statistics, behind other such lines. Does nothing for a line that is
  /// kept already, so that many short runs without setup repeat none.
  void keep(const std::string &lines);

 private:
  void write_kept();
  bool in_thermo_block() const;
  void write(const std::string &lines) const;

  bool in_init_ = false;
  std::vector<std::string> kept_;
  std::string summary_;
};

}  // namespace LAMMPS_NS

// Output of Triad to the screen and to LAMMPS's log. Programs that read these logs treat every line between the thermo
// header and "Loop time" as data, so Triad must not write lines there.
#pragma once

#include <string>
#include <vector>

#include "pointers.h"

namespace LAMMPS_NS {

/// The lines of one style, a member of the style. LAMMPS calls no function of a style after it has printed the
/// statistics of a run. Lines that belong there are therefore kept and written at the next opportunity: when the
/// style is initialised for the next run, before the thermo header of that run, or when the style is destroyed, which
/// at the end of a script is before "Total wall time". Only rank 0 of a LAMMPS instance writes. Lines start with
/// "Triad: ", and each ends in a newline.
class RunLog : protected Pointers {
 public:
  explicit RunLog(LAMMPS *lmp) : Pointers(lmp) {}
  ~RunLog() override { write_kept(); }
  RunLog(const RunLog &) = delete;
  RunLog &operator=(const RunLog &) = delete;

  /// Local variable of a style's init(). Writes the kept lines; while it exists, before_thermo() writes immediately,
  /// because the thermo header of the run has not been printed yet.
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

  /// Between runs, in init() and in setup(): writes the kept lines and then `lines`. After the thermo header, for
  /// example in a run with `pre no`, which has no setup: keeps `lines` until after LAMMPS's statistics.
  void before_thermo(const std::string &lines);

  /// Keeps `lines`, the summary of all runs since the last init(), until after LAMMPS's statistics. Replaces a summary
  /// of an earlier run that could not be written because the next run had `pre no`.
  void after_statistics(const std::string &lines) { summary_ = lines; }

  /// Keeps `lines` until after LAMMPS's statistics, after lines that were kept earlier. Ignores lines that are kept
  /// already, so many short runs without setup do not repeat them.
  void keep(const std::string &lines);

 private:
  void write_kept();
  bool in_thermo_block() const;
  void write(const std::string &lines) const;

  bool in_init_ = false;
  std::vector<std::string> kept_;
  std::string summary_;
};

/// The line about the neighbour list of rank 0, which LAMMPS's statistics do not count where LAMMPS has no such list.
std::string list_line(double neighbours, int n_atoms);

}  // namespace LAMMPS_NS

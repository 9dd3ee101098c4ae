// Styles whose hooks convert exhausted memory to an error of LAMMPS. An exception that left a hook would end the
// process if LAMMPS was called from Python or C.
#pragma once

#include <cstdio>
#include <string>

#include "compute.h"
#include "fix.h"
#include "lammps/compat/verlet_api.h"
#include "lammps/util/loop_errors.h"
#include "pair.h"

namespace LAMMPS_NS {

/// `Style`, with those hooks of its base class (Pair, Fix, Compute or Integrate) wrapped that may allocate memory or
/// compute forces.
template <class Base, class Style>
class Reporting;

template <class Style>
class Reporting<Pair, Style> final : public Style {
 public:
  explicit Reporting(LAMMPS *lmp) : Style(lmp) {}

  void compute(int eflag, int vflag) override {
    report([&] { Style::compute(eflag, vflag); });
  }
  void settings(int narg, char **arg) override {
    report([&] { Style::settings(narg, arg); });
  }
  void coeff(int narg, char **arg) override {
    report([&] { Style::coeff(narg, arg); });
  }
  void init_style() override {
    report([&] { Style::init_style(); });
  }

 private:
  template <class Work>
  void report(Work &&work) {
    reporting_loop_errors(
        this->lmp, [] { return "pair_style of Triad"; }, work);
  }
};

template <class Style>
class Reporting<Fix, Style> final : public Style {
 public:
  Reporting(LAMMPS *lmp, int narg, char **arg) : Style(lmp, narg, arg) {}

  void post_constructor() override {
    report([&] { Style::post_constructor(); });
  }
  void init() override {
    report([&] { Style::init(); });
  }
  void setup(int vflag) override {
    report([&] { Style::setup(vflag); });
  }
  void min_setup(int vflag) override {
    report([&] { Style::min_setup(vflag); });
  }
  void initial_integrate(int vflag) override {
    report([&] { Style::initial_integrate(vflag); });
  }
  void post_force(int vflag) override {
    report([&] { Style::post_force(vflag); });
  }
  void min_post_force(int vflag) override {
    report([&] { Style::min_post_force(vflag); });
  }
  void final_integrate() override {
    report([&] { Style::final_integrate(); });
  }
  void end_of_step() override {
    report([&] { Style::end_of_step(); });
  }
  double compute_scalar() override {
    double value = 0;
    report([&] { value = Style::compute_scalar(); });
    return value;
  }
  double compute_vector(int n) override {
    double value = 0;
    report([&] { value = Style::compute_vector(n); });
    return value;
  }
  double compute_array(int row, int column) override {
    double value = 0;
    report([&] { value = Style::compute_array(row, column); });
    return value;
  }
  void write_restart(FILE *file) override {
    report([&] { Style::write_restart(file); });
  }
  void restart(char *buffer) override {
    report([&] { Style::restart(buffer); });
  }
  int modify_param(int narg, char **arg) override {
    int used = 0;
    report([&] { used = Style::modify_param(narg, arg); });
    return used;
  }

 private:
  template <class Work>
  void report(Work &&work) {
    reporting_loop_errors(
        this->lmp, [this] { return std::string("fix ") + this->id + " " + this->style; }, work);
  }
};

template <class Style>
class Reporting<Compute, Style> final : public Style {
 public:
  Reporting(LAMMPS *lmp, int narg, char **arg) : Style(lmp, narg, arg) {}

  void post_constructor() override {
    report([&] { Style::post_constructor(); });
  }
  void init() override {
    report([&] { Style::init(); });
  }
  double compute_scalar() override {
    double value = 0;
    report([&] { value = Style::compute_scalar(); });
    return value;
  }
  void compute_vector() override {
    report([&] { Style::compute_vector(); });
  }
  void compute_array() override {
    report([&] { Style::compute_array(); });
  }

 private:
  template <class Work>
  void report(Work &&work) {
    reporting_loop_errors(
        this->lmp, [this] { return std::string("compute ") + this->id + " " + this->style; }, work);
  }
};

template <class Style>
class Reporting<Integrate, Style> final : public Style {
 public:
  Reporting(LAMMPS *lmp, int narg, char **arg) : Style(lmp, narg, arg) {}

  void init() override {
    report([&] { Style::init(); });
  }
  void setup(int flag) override {
    report([&] { Style::setup(flag); });
  }
  void setup_minimal(int flag) override {
    report([&] { Style::setup_minimal(flag); });
  }
  void run(int n) override {
    report([&] { Style::run(n); });
  }
  void cleanup() override {
    report([&] { Style::cleanup(); });
  }

 private:
  template <class Work>
  void report(Work &&work) {
    reporting_loop_errors(
        this->lmp, [] { return "run_style verlet/triad"; }, work);
  }
};

/// Makes a Reporting style. LAMMPS casts the pointer that a factory returns to Base.
template <class Base, class Style, class... Arguments>
Reporting<Base, Style> *new_reporting(LAMMPS *lmp, Arguments... arguments) {
  Reporting<Base, Style> *made = nullptr;
  reporting_loop_errors(
      lmp, [] { return "creating a style of Triad"; }, [&] { made = new Reporting<Base, Style>(lmp, arguments...); });
  return made;
}

}  // namespace LAMMPS_NS

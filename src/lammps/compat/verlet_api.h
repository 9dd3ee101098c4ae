// The base classes of a run style: those of a source tree, whose members change between releases, or declared here,
// since the PyPI wheel ships neither integrate.h nor verlet.h. Members and their order are then those of the pinned
// wheel's classes, checked against its virtual tables and object code; plugin.cpp loads into no other.
#pragma once

#if __has_include("verlet.h")
#include "verlet.h"
#else

#include <vector>

#include "pointers.h"

namespace LAMMPS_NS {

class Compute;

class Integrate : protected Pointers {
 public:
  Integrate(class LAMMPS *, int, char **);
  virtual void init();
  virtual void setup(int flag) = 0;
  virtual void setup_minimal(int) = 0;
  virtual void run(int) = 0;
  virtual void force_clear() = 0;
  virtual void cleanup();
  virtual void reset_dt();
  virtual double memory_usage();

 protected:
  int eflag, vflag;  // of the current step
  int virial_style;
  int external_force_clear;
  std::vector<Compute *> elist_global, elist_atom, vlist_global, vlist_atom, cvlist_atom;
  int pair_compute_flag, kspace_compute_flag;

  void ev_setup();
  void ev_set(bigint);
};

class Verlet : public Integrate {
 public:
  Verlet(class LAMMPS *, int, char **);
  void init() override;
  void setup(int flag) override;
  void setup_minimal(int) override;
  void run(int) override;
  void force_clear() override;
  void cleanup() override;

 protected:
  int triclinic;
  int torqueflag, extraflag;
};

}  // namespace LAMMPS_NS

#endif

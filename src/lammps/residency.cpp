#include "lammps/residency.h"

#include "comm.h"

using namespace LAMMPS_NS;

void Residency::start(triad::Stepper *stepper) {
  stepper_ = stepper;
  all_on_host();
  ghosts_ = false;
}

void Residency::all_on_host() {
  host_ = triad::field_all;
  at_stepper_ = 0;
  ghosts_ = true;
}

void Residency::taken_over() {
  host_ = at_stepper_ = triad::field_all;
  ghosts_ = true;
}

void Residency::to_host(unsigned fields) {
  const unsigned stale = fields & ~host_;
  if (stale) stepper_->to_host(stale);
  host_ |= stale;
  if ((fields & triad::field_x) && !ghosts_) {
    comm->forward_comm();
    ghosts_ = true;
  }
}

void Residency::to_stepper(unsigned fields) {
  const unsigned stale = fields & ~at_stepper_;
  if (stale) stepper_->from_host(stale);
  at_stepper_ |= stale;
}

void Residency::changed_on_host(unsigned fields) {
  host_ |= fields;
  at_stepper_ &= ~fields;
  if (fields & triad::field_x) ghosts_ = false;
}

void Residency::changed_at_stepper(unsigned fields) {
  at_stepper_ |= fields;
  host_ &= ~fields;
  if (fields & triad::field_x) ghosts_ = false;
}

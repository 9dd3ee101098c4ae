#include "lammps/run/residency.h"

#include <utility>

#include "atom.h"
#include "comm.h"

using namespace LAMMPS_NS;

namespace {

/// Adds to one of the three numbers that LAMMPS packs into an image flag.
void change_image(imageint &image, int axis, int by) {
  const int shift = axis == 0 ? 0 : axis == 1 ? IMGBITS : IMG2BITS;
  const imageint changed = ((image >> shift & IMGMASK) + by) & IMGMASK;
  image = (image & ~(static_cast<imageint>(IMGMASK) << shift)) | changed << shift;
}

}  // namespace

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
  owned_to_host(fields);
  if ((fields & triad::field_x) && !ghosts_) {
    comm->forward_comm();
    ghosts_ = true;
  }
}

void Residency::owned_to_host(unsigned fields) {
  const unsigned stale = fields & ~host_;
  if (stale) stepper_->to_host(stale);
  host_ |= stale;
  if (!(stale & triad::field_x)) return;
  for (std::size_t k = 0; k < crossings_.size(); ++k) {
    const int edges = std::exchange(crossings_[k], 0);
    if (edges) change_image(atom->image[k / 3], static_cast<int>(k % 3), -edges);
  }
}

int *Residency::crossings() {
  crossings_.assign(3 * std::size_t(atom->nlocal), 0);
  return crossings_.data();
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

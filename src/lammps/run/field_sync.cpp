#include "lammps/run/field_sync.h"

#include <utility>

#include "atom.h"
#include "comm.h"

using namespace LAMMPS_NS;

namespace {

/// Adds `by` to one of the three numbers in an image flag.
void change_image(imageint &image, int axis, int by) {
  const int shift = axis == 0 ? 0 : axis == 1 ? IMGBITS : IMG2BITS;
  const imageint changed = ((image >> shift & IMGMASK) + by) & IMGMASK;
  image = (image & ~(static_cast<imageint>(IMGMASK) << shift)) | changed << shift;
}

}  // namespace

void FieldSync::start(triad::MdEngine *engine) {
  engine_ = engine;
  all_on_host();
  ghosts_ = false;
}

void FieldSync::all_on_host() {
  host_ = triad::field_all;
  on_engine_ = 0;
  ghosts_ = true;
}

void FieldSync::both_current() {
  host_ = on_engine_ = triad::field_all;
  ghosts_ = true;
}

void FieldSync::sync_host(unsigned fields) {
  sync_host_owned(fields);
  if ((fields & triad::field_x) && !ghosts_) {
    comm->forward_comm();
    ghosts_ = true;
  }
}

void FieldSync::sync_host_owned(unsigned fields) {
  const unsigned stale = fields & ~host_;
  if (stale) engine_->sync_host(stale);
  host_ |= stale;
  if (!(stale & triad::field_x)) return;
  for (std::size_t k = 0; k < crossings_.size(); ++k) {
    const int edges = std::exchange(crossings_[k], 0);
    if (edges) change_image(atom->image[k / 3], static_cast<int>(k % 3), -edges);
  }
}

int *FieldSync::crossings() {
  crossings_.assign(3 * std::size_t(atom->nlocal), 0);
  return crossings_.data();
}

void FieldSync::sync_engine(unsigned fields) {
  const unsigned stale = fields & ~on_engine_;
  if (stale) engine_->sync_engine(stale);
  on_engine_ |= stale;
}

void FieldSync::modify_host(unsigned fields) {
  host_ |= fields;
  on_engine_ &= ~fields;
  if (fields & triad::field_x) ghosts_ = false;
}

void FieldSync::modify_engine(unsigned fields) {
  on_engine_ |= fields;
  host_ &= ~fields;
  if (fields & triad::field_x) ghosts_ = false;
}

// LAMMPS's box in the form that engines take.
#pragma once

#include <algorithm>

#include "domain.h"
#include "dynamics/box.h"

namespace LAMMPS_NS {

inline triad::Box box_of(const Domain *domain) {
  triad::Box box;
  std::copy_n(domain->boxlo, 3, box.low);
  std::copy_n(domain->boxhi, 3, box.high);
  box.triclinic = domain->triclinic != 0;
  if (!box.triclinic) return box;
  box.yz = domain->yz;
  box.xz = domain->xz;
  box.xy = domain->xy;
  return box;
}

/// Sets LAMMPS's box, on this rank. Atoms stay where they are.
inline void set_box_of(Domain *domain, const triad::Box &box) {
  std::copy_n(box.low, 3, domain->boxlo);
  std::copy_n(box.high, 3, domain->boxhi);
  if (box.triclinic) {
    domain->yz = box.yz;
    domain->xz = box.xz;
    domain->xy = box.xy;
  }
  domain->set_global_box();
  domain->set_local_box();
}

/// Restores LAMMPS's box and its rates when the object is destroyed.
class KeptBox {
 public:
  explicit KeptBox(Domain *domain) : domain_(domain), box_(box_of(domain)) {
    std::copy_n(domain_->h_rate, 6, rate_);
    std::copy_n(domain_->h_ratelo, 3, rate_of_low_);
  }
  ~KeptBox() {
    set_box_of(domain_, box_);
    std::copy_n(rate_, 6, domain_->h_rate);
    std::copy_n(rate_of_low_, 3, domain_->h_ratelo);
  }
  KeptBox(const KeptBox &) = delete;
  KeptBox &operator=(const KeptBox &) = delete;

 private:
  Domain *domain_;
  triad::Box box_;
  double rate_[6], rate_of_low_[3];
};

/// The edges of the box as vectors, [edge][component].
struct BoxEdges {
  explicit BoxEdges(const Domain *domain) { box_of(domain).copy_edges(edge); }
  double edge[3][3];
};

}  // namespace LAMMPS_NS

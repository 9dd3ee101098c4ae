"""Triad: Tersoff forces on NVIDIA GPUs and on the host, as a plugin for LAMMPS.

    from lammps_triad import lammps            LAMMPS as a library, with Triad's styles
    from lammps_triad import ase_calculator    a calculator of ASE
"""

from .instances import ase_calculator, lammps

__all__ = ["ase_calculator", "lammps"]

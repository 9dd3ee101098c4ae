"""LAMMPS's units and those of the results."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    boltzmann: float  # energy / K
    to_si: float  # energy / (time distance K) in W/(m K)
    time: str
    length: str
    frequency: str
    period: float  # 0.5 ps: longer than the oscillations of a correlation function by optical phonons
    timesteps: tuple  # shortest and longest plausible time step of molecular dynamics


UNITS = {
    "metal": Units(8.617333262e-5, 1.602176634e-19 / (1e-12 * 1e-10), "ps", "Å", "THz", 0.5, (1e-5, 0.05)),
    "real": Units(1.987204259e-3, 4184 / 6.02214076e23 / (1e-15 * 1e-10), "fs", "Å", "1/fs", 500, (0.01, 50)),
}

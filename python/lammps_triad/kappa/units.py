"""LAMMPS's units and those of the results."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    boltzmann: float  # energy / K
    to_si: float  # energy / (time distance K) in W/(m K)
    time: str
    length: str


UNITS = {
    "metal": Units(8.617333262e-5, 1.602176634e-19 / (1e-12 * 1e-10), "ps", "Å"),
    "real": Units(1.987204259e-3, 4184 / 6.02214076e23 / (1e-15 * 1e-10), "fs", "Å"),
}

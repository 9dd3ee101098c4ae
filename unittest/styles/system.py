"""What a system for comparisons is, and the commands that build one.

Every atom is displaced at random with a fixed seed, so that no force vanishes by symmetry. Lengths in Angstrom.
"""

import functools
from dataclasses import dataclass
from typing import Callable

from lammps_run import run_lammps

DEFAULT_PAIR = "pair_style {style}\npair_coeff * * {potential} {elements}\n"


@dataclass(frozen=True)
class System:
    name: str
    create: str  # units, box, atoms, masses
    potential: str = "SiCGe.tersoff"
    elements: str = "Si(D)"  # one per atom type
    base: str = "tersoff"  # the member of the family
    settings: str = ""  # of the pair style, for stock and plugin alike
    pair: str = DEFAULT_PAIR
    files: Callable = dict  # returns what the run folder must hold: name -> text
    energy_unit: float = 1.0  # 1 eV in the units of the script
    stock_error: float = 0.0  # relative; what stock's own numbers are uncertain by, with the reason where it is set
    strained: bool = False  # forces far beyond those of any material: `mixed` is held to a share of them

    def commands(self, style):
        """The script up to and including the pair coefficients."""
        return self.create + self.pair_commands(style)

    def pair_commands(self, style):
        """`suffix` and `choice` let `pair` name further members of the family: tersoff/mod{suffix} {choice}."""
        chosen = style.of(self.base, self.settings)
        return self.pair.format(style=chosen, name=chosen.name, potential=self.potential, elements=self.elements,
                                suffix=chosen.name.removeprefix(self.base), choice=style.settings)


def crystal(cells=3, lattice="diamond 5.432", *, types="", displace=0.1, boundary="p p p", before="", after="",
            units="metal", box_types=None, mass=28.0855, origin=0):
    """Script that fills `cells`^3 unit cells. `types`: create_atoms basis keywords; `after`: commands on the atoms."""
    ntypes = box_types or max([1, *(int(word) for word in types.split()[2::3])])
    upper = origin + cells
    return f"""units {units}
boundary {boundary}
{before}
lattice {lattice}
region box block {origin} {upper} {origin} {upper} {origin} {upper}
create_box {ntypes} box
create_atoms 1 box {types}
mass * {mass}
{after}
displace_atoms all random {displace} {displace} {displace} 8417 units box
"""


def basis(*types):
    """create_atoms keywords that give basis atom 1, 2, ... the types listed."""
    return " ".join(f"basis {number} {kind}" for number, kind in enumerate(types, 1))


ZINCBLENDE = basis(1, 1, 1, 1, 2, 2, 2, 2)


def shuffled(*fractions):
    """Commands that turn atoms of type 1 into type 2, 3, ... with the probabilities given, so every triplet occurs."""
    return "\n".join(f"set group all type/fraction {kind} {fraction} {5023 + kind}"
                     for kind, fraction in enumerate(fractions, 2))


@functools.cache
def silicon_melt():
    """A data file of 216 Si atoms after 3 ps of stock tersoff at 5000 K: many coordinations, bonds across the taper."""
    script = crystal(3, "diamond 5.40") + """
pair_style tersoff
pair_coeff * * SiCGe.tersoff Si(D)
velocity all create 9000 4417
fix md all nvt temp 5000 5000 0.05
timestep 0.001
run 3000
write_data melt.data nocoeff
"""
    return {"melt.data": run_lammps(script).files["melt.data"].decode()}


MELT = "units metal\nboundary {}\nread_data melt.data\nset group all image 0 0 0\nvelocity all set 0 0 0\n"



@functools.cache
def _tilted(tilts):
    """A data file of a crystal in a tilted box. displace_atoms draws its numbers from the positions, which KOKKOS wraps
    into a tilted box with a rounding of its own."""
    script = crystal(after="change_box all triclinic\n" + tilts)
    return {"tilted.data": run_lammps(script + "write_data tilted.data\n").files["tilted.data"].decode()}


def tilted_silicon():
    """A sheared crystal."""
    return _tilted("change_box all xy final 3 xz final -2 yz final 4 remap units box")


def tilted_crystal():
    """A crystal without strain, since each tilt is a cell of the lattice."""
    return _tilted("change_box all xy final 1 units lattice\nchange_box all xz final -1 yz final 1 units lattice")


TILTED = "units metal\nread_data tilted.data\n"

# Away from a fixed boundary, so that no displaced atom lies beyond it.
INWARD = "displace_atoms all move 0.3 0.3 0.3 units box"

# In SiC_1989 and SiC_1994 the entries (C Si Si) and (Si C C) state the repulsion of the same pair with A or D that
# differ from the fifth to the eighth digit. Stock reads one of the two, by the parity of the atom IDs; the plugin takes
# the mean of both directions, which does not change when atoms are renumbered. Shares of the largest value.
UNEQUAL_REPULSION = {"SiC_1989.tersoff": 1e-6, "SiC_1994.tersoff": 1e-5}

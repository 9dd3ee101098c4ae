"""Tersoff's potential bond by bond in a cluster, in plain loops, and what follows from finite differences of it."""

import math
import os
from pathlib import Path

import numpy as np

NAMES = "m gamma lam3 c d h n beta lam2 B R D lam1 A".split()


def read_entries(name):
    """{(e1, e2, e3): parameters} of a potential file of LAMMPS's."""
    text = Path(os.environ["LAMMPS_POTENTIALS"], name).read_text()
    words = " ".join(line.split("#")[0] for line in text.splitlines()).split()
    return {tuple(words[k:k + 3]): dict(zip(NAMES, map(float, words[k + 3:k + 17]))) for k in range(0, len(words), 17)}


def taper(e, r):
    if r < e["R"] - e["D"]:
        return 1.0
    if r > e["R"] + e["D"]:
        return 0.0
    return 0.5 * (1 - math.sin(math.pi / 2 * (r - e["R"]) / e["D"]))


def bond_energy(entries, elements, x, i, j):
    """1/2 fC(r) [A exp(-lam1 r) - b B exp(-lam2 r)] of the bond from i to j."""
    e = entries[elements[i], elements[j], elements[j]]
    to_j = x[j] - x[i]
    r = math.sqrt(to_j @ to_j)
    if taper(e, r) == 0:
        return 0.0
    zeta = 0.0
    for k in range(len(x)):
        if k in (i, j):
            continue
        t = entries[elements[i], elements[j], elements[k]]
        to_k = x[k] - x[i]
        r_k = math.sqrt(to_k @ to_k)
        if taper(t, r_k) == 0:
            continue
        cosine = to_j @ to_k / (r * r_k)
        g = t["gamma"] * (1 + (t["c"] / t["d"])**2 - t["c"]**2 / (t["d"]**2 + (t["h"] - cosine)**2))
        zeta += taper(t, r_k) * g * math.exp((t["lam3"] * (r - r_k))**int(t["m"]))
    order = (1 + (e["beta"] * zeta)**e["n"])**(-1 / (2 * e["n"]))
    return 0.5 * taper(e, r) * (e["A"] * math.exp(-e["lam1"] * r) - order * e["B"] * math.exp(-e["lam2"] * r))


def driving_forces(entries, elements, x, field, step=1e-5):
    """Sum over bonds b of field.(r_a - m_b) F_ab for every atom a, with F_ab = -dE_b/dr_a by central differences and
    m_b the middle of the bond. [atoms][3]"""
    forces = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            if i == j or bond_energy(entries, elements, x, i, j) == 0:
                continue
            middle = (x[i] + x[j]) / 2
            for a in range(len(x)):
                for axis in range(3):
                    up, down = x.copy(), x.copy()
                    up[a, axis] += step
                    down[a, axis] -= step
                    slope = (bond_energy(entries, elements, up, i, j) - bond_energy(entries, elements, down, i, j))
                    forces[a, axis] -= np.dot(field, x[a] - middle) * slope / (2 * step)
    return forces

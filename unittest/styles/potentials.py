"""Tersoff potential files that the tests generate: what the files shipped with LAMMPS do not cover."""

import itertools
import math
import random

HEADER = "# DATE: 2025-01-01 UNITS: {units}\n"

# J. Tersoff, Phys. Rev. B 39, 5566 (1989), table I: A, B (eV), lambda, mu (1/A), beta, n, c, d, h, R, S (A).
_TERSOFF_1989 = {
    "C": (1393.6, 346.74, 3.4879, 2.2119, 1.5724e-7, 0.72751, 38049.0, 4.3484, -0.57058, 1.8, 2.1),
    "Si": (1830.8, 471.18, 2.4799, 1.7322, 1.1000e-6, 0.78734, 100390.0, 16.217, -0.59825, 2.7, 3.0),
    "Ge": (1769.0, 419.23, 2.4451, 1.7047, 9.0166e-7, 0.75627, 106430.0, 15.652, -0.43884, 2.8, 3.1),
}
# chi of the same paper for the attraction of unlike atoms; C-Ge is not in it, so 1.
_CHI = {frozenset(("C", "Si")): 0.9776, frozenset(("Si", "Ge")): 1.00061}


def entry(elements, *, m=3, gamma=1.0, lam3=0.0, c, d, h, n, beta, lam2, B, R, D, lam1, A):
    """One line of a potential file, parameters in the order of the format."""
    values = (m, gamma, lam3, c, d, h, n, beta, lam2, B, R, D, lam1, A)
    return " ".join((*elements, *(repr(value) for value in values))) + "\n"


def silicon(units="metal", **changes):
    """A one-entry file for Si of Tersoff 1989 with named parameters changed. The entry is line 2."""
    parameters = dict(c=100390.0, d=16.217, h=-0.59825, n=0.78734, beta=1.1e-6, lam2=1.7322, B=471.18, R=2.85, D=0.15,
                      lam1=2.4799, A=1830.8)
    return HEADER.format(units=units) + entry(("Si", "Si", "Si"), **{**parameters, **changes})


def ternary_1989():
    """C, Si and Ge with all 27 triplets by the mixing rules of Tersoff 1989; SiCGe.tersoff has no C-Ge entries."""
    lines = [HEADER.format(units="metal")]
    for i, j, k in itertools.product(_TERSOFF_1989, repeat=3):
        A, B, lam1, lam2, beta, n, c, d, h = _TERSOFF_1989[i][:9]
        other = _TERSOFF_1989[j]
        inner, outer = (math.sqrt(_TERSOFF_1989[i][s] * _TERSOFF_1989[k][s]) for s in (9, 10))
        chi = _CHI.get(frozenset((i, j)), 1.0)
        lines.append(entry((i, j, k), c=c, d=d, h=h, n=n, beta=beta, lam2=(lam2 + other[3]) / 2,
                           B=chi * math.sqrt(B * other[1]), R=(inner + outer) / 2, D=(outer - inner) / 2,
                           lam1=(lam1 + other[2]) / 2, A=math.sqrt(A * other[0])))
    return "".join(lines)


def _mod_entry(draw, elements, pair, constant):
    """One entry of tersoff/mod (20 fields) or, with the constant, of tersoff/mod/c (21)."""
    bond_order = (draw.choice((1, 3)), draw.choice((0.0, draw.uniform(0.5, 1.5))), draw.uniform(-0.6, 0.2),
                  draw.uniform(0.8, 2.2), 1.0)  # m, alpha, h, eta, beta_ters
    radial = (draw.uniform(1.2, 1.8), draw.uniform(90, 400), pair["R"], pair["D"], pair["lam1"], pair["A"])
    angular = (draw.uniform(0.5, 2), draw.uniform(0.1, 0.5), draw.uniform(1, 9), draw.uniform(1, 9),
               draw.uniform(0.5, 4), draw.uniform(0.5, 20))  # n, c1 ... c5
    values = (*bond_order, *radial, *angular, *((pair["c0"],) if constant else ()))
    return " ".join((*elements, *(repr(value) for value in values))) + "\n"


def unlike_triplets(elements, seed, base="tersoff"):
    """Every triplet with parameters of its own, m of 1 and 3, lambda3 zero and not, gamma, own cutoffs.

    Only the repulsion and its cutoff are equal in (i j j) and (j i i): stock takes one of the two by parity of
    the atom IDs, so a file in which they differ has no energy that is independent of the numbering.
    """
    draw = random.Random(seed)
    repulsion = {frozenset((i, j)): dict(A=draw.uniform(1500, 3200), lam1=draw.uniform(2.4, 3.2),
                                         R=draw.uniform(2.6, 3.1), D=draw.uniform(0.1, 0.3))
                 for i, j in itertools.combinations_with_replacement(elements, 2)}
    constant = {pair: draw.uniform(-0.02, 0.02) for pair in repulsion}
    core = {pair: (draw.uniform(0.8, 1.2), draw.uniform(8, 16)) for pair in repulsion}  # ZBLcut, ZBLexpscale
    charge = {element: draw.randint(1, 40) for element in elements}
    lines = [HEADER.format(units="metal")]
    for i, j, k in itertools.product(elements, repeat=3):
        pair = frozenset((i, j))
        own = repulsion[pair] if j == k else dict(A=0.0, lam1=0.0, R=draw.uniform(2.6, 3.1), D=draw.uniform(0.1, 0.3))
        if base in ("tersoff/mod", "tersoff/mod/c"):
            lines.append(_mod_entry(draw, (i, j, k), {**own, "c0": constant[pair]}, base == "tersoff/mod/c"))
            continue
        line = entry((i, j, k), m=draw.choice((1, 3)), gamma=draw.uniform(0.3, 1.5),
                     lam3=draw.choice((0.0, draw.uniform(0.5, 1.5))), c=draw.uniform(1, 5), d=draw.uniform(1, 3),
                     h=draw.uniform(-0.6, 0.2), n=draw.uniform(0.7, 3), beta=draw.uniform(0.05, 0.4),
                     lam2=draw.uniform(1.2, 1.8), B=draw.uniform(90, 400), **own)
        if base == "tersoff/zbl":
            line = f"{line.rstrip()} {charge[i]} {charge[j]} {core[pair][0]!r} {core[pair][1]!r}\n"
        lines.append(line)
    return "".join(lines)

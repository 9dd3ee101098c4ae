"""Isolated clusters, one for every kind of energy in the family.

Nothing crosses a boundary, so the moment of the energy is defined. The heat current is tested on them, which needs no
comparison with stock.
"""

import functools

import potentials
from system import ZINCBLENDE, System, crystal, shuffled


def ball(lattice="diamond 5.432", after="", displace=0.15, **more):
    """About 90 atoms of a diamond lattice."""
    cut = f"region outside sphere 2.05 2.1 1.95 1.4 side out\ndelete_atoms region outside\n{after}"
    return crystal(4, lattice, boundary="s s s", after=cut, displace=displace, **more)


def _unlike(base, settings=""):
    files = functools.partial(lambda: {"unlike.tersoff": potentials.unlike_triplets("WXYZ", 5, base)})
    return System(f"unlike {base} {settings}".strip(), ball(after=shuffled(0.3, 0.4, 0.3), box_types=4),
                  "unlike.tersoff", "W X Y Z", base, settings, files=files)


CLUSTERS = {system.name: system for system in [
    System("si-1989", ball()),
    System("si-1988-lambda3", ball(), "Si.tersoff", "Si"),
    System("si-mod", ball(), "Si.tersoff.mod", "Si", "tersoff/mod"),
    System("si-mod-c", ball(), "Si.tersoff.modc", "Si", "tersoff/mod/c"),
    System("sic-zbl-core", ball("diamond 2.6", types=ZINCBLENDE), "SiC.tersoff.zbl", "Si C", "tersoff/zbl"),
    System("sic", ball("diamond 4.36", types=ZINCBLENDE, after=shuffled(0.5)), "SiC.tersoff", "Si C"),
    System("sicge", ball("diamond 5.0", after=shuffled(0.3, 0.4), box_types=3), "ternary.tersoff", "C Si Ge",
           files=lambda: {"ternary.tersoff": potentials.ternary_1989()}),
    System("si-shift", ball(), settings="shift 0.1"),
    System("si-mod-negative-shift", ball(), "Si.tersoff.mod", "Si", "tersoff/mod", "shift -0.2"),
    System("si-real-units", ball(units="real")),
    *(_unlike(base) for base in ("tersoff", "tersoff/mod", "tersoff/mod/c", "tersoff/zbl")),
    _unlike("tersoff", "shift -0.2"),
    System("overlay", ball(after=shuffled(0.4), box_types=2), pair="""
pair_style hybrid/overlay tersoff{suffix} {choice} tersoff/mod{suffix} shift -0.1 {choice} tersoff/zbl{suffix} {choice}
pair_coeff * * tersoff{suffix} SiCGe.tersoff Si(D) Ge
pair_coeff * * tersoff/mod{suffix} Si.tersoff.mod Si Si
pair_coeff * * tersoff/zbl{suffix} SiC.tersoff.zbl Si NULL
"""),
    System("hybrid-with-two-body", ball(after=shuffled(0.4), box_types=2), pair="""
pair_style hybrid tersoff{suffix} {choice} tersoff/mod{suffix} {choice} lj/cut 8.0
pair_coeff * * tersoff{suffix} SiCGe.tersoff Si(D) NULL
pair_coeff * * tersoff/mod{suffix} Si.tersoff.mod NULL Si
pair_coeff 1 2 lj/cut 0.01 2.6
"""),
]}

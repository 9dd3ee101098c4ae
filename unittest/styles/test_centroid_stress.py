"""compute centroid/stress/atom: nine components per atom that add up to the virial of the pair style.

LAMMPS orders them xx yy zz xy xz yz yx zx zy. What each atom's share must be is tested by the heat current.
"""

import numpy as np
import pytest
from clusters import CLUSTERS
from lammps_run import run_lammps
from styles import STOCK, triad
from systems import SYSTEMS

OUTPUT = """
compute centroid all centroid/stress/atom NULL virial
compute stress all stress/atom NULL virial
compute pressure all pressure NULL virial
thermo_style custom step pe vol c_pressure[*]
thermo_modify norm no format float %.17g
dump out all custom 1 atoms.dump id x y z c_centroid[*] c_stress[*]
dump_modify out sort id format float %.17g
run 0
"""


def evaluate(system, style, **options):
    return run_lammps(system.commands(style) + OUTPUT, files=system.files(), **options)


def per_atom(result, name, components):
    """Rows are components, columns atoms in the order of their places: LAMMPS numbers them by rank."""
    frame = result.frames()[0]
    frame = frame[np.lexsort([np.round(frame[axis], 6) for axis in "xyz"])]
    return np.array([frame[f"c_{name}[{number}]"] for number in range(1, components + 1)])


def virial(result):
    """xx yy zz xy xz yz, in the units of stress times volume that the per-atom computes have, with their sign."""
    thermo = result.runs[0]
    return -np.array([thermo[f"c_pressure[{number}]"][0] for number in range(1, 7)]) * thermo["Volume"][0]


PERIODIC = ["si-1989", "si-1988-lambda3", "si-melt", "si-slab-ppf", "triclinic", "primitive-cell", "one-atom-periodic",
            "fcc-18-neighbours", "sic-shuffled", "bnc-cubic-shuffled", "unlike-triplets", "null-overlay",
            "null-hybrid-two-instances", "tiled-and-balanced", "si-real-units", "mod-melt", "modc-triclinic-shift-0.1",
            "zbl-carbide-half-length", "plain-melt-shift-0.2", "zbl-unlike-triplets", "mod-c-unlike-triplets",
            "hybrid-two-members", "overlay-three-members", "overlay-same-member-twice",
            "random SiCGe.tersoff C-Si(D) 0", "random BNC.tersoff B-N-C 1"]
ALL = {**{name: SYSTEMS[name] for name in PERIODIC}, **{f"cluster {name}": CLUSTERS[name] for name in CLUSTERS}}


def assert_adds_up(result, relative):
    centroid, stress = per_atom(result, "centroid", 9), per_atom(result, "stress", 6)
    within = relative * np.abs(centroid).max()
    number = centroid.shape[1]
    assert centroid[:6].mean(axis=1) == pytest.approx(virial(result) / number, abs=within)
    assert centroid[6:].mean(axis=1) == pytest.approx(centroid[3:6].mean(axis=1), abs=within), "yx zx zy are xy xz yz"
    assert centroid[:6].mean(axis=1) == pytest.approx(stress.mean(axis=1), abs=within)


@pytest.mark.parametrize("name", ALL)
def test_adds_up_to_the_virial(name, backend):
    assert_adds_up(evaluate(ALL[name], triad("double", backend)), 1e-12)


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", ["si-melt", "unlike-triplets", "null-hybrid-two-instances", "overlay-three-members",
                                  "zbl-carbide-half-length", "one-atom-periodic", "cluster si-mod"])
def test_ranks(name, ranks, backend):
    one, several = (evaluate(ALL[name], triad("double", backend), ranks=count) for count in (1, ranks))
    assert_adds_up(several, 1e-12)
    expected = per_atom(one, "centroid", 9)
    assert per_atom(several, "centroid", 9) == pytest.approx(expected, abs=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("name", ["si-melt", "unlike-triplets", "mod-melt", "zbl-carbide-half-length"])
def test_precision(name, precision, backend):
    expected = per_atom(evaluate(ALL[name], triad("double", "host")), "centroid", 9)
    result = evaluate(ALL[name], triad(precision, backend))
    relative = 1e-12 if precision == "double" else 2e-5
    assert per_atom(result, "centroid", 9) == pytest.approx(expected, abs=relative * np.abs(expected).max())
    assert_adds_up(result, relative)


def test_pairs_alone_share_as_stress_atom_does(backend):
    """Without a triplet the two virials are the same, and symmetric."""
    result = evaluate(SYSTEMS["dimers"], triad("double", backend))
    centroid, stress = per_atom(result, "centroid", 9), per_atom(result, "stress", 6)
    assert np.abs(stress).max() > 1
    within = 1e-12 * np.abs(stress).max()
    assert centroid[:6] == pytest.approx(stress, abs=within)
    assert centroid[6:] == pytest.approx(centroid[3:6], abs=within)


@pytest.mark.parametrize("system", ["si-1989", "overlay-three-members"])
def test_stock_refuses_it(system):
    result = evaluate(SYSTEMS[system], STOCK, check=False)
    assert result.returncode != 0 and "centroid/stress/atom" in result.errors

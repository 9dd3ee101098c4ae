"""fix pairwise/triad against plain double loops: forces, energy, virial and their per-atom shares."""

import functools

import numpy as np
import pytest
from compare import EVALUATE, quantities
from kokkos import on_gpu
from lammps_run import run_lammps
from pairwise import reference
from pairwise_systems import SIZES, SYSTEMS, of_size

# Largest difference as a share of the sum of the magnitudes that are added up.
ALLOWED = {"double": 1e-13, "mixed": 1e-6, "single": 2e-6}


@functools.cache
def expected(name):
    return reference(SYSTEMS[name])


def evaluate(system, precision, backend, ranks=1, more=""):
    result = run_lammps(system.commands(precision, backend, more) + EVALUATE, files=system.all_files(), ranks=ranks)
    return quantities(result)


def assert_same(found, reference, precision):
    failures = []
    for name in ("energy", "virial", "forces", "energy per atom", "stress per atom"):
        value = np.asarray(reference[name])
        assert np.shape(np.squeeze(found[name])) == np.shape(np.squeeze(value)), name
        # forces add up pair by pair; the totals are the sums of the shares
        per_atom = {"energy": "energy per atom", "virial": "stress per atom"}.get(name, name)
        scale = reference["scale"] if name == "forces" else np.abs(reference[per_atom]).max(initial=0.0)
        scale = max(scale, reference["scale"] if "stress" in per_atom else 0.0, 1e-9)
        difference = np.abs(np.squeeze(found[name]) - np.squeeze(value)).max(initial=0.0)
        if not difference <= 10 * ALLOWED[precision] * scale:  # NaN fails too
            failures.append(f"{name}: differs by {difference:.3g}, scale {scale:.3g}")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("name", SYSTEMS)
def test_same_as_a_double_loop(name, precision, backend):
    assert_same(evaluate(SYSTEMS[name], precision, backend), expected(name), precision)


# All on three ranks, one of each kind on two and four.
KINDS = ["gravity-unwrapped", "gravity-two-groups", "coulomb-power-special-two-groups", "lj-list", "lj-list-tiled",
         "lj-list-slab-newton-off", "harmonic-cutoff", "harmonic-newton-off"]


@pytest.mark.parametrize("name, ranks", [(name, 3) for name in SYSTEMS if "small" not in name]
                         + [(name, ranks) for name in KINDS for ranks in (2, 4)])
def test_on_several_ranks(name, ranks):
    assert_same(evaluate(SYSTEMS[name], "double", "host", ranks), expected(name), "double")


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["gravity-open", "lj-list", "harmonic-cutoff", "coulomb-power-special-two-groups"])
def test_on_several_ranks_with_a_gpu(name, precision, cuda):
    assert_same(evaluate(SYSTEMS[name], precision, cuda, 3), expected(name), precision)


@pytest.mark.parametrize("kernel", ["triangular", "onesided"])
@pytest.mark.parametrize("name", ["gravity-open", "gravity-periodic", "gravity-two-groups", "coulomb-power",
                                  "lj-all-special", "lj-list", "lj-list-two-groups", "lj-list-special",
                                  "lj-list-slab-newton-off", "gravity-list"])
def test_kernels(name, kernel, backend):
    if backend == "kokkos" and kernel == "triangular" and "range list" in SYSTEMS[name].settings and on_gpu():
        pytest.skip("KOKKOS's lists on a GPU have each pair twice")
    for precision, ranks in ("double", 1), ("mixed", 2):
        found = evaluate(SYSTEMS[name], precision, backend, ranks, f"kernel {kernel}")
        assert_same(found, expected(name), precision)


@pytest.mark.parametrize("kernel", ["auto", "triangular", "onesided"])
def test_sizes(kernel, backend):
    for n in SIZES:
        system = of_size(n, f"kernel {kernel}")
        precision = ("double", "mixed", "single")[n % 3]
        assert_same(evaluate(system, precision, backend), reference(system), precision)


@pytest.mark.parametrize("name", ["gravity-open", "lj-all-periodic", "coulomb-power-periodic-two-groups", "lj-list",
                                  "harmonic-cutoff"])
def test_momentum(name, precision, backend):
    """Action and reaction cancel to rounding."""
    found = evaluate(SYSTEMS[name], precision, backend)["forces"]
    allowed = {"double": 1e-13, "mixed": 1e-6, "single": 1e-5}[precision] * expected(name)["scale"]
    assert np.abs(found.sum(1)).max() <= allowed


MOVED = """
group one id {atom}
displace_atoms one move {move} units box
run 0
displace_atoms one move {back} units box
group one clear
"""


@pytest.mark.parametrize("name", ["gravity-open", "gravity-triclinic", "coulomb-power",
                                  "coulomb-power-below-the-floor", "lj-all-special", "lj-list-two-groups",
                                  "harmonic-group"])
def test_forces_are_the_slope_of_the_energy(name, backend):
    """Central differences, through LAMMPS, of the energy that LAMMPS sees."""
    system, step = SYSTEMS[name], 1e-5
    moves = [(atom, axis) for atom in (3, 15, 39) for axis in range(3)]
    script = system.commands("double", backend) + EVALUATE
    for atom, axis in moves:
        for sign in (1, -1):
            move = [str(sign * step * (axis == a)) for a in range(3)]
            back = [str(-sign * step * (axis == a)) for a in range(3)]
            script += MOVED.format(atom=atom, move=" ".join(move), back=" ".join(back))
    result = run_lammps(script, files=system.all_files())
    forces = quantities_of_first(result)
    energies = [run["PotEng"][0] for run in result.runs[1:]]
    for (atom, axis), plus, minus in zip(moves, energies[::2], energies[1::2], strict=True):
        slope = -(plus - minus) / (2 * step)
        assert slope == pytest.approx(forces[axis][atom - 1], rel=1e-5, abs=1e-6 * expected(name)["scale"])


def quantities_of_first(result):
    frame = result.frames()[0]
    return np.array([frame[name] for name in ("fx", "fy", "fz")])

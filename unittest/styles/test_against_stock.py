"""Energy, virial, forces, per-atom energy and stress of every system against stock tersoff."""

from dataclasses import replace

import pytest
from compare import EVALUATE, Tolerance, assert_close, evaluate
from gpu import why_no_cuda
from lammps_run import run_lammps
from styles import STOCK, Style, triad
from systems import SYSTEMS

TOLERANCES = {
    "double": Tolerance(relative=1e-10),
    "mixed": Tolerance(relative=2e-5, force=1e-5, of_terms=True),
    "single": Tolerance(relative=2e-5, of_terms=True),
}


def check(name, precision, backend, **layout):
    system, tolerance = SYSTEMS[name], TOLERANCES[precision]
    tolerance = replace(tolerance, relative=tolerance.relative + system.stock_error,
                        force=None if system.strained else tolerance.force)
    assert_close(evaluate(name, STOCK, **layout), evaluate(name, triad(precision, backend), **layout), tolerance,
                 system.energy_unit)


@pytest.mark.parametrize("name", SYSTEMS)
def test_matches_stock(name, precision, backend):
    check(name, precision, backend)


# Layouts that leave ranks without atoms, with ghosts of their own atoms, and with domains of unequal size.
LAYOUTS = ["si-melt", "si-slab-ppf", "triclinic", "one-unit-cell", "primitive-cell", "one-atom-alone", "no-atoms",
           "atoms-in-one-corner", "unlike-triplets", "null-hybrid-two-instances", "tiled-and-balanced"]


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", LAYOUTS)
def test_ranks(name, ranks, backend):
    check(name, "double", backend, ranks=ranks)


@pytest.mark.parametrize("name", ["si-melt", "unlike-triplets", "one-atom-alone"])
def test_threads(name, precision):
    check(name, precision, "host", threads=2)


def test_ranks_with_threads(precision):
    check("si-melt", precision, "host", ranks=2, threads=2)


def test_threads_of_the_omp_package():
    """`-package omp 2` sets the number of threads without OMP_NUM_THREADS; the log names it."""
    system = SYSTEMS["si-melt"]
    result = run_lammps(system.commands(triad("mixed", "host")) + EVALUATE, files=system.files(),
                        args=("-package", "omp", "2"))
    assert "host, 2 threads" in result.output
    assert_close(evaluate("si-melt", triad("mixed", "host")), result, Tolerance(relative=0.0))


def test_default_settings():
    """Without settings: precision mixed, the GPU if there is one, otherwise the host."""
    system = SYSTEMS["si-1989"]
    result = run_lammps(system.commands(Style("tersoff/triad")) + EVALUATE, files=system.files())
    chosen = triad("mixed", "host" if why_no_cuda() else "cuda")
    assert_close(evaluate("si-1989", chosen), result, Tolerance(relative=1e-12))

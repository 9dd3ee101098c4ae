"""Energy, virial, forces, per-atom energy and stress of every system against stock tersoff."""

import pytest
from compare import EVALUATE, Tolerance, assert_close, check_against_stock, evaluate
from gpu import why_no_cuda
from lammps_run import run_lammps
from styles import Style, triad
from systems import PLAIN, SYSTEMS

@pytest.mark.parametrize("name", PLAIN)
def test_matches_stock(name, precision, backend):
    check_against_stock(name, precision, backend)


@pytest.mark.parametrize("name", PLAIN)
def test_matches_stock_without_tallies(name, precision, backend):
    check_against_stock(name, precision, backend, per_atom=False)


# Layouts that leave ranks without atoms, with ghosts of their own atoms, and with domains of unequal size.
LAYOUTS = ["si-melt", "si-slab-ppf", "triclinic", "one-unit-cell", "primitive-cell", "one-atom-alone", "no-atoms",
           "atoms-in-one-corner", "unlike-triplets", "null-hybrid-two-instances", "tiled-and-balanced"]


@pytest.mark.parametrize("ranks", [2, 4])
@pytest.mark.parametrize("name", LAYOUTS)
def test_ranks(name, ranks, backend):
    check_against_stock(name, "double", backend, ranks=ranks)


@pytest.mark.parametrize("name", ["si-melt", "unlike-triplets", "one-atom-alone"])
def test_threads(name, precision):
    check_against_stock(name, precision, "host", threads=2)


def test_ranks_with_threads(precision):
    check_against_stock("si-melt", precision, "host", ranks=2, threads=2)


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

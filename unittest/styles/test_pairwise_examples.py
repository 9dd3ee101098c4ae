"""examples/nbody, plasma and bonded, run small: the scripts, and the programs that run and draw them."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
from lammps_run import LMP, run_lammps

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = {"nbody": {"n": "512", "steps": "100", "every": "10"},
         "plasma": {"n": "60", "steps": "400", "every": "20"}}


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    """Also for the LAMMPS that the programs start."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


def words(variables):
    return [word for name, value in variables.items() for word in ("-var", name, value)]


def program(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / name / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def script(name):
    return (EXAMPLES / name / f"in.{name}").read_text()


@pytest.mark.parametrize("ranks", [1, 3])
def test_nbody(ranks, backend):
    result = run_lammps(script("nbody"), args=words({**SMALL["nbody"], "backend": backend}), ranks=ranks)
    energy = result.runs[0]["TotEng"]
    assert len(energy) == 11 and -0.5 < energy[0] < -0.05
    assert abs(energy / energy[0] - 1).max() < 1e-3
    assert len(result.frames("end.dump")[0]) == 512


def test_plasma(backend):
    result = run_lammps(script("plasma"), args=words({**SMALL["plasma"], "backend": backend}))
    minimised, cooling, free = result.runs
    assert minimised["PotEng"][-1] < minimised["PotEng"][0]
    assert cooling["Temp"][-1] < 0.7 * cooling["Temp"][0]
    assert np.abs(free["TotEng"] / free["TotEng"][0] - 1).max() < 1e-4
    frame = result.frames("end.dump")[0]
    assert np.count_nonzero(frame["type"] == 1) == np.count_nonzero(frame["type"] == 2) == 30


def test_bonded(backend, tmp_path):
    """The sheet is elastic at first, and torn at the end."""
    bonded = program("bonded")
    system = bonded.sheet(24, 20, notch=8)
    stretch, stress, frames = bonded.run(LMP, system, steps=4000, every=100, backend=backend, strain=0.2)
    peak = stress.argmax()
    early = slice(2, peak // 2)
    slope = stress[early] / stretch[early]
    assert slope == pytest.approx(np.full(len(slope), slope.mean()), rel=0.2)
    assert 0.03 < stretch[peak] < 0.19 and np.abs(stress[-1]) < 0.5 * stress[peak]
    x, _, pairs, _, r0 = system
    assert np.linalg.norm(x[pairs[:, 0]] - x[pairs[:, 1]], axis=1) == pytest.approx(np.ones(len(pairs)))
    assert len(np.unique(np.sort(pairs, axis=1), axis=0)) == len(pairs)
    assert [frame.shape for frame in frames] == [(480, 2)] * 5
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    bonded.draw(system, stretch, stress, frames, 1.2, tmp_path / "bonded.png")


def test_protein(backend, tmp_path):
    """Contacts form and lower the energy. Bonds keep their lengths."""
    protein = program("protein")
    steps, energy, frames, x, contacts = protein.run(LMP, 2, steps=8000, every=400, temperature=0.3, backend=backend)
    assert frames.shape == (21, 2, len(x), 3) and len(steps) == len(energy) == 21
    assert len(x) == 31 and len(contacts) == 52 and np.diff(contacts, axis=1).min() == 3
    share = protein.formed(frames, x, contacts)
    assert share[0].max() < 0.1 and share[-1].mean() > 0.1
    assert energy[-1] < energy[0] - 0.1
    bonds = np.linalg.norm(np.diff(frames[-1], axis=1), axis=2)
    native = np.linalg.norm(np.diff(x, axis=0), axis=1)
    assert np.abs(bonds - native).max() < 0.25
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    protein.draw(steps, energy, frames, x, contacts, tmp_path / "protein.png")


def test_nbody_program(backend, tmp_path):
    nbody = program("nbody")
    runs = {precision: nbody.run(LMP, precision, n=512, steps=50, backend=backend)
            for precision in ("double", "single")}
    assert all(nbody.drift(thermo) < 1e-3 for thermo, _, _ in runs.values())
    assert 0 < nbody.apart(runs["single"][1], runs["double"][1]) < 1e-4
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    nbody.draw(runs["single"][1], tmp_path / "nbody.png")


def test_plasma_program(tmp_path):
    plasma = program("plasma")
    courses, end = plasma.run(LMP, **SMALL["plasma"])
    assert len(courses) == 3 and end.shape == (60, 5)
    assert plasma.radii(end, 1).mean() < plasma.radii(end, 2).mean()  # the trap pulls all alike, the charges push
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, which only the picture needs")
    plasma.draw(courses, end, tmp_path / "plasma.png")

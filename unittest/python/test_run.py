"""`lammps_triad run`: what it says it changes, and that it runs."""

import os
import re
import subprocess
import sys

import pytest

from conftest import PAIR
from lammps_triad.run import changes


@pytest.fixture
def run_tool(tmp_path):
    def call(script, *options):
        command = [sys.executable, "-m", "lammps_triad", "run", str(script), "--lmp", os.environ["TRIAD_LMP"],
                   "--mpiexec", os.environ["TRIAD_MPIEXEC"], *options]
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tmp_path)

    return call


@pytest.mark.parametrize("ranks", ["1", "2"])
def test_runs_with_the_settings(run_tool, write_script, ranks):
    process = run_tool(write_script(), "--precision", "double", "--backend", "host", "-np", ranks)
    assert process.returncode == 0, process.stdout
    for change in ("pair_style tersoff  ->  pair_style tersoff/triad", "fix 1 all nve  ->  fix 1 all nve/triad",
                   "(no run_style)  ->  run_style verlet/triad", "precision double where the script names none"):
        assert change in process.stdout
    assert re.search("Triad: tersoff/triad on host, .*, precision double", process.stdout)
    assert "Triad: atoms stay on host" in process.stdout


def test_words_of_the_script_stay(run_tool, write_script):
    process = run_tool(write_script(pair=PAIR.replace("tersoff\n", "tersoff/triad precision single\n")),
                       "--precision", "double", "--backend", "host")
    assert "keeps its own precision single, not double" in process.stdout
    assert re.search("tersoff/triad on host, .*, precision single", process.stdout)


def test_exit_code_is_that_of_lammps(run_tool, write_script):
    process = run_tool(write_script(pair="pair_style tersoff\npair_coeff * * nowhere.tersoff Si Si"))
    assert process.returncode != 0 and "nowhere.tersoff" in process.stdout


def test_missing_script(run_tool, tmp_path):
    process = run_tool(tmp_path / "nothing")
    assert process.returncode == 1 and "nothing: no such file" in process.stdout


def test_changes():
    script = ("pair_style tersoff/mod &\n  shift 0.1\nfix 1 all npt temp 1 1 1 iso 0 0 1\nfix 2 all langevin 1 1 1 1\n"
              "run_style verlet\ncompute t all temp\npair_style lj/cut 5\nfix 3 all nve/limit 0.1\n# fix 4 all nve\n")
    assert changes(script, {}) == [
        "pair_style tersoff/mod shift 0.1  ->  pair_style tersoff/mod/triad shift 0.1",
        "fix 1 all npt temp 1 1 1 iso 0 0 1  ->  fix 1 all npt/triad temp 1 1 1 iso 0 0 1",
        "run_style verlet  ->  run_style verlet/triad",
        "compute t all temp  ->  compute t all temp/triad",
    ]

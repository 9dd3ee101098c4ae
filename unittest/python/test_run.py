"""`lammps_triad run`: what it says it changes, and that it runs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import PAIR
from lammps_triad.run import changes


@pytest.fixture
def run_tool(tmp_path):
    def call(script, *options, **environment):
        command = [sys.executable, "-m", "lammps_triad", "run", str(script), "--lmp", os.environ["TRIAD_LMP"],
                   "--mpiexec", os.environ["TRIAD_MPIEXEC"], *options]
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=tmp_path,
                              env={**os.environ, **environment}, errors="replace")

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


def test_negative_values_of_variables(run_tool, write_script):
    script = write_script()
    script.write_text(script.read_text() + "print 'the field is ${field}'\n")
    process = run_tool(script, "-var", "field", "-4e-4")
    assert process.returncode == 0 and "the field is -4e-4" in process.stdout, process.stdout


def test_words_of_the_script_stay(run_tool, write_script):
    process = run_tool(write_script(pair=PAIR.replace("tersoff\n", "tersoff/triad precision single\n")),
                       "--precision", "double", "--backend", "host")
    assert "keeps its own precision single, not double" in process.stdout
    assert re.search("tersoff/triad on host, .*, precision single", process.stdout)


def test_comments_in_any_encoding(run_tool, write_script):
    script = write_script()
    script.write_bytes(script.read_bytes().replace(b"fix 1 all nve", b"fix 1 all nve # within 5 \xc5"))
    process = run_tool(script, "--backend", "host", PYTHONIOENCODING="utf-8:strict")
    assert process.returncode == 0, process.stdout
    assert "within 5" in process.stdout


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


def test_changes_of_hybrids_and_of_every_fix():
    script = ("pair_style hybrid tersoff lj/cut 5\npair_style hybrid lj/cut 5 morse 3\nfix 1 all ehex 1 2 region hot\n"
              "fix 2 all wall/reflect zlo EDGE\ncompute m all msd com yes\nrun_style respa 2 1\n")
    assert changes(script, {}) == [
        "pair_style hybrid tersoff lj/cut 5  ->  pair_style hybrid tersoff/triad lj/cut/triad 5",
        "fix 1 all ehex 1 2 region hot  ->  fix 1 all ehex/triad 1 2 region hot",
        "fix 2 all wall/reflect zlo EDGE  ->  fix 2 all wall/reflect/triad zlo EDGE",
        "compute m all msd com yes  ->  compute m all msd/triad com yes",
    ]


def test_changes_name_every_style_that_the_suffix_finds():
    """As the styles are registered, but for those without a stock style and that of which the noise differs."""
    source = Path(__file__).resolve().parents[2] / "src/lammps/plugin/styles.h"
    styles = set(re.findall(r'"([a-z/]+)/triad"', source.read_text()))
    own = {"tersoff/table", "langevin", "hnemd", "spectral", "pairwise", "flow", "profile", "lj/cut"}
    for style in styles - own:
        told = [changes(f"{command} {style} 1\nrun_style respa 2 1\n", {})
                for command in ("pair_style", "run_style", "fix 1 all", "compute 1 all")]
        assert f"{style}/triad" in str(told), style
    assert len(styles - own) > 25

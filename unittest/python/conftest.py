"""Fixtures of the tests of the Python package. They run against the plugin of this build (LAMMPS_PLUGIN_PATH)."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SILICON = """\
units metal
lattice diamond 5.432
region box block 0 2 0 2 0 2
create_box 2 box
create_atoms 1 box
set group all type/fraction 2 0.5 1
mass * 28.0855
{pair}
displace_atoms all random 0.1 0.1 0.1 1 units box
fix 1 all nve
thermo_style custom step temp
run 5
"""
PAIR = "pair_style tersoff\npair_coeff * * SiCGe.tersoff Si(D) Si(D)"


@pytest.fixture
def write_script(tmp_path):
    """Writes in.script (other names with name=) into an empty folder and gives its path."""

    def write(text=None, name="in.script", pair=PAIR):
        path = tmp_path / name
        path.write_text(SILICON.format(pair=pair) if text is None else text)
        return path

    return write


@pytest.fixture
def lammps_triad():
    """The command line tool: arguments to a finished process with its text."""

    def call(*arguments):
        tool, *rest = map(str, arguments)
        command = [sys.executable, "-m", "lammps_triad", tool, "--lmp", os.environ["TRIAD_LMP"], "--mpiexec",
                   os.environ["TRIAD_MPIEXEC"], *rest]
        return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/")

    return call


@pytest.fixture
def source_tree():
    return Path(__file__).parents[2]

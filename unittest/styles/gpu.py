"""Whether tests of the CUDA backend can run on this machine."""

import ctypes
import functools

from lammps_run import run_lammps
from styles import triad
from systems import SYSTEMS


@functools.cache
def why_no_driver():
    """Why no GPU can be used here, or an empty string.

    Asks the driver, not the plugin, so that a plugin which fails to find a GPU that is there fails its tests.
    """
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver (libcuda.so.1) on this machine"
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return "an NVIDIA driver but no usable GPU on this machine"
    return ""


@functools.cache
def why_no_cuda():
    """Why tests of the CUDA backend can not run here, or an empty string."""
    if why_no_driver():
        return why_no_driver()
    probe = run_lammps(SYSTEMS["one-atom-alone"].commands(triad("mixed", "cuda")) + "run 0\n", check=False)
    return "the plugin was built without CUDA" if "without CUDA" in probe.output else ""

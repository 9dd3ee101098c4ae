"""The command line: lammps_triad compare in.script, run in.script, kappa METHOD FILES, mesh KIND."""

import argparse
import re
import sys

from .compare import compare, report
from .kappa import command as kappa_command
from .launch import CompareError
from .run import run


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return number


def parser():
    parser = argparse.ArgumentParser(prog="lammps_triad", description="Tools of Triad, Tersoff forces for LAMMPS.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "compare",
        help="run a script with stock tersoff and with tersoff/triad",
        description="Runs a LAMMPS script with stock tersoff and with tersoff/triad in its place, prints energies, "
        "pressure, forces and speed of both, and says whether they agree; the exit code is 1 if they do not. A third "
        "run, with atoms displaced by a little, shows how fast trajectories diverge. The script runs in its own folder "
        "and writes there what it always writes; each run overwrites the files of the one before.",
    )
    add_arguments(command)
    command = commands.add_parser(
        "run",
        help="run an unchanged script with Triad's styles",
        description="Prints what Triad changes in a LAMMPS script and runs it in the present folder, as `lmp -suffix "
        "triad -in script` with the environment variables TRIAD_PRECISION and TRIAD_BACKEND does.",
    )
    add_arguments(command)
    kappa_command.add_parser(commands)
    add_mesh(commands)
    return parser


def add_mesh(commands):
    command = commands.add_parser(
        "mesh",
        help="make a mesh for fix flow/triad",
        description="Writes NAME.mesh for fix flow/triad and NAME.data for read_data. Fields are Python expressions in "
        "x, y, bed and the functions of numpy, at the centres of the cells.",
    )
    kinds = command.add_subparsers(dest="kind", required=True)
    grid = kinds.add_parser("grid", help="a grid of rectangles")
    grid.add_argument("--cells", type=positive, nargs=2, required=True, metavar=("NX", "NY"))
    grid.add_argument("--size", type=float, nargs=2, required=True, metavar=("LX", "LY"), help="of the whole grid")
    grid.add_argument("--origin", type=float, nargs=2, default=(0.0, 0.0), metavar=("X", "Y"))
    grid.add_argument("--periodic", choices=["x", "y", "xy"], help="axes without a boundary")
    gmsh = kinds.add_parser("gmsh", help="triangles and quadrilaterals of a file of gmsh (needs meshio)")
    raster = kinds.add_parser("raster", help="the cells of an ESRI ASCII raster, whose values are the bed")
    for kind in (gmsh, raster):
        kind.add_argument("source", help="the file")
    for kind in (grid, gmsh, raster):
        kind._negative_number_matcher = re.compile("-(?![-oh]).")  # argparse takes expressions such as -x for options
        kind.add_argument("-o", "--output", required=True, metavar="NAME", help="writes NAME.mesh and NAME.data")
        kind.add_argument("--bed", metavar="EXPRESSION", help="elevation of the bed (default 0, or the raster)")
        water = kind.add_mutually_exclusive_group()
        water.add_argument("--surface", metavar="EXPRESSION", help="elevation of the water surface")
        water.add_argument("--depth", metavar="EXPRESSION", help="depth of the water (default 0)")
        kind.add_argument("--manning", default="0", metavar="EXPRESSION", help="Manning coefficient (default 0)")
        kind.add_argument("--boundary", default="wall", metavar="CONDITION",
                          help="wall, open, 'stage Z' or 'discharge Q', with a number or the name of a series "
                          "(default wall)")
        kind.add_argument("--side", nargs=2, action="append", default=[], metavar=("SIDE", "CONDITION"),
                          help="condition of the west, east, south or north side of the box; may be repeated")
        kind.add_argument("--group", nargs=2, action="append", default=[], metavar=("NAME", "CONDITION"),
                          help="condition of a physical group of lines of gmsh; may be repeated")
        kind.add_argument("--series", metavar="FILE", help="lines of: name time value")


def add_arguments(command):
    command._negative_number_matcher = kappa_command.NEGATIVE  # values of variables
    command.add_argument("script", help="LAMMPS input script that uses pair_style tersoff or tersoff/triad")
    command.add_argument("--precision", choices=["single", "mixed", "double"], help="precision of tersoff/triad")
    command.add_argument("--backend", choices=["auto", "cuda", "host"], help="where tersoff/triad computes")
    command.add_argument("-np", "--ranks", type=positive, default=1, metavar="N", help="MPI ranks (default 1)")
    command.add_argument("-var", dest="variables", nargs="+", action="append", default=[], metavar=("NAME", "VALUE"),
                         help="variable for the script, as LAMMPS's own switch -var; may be repeated")
    command.add_argument("--lmp", help="LAMMPS executable (default: that of the Python package lammps)")
    command.add_argument("--mpiexec", help="MPI launcher (default: that of the Python package mpich)")


def main():
    for stream in (sys.stdout, sys.stderr):  # names and comments of scripts come in every encoding
        stream.reconfigure(errors="backslashreplace")
    arguments = vars(parser().parse_args())
    command = arguments.pop("command")
    if command == "kappa":
        sys.exit(kappa(arguments))
    if command == "mesh":
        try:
            from . import mesh
        except ImportError as error:  # the other commands need no package
            sys.exit(f"lammps_triad mesh: {error}; it needs the Python package numpy: pip install numpy")
        try:
            return print(mesh.make(arguments.pop("kind"), arguments.pop("source", None), arguments.pop("output"),
                                   arguments))
        except (mesh.MeshError, OSError) as error:
            sys.exit(f"lammps_triad mesh: {error}")
        except MemoryError:
            sys.exit("lammps_triad mesh: out of memory; use fewer cells")
    try:
        if command == "run":
            sys.exit(run(**arguments))
        text, passed = report(arguments["script"], arguments["ranks"], compare(**arguments))
        print(text)
        if not passed:
            sys.exit(1)
    except CompareError as error:
        sys.exit(f"lammps_triad: {error}")


def kappa(arguments):
    """Returns the exit status, or the text of an error."""
    try:
        from .kappa.files import InputError
    except ImportError:
        return f"lammps_triad: {kappa_command.NEEDS}"
    try:
        kappa_command.kappa(**arguments)
    except ImportError:
        return f"lammps_triad: {kappa_command.NEEDS}"
    except InputError as error:
        return f"lammps_triad: {error}"
    return 0


if __name__ == "__main__":
    main()

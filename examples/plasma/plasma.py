"""Runs in.plasma and draws how the ions settle: energy, the droplet, and the distances in it.

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


def distances(end, same):
    """Distances of all pairs of like (same) or unlike ions."""
    x, kind = end[:, 2:5], end[:, 1]
    i, j = np.triu_indices(len(x), 1)
    chosen = (kind[i] == kind[j]) == same
    return np.linalg.norm(x[i[chosen]] - x[j[chosen]], axis=1)


def draw(courses, end, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (energy, droplet, pairs) = pyplot.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    _, cooling, free = courses
    energy.plot(cooling["Temp"], cooling["PotEng"], ".-", label="cooling")
    energy.plot(free["Temp"], free["PotEng"], ".", label="constant energy")
    energy.invert_xaxis()
    energy.set(xlabel="temperature", ylabel="potential energy per ion", title="the cloud condenses")
    energy.legend(frameon=False)

    centre = np.median(end[:, 2:5], axis=0)
    x = end[:, 2:5] - centre
    near = np.abs(x[:, 2]) < 1.0
    order = np.argsort(x[near, 2])
    colour = np.where(end[near, 1] == 1, "tab:red", "tab:blue")[order]
    droplet.scatter(*x[near][order, :2].T, s=70, c=colour, edgecolors="white", linewidths=0.5)
    droplet.set(xlim=(-7, 7), ylim=(-7, 7), aspect="equal", title="a slice of the end, both signs")

    edges = np.linspace(0.5, 4, 141)
    for same, label in ((False, "unlike"), (True, "like")):
        count = np.histogram(distances(end, same), edges)[0]
        middle = (edges[1:] + edges[:-1]) / 2
        pairs.plot(middle, count / middle**2, label=label)
    pairs.set(xlabel="distance", ylabel="pairs / distance²", title="distances in the droplet")
    pairs.legend(frameon=False)
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

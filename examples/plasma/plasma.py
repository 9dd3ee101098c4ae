"""Runs in.plasma and draws how the ions settle: their energy, the shells of the crystal, and a slice of it.

Needs numpy and matplotlib, and an `lmp` that knows fix pairwise/triad.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, thermo_tables  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.plasma")
OUTPUT = INPUT.with_name("output")  # git ignores this folder


def run(lmp, **variables):
    """(tables of minimisation, cooling and constant energy; [N, 5] id type x y z at the end)."""
    with tempfile.TemporaryDirectory() as folder:
        log = run_script(lmp, INPUT, folder, **variables)
        return thermo_tables(log), np.loadtxt(Path(folder, "end.dump"), skiprows=9)


def radii(end, kind):
    """Distances of the ions of one type from the centre of the trap."""
    return np.linalg.norm(end[end[:, 1] == kind, 2:5], axis=1)


def draw(courses, end, path):
    """How the energy falls, how either charge is distributed over the radius, and a slice of the crystal."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    blue, orange = "#0072B2", "#D55E00"
    figure, (energy, shells, crystal) = pyplot.subplots(1, 3, figsize=(14, 4.6), layout="constrained", facecolor="white")
    _, cooling, free = courses
    energy.semilogx(cooling["Temp"], cooling["PotEng"], "o-", markersize=4, color=blue, label="Langevin bath")
    energy.semilogx(free["Temp"], free["PotEng"], "^", markersize=5, color=orange, label="then at constant energy")
    energy.invert_xaxis()
    energy.set(xlabel="temperature (falls to the right)", ylabel="potential energy per ion",
               title="(a) the cloud cools")
    energy.grid(color="#DDDDDD")
    energy.legend(frameon=False)

    # Each ion counts as a Gaussian of this width in the radius, so that the curve does not depend on bins.
    largest = np.linalg.norm(end[:, 2:5], axis=1).max()
    r, width = np.linspace(0, 1.1 * largest, 500), 0.02 * largest
    for kind, colour, style in ((1, blue, "-"), (2, orange, "--")):
        bells = np.exp(-0.5 * ((r[:, None] - radii(end, kind)) / width) ** 2).sum(1) / (np.sqrt(2 * np.pi) * width)
        shells.plot(r, bells, style, color=colour, label=f"charge {kind}")
    shells.set(xlabel="distance from the centre of the trap", ylabel="ions per unit of distance",
               title="(b) both charges form shells")
    shells.grid(color="#DDDDDD")
    shells.legend(frameon=False)

    x = end[:, 2:5]
    near = np.abs(x[:, 2]) < largest / 8
    for kind, colour, marker in ((1, blue, "o"), (2, orange, "s")):
        chosen = near & (end[:, 1] == kind)
        crystal.scatter(*x[chosen, :2].T, s=28 * kind, c=colour, marker=marker, edgecolors="white", linewidths=0.5,
                        label=f"charge {kind}")
    crystal.set(aspect="equal", xlabel="x", ylabel="y", ylim=(-1.1 * largest, 1.35 * largest),
                title=f"(c) ions within {largest / 8:.1f} of the plane z = 0")
    crystal.legend(loc="upper center", ncols=2, frameon=False)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("-n", type=int, default=500, help="ions (%(default)s)")
    parser.add_argument("--steps", type=int, default=20000, help="time steps while it cools (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the picture (%(default)s)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    courses, end = run(options.lmp, n=options.n, steps=options.steps, backend=options.backend)
    free = courses[-1]["TotEng"]
    print(f"potential energy per ion {courses[-1]['PotEng'][-1]:.4f} at temperature {courses[-1]['Temp'].mean():.4f}; "
          f"the total changed by {np.abs(free - free[0]).max():.2g} at constant energy")
    draw(courses, end, options.output / "plasma.png")


if __name__ == "__main__":
    main()

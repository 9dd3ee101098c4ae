"""Runs in.nbody in several precisions, says how far they are apart, and draws the end.

Needs numpy and matplotlib, and an `lmp` that knows fix pairwise/triad.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, save_small, thermo_tables  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.nbody")
OUTPUT = INPUT.with_name("output")  # git ignores this folder


def run(lmp, precision, **variables):
    """(thermo table, [N, 8] id x y z vx vy vz type at the end, seconds per step) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        log = run_script(lmp, INPUT, folder, precision=precision, **variables)
        end = np.loadtxt(Path(folder, "end.dump"), skiprows=9)
    loop = re.search(r"Loop time of (\S+) on \d+ procs for (\d+) steps", log)
    return thermo_tables(log)[-1], end, float(loop[1]) / int(loop[2])


def drift(thermo):
    """Largest change of the total energy, as a share of it."""
    energy = thermo["TotEng"]
    return np.abs(energy / energy[0] - 1).max()


def apart(end, reference):
    """Root mean square distance between the same bodies of two runs."""
    return np.sqrt(((end[:, 1:4] - reference[:, 1:4]) ** 2).sum(1).mean())


def column_density(x, y, half, cells=300):
    """Bodies per cell of a square map, [cells, cells], each spread over its surroundings by a binomial filter."""
    density = np.histogram2d(x, y, np.linspace(-half, half, cells + 1))[0].T
    for _ in range(2):
        for axis in (0, 1):
            density = (np.roll(density, 1, axis) + 2 * density + np.roll(density, -1, axis)) / 4
    return density * (cells / (2 * half)) ** 2 / len(x)


def draw(end, path):
    """Column density from above and from the side, and from above in the colours of the two balls."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import colors, patches, pyplot

    half = 3.0
    figure, axes = pyplot.subplots(1, 3, figsize=(14, 4.9), layout="constrained", facecolor="white")
    norm = colors.LogNorm(1e-3, 3)
    for panel, (a, b), title in zip(axes, ((1, 2), (1, 3)), ("(a) seen along z", "(b) seen along y")):
        density = column_density(end[:, a], end[:, b], half)
        picture = panel.imshow(np.maximum(density, 1e-3), origin="lower", extent=(-half, half) * 2, cmap="inferno",
                               norm=norm)
        panel.set(xlabel="xyz"[a - 1], ylabel="xyz"[b - 1], title=title)
    figure.colorbar(picture, ax=axes[:2], label="mass per area (total mass 1)", shrink=0.9)

    first, second = (column_density(*end[end[:, 7] == kind, 1:3].T, half) for kind in (1, 2))
    bright = np.clip(np.log10(np.maximum(first + second, 1e-3) / 1e-3) / 3.3, 0, 1)[:, :, None]
    share = (first / np.maximum(first + second, 1e-12))[:, :, None]
    orange, blue = np.array([0.90, 0.62, 0.0]), np.array([0.34, 0.71, 0.91])
    axes[2].imshow(bright * (share * orange + (1 - share) * blue), origin="lower", extent=(-half, half) * 2)
    axes[2].set(xlabel="x", ylabel="y", title="(c) seen along z, coloured by origin")
    axes[2].legend(handles=[patches.Patch(color=orange, label="from the left ball"),
                            patches.Patch(color=blue, label="from the right ball")], loc="upper right")
    save_small(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("-n", type=int, default=131072, help="bodies (%(default)s)")
    parser.add_argument("--steps", type=int, default=1000, help="time steps of 0.01 (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--precision", nargs="+", default=["double", "mixed", "single"],
                        help="the first is the reference")
    parser.add_argument("--output", type=Path, default=OUTPUT,
                        help="folder of the picture, which shows the last precision (%(default)s)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)

    reference = None
    print("| precision | ms per step | largest change of the energy | rms distance from " + options.precision[0] + " |")
    print("| --- | --- | --- | --- |")
    for precision in options.precision:
        thermo, end, seconds = run(options.lmp, precision, n=options.n, steps=options.steps, backend=options.backend)
        reference = end if reference is None else reference
        print(f"| {precision} | {1000 * seconds:.2f} | {drift(thermo):.2g} | {apart(end, reference):.2g} |", flush=True)
    draw(end, options.output / "nbody.png")


if __name__ == "__main__":
    main()

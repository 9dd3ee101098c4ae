"""Runs in.nbody in several precisions, says how far they are apart, and draws the end.

Needs numpy and matplotlib, and an `lmp` that knows fix pairwise/triad.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

INPUT = Path(__file__).resolve().with_name("in.nbody")


def run(lmp, precision, **variables):
    """(thermo table, [N, 8] id x y z vx vy vz type at the end, seconds per step) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word for name, value in {**variables, "precision": precision}.items()
                 for word in ("-var", name, str(value))]
        subprocess.run([*lmp.split(), "-in", INPUT, "-log", "log", "-screen", "none", *words], cwd=folder, check=True)
        log = Path(folder, "log").read_text()
        end = np.loadtxt(Path(folder, "end.dump"), skiprows=9)
    table = log.split("   Step ")[-1].split("Loop time")[0].splitlines()
    names = ["Step", *table[0].split()]
    thermo = dict(zip(names, np.array([line.split() for line in table[1:] if line.strip()], dtype=float).T))
    loop = re.search(r"Loop time of (\S+) on \d+ procs for (\d+) steps", log)
    return thermo, end, float(loop[1]) / int(loop[2])


def drift(thermo):
    """Largest change of the total energy, as a share of it."""
    energy = thermo["TotEng"]
    return np.abs(energy / energy[0] - 1).max()


def apart(end, reference):
    """Root mean square distance between the same bodies of two runs."""
    return np.sqrt(((end[:, 1:4] - reference[:, 1:4]) ** 2).sum(1).mean())


def draw(end, path):
    """Density of the bodies along the line of sight, from above and from the side, and the two balls' shares."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import colors, pyplot

    figure, axes = pyplot.subplots(1, 3, figsize=(13, 4.6), layout="constrained", facecolor="black")
    half = 3.0
    for panel, (a, b, title) in zip(axes, ((1, 2, "from above"), (1, 3, "from the side"), (1, 2, "who came from where"))):
        edges = np.linspace(-half, half, 401)
        if title.startswith("who"):
            first, second = (np.histogram2d(part[:, a], part[:, b], edges)[0].T
                             for part in (end[end[:, 7] == 1], end[end[:, 7] == 2]))
            bright = np.log1p(first + second)
            bright /= max(bright.max(), 1)
            share = first / np.maximum(first + second, 1)
            picture = np.stack([share, 0.45 + 0 * share, 1 - share], axis=-1) * bright[:, :, None] ** 0.6
            panel.imshow(np.clip(picture * 1.3, 0, 1), origin="lower", extent=(-half, half) * 2)
        else:
            density = np.histogram2d(end[:, a], end[:, b], edges)[0].T
            panel.imshow(density, origin="lower", extent=(-half, half) * 2, cmap="inferno",
                         norm=colors.SymLogNorm(1, vmin=0, vmax=max(density.max(), 2)))
        panel.set_title(title, color="white")
        panel.tick_params(colors="white")
        panel.set_facecolor("black")
    figure.savefig(path, dpi=100)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("-n", type=int, default=131072, help="bodies (%(default)s)")
    parser.add_argument("--steps", type=int, default=1000, help="time steps of 0.01 (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--precision", nargs="+", default=["double", "mixed", "single"], help="the first is the reference")
    parser.add_argument("--output", default="nbody.png", help="the picture, of the last precision (%(default)s)")
    options = parser.parse_args()

    reference = None
    print("| precision | ms per step | largest change of the energy | rms distance from " + options.precision[0] + " |")
    print("| --- | --- | --- | --- |")
    for precision in options.precision:
        thermo, end, seconds = run(options.lmp, precision, n=options.n, steps=options.steps, backend=options.backend)
        reference = end if reference is None else reference
        print(f"| {precision} | {1000 * seconds:.2f} | {drift(thermo):.2g} | {apart(end, reference):.2g} |", flush=True)
    draw(end, options.output)


if __name__ == "__main__":
    main()

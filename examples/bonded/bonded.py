"""Writes a notched sheet of springs, runs in.bonded and draws the sheet and its stress.

Needs numpy and matplotlib, and an `lmp` that knows fix pairwise/triad.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, save_small, thermo_tables  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.bonded")
OUTPUT = INPUT.with_name("output")  # git ignores this folder


def sheet(columns, rows, notch, seed=11):
    """Points of a triangular lattice with spacing 1, their types, and springs [i, j], K, r0 between nearest points.

    The springs across the first `notch` spacings of the middle line are left out.
    """
    random = np.random.default_rng(seed)
    row, column = np.divmod(np.arange(rows * columns), columns)
    x = np.stack([column + 0.5 * (row % 2), row * np.sqrt(0.75)], axis=1)
    kind = np.where(row < 2, 2, np.where(row >= rows - 2, 3, 1))
    pairs = []
    for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1)):
        shift = right if up == 0 else right * (row % 2 if right == 1 else 1 - row % 2)
        c, r = column + shift, row + up
        there = (c >= 0) & (c < columns) & (r < rows) & ((right == 0) | (shift != 0))
        pairs.append(np.stack([np.flatnonzero(there), (r * columns + c)[there]], axis=1))
    pairs = np.concatenate(pairs)
    middle = (rows - 1) / 2 * np.sqrt(0.75)
    centre = x[pairs].mean(axis=1)
    across = (x[pairs][:, 0, 1] - middle) * (x[pairs][:, 1, 1] - middle) < 0
    pairs = pairs[~(across & (centre[:, 0] < notch))]
    K = random.uniform(40, 60, len(pairs))
    r0 = 1 + random.normal(0, 0.005, len(pairs))
    return x, kind, pairs, K, r0


def write(name, x, kind, pairs, K, r0):
    low, high = x.min(0) - 1, x.max(0) + 1
    lines = ["notched sheet", "", f"{len(x)} atoms", "3 atom types", f"{low[0]} {high[0]} xlo xhi",
             f"{low[1]} {high[1]} ylo yhi", "-0.5 0.5 zlo zhi", "", "Masses", "", "1 1", "2 1", "3 1", "",
             "Atoms # atomic", ""]
    lines += [f"{i} {t} {a:.12g} {b:.12g} 0" for i, (t, (a, b)) in enumerate(zip(kind, x), 1)]
    Path(f"{name}.data").write_text("\n".join(lines) + "\n")
    springs = [f"{i + 1} {j + 1} {k:.6g} {r:.6g}" for (i, j), k, r in zip(pairs, K, r0)]
    Path(f"{name}.pairs").write_text("# ID1 ID2 K r0\n" + "\n".join(springs) + "\n")


def run(lmp, system, **variables):
    """(stretch, stress, list of [N, 2] positions) of one run with the files of `system` (what sheet() returns)."""
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, "sheet"), *system)
        thermo = thermo_tables(run_script(lmp, INPUT, folder, **variables))[-1]
        frames = Path(folder, "sheet.dump").read_text().split("ITEM: ATOMS id x y")[1:]
    points = [np.array(frame.split("ITEM")[0].split(), dtype=float).reshape(-1, 3)[:, 1:] for frame in frames]
    return thermo["v_stretch"], thermo["v_pull"], points


def draw(system, stretch, stress, frames, longest, path):
    """Stress against strain, and the sheet at three strains. Springs longer than `longest` are broken and not drawn."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import collections, colors, pyplot

    _, _, pairs, K, r0 = system
    figure = pyplot.figure(figsize=(11, 8), layout="constrained", facecolor="white")
    axes = figure.subplots(2, 2).ravel()
    strains = np.linspace(0, 100 * stretch[-1], len(frames))
    axes[0].plot(100 * stretch, stress, color="#0072B2")
    axes[0].set(xlabel="strain (%)", ylabel="pull on the grips per width", title="(a) stress against strain")
    axes[0].grid(color="#DDDDDD")
    # blue: compressed, grey: relaxed, red: stretched; the grey is dark enough to show the torn sheet
    tension_colours = colors.LinearSegmentedColormap.from_list("tension", ("#0072B2", "#A9A9A9", "#D55E00", "#7A0000"))
    for label, panel, number in zip("bcd", axes[1:], (len(frames) // 2, len(frames) - 2, len(frames) - 1)):
        ends = frames[number][pairs]
        length = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
        whole = length < longest
        lines = collections.LineCollection(ends[whole], linewidths=1.1, cmap=tension_colours)
        lines.set_array((K * (length - r0))[whole])
        lines.set_clim(-3, 6)
        panel.add_collection(lines)
        torn = frames[number][np.unique(pairs[~whole])]
        panel.plot(*torn.T, ".", color="black", markersize=3.5, label="ends of broken springs")
        panel.set(aspect="equal", xlabel="x (lattice spacings)", ylabel="y (lattice spacings)",
                  title=f"({label}) strain {strains[number]:.0f} %, {np.count_nonzero(~whole)} of {len(whole)} springs broken")
        panel.autoscale()
        if label == "d":
            panel.legend(loc="upper right", framealpha=0.9)
        axes[0].plot(strains[number], np.interp(strains[number], 100 * stretch, stress), "o", color="#D55E00")
        axes[0].annotate(f"({label})", (strains[number], np.interp(strains[number], 100 * stretch, stress)),
                         xytext=(-4, 8), textcoords="offset points")
    figure.colorbar(lines, ax=axes[1:], label="force in a spring (negative: compressed)", location="bottom", shrink=0.6,
                    aspect=40)
    save_small(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("--columns", type=int, default=60, help="points along the sheet (%(default)s)")
    parser.add_argument("--rows", type=int, default=44, help="points across (%(default)s)")
    parser.add_argument("--steps", type=int, default=20000, help="time steps (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of what is written (%(default)s)")
    parser.add_argument("--write", action="store_true", help="only write sheet.data and sheet.pairs there")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    system = sheet(options.columns, options.rows, notch=options.columns / 4)
    if options.write:
        write(options.output / "sheet", *system)
        return
    stretch, stress, frames = run(options.lmp, system, steps=options.steps, backend=options.backend)
    print(f"largest stress {stress.max():.3f} at a stretch of {100 * stretch[stress.argmax()]:.2f} %")
    draw(system, stretch, stress, frames, 1.2, options.output / "bonded.png")


if __name__ == "__main__":
    main()

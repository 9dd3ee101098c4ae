"""Writes chains of beads with the contacts of a sheet of three strands, lets them fold and draws the course.

Needs numpy and matplotlib, and an `lmp` that knows fix pairwise/triad.
"""

import argparse
import itertools
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, save_small, thermo_tables  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.protein")
OUTPUT = INPUT.with_name("output")  # git ignores this folder
STRANDS, LENGTH = 3, 9  # beads of a strand
NEAR = 1.9  # two beads nearer than this in the native structure are a contact
SPACING = 45.0  # between chains, which do not interact
SNAPSHOTS = 60  # of a run


def native():
    """[N, 3] the native structure, in units of the distance of consecutive C-alpha atoms, 3.8 Angstrom: antiparallel
    strands in a plane, joined by turns."""
    rise, apart = 3.4 / 3.8, 4.8 / 3.8
    pleat = 0.5 * np.sqrt(1 - rise**2)
    beads = []
    for strand in range(STRANDS):
        k = np.arange(LENGTH)
        along = rise * (k if strand % 2 == 0 else k[::-1])
        beads += [[a, apart * strand, pleat * (-1) ** round(a / rise)] for a in along]
        if strand + 1 < STRANDS:
            end = along[-1] + 0.72 * (1 if strand % 2 == 0 else -1)
            beads += [[end, apart * strand + 0.15, 0.4], [end, apart * (strand + 1) - 0.15, 0.4]]
    return np.array(beads)


def pairs_of(x):
    """{(i, j): words} of every pair of beads, and the list of native contacts (i, j)."""
    distance = np.linalg.norm(x[:, None] - x[None, :], axis=2)
    words, contacts = {}, []
    for i, j in itertools.combinations(range(len(x)), 2):
        if j == i + 1:
            words[i, j] = f"harmonic 200 {distance[i, j]:.6f}"
        elif j > i + 2 and distance[i, j] < NEAR:
            words[i, j] = f"12-10 1 {distance[i, j]:.6f}"
            contacts.append((i, j))
        elif j > i + 2:  # only repulsive: the minimum of Lennard-Jones is at 1.1225 sigma
            words[i, j] = "lj/gromacs 1 1 1 1.1225"
    return words, np.array(contacts)


def stretched(n):
    """[N, 3] a zigzag of n beads."""
    k = np.arange(n)
    return np.stack([0.86 * k, 0.5 * (k % 2), 0.1 * (k % 3)], axis=1)


def write(name, copies):
    """The files of `copies` stretched chains; returns the native structure and its contacts."""
    x = native()
    words, contacts = pairs_of(x)
    n = len(x)
    side = int(np.ceil(np.sqrt(copies)))
    start = [stretched(n) + SPACING * np.array([0, c % side, c // side]) for c in range(copies)]
    atoms = np.concatenate(start)
    low, high = atoms.min(0) - 1, atoms.max(0) + 1
    lines = ["stretched chains", "", f"{len(atoms)} atoms", "1 atom types"]
    lines += [f"{low[k]} {high[k]} {axis}lo {axis}hi" for k, axis in enumerate("xyz")]
    lines += ["", "Masses", "", "1 1", "", "Atoms # atomic", ""]
    lines += [f"{i} 1 {a:.9g} {b:.9g} {c:.9g}" for i, (a, b, c) in enumerate(atoms, 1)]
    Path(f"{name}.data").write_text("\n".join(lines) + "\n")
    listed = [f"{c * n + i + 1} {c * n + j + 1} {law}" for c in range(copies) for (i, j), law in words.items()]
    Path(f"{name}.pairs").write_text("# ID1 ID2 law parameters\n" + "\n".join(listed) + "\n")
    return x, contacts


def formed(frames, x, contacts):
    """[frames, copies] the share of native contacts that are within 1.2 of their native distance."""
    native_distance = np.linalg.norm(x[contacts[:, 0]] - x[contacts[:, 1]], axis=1)
    distance = np.linalg.norm(frames[:, :, contacts[:, 0]] - frames[:, :, contacts[:, 1]], axis=3)
    return (distance < 1.2 * native_distance).mean(axis=2)


def run(lmp, copies, **variables):
    """(steps, potential energy per bead, [frames, copies, N, 3] positions, native structure, contacts) of one run."""
    with tempfile.TemporaryDirectory() as folder:
        x, contacts = write(Path(folder, "protein"), copies)
        thermo = thermo_tables(run_script(lmp, INPUT, folder, **variables))[-1]
        frames = Path(folder, "protein.dump").read_text().split("ITEM: ATOMS id x y z")[1:]
    points = [np.array(frame.split("ITEM")[0].split(), dtype=float).reshape(copies, -1, 4)[:, :, 1:] for frame in frames]
    return thermo["Step"], thermo["PotEng"], np.array(points), x, contacts


def fitted(moving, fixed):
    """`moving` after the rotation, reflection included, that brings it nearest to `fixed` (Kabsch)."""
    a, b = moving - moving.mean(0), fixed - fixed.mean(0)
    u, _, v = np.linalg.svd(a.T @ b)
    return a @ (u @ v)


def draw(steps, energy, frames, x, contacts, path):
    """Contacts and energy over time, and one chain at the start, half way and at the end."""
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    share = formed(frames, x, contacts)
    fastest = share[-1].argmax()
    half = int((share[:, fastest] > 0.5).argmax())
    figure = pyplot.figure(figsize=(11, 8), layout="constrained", facecolor="white")
    axes = figure.add_subplot(2, 2, 1)
    axes.plot(0.005 * steps, share, color="#A9A9A9", linewidth=0.8)
    axes.plot(0.005 * steps, share.mean(1), color="#0072B2", linewidth=2, label="mean of all chains")
    axes.set(xlabel="time", ylabel="share of native contacts", ylim=(0, 1), title="(a) folding")
    axes.grid(color="#DDDDDD")
    axes.legend(loc="center right")
    other = axes.twinx()
    other.plot(0.005 * steps, energy, color="#D55E00")
    other.set_ylabel("potential energy per bead", color="#D55E00")
    for place, label, frame in ((2, "b", 0), (3, "c", half), (4, "d", len(frames) - 1)):
        panel = figure.add_subplot(2, 2, place, projection="3d")
        points = fitted(frames[frame, fastest], x)
        panel.plot(*points.T, "-", color="#555555", linewidth=1.5)
        panel.scatter(*points.T, c=np.arange(len(x)), cmap="viridis", s=45, depthshade=False, edgecolors="black", linewidths=0.4)
        if label == "d":
            panel.plot(*(x - x.mean(0)).T, "--", color="#D55E00", linewidth=1, label="native structure")
            panel.legend(loc="upper right")
        panel.set(title=f"({label}) time {0.005 * steps[frame]:.0f}: {100 * share[frame, fastest]:.0f} % of the contacts")
        panel.set_aspect("equal", adjustable="datalim")
        panel.set_box_aspect((1, 1, 1), zoom=1.35)
        panel.set_axis_off()
    save_small(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("--copies", type=int, default=16, help="chains (%(default)s)")
    parser.add_argument("--steps", type=int, default=60000, help="time steps (%(default)s)")
    parser.add_argument("--temperature", type=float, default=0.35, help="in units of a contact (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of what is written (%(default)s)")
    parser.add_argument("--write", action="store_true", help="only write protein.data and protein.pairs there")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    if options.write:
        write(options.output / "protein", options.copies)
        return
    every = max(1, options.steps // SNAPSHOTS)
    steps, energy, frames, x, contacts = run(options.lmp, options.copies, steps=SNAPSHOTS * every, every=every,
                                             temperature=options.temperature, backend=options.backend)
    share = formed(frames, x, contacts)
    print(f"{len(contacts)} native contacts; formed at the end: {100 * share[-1].mean():.0f} %, "
          f"in the best chain {100 * share[-1].max():.0f} %")
    draw(steps, energy, frames, x, contacts, options.output / "protein.png")


if __name__ == "__main__":
    main()

"""Runs in.island and draws the wave around the island, and how far it runs up the shore.

Needs numpy, matplotlib, lammps_triad, and an `lmp` that knows fix flow/triad; with meshio, writes a VTU file, too.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from lammps_triad import mesh as meshes

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, save_small, states_of_cells  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.island")
OUTPUT = INPUT.with_name("output")  # git ignores this folder
SIZE, DEEP, HEIGHT, PEAK = 120.0, 3.0, 0.3, 14.0  # m, m, m, and s when the crest enters


def island(n):
    """Triangles: each square of an n x n grid has a point in its middle. A cone of 5 m stands in 3 m of water."""
    corner = np.arange((n + 1)**2).reshape(n + 1, n + 1)
    axis = np.linspace(0, SIZE, n + 1)
    points = np.stack(np.meshgrid(axis, axis), -1)
    middle = 0.25 * (points[:-1, :-1] + points[:-1, 1:] + points[1:, :-1] + points[1:, 1:]).reshape(-1, 2)
    centre = (n + 1)**2 + np.arange(n * n)
    ring = [corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]]
    cells = np.stack([np.stack([ring[k].ravel(), ring[(k + 1) % 4].ravel(), centre], 1) for k in range(4)], 1)
    mesh = meshes.polygons(np.concatenate([points.reshape(-1, 2), middle]), [cells.reshape(-1, 3)])
    radius = np.hypot(*(mesh.centre - SIZE / 2).T)
    mesh.bed = np.maximum(-DEEP, 2.0 - 5.0 * radius / 30)
    mesh.set_surface(0.0)
    mesh.set_boundary("stage wave", "west")
    mesh.set_boundary("open", "east")
    time = np.linspace(0, 2 * PEAK, 113)
    crest = HEIGHT * np.exp(-((time - PEAK) / (0.3 * PEAK))**2)
    mesh.series = "\n".join(f"wave {t:.6g} {z:.6g}" for t, z in zip(time, crest))
    return mesh


def run(lmp, mesh, **variables):
    """The snapshots: list of arrays [N, 4] of h, qx, qy, bed in the order of the cells."""
    with tempfile.TemporaryDirectory() as folder:
        mesh.write(Path(folder, "island"))
        run_script(lmp, INPUT, folder, **variables)
        return states_of_cells(Path(folder, "island.dump"), len(mesh.area))


def highest(mesh, frames, wet=1e-3):
    """The highest bed that was wet at some time."""
    ever = np.any([state[:, 0] > wet for state in frames], axis=0)
    return ever, mesh.bed[ever].max()


def draw(mesh, frames, interval, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    chosen = [int(round(t / interval)) for t in (20, 28, 36)]
    figure, plots = pyplot.subplots(1, 4, figsize=(15, 3.9), layout="constrained", facecolor="white")
    for plot, k, letter in zip(plots, chosen, "abc"):
        state = frames[k]
        surface = np.ma.masked_where(state[:, 0] < 1e-3, state[:, 0] + state[:, 3])
        cells = meshes.draw(plot, mesh, surface, cmap="RdBu_r", clim=(-1.3 * HEIGHT, 1.3 * HEIGHT))
        plot.set(title=f"({letter}) {k * interval:g} s", xlabel="x / m", facecolor="#C9B38C")
    plots[0].set_ylabel("y / m")
    figure.colorbar(cells, ax=plots[2], label="surface / m")
    ever, height = highest(mesh, frames)
    shore = 2.0 / 5.0 * 30 + 4  # m, a little beyond the line of the sea
    dry_at_first = frames[0][:, 0] < 1e-3
    flooded = np.ma.masked_where(~(ever & dry_at_first), np.where(ever, mesh.bed, 0))
    meshes.draw(plots[3], mesh, np.ma.masked_where(~dry_at_first, mesh.bed), cmap="YlOrBr")
    cells = meshes.draw(plots[3], mesh, flooded, cmap="Blues")
    plots[3].set(title=f"(d) flooded up to {height:.2f} m", xlabel="x / m")
    figure.colorbar(cells, ax=plots[3], label="flooded bed / m")
    plots[3].set(xlim=(SIZE / 2 - shore, SIZE / 2 + shore), ylim=(SIZE / 2 - shore, SIZE / 2 + shore))
    save_small(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("-n", type=int, default=100, help="squares along a side, of four triangles each (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the picture (%(default)s)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    mesh = island(options.n)
    frames = run(options.lmp, mesh, backend=options.backend)
    print(f"{len(mesh.area)} cells; the wave of {HEIGHT} m runs up to {highest(mesh, frames)[1]:.2f} m above the sea")
    draw(mesh, frames, 60 / (len(frames) - 1), options.output / "island.png")
    try:
        state = frames[len(frames) // 2]
        meshes.write_vtu(mesh, options.output / "island.vtu", h=state[:, 0], q=state[:, 1:3], bed=mesh.bed)
    except ImportError:
        print("without the package meshio, no VTU file is written")


if __name__ == "__main__":
    main()

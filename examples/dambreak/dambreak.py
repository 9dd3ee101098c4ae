"""Runs in.dambreak on a channel, beside the exact solution, and on a pool whose dam breaks in a part; draws both.

Needs numpy, matplotlib, lammps_triad, and an `lmp` that knows fix flow/triad; with meshio, writes a VTU file, too.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from lammps_triad import mesh as meshes

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, states_of_cells  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.dambreak")
OUTPUT = INPUT.with_name("output")  # git ignores this folder
G = 9.81


def channel(n, right):
    """1000 m of n cells, 10 m of water up to the middle and `right` beyond."""
    mesh = meshes.grid((n, 1), (1000.0, 1000.0 / n))
    mesh.depth = np.where(mesh.centre[:, 0] < 500, 10.0, right)
    return mesh


def pool(n):
    """A pool of 200 m with a wall of 10 m across, which has a gap of 75 m: 10 m of water on the left, 5 m on the right."""
    x, y = np.meshgrid((np.arange(n) + 0.5) * 200 / n, (np.arange(n) + 0.5) * 200 / n)
    wall = (np.abs(x - 100) < 5) & ~((y > 95) & (y < 170))
    mesh = meshes.grid((n, n), (200.0, 200.0), mask=~wall)
    mesh.depth = np.where(mesh.centre[:, 0] < 95, 10.0, 5.0)
    return mesh


def run(lmp, mesh, **variables):
    """The snapshots: list of arrays [N, 4] of h, qx, qy, bed in the order of the cells."""
    with tempfile.TemporaryDirectory() as folder:
        mesh.write(Path(folder, "dambreak"))
        run_script(lmp, INPUT, folder, **variables)
        return states_of_cells(Path(folder, "dambreak.dump"), len(mesh.area))


def exact(x, t, left, right):
    """Depth after the break of a dam at x = 0 (J. J. Stoker, Water Waves, 1957)."""
    c_left, c_right = np.sqrt(G * left), np.sqrt(G * right)
    low, high = c_right, c_left
    for _ in range(100):
        c = 0.5 * (low + high)
        below = (c**2 - c_right**2)**2 * (c**2 + c_right**2) < 8 * c_right**2 * c**2 * (c_left - c)**2
        low, high = (c, high) if below else (low, c)
    h, u = c**2 / G, 2 * (c_left - c)
    fan = 4 / (9 * G) * (c_left - x / (2 * t))**2
    where = [x <= -t * c_left, x <= t * (2 * c_left - 3 * c), x <= t * h * u / (h - right)]
    return np.select(where, [left, fan, h], right)


def draw(profiles, t, basin, depths, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (section, plan) = pyplot.subplots(1, 2, figsize=(12.5, 4.8), layout="constrained", facecolor="white",
                                              width_ratios=[1.3, 1])
    x = np.linspace(0, 1000, 2001)
    section.plot(x, exact(x - 500, t, 10.0, 2.0), color="#999999", linewidth=4, label="exact")
    for (name, (mesh, state)), style, colour in zip(profiles.items(), ("-", "--"), ("#0072B2", "#D55E00")):
        section.plot(mesh.centre[:, 0], state[:, 0], style, color=colour, label=f"{name}, {len(mesh.area)} cells")
    section.set(xlabel="x / m", ylabel="depth / m", title=f"(a) a channel {t:g} s after the break", ylim=(0, 11))
    section.grid(color="#DDDDDD")
    section.legend(frameon=False)

    cells = meshes.draw(plan, basin, depths, cmap="Blues")
    plan.set(xlabel="x / m", ylabel="y / m", facecolor="#8C6D46", title="(b) a dam with a gap, 7.2 s after the break")
    figure.colorbar(cells, ax=plan, label="depth / m")
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("-n", type=int, default=200, help="cells along the pool, and half of those of the channel (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the picture (%(default)s)")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    line = channel(2 * options.n, 2.0)
    profiles = {flux: (line, run(options.lmp, line, time=25, flux=flux, backend=options.backend)[-1]) for flux in ("roe", "hll")}
    for flux, (mesh, state) in profiles.items():
        error = np.abs(state[:, 0] - exact(mesh.centre[:, 0] - 500, 25, 10.0, 2.0)).mean()
        print(f"{flux}: mean error of the depth {error:.3f} m")
    basin = pool(options.n)
    state = run(options.lmp, basin, time=7.2, backend=options.backend)[-1]
    draw(profiles, 25, basin, state[:, 0], options.output / "dambreak.png")
    try:
        meshes.write_vtu(basin, options.output / "dambreak.vtu", h=state[:, 0], q=state[:, 1:3])
    except ImportError:
        print("without the package meshio, no VTU file is written")


if __name__ == "__main__":
    main()

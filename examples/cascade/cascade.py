"""Runs in.cascade, counts the defects that a recoil leaves in silicon, and draws the cascade.

Needs numpy and matplotlib, and an `lmp` with Triad and the package EXTRA-FIX.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import run_script, save_small, thermo_tables  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.cascade")
OUTPUT = INPUT.with_name("output")  # git ignores this folder
EDGE = 5.432  # Angstrom, of the unit cell


def stopping_power(energy):
    """Electronic stopping power of silicon for silicon atoms of an energy in eV, in eV/Angstrom.

    J. Lindhard, M. Scharff, Phys. Rev. 124, 128 (1961), proportional to the velocity v: with e^2 = 14.3996 eV Angstrom,
    the Bohr radius, and an energy of 24.98 keV per mass unit at the Bohr velocity v0.
    """
    Z, mass, density = 14.0, 28.0855, 8 / EDGE**3
    per_atom = 8 * np.pi * 14.3996 * 0.529177 * Z ** (1 / 6) * Z * Z / (2 * Z ** (2 / 3)) ** 1.5
    return density * per_atom * np.sqrt(energy / (24980.0 * mass))


def write_stopping(path, most):
    energies = np.geomspace(1, 1.5 * most, 200)
    path.write_text("# energy (eV), stopping power of type 1 (eV/Angstrom)\n"
                    + "".join(f"{e:.8g} {s:.8g}\n" for e, s in zip(energies, stopping_power(energies))))


def read_frames(text):
    """(time in ps, array [n, 5] of id x y z energy) of each snapshot."""
    frames = []
    for part in text.split("ITEM: TIME\n")[1:]:
        time, rest = part.split("\n", 1)
        rows = rest.split("ITEM: ATOMS", 1)[1].split("\n", 1)[1].split("ITEM: UNITS")[0].split("ITEM: TIMESTEP")[0]
        frames.append((float(time), np.array(rows.split(), float).reshape(-1, 5)))
    return frames


class Lattice:
    """The sites of the crystal, by the IDs of the atoms that began there."""

    def __init__(self, text, cells):
        rows = np.array(text.split("ITEM: ATOMS", 1)[1].split("\n", 1)[1].split(), float).reshape(-1, 4)
        self.cells, self.x = cells, rows[:, 1:]
        self.site_at = np.full((8 * cells,) * 3, -1)
        self.site_at[tuple(self.eighths(self.x).T)] = np.arange(len(rows))
        # sites around a point, in quarters of the cell's edge
        near = np.arange(-3, 4)
        self.around = np.stack(np.meshgrid(near, near, near, indexing="ij"), -1).reshape(-1, 3)

    def eighths(self, x):
        return np.rint(8 * x / EDGE).astype(int) % (8 * self.cells)

    def nearest(self, x):
        """Index of the site nearest to each of the points [n, 3]."""
        found = np.empty(len(x), int)
        for k, point in enumerate(x):
            places = 2 * (np.rint(4 * point / EDGE).astype(int) + self.around)
            sites = self.site_at[tuple((places % (8 * self.cells)).T)]
            there = sites >= 0
            distance = np.linalg.norm(places[there] * EDGE / 8 - point, axis=1)
            found[k] = sites[there][distance.argmin()]
        return found

    def defects(self, frame):
        """Sites without an atom, and the sites of atoms that share one, once for each atom too many.

        Atoms that are not in a frame are at their sites.
        """
        held = np.ones(len(self.x), int)
        np.subtract.at(held, frame[:, 0].astype(int) - 1, 1)
        np.add.at(held, self.nearest(frame[:, 1:4]), 1)
        return np.flatnonzero(held == 0), np.repeat(np.arange(len(held)), np.maximum(held - 1, 0))


def run(lmp, cells, energy, **variables):
    with tempfile.TemporaryDirectory() as folder:
        write_stopping(Path(folder, "stopping"), energy)
        tables = thermo_tables(run_script(lmp, INPUT, folder, cells=cells, energy=energy, **variables))[-2:]
        lattice = Lattice(Path(folder, "sites").read_text(), cells)
        return tables, lattice, read_frames(Path(folder, "cascade.dump").read_text())


def draw(tables, lattice, frames, counts, energy, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import colors, pyplot

    fast, slow = tables
    times = np.array([time for time, _ in frames])
    moved = np.array([len(frame) for _, frame in frames])
    vacancies = np.array([len(empty) for empty, _ in counts])
    figure = pyplot.figure(figsize=(11, 8.6), layout="constrained", facecolor="white")
    axes = figure.subplots(2, 2).ravel()

    step = axes[0]
    time, dt = (np.concatenate([fast[column][1:], slow[column]]) for column in ("Time", "Dt"))
    step.loglog(time, 1000 * dt, color="#0072B2")
    step.set(xlabel="time (ps)", ylabel="time step (fs)", title="(a) the time step follows the fastest atom")
    other = step.twinx()
    other.loglog(fast["Time"][1:], fast["v_recoil"][1:], color="#D55E00")
    other.set_ylabel("energy of the recoil (eV)", color="#D55E00")
    step.yaxis.label.set_color("#0072B2")
    axes[1].loglog(times, np.maximum(moved, 0.5), "o-", color="#0072B2", label="atoms more than 0.8 Å away")
    axes[1].loglog(times, np.maximum(vacancies, 0.5), "s-", color="#D55E00", label="empty sites")
    axes[1].set(xlabel="time (ps)", ylabel="number", title="(b) displaced atoms and empty sites")
    axes[1].legend()
    for axis in (axes[0], axes[1], other):
        axis.xaxis.set_minor_formatter("")
        axis.yaxis.set_minor_formatter("")
    for axis in axes[:2]:
        axis.grid(color="#DDDDDD")

    peak = moved.argmax()
    edge = lattice.cells * EDGE
    frame = frames[peak][1]
    frame = frame[frame[:, 4].argsort()]
    points = axes[2].scatter(frame[:, 1] % edge, frame[:, 3] % edge, c=np.maximum(frame[:, 4], 0.02), s=7,
                             norm=colors.LogNorm(0.02, 10), cmap="inferno", edgecolors="none")
    figure.colorbar(points, ax=axes[2], label="kinetic energy (eV)", extend="both")
    axes[2].set_title(f"(c) {len(frame)} displaced atoms after {times[peak]:.2f} ps")
    empty, crowded = counts[-1]
    axes[3].plot(*lattice.x[empty][:, [0, 2]].T, "o", color="#0072B2", markerfacecolor="none", markersize=5,
                 label=f"{len(empty)} vacancies")
    axes[3].plot(*lattice.x[crowded][:, [0, 2]].T, ".", color="#D55E00", markersize=6,
                 label=f"{len(crowded)} interstitials")
    axes[3].set_title(f"(d) defects after {times[-1]:.2f} ps")
    axes[3].legend(loc="lower left", framealpha=0.9)
    for axis in axes[2:]:
        axis.set(aspect="equal", xlabel="x (Å)", ylabel="z (Å)", xlim=(0, edge), ylim=(0, edge))
    figure.suptitle(f"Recoil of {energy / 1000:g} keV in {len(lattice.x):,} atoms of silicon")
    save_small(figure, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lmp", default="lmp", help="the LAMMPS executable (%(default)s)")
    parser.add_argument("--cells", type=int, default=28, help="unit cells along an edge (%(default)s)")
    parser.add_argument("--energy", type=float, default=5000.0, help="of the recoil, eV (%(default)s)")
    parser.add_argument("--time", type=float, default=3.0, help="ps (%(default)s)")
    parser.add_argument("--backend", default="auto", help="auto, cuda or host (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the picture (%(default)s)")
    parser.add_argument("--write", action="store_true", help="only write the file of stopping powers there")
    parser.add_argument("--quick", action="store_true", help="a recoil of 200 eV in 8,000 atoms, for half a ps")
    options = parser.parse_args()
    if options.quick:
        options.cells, options.energy, options.time = 10, 200.0, 0.5
    options.output.mkdir(parents=True, exist_ok=True)
    if options.write:
        write_stopping(options.output / "stopping", options.energy)
        return
    tables, lattice, frames = run(options.lmp, options.cells, options.energy, time=options.time, backend=options.backend)
    counts = [lattice.defects(frame) for _, frame in frames]
    fast, slow = tables
    print(f"{int(slow['Step'][-1])} steps for {slow['Time'][-1]:.3f} ps, time steps from {1000 * fast['Dt'].min():.2g} to "
          f"{1000 * slow['Dt'].max():.2g} fs")
    print(f"{fast['v_lost'][-1]:.0f} eV to electrons, {slow['f_cold'][-1]:.0f} eV to the border since {slow['Time'][0]:.2f} ps")
    print(f"at most {max(len(frame) for _, frame in frames)} displaced atoms; at the end {len(counts[-1][0])} vacancies "
          f"and {len(counts[-1][1])} interstitials")
    draw(tables, lattice, frames, counts, options.energy, options.output / "cascade.png")


if __name__ == "__main__":
    main()

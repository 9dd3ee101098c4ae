"""Silicon (001) films beside bulk silicon: energy per atom, radial distribution, vibrations, in-plane conductivity and its
spectrum.

    pip install ".[analysis]"   (in a clone of Triad)
    python nanofilm.py --quick      # minutes on a CPU: small boxes, short runs, large errors
    python nanofilm.py --full --jobs 14     # settings for a GPU

Runs in.nanofilm for every thickness and temperature; writes results.csv, rdf.csv, spectrum.csv, conductivity.csv and
nanofilm.png to the folder output. Every run has a folder of its own in output/runs; a run that is complete is not
repeated. Lengths in Å, energies in eV, conductivities in W/(m K).
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import matplotlib
import numpy as np
from lammps_triad.kappa.files import read_frames, read_table
from lammps_triad.kappa.hnemd import hnemd
from lammps_triad.kappa.spectrum import spectrum

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import failure, words_of  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

INPUT = Path(__file__).resolve().with_name("in.nanofilm")
CELL = 0.5432  # nm
TEMPERATURES = (300, 500)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")  # Okabe and Ito: for all eyes
LINES = ("-", "--", ":", "-.")


@dataclass(frozen=True)
class Settings:
    """Numbers of cells and steps, and driving fields (1/Å). The 2 x 1 reconstruction needs even widths."""

    layers: tuple  # of the films
    widths: tuple  # of the films, along x and y
    bulk: int
    film_field: float
    bulk_field: float
    equilibrate: int
    steps: int
    lags: int  # of the spectrum, in samples of 20 steps
    skin: float  # Å


QUICK = Settings((4, 8), (4, 4), 4, 3e-4, 3e-4, 10000, 40000, 100, 1.0)
FULL = Settings((4, 8, 12, 18, 27, 37), (40, 28, 24, 20, 16, 14), 20, 2e-4, 5e-5, 15000, 200000, 150, 2.0)
SKIP = 0.25  # share of the steps in which the current builds up
HIGHEST = 18  # THz


@dataclass
class Found:
    """Of one film (layers > 0) or of bulk (0)."""

    layers: int
    temperature: int
    atoms: int
    energy: float  # per atom
    kappa: object  # Estimate
    dimerised: float  # share of surface atoms with three bonds
    rdf: np.ndarray  # [bins][2]: r, g(r)
    states: np.ndarray  # [frequencies][2]: THz, normalised density
    carried: np.ndarray  # [frequencies][2]: THz, conductivity per frequency


def lammps(lmp, settings, layers, temperature, threads, runs):
    """Runs LAMMPS, or finds its results; returns the folder with its files and the driving field."""
    width = settings.widths[settings.layers.index(layers)] if layers else settings.bulk
    field = settings.film_field if layers else settings.bulk_field
    variables = {"T": temperature, "width": width, "layers": layers or width, "vacuum": 3 if layers else 0, "field": field,
                 "equilibrate": settings.equilibrate, "steps": settings.steps, "lags": settings.lags, "skin": settings.skin}
    folder = runs / ".".join(str(value) for value in variables.values())
    log = folder / "log"
    if log.exists() and "Total wall time" in log.read_text():
        return folder, field
    folder.mkdir(parents=True, exist_ok=True)
    words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
    process = subprocess.run([*lmp, "-in", INPUT, "-log", log, "-screen", "none", *words], cwd=folder,
                             env={**os.environ, "OMP_NUM_THREADS": str(threads)},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if process.returncode:
        raise SystemExit(f"LAMMPS failed for {layers} layers at {temperature} K:\n{failure(log, process.stdout)}")
    return folder, field


def run(lmp, settings, layers, temperature, threads, runs):
    """Runs LAMMPS and reads what it wrote."""
    folder, field = lammps(lmp, settings, layers, temperature, threads, runs)
    table = read_table(folder / "kappa")
    kept = table.rows[int(SKIP * len(table.rows)):]
    words = (folder / "sizes").read_text().split()
    atoms, volume, *box = (float(words[words.index(name) + 1]) for name in ("atoms", "volume", "lx", "ly", "lz"))
    rdf = read_frames(folder / "rdf", ("Row",)).values[-1][:, 1:3]
    rdf[:, 1] *= volume / np.prod(box)  # LAMMPS counts the vacuum as material
    carried = spectrum([folder / "correlation"], volume, temperature, field, highest=HIGHEST)
    kappa = hnemd([folder / "kappa"], skip=SKIP, volume=volume, field=field, timestep=0.001)["kappa"]
    return Found(layers, temperature, int(atoms), float(kept[:, 4].mean() / atoms), kappa,
                 dimerised(folder) if layers else np.nan, rdf, density_of_states(folder / "vacf"), np.column_stack([carried["frequency"], carried["spectrum"]]))


def dimerised(folder):
    """Share of the atoms in the two outermost layers that have three bonds; an ideal (001) surface has two each."""
    bonds = np.loadtxt(folder / "surfaces", skiprows=9, ndmin=2)[:, 1]
    return float((bonds == 3).mean())


def density_of_states(path, window=1.0):
    """Vibrational density of states: cosine transform of the autocorrelation of velocities over `window` ps."""
    table = read_table(path)
    lag = 0.001 * (table.rows[:, 0] - table.rows[0, 0])
    inside = lag <= window
    decay = 0.5 * (1 + np.cos(np.pi * lag[inside] / window))
    values = table.rows[inside, 1] / table.rows[0, 1] * decay
    frequency = np.linspace(0, 20, 201)
    density = np.trapezoid(values * np.cos(2 * np.pi * frequency[:, None] * lag[inside]), lag[inside], axis=1)
    return np.column_stack([frequency, density / np.trapezoid(density, frequency)])


def title(found):
    return "bulk" if not found.layers else f"{CELL * found.layers:.1f} nm"


def write(folder, results):
    def table(name, header, rows):
        with open(folder / name, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])

    table("results.csv", ["thickness_nm", "temperature_K", "atoms", "energy_eV_per_atom", "kappa_W_per_mK",
                          "error_W_per_mK", "dimerised_share"],
          [[f"{CELL * r.layers:.3f}" if r.layers else "bulk", r.temperature, r.atoms, f"{r.energy:.5f}",
            f"{r.kappa.value:.2f}", f"{r.kappa.error:.2f}", f"{r.dimerised:.2f}" if r.layers else ""] for r in results])
    for name, first, member in (("rdf.csv", "r_A", "rdf"), ("spectrum.csv", "frequency_THz", "states"),
                                ("conductivity.csv", "frequency_THz", "carried")):
        columns = [getattr(r, member)[:, 1] for r in results]
        table(name, [first, *(f"{title(r)} {r.temperature} K" for r in results)],
              [[f"{value:.5f}" for value in row] for row in
               np.column_stack([getattr(results[0], member)[:, 0], *columns])])


def draw(path, results):
    figure, ((energy, rdf, states), (kappa, carried, share)) = pyplot.subplots(2, 3, figsize=(13.5, 7.5), layout="constrained")
    for k, temperature in enumerate(TEMPERATURES):
        colour, marker = COLOURS[k], "os"[k]
        films = [r for r in results if r.temperature == temperature and r.layers]
        bulk = next(r for r in results if r.temperature == temperature and not r.layers)
        thickness = np.array([CELL * r.layers for r in films])
        energy.plot(thickness, [r.energy for r in films], marker + "-", color=colour, label=f"films, {temperature} K")
        energy.axhline(bulk.energy, ls=LINES[1 + k], color=colour, label=f"bulk, {temperature} K")
        beside = thickness + 0.03 * (2 * k - 1)  # so that error bars do not cover each other
        kappa.errorbar(beside, [r.kappa.value for r in films], [r.kappa.error for r in films], fmt=marker, capsize=4,
                       color=colour, label=f"films, {temperature} K")
        kappa.axhline(bulk.kappa.value, ls=LINES[1 + k], color=colour, label=f"bulk box, {temperature} K, and error")
        kappa.axhspan(bulk.kappa.value - bulk.kappa.error, bulk.kappa.value + bulk.kappa.error, facecolor="none",
                      edgecolor=colour, hatch="/\\"[k] * 2, alpha=0.4)
    for k, r in enumerate([r for r in results if r.temperature == TEMPERATURES[0]]):
        style = {"color": COLOURS[k % len(COLOURS)], "ls": LINES[k % len(LINES)], "label": title(r)}
        rdf.plot(*r.rdf.T, **style)
        states.plot(*r.states.T, **style)
        carried.plot(*r.carried.T, **style)
        whole = np.cumsum(r.carried[:, 1])
        share.plot(r.carried[:, 0], whole / whole[-1], **style)
    cold = f"{TEMPERATURES[0]} K"
    energy.set(xlabel="thickness, nm", ylabel="potential energy, eV per atom", title="(a) energy")
    rdf.set(xlabel="r, Å", ylabel="g(r)", xlim=(2, 6), title=f"(b) radial distribution, {cold}")
    states.set(xlabel="frequency, THz", ylabel="density of states, 1/THz", xlim=(0, 20), ylim=(0, None),
               title=f"(c) vibrations, {cold}")
    kappa.set(xlabel="thickness, nm", ylabel="in-plane κ, W/(m K)", title="(d) conductivity along the film",
              ylim=(0, 1.45 * max(r.kappa.value for r in results)))
    carried.set(xlabel="frequency, THz", ylabel="κ(f), W ps/(m K)", xlim=(0, HIGHEST),
                title=f"(e) conductivity by frequency, {cold}")
    share.set(xlabel="frequency, THz", ylabel="share of κ below the frequency", xlim=(0, HIGHEST), ylim=(0, 1.1),
              title=f"(f) cumulative conductivity, {cold}")
    for axes in (energy, rdf, states, kappa, carried, share):
        axes.legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", dest="settings", action="store_const", const=QUICK, help="minutes on a CPU")
    size.add_argument("--full", dest="settings", action="store_const", const=FULL, help="on a GPU")
    for name, text in (("width", "cells along x and y"), ("equilibrate", "steps before sampling"),
                       ("steps", "steps of sampling")):
        parser.add_argument(f"--{name}", type=int, help=f"{text}, instead of those of the settings")
    parser.add_argument("--layers", type=int, nargs="+", help="thicknesses in cells, instead of those of the settings")
    parser.add_argument("--lmp", nargs="+", default=["lmp"], help="the LAMMPS command (lmp)")
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time (1)")
    parser.add_argument("--threads", type=int, default=1, help="OpenMP threads of a run (1)")
    parser.add_argument("--output", type=Path, default=INPUT.with_name("output"))
    options = parser.parse_args()
    start = time.monotonic()
    options.output.mkdir(exist_ok=True)
    runs = options.output.resolve() / "runs"
    changes = {name: getattr(options, name) for name in ("equilibrate", "steps")}
    settings = replace(options.settings, **{name: value for name, value in changes.items() if value})
    if options.layers or options.width:
        layers = tuple(options.layers or settings.layers)
        width = options.width or settings.bulk
        settings = replace(settings, layers=layers, widths=len(layers) * (width,), bulk=width)
    cases = [(layers, temperature) for temperature in TEMPERATURES for layers in (*settings.layers, 0)]
    with ThreadPoolExecutor(options.jobs) as pool:
        results = []
        for found in pool.map(lambda case: run(words_of(" ".join(options.lmp)), settings, *case, options.threads, runs), cases):
            results.append(found)
            dimers = f", {100 * found.dimerised:.0f} % of the surface atoms in dimers" if found.layers else ""
            print(f"{title(found):>7} {found.temperature} K: {found.atoms} atoms, energy {found.energy:.4f} eV per atom, "
                  f"kappa {found.kappa} W/(m K){dimers}", flush=True)
    write(options.output, results)
    draw(options.output / "nanofilm.png", results)
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()

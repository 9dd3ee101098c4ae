"""Thermal conductivity of bulk silicon by three methods: driving force, equilibrium fluctuations, temperature gradient.

    pip install ".[analysis]"   (in a clone of Triad)
    python bulk.py --quick          # minutes on a CPU: small boxes, short runs, large errors
    python bulk.py --full --jobs 8  # settings for a GPU, several runs at a time

Runs the scripts of the folder kappa at 500 K and 1000 K, prints a line for every result, and writes results.csv,
spectrum.csv and bulk.png to the folder output. Every run has a folder of its own in there; a run that is complete is not
repeated, and complete runs in there that differ in their length or seed only count too. Lengths in Å, conductivities in
W/(m K).
"""

import argparse
import csv
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
from lammps_triad.kappa.files import InputError, read_table
from lammps_triad.kappa.green_kubo import green_kubo
from lammps_triad.kappa.green_kubo import plot as plot_integral
from lammps_triad.kappa.hnemd import hnemd, with_least_error
from lammps_triad.kappa.nemd import nemd
from lammps_triad.kappa.nemd import plot as plot_extrapolation
from lammps_triad.kappa.spectrum import spectrum
from lammps_triad.kappa.statistics import mean_of_series
from lammps_triad.kappa.units import UNITS

sys.path.append(str(Path(__file__).resolve().parents[1]))
from programs import failure, words_of  # noqa: E402

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SCRIPTS = Path(__file__).resolve().parents[1] / "kappa"
LATTICE = {500: 5.442, 1000: 5.452}
FIELDS = {500: ("5e-5", "1e-4"), 1000: ("1e-4", "2e-4")}
TIMESTEP = 0.002  # ps
DRIVEN = {"lags": 250, "lag": 10, "row": 500}  # of the spectrum, in steps; steps of a row, which is a ps
SKIN = 2.0  # Å: lists that hot atoms do not outrun in a few steps
COMPARED_FROM = {500: 50, 1000: 20}  # ps after the start of the field, up to the end of GPUMD's runs
SAME_TIME, OF_GPUMD = "HNEMD, same time as GPUMD", "GPUMD's HNEMD"  # methods
DIFFERENCE = 0.3  # of the temperatures of the thermostats, over their mean


@dataclass(frozen=True)
class Settings:
    """Numbers of cells and steps."""

    driven_cells: int
    driven_steps: dict  # by temperature
    driven_seeds: dict  # by field; the error is inversely proportional to the field
    transient: dict  # ps, by temperature
    fluctuating_cells: int
    fluctuating_steps: dict  # by temperature
    window: dict  # of the correlation of currents in ps, by temperature
    fluctuating_seeds: dict  # by temperature
    lengths: dict  # of the bars in cells, without the thermostats: (share of the difference in the bar, steps); by temperature
    width: int
    frame: int  # steps of which a profile is the mean
    every: dict  # steps between samples, by script
    equilibrate: int


QUICK = Settings(4, {500: 50000, 1000: 50000}, {"5e-5": 1, "1e-4": 1, "2e-4": 1}, {500: 20.0, 1000: 20.0},
                 4, {500: 50000, 1000: 50000}, {500: 20, 1000: 20}, {500: 3, 1000: 3},
                 {500: {8: (1, 30000), 16: (1, 30000), 24: (1, 30000)}, 1000: {8: (1, 30000), 16: (1, 30000), 24: (1, 30000)}},
                 3, 1500, {"hnemd": 10, "green_kubo": 10, "nemd": 10}, 5000)
FULL = Settings(20, {500: 200000, 1000: 150000}, {"5e-5": 4, "1e-4": 2, "2e-4": 1}, {500: 150.0, 1000: 50.0},
                8, {500: 1250000, 1000: 1000000}, {500: 250, 1000: 100}, {500: 56, 1000: 15},
                {500: {960: (0.78, 500000), 1920: (0.85, 1200000), 3840: (0.91, 1500000)},
                 1000: {120: (0.68, 500000), 240: (0.74, 500000), 480: (0.84, 500000)}}, 4, 7500,
                {"hnemd": 10, "green_kubo": 20, "nemd": 100}, 10000)


@dataclass
class Found:
    method: str
    temperature: int
    detail: str
    atoms: int
    nanoseconds: float
    seconds: float  # wall time
    kappa: float
    error: float
    rule: str


class Runner:
    """The methods driving(), fluctuations() and gradient() are generators: up to their first value they start runs, and
    then they wait for these runs and analyse them."""

    def __init__(self, lmp, folder, jobs):
        self.lmp, self.folder, self.found, self.spectra, self.details = words_of(lmp), folder, [], {}, {}
        self.pool = ThreadPoolExecutor(jobs)

    def start(self, settings, script, **variables):
        """Starts a run, or finds its results; the result() of what it returns is the folder with its files."""
        values = {**variables, "every": settings.every[script], "skin": SKIN, "timestep": TIMESTEP}
        return self.pool.submit(self.lammps, script, self.folder / name_of(script, values), values)

    def complete(self, settings, script, **variables):
        """Folders of all complete runs; a variable that is "*" may have any value."""
        pattern = name_of(script, {**variables, "every": settings.every[script], "skin": SKIN, "timestep": TIMESTEP})
        return sorted(folder for folder in self.folder.glob(pattern) if is_complete(folder))

    def lammps(self, script, folder, variables):
        log = folder / "log"
        if is_complete(folder):
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
        process = subprocess.run([*self.lmp, "-in", SCRIPTS / f"in.{script}", "-log", log, "-screen", "none", *words],
                                 cwd=folder, env=os.environ)
        if process.returncode:
            raise SystemExit(f"LAMMPS failed; the last lines of {log}:\n{failure(log)}")
        return folder

    def add(self, *values, estimate, rule):
        self.found.append(Found(*values, estimate.value, estimate.error, rule))
        last = self.found[-1]
        print(f"{last.method} {last.temperature} K {last.detail}: kappa = {estimate} W/(m K); {last.atoms} atoms, "
              f"{last.nanoseconds:.3g} ns, {last.seconds:.0f} s; {rule}", flush=True)

    def driving(self, settings, kelvin):
        cells, fixed = settings.driven_cells, {"T": kelvin, "a": LATTICE[kelvin], "cells": settings.driven_cells}
        runs = [self.start(settings, "hnemd", **fixed, field=field, steps=settings.driven_steps[kelvin],
                           equilibrate=settings.equilibrate, **DRIVEN, seed=kelvin + k)
                for field in FIELDS[kelvin] for k in range(settings.driven_seeds[field])]
        yield
        for run in runs:
            run.result()
        spectra, volume = [], (cells * LATTICE[kelvin])**3
        self.details["spectrum", kelvin] = partial(draw_spectra, spectra)
        for field in FIELDS[kelvin]:
            folders = self.complete(settings, "hnemd", **fixed, field=field, steps="*", equilibrate=settings.equilibrate,
                                    **DRIVEN, seed="*")
            folders = [folder for folder in folders if 1000 * nanoseconds(folder) > settings.transient[kelvin]]
            files = [only(folder, "kappa.hnemd.*") for folder in folders]
            result = hnemd(files, transient=settings.transient[kelvin], volume=volume, field=float(field), timestep=TIMESTEP)
            self.add("HNEMD", kelvin, f"field {field} 1/Å", 8 * cells**3, sum(map(nanoseconds, folders)),
                     sum(map(seconds, folders)), estimate=result["kappa"], rule=result["rule"])
            whole = hnemd(files)["kappa"].value
            result = spectrum([only(folder, "correlation.*") for folder in folders], volume, kelvin, float(field))
            self.spectra[f"{kelvin} K, {field} 1/Å"] = (result["frequency"], result["spectrum"])
            spectra.append((f"field {field} 1/Å", result["frequency"], result["spectrum"]))
            print(f"  integral of the spectrum {result['kappa'].value:.2f}, mean over the same time {whole:.2f}", flush=True)

    def fluctuations(self, settings, kelvin):
        cells = settings.fluctuating_cells
        fixed = {"T": kelvin, "a": LATTICE[kelvin], "cells": cells}
        lags = int(settings.window[kelvin] / TIMESTEP) // settings.every["green_kubo"]
        runs = [self.start(settings, "green_kubo", **fixed, steps=settings.fluctuating_steps[kelvin], lags=lags,
                           equilibrate=settings.equilibrate, seed=kelvin + k) for k in range(settings.fluctuating_seeds[kelvin])]
        yield
        for run in runs:
            run.result()
        folders = self.complete(settings, "green_kubo", **fixed, steps="*", lags=lags, equilibrate=settings.equilibrate, seed="*")
        result = green_kubo([only(folder, "current.*") for folder in folders], (cells * LATTICE[kelvin])**3, kelvin, TIMESTEP)
        self.details["Green-Kubo", kelvin] = partial(plot_integral, result)
        self.add("Green-Kubo", kelvin, f"{len(folders)} runs", 8 * cells**3, sum(map(nanoseconds, folders)),
                 sum(map(seconds, folders)), estimate=result["kappa"], rule=result["rule"])

    def gradient(self, settings, kelvin):
        hot_minus_cold = DIFFERENCE * kelvin
        fixed = {"T": kelvin, "a": LATTICE[kelvin], "dT": hot_minus_cold}
        common = {"frame": settings.frame, "equilibrate": 3 * settings.equilibrate}
        runs = [self.start(settings, "nemd", **fixed, length=length, inner=inner, width=settings.width,
                           steps=steps, **common, seed=kelvin)
                for length, (inner, steps) in sorted(settings.lengths[kelvin].items(), reverse=True)]
        yield
        for run in runs:
            run.result()
        folders = [folder for length in sorted(settings.lengths[kelvin])
                   for folder in self.complete(settings, "nemd", **fixed, length=length, inner="*", width=settings.width, steps="*",
                                               **common, seed="*")]
        profiles = [only(folder, "profile.*") for folder in folders]
        heats = [only(folder, "heat.*") for folder in folders]
        sizes = [re.search(r"^length = (\S+) Angstrom, area = (\S+) ", (folder / "log").read_text(), re.MULTILINE)
                 for folder in folders]
        lengths, area = [float(size[1]) for size in sizes], float(sizes[0][2])
        for k, length in enumerate(lengths):
            kappa = nemd(profiles[k:k + 1], heats[k:k + 1], [area], [length], TIMESTEP, difference=hot_minus_cold)["kappa"]
            print(f"  NEMD {kelvin} K, {length / 10:.1f} nm: {kappa}", flush=True)
        try:
            result = nemd(profiles, heats, [area], lengths, TIMESTEP, difference=hot_minus_cold)
        except InputError as error:
            print(f"  NEMD {kelvin} K: {error}", flush=True)
            return
        self.details["NEMD", kelvin] = partial(plot_extrapolation, result)
        atoms = 8 * settings.width**2 * (round(max(lengths) / LATTICE[kelvin]) + 10)
        self.add("NEMD", kelvin, f"{len(set(lengths))} lengths", atoms, sum(map(nanoseconds, folders)),
                 sum(map(seconds, folders)), estimate=result["kappa"], rule=result["rule"])

    def of_gpumd(self, settings, paths):
        """Adds GPUMD's results and Triad's over the same time after the start of the field: files kappa.out of its
        compute_hnemd with a row per 1000 steps of 1 fs, named kappa.gpumd.<field>.<temperature>.<seed>. The first two
        columns are the parts of the in-plane and out-of-plane motion."""
        groups = {}
        for path in paths:
            _, _, field, kelvin, _ = path.name.split(".")
            groups.setdefault((int(kelvin), field), []).append(np.loadtxt(path)[:, :2].sum(axis=1))
        for (kelvin, field), of_gpumd in sorted(groups.items()):
            folders = self.complete(settings, "hnemd", T=kelvin, a=LATTICE[kelvin], cells=settings.driven_cells, field=field,
                                    steps="*", equilibrate=settings.equilibrate, **DRIVEN, seed="*")
            tables = [read_table(only(folder, "kappa.hnemd.*")) for folder in folders]  # a row per ps
            of_triad = [table.column("f_drive[1]") * UNITS["metal"].to_si for table in tables]
            first, last = COMPARED_FROM[kelvin], min(map(len, of_gpumd))
            for method, runs in ((SAME_TIME, of_triad), (OF_GPUMD, of_gpumd)):
                kept = [run[first:last] for run in runs if len(run) > first]
                if not kept:
                    continue
                picoseconds = sum(map(len, kept))
                kappa, rule = with_least_error(*mean_of_series(kept), (settings.driven_cells * LATTICE[kelvin])**3, float(field),
                                               picoseconds, UNITS["metal"])
                self.add(method, kelvin, f"field {field} 1/Å, {first} to {last} ps", 8 * settings.driven_cells**3,
                         picoseconds / 1000, 0, estimate=kappa, rule=f"standard error of the mean over {rule}")

    def write(self):
        with open(self.folder / "results.csv", "w", newline="", encoding="utf-8") as file:
            names = [field.name for field in fields(Found)]
            csv.writer(file).writerows([names, *([getattr(found, name) for name in names] for found in self.found)])
        if self.spectra:
            columns = [next(iter(self.spectra.values()))[0], *(values for _, values in self.spectra.values())]
            with open(self.folder / "spectrum.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([["frequency_THz", *self.spectra],
                                            *([f"{value:.4f}" for value in row] for row in np.column_stack(columns))])


def name_of(script, variables):
    return f"{script}.{'.'.join(str(value) for value in variables.values())}"


def is_complete(folder):
    log = folder / "log"
    return log.exists() and "Total wall time" in log.read_text()


def only(folder, pattern):
    """The only file of a folder that has such a name."""
    path, = folder.glob(pattern)
    return path


def seconds(folder):
    """Wall time of a run, from its log."""
    found = re.search(r"^Total wall time: (\d+):(\d+):(\d+)", (folder / "log").read_text(), re.MULTILINE)
    return 3600 * int(found[1]) + 60 * int(found[2]) + int(found[3])


def nanoseconds(folder):
    """Length of the last run of a log."""
    steps = re.findall(r"^Loop time of \S+ on \d+ procs for (\d+) steps", (folder / "log").read_text(), re.MULTILINE)
    return int(steps[-1]) * TIMESTEP / 1000


def read_results(path):
    kinds = {field.name: field.type for field in fields(Found)}
    with open(path, newline="", encoding="utf-8") as file:
        return [Found(**{name: kinds[name](value) for name, value in row.items()}) for row in csv.DictReader(file)]


METHODS = ("HNEMD", "Green-Kubo", "NEMD", SAME_TIME, OF_GPUMD)  # in the order of the picture


def draw(path, results, details):
    """One row per temperature: the conductivities with their errors, and how each method found its own. details:
    (method, temperature) -> function that draws into axes."""
    kelvins = sorted({found.temperature for found in results})
    kinds = [kind for kind in ("spectrum", "Green-Kubo", "NEMD") if any(key[0] == kind for key in details)]
    columns = 1 + len(kinds)
    figure, panels = pyplot.subplots(len(kelvins), columns, figsize=(4.4 * columns, 4 * len(kelvins)), layout="constrained",
                                     squeeze=False)
    for (panel, *others), kelvin in zip(panels, kelvins):
        rows = sorted((found for found in results if found.temperature == kelvin),
                      key=lambda found: (METHODS.index(found.method), found.detail), reverse=True)
        for k, found in enumerate(rows):
            panel.errorbar(found.kappa, k, xerr=found.error if np.isfinite(found.error) else None, fmt="o", capsize=4,
                           color=f"C{METHODS.index(found.method)}")
        labels = [f"{found.method}, {found.nanoseconds:.3g} ns\n{found.detail}" for found in rows]
        panel.set_yticks(range(len(rows)), labels, fontsize=7)
        panel.margins(x=0.25)
        panel.set(title=f"silicon, {kelvin} K", xlabel="κ and standard error, W/(m K)", ylim=(-0.5, len(rows) - 0.5))
        panel.grid(axis="x", color="0.9")
        for axes, kind in zip(others, kinds):
            if (kind, kelvin) not in details:
                axes.set_axis_off()
                continue
            axes.set_title(f"{kind}, {kelvin} K")
            details[kind, kelvin](axes)
            axes.locator_params(axis="x", nbins=5)
    figure.savefig(path, dpi=100)


def draw_spectra(spectra, axes):
    for label, frequency, values in spectra:
        inside = frequency <= 18
        axes.plot(frequency[inside], values[inside], lw=1, label=label)
    axes.set(xlabel="frequency, THz", ylabel="κ(f), W ps/(m K)", xlim=(0, 18))
    axes.legend(frameon=False, fontsize=8)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", action="store_true")
    size.add_argument("--full", action="store_true")
    parser.add_argument("--lmp", default="lmp", help="command that starts LAMMPS")
    parser.add_argument("--temperatures", nargs="+", type=int, choices=sorted(LATTICE), default=sorted(LATTICE))
    parser.add_argument("--methods", nargs="+", choices=["hnemd", "gk", "nemd"], default=["hnemd", "gk", "nemd"])
    parser.add_argument("--jobs", type=int, default=1, help="runs at the same time (1)")
    parser.add_argument("--gpumd", nargs="+", type=Path, default=[], metavar="FILE",
                        help="results of GPUMD for the same boxes, named kappa.gpumd.<field>.<temperature>.<seed>")
    parser.add_argument("--output", type=Path, default=Path("output"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    runner = Runner(arguments.lmp, arguments.output.resolve(), arguments.jobs)
    settings = QUICK if arguments.quick else FULL
    methods = {"nemd": runner.gradient, "hnemd": runner.driving, "gk": runner.fluctuations}
    started = [run(settings, kelvin) for method, run in methods.items() if method in arguments.methods
               for kelvin in arguments.temperatures]
    try:
        for generator in started:
            next(generator)
        for generator in started:
            for _ in generator:
                pass
            if generator is started[-1]:
                runner.of_gpumd(settings, arguments.gpumd)
            runner.write()
            if runner.found:
                draw(arguments.output / "bulk.png", runner.found, runner.details)
    finally:
        runner.pool.shutdown(cancel_futures=True)  # after a failed run, no others start


if __name__ == "__main__":
    main()

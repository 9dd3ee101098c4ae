"""Thermal conductivity of bulk silicon by three methods: driving force, equilibrium fluctuations, temperature gradient.

    pip install ".[analysis]"   (in a clone of Triad)
    python bulk.py --quick          # minutes on a CPU: small boxes, short runs, large errors
    python bulk.py --full --jobs 8  # settings for a GPU, several runs at a time

Runs the scripts of the folder kappa at 500 K and 1000 K, prints a line for every result, and writes results.csv,
spectrum.csv and bulk.png to the folder output. Every run has a folder of its own in there; a run that is complete is not
repeated. Lengths in Å, conductivities in W/(m K).
"""

import argparse
import csv
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
from lammps_triad.kappa.files import InputError
from lammps_triad.kappa.green_kubo import green_kubo
from lammps_triad.kappa.green_kubo import plot as plot_integral
from lammps_triad.kappa.hnemd import hnemd, with_least_error
from lammps_triad.kappa.nemd import nemd
from lammps_triad.kappa.nemd import plot as plot_extrapolation
from lammps_triad.kappa.spectrum import spectrum
from lammps_triad.kappa.statistics import mean_of_series
from lammps_triad.kappa.units import UNITS

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SCRIPTS = Path(__file__).resolve().parents[1] / "kappa"
LATTICE = {500: 5.442, 1000: 5.452}
FIELDS = {500: ("5e-5", "1e-4"), 1000: ("1e-4", "2e-4")}
TIMESTEP = 0.001  # ps
LAGS = 250  # of the spectrum, in samples of 20 steps
SKIP = 0.2  # share of the driven runs in which the current builds up
SKIN = 2.0  # Å: lists that hot atoms do not outrun in a few steps
DIFFERENCE = 0.3  # of the temperatures of the thermostats, over their mean


@dataclass(frozen=True)
class Settings:
    """Numbers of cells and steps."""

    driven_cells: int
    driven_steps: int
    driven_seeds: dict  # by field; the error is inversely proportional to the field
    fluctuating_cells: int
    fluctuating_steps: dict  # by temperature
    window: dict  # of the correlation of currents in ps, by temperature
    fluctuating_seeds: dict  # by temperature
    lengths: dict  # of the bars in cells, without the thermostats: share of the difference in the bar; by temperature
    width: int
    bar_steps: int
    every: dict  # steps between samples, by script
    equilibrate: int


QUICK = Settings(4, 100000, {"5e-5": 1, "1e-4": 1, "2e-4": 1},
                 4, {500: 100000, 1000: 100000}, {500: 20, 1000: 20}, {500: 3, 1000: 3},
                 {500: {8: 1, 16: 1, 24: 1}, 1000: {8: 1, 16: 1, 24: 1}}, 3, 60000,
                 {"hnemd": 10, "green_kubo": 20, "nemd": 10}, 10000)
FULL = Settings(20, 400000, {"5e-5": 3, "1e-4": 1, "2e-4": 1},
                8, {500: 3000000, 1000: 1800000}, {500: 200, 1000: 100}, {500: 20, 1000: 14},
                {500: {240: 0.62, 480: 0.71, 960: 0.78}, 1000: {120: 0.68, 240: 0.74, 480: 0.84}}, 8, 300000,
                {"hnemd": 20, "green_kubo": 40, "nemd": 200}, 20000)


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
        self.lmp, self.folder, self.found, self.spectra, self.details = lmp.split(), folder, [], {}, {}
        self.pool = ThreadPoolExecutor(jobs)

    def start(self, settings, script, **variables):
        """Starts a run, or finds its results; the result() of what it returns is the folder with its files."""
        values = {**variables, "every": settings.every[script], "skin": SKIN}
        folder = self.folder / f"{script}.{'.'.join(str(value) for value in values.values())}"
        return self.pool.submit(self.lammps, script, folder, values)

    def lammps(self, script, folder, variables):
        log = folder / "log"
        if log.exists() and "Total wall time" in log.read_text():
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        words = [word for name, value in variables.items() for word in ("-var", name, str(value))]
        process = subprocess.run([*self.lmp, "-in", SCRIPTS / f"in.{script}", "-log", log, "-screen", "none", *words],
                                 cwd=folder, env=os.environ)
        if process.returncode:
            raise SystemExit(f"LAMMPS failed; the last lines of {log}:\n" + "\n".join(log.read_text().splitlines()[-5:]))
        return folder

    def add(self, *values, estimate, rule):
        self.found.append(Found(*values, estimate.value, estimate.error, rule))
        last = self.found[-1]
        print(f"{last.method} {last.temperature} K {last.detail}: kappa = {estimate} W/(m K); {last.atoms} atoms, "
              f"{last.nanoseconds:.3g} ns, {last.seconds:.0f} s; {rule}", flush=True)

    def driving(self, settings, kelvin):
        cells, steps = settings.driven_cells, settings.driven_steps
        seeds = {field: range(kelvin, kelvin + settings.driven_seeds[field]) for field in FIELDS[kelvin]}
        runs = {field: [self.start(settings, "hnemd", T=kelvin, a=LATTICE[kelvin], cells=cells, field=field, steps=steps,
                                   equilibrate=settings.equilibrate, lags=LAGS, seed=seed) for seed in seeds[field]]
                for field in FIELDS[kelvin]}
        yield
        spectra = []
        self.details["spectrum", kelvin] = partial(draw_spectra, spectra)
        for field, started in runs.items():
            folders = [run.result() for run in started]
            files = [folder / f"kappa.hnemd.{field}.{seed}" for folder, seed in zip(folders, seeds[field])]
            result = hnemd(files, skip=SKIP, volume=(cells * LATTICE[kelvin])**3, field=float(field), timestep=TIMESTEP)
            self.add("HNEMD", kelvin, f"field {field} 1/Å", 8 * cells**3, sum(map(nanoseconds, folders)),
                     sum(map(seconds, folders)), estimate=result["kappa"], rule=result["rule"])
            whole = hnemd(files)["kappa"].value
            files = [folder / f"correlation.{field}.{seed}" for folder, seed in zip(folders, seeds[field])]
            result = spectrum(files, (cells * LATTICE[kelvin])**3, kelvin, float(field))
            self.spectra[f"{kelvin} K, {field} 1/Å"] = (result["frequency"], result["spectrum"])
            spectra.append((f"field {field} 1/Å", result["frequency"], result["spectrum"]))
            print(f"  integral of the spectrum {result['kappa'].value:.2f}, mean over the same time {whole:.2f}; by THz:",
                  " ".join(f"{result['spectrum'][(result['frequency'] >= f) & (result['frequency'] < f + 1)].mean():.2f}"
                           for f in range(18)), flush=True)

    def fluctuations(self, settings, kelvin):
        cells, steps = settings.fluctuating_cells, settings.fluctuating_steps[kelvin]
        lags = int(settings.window[kelvin] / TIMESTEP) // settings.every["green_kubo"]
        seeds = range(kelvin, kelvin + settings.fluctuating_seeds[kelvin])
        runs = [self.start(settings, "green_kubo", T=kelvin, a=LATTICE[kelvin], cells=cells, steps=steps, lags=lags,
                           equilibrate=settings.equilibrate, seed=seed) for seed in seeds]
        yield
        folders = [run.result() for run in runs]
        files = [folder / f"current.{seed}" for folder, seed in zip(folders, seeds)]
        result = green_kubo(files, (cells * LATTICE[kelvin])**3, kelvin, TIMESTEP)
        self.details["Green-Kubo", kelvin] = partial(plot_integral, result)
        self.add("Green-Kubo", kelvin, f"{len(seeds)} runs", 8 * cells**3, sum(map(nanoseconds, folders)),
                 sum(map(seconds, folders)), estimate=result["kappa"], rule=result["rule"])

    def gradient(self, settings, kelvin):
        hot_minus_cold = DIFFERENCE * kelvin
        runs = {length: self.start(settings, "nemd", T=kelvin, a=LATTICE[kelvin], dT=hot_minus_cold, length=length,
                                   inner=inner, width=settings.width, steps=settings.bar_steps,
                                   frame=settings.bar_steps // 20, equilibrate=3 * settings.equilibrate, seed=kelvin)
                for length, inner in sorted(settings.lengths[kelvin].items(), reverse=True)}
        yield
        folders = {length: run.result() for length, run in sorted(runs.items())}
        profiles = [folder / f"profile.{length}" for length, folder in folders.items()]
        heats = [folder / f"heat.{length}" for length, folder in folders.items()]
        sizes = [re.search(r"^length = (\S+) Angstrom, area = (\S+) ", (folder / "log").read_text(), re.MULTILINE)
                 for folder in folders.values()]
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
        atoms = 8 * settings.width**2 * (max(folders) + 10)
        self.add("NEMD", kelvin, f"{len(lengths)} lengths", atoms, sum(map(nanoseconds, folders.values())),
                 sum(map(seconds, folders.values())), estimate=result["kappa"], rule=result["rule"])

    def of_gpumd(self, path):
        """Adds GPUMD's result: a kappa.out of its compute_hnemd with a row per 1000 steps of 1 fs, named
        kappa.gpumd.<field>.<temperature>. The first two columns are the parts of the in-plane and out-of-plane motion."""
        field, kelvin = path.name.split(".")[-2:]
        rows = np.loadtxt(path)
        kept = rows[int(SKIP * len(rows)):, :2].sum(axis=1)
        volume = (FULL.driven_cells * LATTICE[int(kelvin)])**3
        kappa, rule = with_least_error(*mean_of_series([kept]), volume, float(field), len(kept), UNITS["metal"])
        atoms = 8 * FULL.driven_cells**3
        self.add("GPUMD's HNEMD", int(kelvin), f"field {field} 1/Å", atoms, len(rows) / 1000, 0, estimate=kappa,
                 rule=f"standard error of the mean over {rule}")

    def write(self):
        with open(self.folder / "results.csv", "w", newline="", encoding="utf-8") as file:
            names = [field.name for field in fields(Found)]
            csv.writer(file).writerows([names, *([getattr(found, name) for name in names] for found in self.found)])
        if self.spectra:
            columns = [next(iter(self.spectra.values()))[0], *(values for _, values in self.spectra.values())]
            with open(self.folder / "spectrum.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([["frequency_THz", *self.spectra],
                                            *([f"{value:.4f}" for value in row] for row in np.column_stack(columns))])


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


METHODS = ("HNEMD", "GPUMD's HNEMD", "Green-Kubo", "NEMD")  # in the order of the picture


def draw(path, results, details):
    """One row per temperature: the conductivities with their errors, and how each method found its own. details:
    (method, temperature) -> function that draws into axes."""
    kelvins = sorted({found.temperature for found in results})
    kinds = [kind for kind in ("spectrum", "Green-Kubo", "NEMD") if any(key[0] == kind for key in details)]
    columns = 1 + len(kinds)
    figure, panels = pyplot.subplots(len(kelvins), columns, figsize=(4.2 * columns, 3.6 * len(kelvins)), layout="constrained",
                                     squeeze=False)
    for (panel, *others), kelvin in zip(panels, kelvins):
        rows = sorted((found for found in results if found.temperature == kelvin),
                      key=lambda found: METHODS.index(found.method))
        for k, found in enumerate(rows):
            panel.errorbar(k, found.kappa, found.error if np.isfinite(found.error) else None, fmt="o", capsize=4,
                           color=f"C{METHODS.index(found.method)}")
        labels = [f"{found.method}\n{found.detail}\n{found.nanoseconds:.3g} ns" for found in rows]
        panel.set_xticks(range(len(rows)), labels, rotation=40, ha="right", fontsize=7)
        panel.set(title=f"silicon, {kelvin} K", ylabel="κ, W/(m K)", ylim=(0, None), xlim=(-0.5, len(rows) - 0.5))
        for axes, kind in zip(others, kinds):
            axes.set_title(f"{kind}, {kelvin} K")
            details.get((kind, kelvin), pyplot.Axes.set_axis_off)(axes)
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
                        help="results of GPUMD for the same boxes, named kappa.gpumd.<field>.<temperature>")
    parser.add_argument("--output", type=Path, default=Path("output"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    runner = Runner(arguments.lmp, arguments.output.resolve(), arguments.jobs)
    settings = QUICK if arguments.quick else FULL
    methods = {"nemd": runner.gradient, "hnemd": runner.driving, "gk": runner.fluctuations}
    started = [run(settings, kelvin) for method, run in methods.items() if method in arguments.methods
               for kelvin in arguments.temperatures]
    for generator in started:
        next(generator)
    for generator in started:
        for _ in generator:
            pass
        if generator is started[-1]:
            for path in arguments.gpumd:
                runner.of_gpumd(path)
        runner.write()
        if runner.found:
            draw(arguments.output / "bulk.png", runner.found, runner.details)


if __name__ == "__main__":
    main()

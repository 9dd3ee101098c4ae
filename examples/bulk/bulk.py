"""Thermal conductivity of bulk silicon by three methods: driving force, equilibrium fluctuations, temperature gradient.

    pip install ".[analysis]"   (in a clone of Triad)
    python bulk.py --quick      # minutes on a CPU: small boxes, short runs, large errors
    python bulk.py --full       # settings for a GPU

Runs the scripts of the folder kappa at 500 K and 1000 K, prints a line for every result, and writes results.csv,
spectrum.csv and bulk.png to the folder output. Lengths in Å, conductivities in W/(m K).
"""

import argparse
import csv
import os
import re
import subprocess
import time
from dataclasses import dataclass, fields
from pathlib import Path

import matplotlib
import numpy as np
from lammps_triad.kappa.files import InputError
from lammps_triad.kappa.green_kubo import green_kubo
from lammps_triad.kappa.hnemd import hnemd
from lammps_triad.kappa.nemd import nemd
from lammps_triad.kappa.spectrum import spectrum

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

SCRIPTS = Path(__file__).resolve().parents[1] / "kappa"
LATTICE = {500: 5.442, 1000: 5.452}
FIELDS = {500: ("5e-5", "1e-4"), 1000: ("1e-4", "2e-4")}
TIMESTEP = 0.001  # ps
LAGS = 250  # of the spectrum, in samples of 20 steps
SKIN = 2.0  # Å: lists that hot atoms do not outrun in a few steps


@dataclass(frozen=True)
class Settings:
    """Numbers of cells and steps. Lengths of the bars in cells, without the thermostats."""

    driven_cells: int
    driven_steps: int
    fluctuating_cells: int
    fluctuating_steps: int
    window: int  # of the correlation of currents, ps
    seeds: int
    lengths: tuple
    width: int
    bar_steps: int
    profile_every: int
    equilibrate: int


QUICK = Settings(4, 100000, 4, 100000, 20, 3, (8, 16, 24), 3, 30000, 10, 10000)
FULL = Settings(20, 1000000, 8, 2000000, 200, 4, (40, 80, 160), 6, 1000000, 200, 50000)


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
    def __init__(self, lmp, folder):
        self.lmp, self.folder, self.found, self.spectra = lmp.split(), folder, [], {}

    def lammps(self, script, **variables):
        """Runs a script; returns its wall time and log."""
        words = [word for name, value in {**variables, "skin": SKIN}.items() for word in ("-var", name, str(value))]
        log = self.folder / f"{script}.{'.'.join(str(value) for value in variables.values())}.log"
        start = time.time()
        process = subprocess.run([*self.lmp, "-in", SCRIPTS / f"in.{script}", "-log", log, "-screen", "none", *words],
                                 cwd=self.folder, env=os.environ)
        if process.returncode:
            raise SystemExit(f"LAMMPS failed; the last lines of {log}:\n" + "\n".join(log.read_text().splitlines()[-5:]))
        return time.time() - start, log.read_text()

    def add(self, *values, estimate, rule):
        self.found.append(Found(*values, estimate.value, estimate.error, rule))
        last = self.found[-1]
        print(f"{last.method} {last.temperature} K {last.detail}: kappa = {estimate} W/(m K); {last.atoms} atoms, "
              f"{last.nanoseconds:g} ns, {last.seconds:.0f} s; {rule}", flush=True)

    def driving(self, settings, kelvin):
        cells, steps = settings.driven_cells, settings.driven_steps
        for field in FIELDS[kelvin]:
            seconds, _ = self.lammps("hnemd", T=kelvin, a=LATTICE[kelvin], cells=cells, field=field, steps=steps, every=10,
                                     equilibrate=settings.equilibrate, lags=LAGS, seed=kelvin)
            result = hnemd([self.folder / f"kappa.hnemd.{field}.{kelvin}"], skip=0.1)
            self.add("HNEMD", kelvin, f"field {field} 1/Å", 8 * cells**3, steps * TIMESTEP / 1000, seconds,
                     estimate=result["kappa"], rule=result["rule"])
            whole = hnemd([self.folder / f"kappa.hnemd.{field}.{kelvin}"])["kappa"].value
            result = spectrum([self.folder / f"correlation.{field}.{kelvin}"], (cells * LATTICE[kelvin])**3, kelvin,
                              float(field))
            self.spectra[f"{kelvin} K, {field} 1/Å"] = (result["frequency"], result["spectrum"])
            print(f"  integral of the spectrum {result['kappa'].value:.2f}, mean over the same time {whole:.2f}; by THz:",
                  " ".join(f"{result['spectrum'][(result['frequency'] >= f) & (result['frequency'] < f + 1)].mean():.2f}"
                           for f in range(18)), flush=True)

    def fluctuations(self, settings, kelvin):
        cells, steps = settings.fluctuating_cells, settings.fluctuating_steps
        seconds = 0
        for seed in range(settings.seeds):
            seconds += self.lammps("green_kubo", T=kelvin, a=LATTICE[kelvin], cells=cells, steps=steps, every=20,
                                   lags=50 * settings.window, equilibrate=settings.equilibrate, seed=kelvin + seed)[0]
        files = [self.folder / f"current.{kelvin + seed}" for seed in range(settings.seeds)]
        result = green_kubo(files, (cells * LATTICE[kelvin])**3, kelvin, TIMESTEP)
        self.add("Green-Kubo", kelvin, f"{settings.seeds} runs", 8 * cells**3, settings.seeds * steps * TIMESTEP / 1000,
                 seconds, estimate=result["kappa"], rule=result["rule"])

    def gradient(self, settings, kelvin):
        profiles, heats, lengths, area, spent, atoms = [], [], [], 0, 0, 0
        for length in settings.lengths:
            seconds, log = self.lammps("nemd", T=kelvin, a=LATTICE[kelvin], dT=0.2 * kelvin, length=length,
                                       width=settings.width, every=settings.profile_every, steps=settings.bar_steps,
                                       equilibrate=5 * settings.equilibrate, seed=kelvin)
            size = re.search(r"^length = (\S+) Angstrom, area = (\S+) ", log, re.MULTILINE)
            lengths.append(float(size[1]))
            area = float(size[2])
            for files, name in ((profiles, "profile"), (heats, "heat")):
                files.append((self.folder / f"{name}.{length}").rename(self.folder / f"{name}.{kelvin}.{length}"))
            spent += seconds
            atoms = max(atoms, 8 * settings.width**2 * (length + 10))
        hot_minus_cold = 0.2 * kelvin
        for k, length in enumerate(lengths):
            kappa = nemd(profiles[k:k + 1], heats[k:k + 1], [area], [length], TIMESTEP, difference=hot_minus_cold)["kappa"]
            print(f"  NEMD {kelvin} K, {length / 10:.1f} nm: {kappa}", flush=True)
        try:
            result = nemd(profiles, heats, [area], lengths, TIMESTEP, difference=hot_minus_cold)
        except InputError as error:
            print(f"  NEMD {kelvin} K: {error}", flush=True)
            return
        self.add("NEMD", kelvin, f"{len(lengths)} lengths", atoms, len(lengths) * settings.bar_steps * TIMESTEP / 1000, spent,
                 estimate=result["kappa"], rule=result["rule"])

    def write(self):
        with open(self.folder / "results.csv", "w", newline="", encoding="utf-8") as file:
            names = [field.name for field in fields(Found)]
            csv.writer(file).writerows([names, *([getattr(found, name) for name in names] for found in self.found)])
        if self.spectra:
            columns = [next(iter(self.spectra.values()))[0], *(values for _, values in self.spectra.values())]
            with open(self.folder / "spectrum.csv", "w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows([["frequency_THz", *self.spectra],
                                            *([f"{value:.4f}" for value in row] for row in np.column_stack(columns))])


def read_results(path):
    kinds = {field.name: field.type for field in fields(Found)}
    with open(path, newline="", encoding="utf-8") as file:
        return [Found(**{name: kinds[name](value) for name, value in row.items()}) for row in csv.DictReader(file)]


def draw(path, results):
    """The conductivities with their errors, one panel per temperature."""
    kelvins = sorted({found.temperature for found in results})
    figure, panels = pyplot.subplots(1, len(kelvins), figsize=(4.5 * len(kelvins), 4), layout="constrained", squeeze=False)
    for panel, kelvin in zip(panels[0], kelvins):
        rows = [found for found in results if found.temperature == kelvin]
        for k, found in enumerate(rows):
            panel.errorbar(k, found.kappa, found.error if np.isfinite(found.error) else None, fmt="o", capsize=4)
        panel.set_xticks(range(len(rows)), [f"{found.method}\n{found.detail}" for found in rows], rotation=30, ha="right")
        panel.set(title=f"silicon, {kelvin} K", ylabel="κ, W/(m K)", ylim=(0, None), xlim=(-0.5, len(rows) - 0.5))
    figure.savefig(path, dpi=150)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    size = parser.add_mutually_exclusive_group(required=True)
    size.add_argument("--quick", action="store_true")
    size.add_argument("--full", action="store_true")
    parser.add_argument("--lmp", default="lmp", help="command that starts LAMMPS")
    parser.add_argument("--temperatures", nargs="+", type=int, choices=sorted(LATTICE), default=sorted(LATTICE, reverse=True))
    parser.add_argument("--methods", nargs="+", choices=["hnemd", "gk", "nemd"], default=["hnemd", "gk", "nemd"])
    parser.add_argument("--output", type=Path, default=Path("output"))
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    runner = Runner(arguments.lmp, arguments.output.resolve())
    settings = QUICK if arguments.quick else FULL
    for kelvin in arguments.temperatures:
        for method, run in (("hnemd", runner.driving), ("gk", runner.fluctuations), ("nemd", runner.gradient)):
            if method in arguments.methods:
                run(settings, kelvin)
                runner.write()
                draw(arguments.output / "bulk.png", runner.found)


if __name__ == "__main__":
    main()
